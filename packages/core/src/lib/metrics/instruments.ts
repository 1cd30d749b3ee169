import { type Instruments } from '../features/metrics.ts'
import { type Prometheus } from './prometheus.ts'

// The metrics of features, in the registry of the API.
export function createInstruments({ client, registry }: Prometheus): Instruments {
  const registers = [registry]
  return {
    counter(instrument) {
      const counter = new client.Counter({ ...instrument, registers })
      return (labels, value) => counter.inc(labels, value)
    },
    histogram(instrument) {
      const histogram = new client.Histogram({ ...instrument, registers })
      return (labels, value) => histogram.observe(labels, value)
    },
    gauge(instrument, collect) {
      void new client.Gauge({
        ...instrument,
        registers,
        collect() {
          return collect((labels, value) => this.set(labels, value))
        },
      })
    },
  }
}
