import { AsyncLocalStorage } from 'node:async_hooks'
import { type Express, type Request } from 'express'
import { toTraceFields } from './tracing.ts'
import { wrapHandle } from '../stage/wrap-handle.ts'
import { type LogFields, type Logger } from './logger.ts'

/** The request that is being handled. */
export interface RequestContext {
  readonly request: Request
  /** The logger of the API that handles it. */
  readonly logger: Logger
}

const storage = new AsyncLocalStorage<RequestContext>()
let isTracking = false

// Turns on request tracking. It is off until it is needed, because Node 20 and 22 then track every
// promise.
export function trackRequests(): void {
  isTracking = true
}

export function currentRequest(): RequestContext | undefined {
  return storage.getStore()
}

// `requestId`, `traceId` and `spanId` of the current request, where they exist.
export function toContextFields(): LogFields {
  const request = storage.getStore()?.request
  return { ...(request ? { requestId: request.id } : {}), ...toTraceFields() }
}

// Tracks the requests of an app through every `await`.
export function installRequestContext(app: Express, logger: Logger): void {
  wrapHandle(app, (handle) => (request, ...rest) => {
    if (isTracking) storage.run({ request, logger }, handle, request, ...rest)
    else handle(request, ...rest)
  })
}

/** Who makes the request that is being handled. */
export interface RequestCaller {
  readonly user?: string
  readonly apiKey?: string
  readonly tenant?: string
}

// The request that is being handled: its id, and the ids of its caller.
export function currentCaller(): {
  readonly requestId: string | undefined
  readonly caller: RequestCaller | undefined
} {
  const request: unknown = storage.getStore()?.request
  const { apiKey, id, tenant, user } = Object(request)
  const ids = Object.entries({ user: user?.id, apiKey: apiKey?.id, tenant: tenant?.id })
  const known = ids.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  return { requestId: id, caller: known.length === 0 ? undefined : Object.fromEntries(known) }
}
