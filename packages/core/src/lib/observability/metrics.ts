import { type Connection } from 'mongoose'
import { type SecurityEventName, securityEventNames } from '../auth/security-events.ts'
import { type InFlight } from '../pipeline/in-flight.ts'
import { type Part } from '../lifecycle/parts.ts'
import { type Stage } from '../pipeline/stage.ts'
import { createHttpMetrics } from './http-metrics.ts'
import { createMetricsServer, metricsPath } from './metrics-endpoint.ts'
import { createPoolMetrics } from './pool-metrics.ts'
import { createPrometheus, type ProcessRole, type Prometheus } from './prometheus.ts'

/** Where metrics are served. */
export interface MetricsSettings {
  /** A port of their own; undefined serves them at the path of the API. */
  readonly port: number | undefined
  readonly path: string
  /** Bearer token of the one who may read; undefined is anyone, on a port of their own only. */
  readonly token: string | undefined
}

interface MetricsParts {
  readonly inFlight: Pick<InFlight, 'count'>
  readonly host: string
  readonly role: ProcessRole
}

/** The metrics of an API. */
export interface Metrics {
  /** Measures requests. */
  readonly stage: Stage
  /** Serves the metrics at a path of the API. */
  readonly endpoint: Stage | undefined
  /** Serves the metrics on a port of their own. */
  readonly server: Part | undefined
  /** Counts an event of authentication. */
  countEvent(event: SecurityEventName): void
  /** Measures the pool of a connected database. */
  watchPool(connection: Connection): void
}

/**
 * Makes the metrics of an API.
 * @param settings - where they are served
 * @param parts - what is measured or needed
 * @param parts.inFlight - knows how many requests there are
 * @param parts.host - address of a port of their own
 * @param parts.role - which of several processes this is
 * @returns the metrics
 * @throws Error when the package `prom-client` is not installed
 */
export function createMetrics(
  settings: MetricsSettings,
  { inFlight, host, role }: MetricsParts,
): Metrics {
  const { port, path, token } = settings
  const prometheus = createPrometheus(role)
  const watchClient = createPoolMetrics(prometheus)
  const hasServer = port !== undefined && role !== 'worker'
  const server = hasServer
    ? createMetricsServer(prometheus, { host, port, path, token })
    : undefined
  const atPath = port === undefined && token !== undefined
  return {
    stage: createHttpMetrics(prometheus, inFlight),
    endpoint: atPath ? metricsPath(prometheus, { path, token }) : undefined,
    server,
    countEvent: createEventCounter(prometheus),
    watchPool: (connection) => watchClient(connection.getClient()),
  }
}

function createEventCounter({ client, registry }: Prometheus): (event: SecurityEventName) => void {
  const events = new client.Counter({
    name: 'auth_events_total',
    help: 'Events of authentication, by name.',
    labelNames: ['event'],
    registers: [registry],
  })
  // A rate needs to have seen the zero.
  for (const event of securityEventNames) events.inc({ event }, 0)
  return (event) => events.inc({ event })
}
