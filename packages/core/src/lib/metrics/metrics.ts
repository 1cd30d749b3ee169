import { type Connection } from 'mongoose'
import { type InFlight } from '../http/in-flight.ts'
import { type Part } from '../runtime/parts.ts'
import { type ProcessRole } from '../runtime/process-role.ts'
import { type Stage } from '../stage/stage.ts'
import { createHttpMetrics } from './http-metrics.ts'
import { createMetricsServer, metricsPath } from './metrics-endpoint.ts'
import { createPoolMetrics } from './pool-metrics.ts'
import { createPrometheus, type Prometheus } from './prometheus.ts'

export interface MetricsSettings {
  /** Address of the separate port. */
  readonly host: string
  /** A separate port; undefined serves the metrics at the path of the API. */
  readonly port: number | undefined
  readonly path: string
  /** Bearer token required to read; undefined, on a separate port only, allows anyone. */
  readonly token: string | undefined
  readonly role: ProcessRole
  /** Names of the security events. */
  readonly events: readonly string[]
}

export interface Metrics {
  /** Measures requests. */
  readonly stage: Stage
  /** Serves the metrics at a path of the API. */
  readonly endpoint: Stage | undefined
  /** Serves the metrics on a separate port. */
  readonly server: Part | undefined
  /** Creates a listener that counts security events and passes them on. */
  countEvents<Event extends { readonly event: string }>(
    next: ((event: Event) => void) | undefined,
  ): (event: Event) => void
  /** Measures the connection pool of the database. */
  watchPool(connection: Connection): void
}

export function createMetrics(
  settings: MetricsSettings,
  inFlight: Pick<InFlight, 'count'>,
): Metrics {
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
