import { type InFlight } from '../http/in-flight.ts'
import {
  type Metrics,
  type MetricsConfig,
  type MetricsFeature,
  type MetricsSettings,
} from '../features/metrics.ts'
import { createHttpMetrics } from './http-metrics.ts'
import { createMetricsServer, metricsPath } from './metrics-endpoint.ts'
import { createInstruments } from './instruments.ts'
import { createPoolMetrics } from './pool-metrics.ts'
import { createPrometheus, type Prometheus } from './prometheus.ts'

/**
 * Adds metrics for Prometheus to an API. They are on when there is a port or a token, in the options or in the environment.
 * Needs the package `prom-client`.
 * @param options - where the metrics are served, and to whom
 * @returns the value of the option `metrics` of `createApi`, which checks the options
 * @example
 * ```ts
 * export const api = createApi({ routes, metrics: createMetrics() })
 * ```
 */
export function createMetrics(options: MetricsConfig = {}): MetricsFeature {
  return { ...options, create: createApiMetrics }
}

function createApiMetrics(settings: MetricsSettings, inFlight: Pick<InFlight, 'count'>): Metrics {
  const { host, port, path, token, role, events } = settings
  const prometheus = createPrometheus(role)
  const watchClient = createPoolMetrics(prometheus)
  const hasServer = port !== undefined && role !== 'worker'
  const server = hasServer
    ? createMetricsServer(prometheus, { host, port, path, token })
    : undefined
  const atPath = port === undefined && token !== undefined
  const countEvent = createEventCounter(prometheus, events)
  return {
    stage: createHttpMetrics(prometheus, inFlight),
    endpoint: atPath ? metricsPath(prometheus, { path, token }) : undefined,
    server,
    countEvents: (next) => (event) => {
      countEvent(event.event)
      next?.(event)
    },
    watchPool: (connection) => watchClient(connection.getClient()),
    instruments: createInstruments(prometheus),
  }
}

function createEventCounter(
  { client, registry }: Prometheus,
  names: readonly string[],
): (name: string) => void {
  const events = new client.Counter({
    name: 'auth_events_total',
    help: 'Authentication events, by name.',
    labelNames: ['event'],
    registers: [registry],
  })
  // A rate is right only if the counter starts at zero.
  for (const event of names) events.inc({ event }, 0)
  return (event) => events.inc({ event })
}
