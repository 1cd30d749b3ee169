import { type Connection } from 'mongoose'
import { type InFlight } from '../http/in-flight.ts'
import { code, integer, matching, option, type Options, type Values } from '../options/options.ts'
import { type Part } from '../runtime/parts.ts'
import { type ProcessRole } from '../runtime/process-role.ts'
import { type Stage } from '../stage/stage.ts'

export const metricsOptions = {
  /**
   * Serves metrics for Prometheus on a separate port, which must not be reachable from outside; `0`
   * uses a free one. Needs `createMetrics` and the package `prom-client`.
   * @default undefined
   */
  port: option(integer(0, 65_535), { env: 'METRICS_PORT', example: '9464' }),
  /**
   * Bearer token for reading the metrics, at least 16 characters. Without `METRICS_PORT` they are
   * served at `METRICS_PATH` of the API.
   * @default undefined
   */
  token: option(
    matching(
      /^[\w.~+/-]{16,}=*$/,
      'must be 16 characters or more of a bearer token: openssl rand -base64 32',
    ),
    { env: 'METRICS_TOKEN', secret: true, example: '' },
  ),
  /**
   * Path of the metrics.
   * @default '/metrics'
   */
  path: option(matching(/^(?:\/[\w.~-]+)+$/, 'must be a path such as /metrics'), {
    env: 'METRICS_PATH',
    default: '/metrics',
  }),
  create: code<CreateMetrics>(),
}

/** Options of the metrics: they are on when there is a port or a token. */
export interface MetricsConfig extends Omit<Options<typeof metricsOptions>, 'create'> {}

/** The metrics of an API: their options, and the function by which `createApi` creates them. */
export interface MetricsFeature extends MetricsConfig {
  /** Creates the stage that measures requests, and the route or the server of the metrics. */
  readonly create: CreateMetrics
}

export type CreateMetrics = (
  settings: MetricsSettings,
  inFlight: Pick<InFlight, 'count'>,
) => Metrics

export interface MetricsValues extends Values<typeof metricsOptions> {}

export interface MetricsSettings extends Omit<MetricsValues, 'create'> {
  /** Address of the separate port. */
  readonly host: string
  readonly role: ProcessRole
  /** Names of the security events. */
  readonly events: readonly string[]
}

/** The members of the metrics that `createApi` uses. */
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
  /** Creates the metrics of a feature. */
  readonly instruments: Instruments
}

/** A metric of a feature: its name, its description, and the names of its labels. */
export interface Instrument {
  readonly name: string
  readonly help: string
  readonly labelNames: string[]
}

export type Labels = Readonly<Record<string, string>>

/** Creates metrics in the registry of an API. */
export interface Instruments {
  counter(instrument: Instrument): (labels: Labels, value?: number) => void
  histogram(
    instrument: Instrument & { readonly buckets: number[] },
  ): (labels: Labels, value: number) => void
  /** `collect` is called when the metrics are read. */
  gauge(
    instrument: Instrument,
    collect: (set: (labels: Labels, value: number) => void) => Promise<void>,
  ): void
}
