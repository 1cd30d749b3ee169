import { type Metrics } from '../observability/metrics.ts'
import { type Authenticator } from '../routing/request.ts'
import { accessLog, type AccessLogOptions } from './access-log.ts'
import { authentication } from './authentication.ts'
import { cors, type CorsOptions } from './cors.ts'
import { drain } from './drain.ts'
import { framing } from './framing.ts'
import { health, type HealthOptions } from './health.ts'
import { type InFlight } from './in-flight.ts'
import { overload, type OverloadOptions } from './overload.ts'
import { rateLimit, type RateLimitOptions } from './rate-limit.ts'
import { requestId, type RequestIdOptions } from './request-id.ts'
import { securityHeaders, type SecurityHeadersOptions } from './security-headers.ts'
import { composeStages, type Stage } from './stage.ts'

/** Options of the stages; false leaves a stage out. */
export interface PipelineOptions {
  readonly requestId: RequestIdOptions
  readonly accessLog: AccessLogOptions
  readonly securityHeaders: SecurityHeadersOptions
  readonly cors: CorsOptions
  readonly health: HealthOptions | false
  readonly overload: Omit<OverloadOptions, 'inFlight'>
  readonly rateLimit: RateLimitOptions | false
  readonly authenticator: Authenticator | undefined
  readonly inFlight: InFlight
  readonly metrics: Metrics | undefined
  readonly isDraining: () => boolean
  /** The routes: access → body → validation → controller. */
  readonly dispatcher: Stage
}

/**
 * The whole pipeline, in the order in which a request meets it. Not found and errors come behind
 * it, as the last thing of the app.
 * @param options - options of each stage
 * @returns the pipeline as one stage
 */
export function createPipeline(options: PipelineOptions): Stage {
  return composeStages([
    requestId(options.requestId),
    accessLog(options.accessLog),
    ...(options.metrics ? [options.metrics.stage] : []),
    options.inFlight.stage,
    securityHeaders(options.securityHeaders),
    drain(options.isDraining),
    framing(),
    cors(options.cors),
    ...(options.health ? [health(options.health)] : []),
    ...(options.metrics?.endpoint ? [options.metrics.endpoint] : []),
    overload({ ...options.overload, inFlight: options.inFlight }),
    ...(options.rateLimit ? [rateLimit(options.rateLimit)] : []),
    ...(options.authenticator ? [authentication(options.authenticator)] : []),
    options.dispatcher,
  ])
}
