import type * as PrometheusClient from 'prom-client'
import { loadOptional } from '../optional-package.ts'

/** What measures and tells. */
export interface Prometheus {
  readonly client: typeof PrometheusClient
  /** Metrics of one API; an API keeps its own, because a process can have several. */
  readonly registry: PrometheusClient.Registry
  /** Media type of what `render` returns. */
  readonly contentType: string
  /** Everything measured, in the text format of Prometheus. */
  render(): Promise<string>
}

/**
 * Makes a registry of metrics with those of the process in it: memory, CPU, event-loop delay,
 * garbage collection. Metrics that the application keeps in the default registry of `prom-client`
 * are told with them.
 * @returns the registry
 * @throws Error when the package `prom-client` is not installed
 */
export function createPrometheus(): Prometheus {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the package says of itself
  const client = loadOptional('prom-client', 'Metrics need the package', [
    'prom-client',
  ]) as typeof PrometheusClient
  const registry = new client.Registry()
  client.collectDefaultMetrics({ register: registry })
  return {
    client,
    registry,
    contentType: registry.contentType,
    async render() {
      const own = new Set(registry.getMetricsAsArray().map(({ name }) => name))
      const others = client.register.getMetricsAsArray().filter(({ name }) => !own.has(name))
      const texts = others.map(({ name }) => client.register.getSingleMetricAsString(name))
      return [await registry.metrics(), ...(await Promise.all(texts))].join('\n')
    },
  }
}
