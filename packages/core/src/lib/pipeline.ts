import { type Connection } from 'mongoose'
import { pingDatabase } from './database/connect.ts'
import { type Lifecycle } from './lifecycle/start-stop.ts'
import { type Metrics } from './features/metrics.ts'
import { type Authenticator } from './route/request.ts'
import { accessLog, type AccessLogOptions } from './http/access-log.ts'
import { authentication } from './http/authentication.ts'
import { cors, type CorsOptions } from './http/cors.ts'
import { framing } from './http/framing.ts'
import { health, type HealthCheck, type HealthOptions } from './http/health.ts'
import { drain, type InFlight } from './http/in-flight.ts'
import { type PlacedStages } from './http/own-stages.ts'
import { overload, type OverloadOptions } from './http/overload.ts'
import { rateLimit, type RateLimitOptions } from './limits/rate-limit.ts'
import { requestId, type RequestIdOptions } from './http/request-id.ts'
import { securityHeaders, type SecurityHeadersOptions } from './http/security-headers.ts'
import { type StageName, stageNames } from './stage/stage-names.ts'
import { composeStages, type Stage } from './stage/stage.ts'

export interface PipelineOptions {
  readonly requestId: RequestIdOptions
  readonly accessLog: AccessLogOptions
  readonly securityHeaders: SecurityHeadersOptions
  readonly cors: CorsOptions
  readonly health: HealthOptions | false
  readonly server: Omit<OverloadOptions, 'inFlight'>
  /** The connections that readiness checks. */
  readonly connections: readonly Connection[]
  readonly rateLimit: RateLimitOptions | false
  readonly authenticator: Authenticator | undefined
  readonly inFlight: InFlight
  readonly metrics: Metrics | undefined
  readonly lifecycle: Pick<Lifecycle, 'draining'>
  /** Stages of the application at named places. */
  readonly stages: PlacedStages | undefined
  /** The routes: access → body → validation → controller. */
  readonly dispatcher: Stage
}

// Runs the stages in the order of `stageNames`. The handlers for 404 and errors follow at the end of the app.
export function createPipeline(options: PipelineOptions): Stage {
  const isDraining = (): boolean => options.lifecycle.draining
  const stages: Record<StageName, readonly Stage[]> = {
    requestId: [requestId(options.requestId)],
    accessLog: [accessLog(options.accessLog)],
    metrics: options.metrics ? [options.metrics.stage] : [],
    inFlight: [options.inFlight.stage],
    securityHeaders: [securityHeaders(options.securityHeaders)],
    drain: [drain(isDraining)],
    framing: [framing()],
    cors: [cors(options.cors)],
    health: [
      ...(options.health
        ? [health({ isDraining, ...options.health, checks: toChecks(options, options.health) })]
        : []),
      ...(options.metrics?.endpoint ? [options.metrics.endpoint] : []),
    ],
    overload: [overload({ ...options.server, inFlight: options.inFlight })],
    rateLimit: options.rateLimit ? [rateLimit(options.rateLimit)] : [],
    authentication: options.authenticator ? [authentication(options.authenticator)] : [],
    routes: [options.dispatcher],
  }
  return composeStages(
    stageNames.flatMap((name) => [
      ...(options.stages?.before.get(name) ?? []),
      ...stages[name],
      ...(options.stages?.after.get(name) ?? []),
    ]),
  )
}

function toChecks(
  { connections }: PipelineOptions,
  { checks, timeoutMs = 500 }: HealthOptions,
): Record<string, HealthCheck> {
  const mongodb: HealthCheck = {
    componentType: 'datastore',
    async check(): Promise<'pass'> {
      await Promise.all(connections.map((connection) => pingDatabase(connection, timeoutMs)))
      return 'pass'
    },
  }
  return { ...(connections.length > 0 ? { 'mongodb:connection': mongodb } : {}), ...checks }
}
