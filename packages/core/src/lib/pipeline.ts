import { type Request } from 'express'
import { type Connection } from 'mongoose'
import { pingDatabase } from './database/connect.ts'
import { type Lifecycle } from './lifecycle/start-stop.ts'
import { type Metrics } from './features/metrics.ts'
import { type Settings } from './settings/resolve-config.ts'
import { accessLog } from './http/access-log.ts'
import { authentication } from './http/authentication.ts'
import { cors } from './http/cors.ts'
import { framing } from './http/framing.ts'
import { health, type HealthCheck, type HealthOptions } from './http/health.ts'
import { drain, type InFlight } from './http/in-flight.ts'
import { overload } from './http/overload.ts'
import { isCountedWithOther } from './limits/counted-connections.ts'
import { createLimiter, type LimiterOptions } from './limits/rate-limit.ts'
import { requestId } from './http/request-id.ts'
import { securityHeaders } from './http/security-headers.ts'
import { type StageName, stageNames } from './stage/stage-names.ts'
import { composeStages, type Stage } from './stage/stage.ts'

export interface PipelineOptions extends Pick<
  Settings,
  | 'requestId'
  | 'accessLog'
  | 'securityHeaders'
  | 'cors'
  | 'health'
  | 'server'
  | 'rateLimit'
  | 'authenticator'
  | 'stages'
> {
  /** The connections that readiness checks. */
  readonly connections: readonly Connection[]
  readonly inFlight: InFlight
  readonly metrics: Metrics | undefined
  readonly lifecycle: Pick<Lifecycle, 'draining'>
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
        ? [health({ ...options.health, isDraining, checks: toChecks(options, options.health) })]
        : []),
      ...(options.metrics?.endpoint ? [options.metrics.endpoint] : []),
    ],
    overload: [overload({ ...options.server, inFlight: options.inFlight })],
    rateLimit: options.rateLimit ? [countOnce(options.rateLimit)] : [],
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

function countOnce({ skip, ...limit }: LimiterOptions): Stage {
  const isExempt = (req: Request): boolean => isCountedWithOther(req) || skip?.(req) === true
  return createLimiter({ ...limit, skip: isExempt }).stage
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
