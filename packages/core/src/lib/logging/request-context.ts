import { AsyncLocalStorage } from 'node:async_hooks'
import { type Express, type Request } from 'express'
import { toTraceFields } from '../observability/tracing.ts'
import { wrapHandle } from '../pipeline/wrap-handle.ts'
import { type LogFields, type Logger } from './logger.ts'

/** What is known wherever a request is being handled. */
export interface RequestContext {
  readonly request: Request
  /** The logger of the API that handles it. */
  readonly logger: Logger
}

const storage = new AsyncLocalStorage<RequestContext>()
let isFollowing = false

/**
 * Makes everything that is done for a request know the request, from now on. Nobody pays for it
 * before: Node 20 and 22 then keep book of every promise.
 */
export function followRequests(): void {
  isFollowing = true
}

/**
 * The request that is being handled here, if requests are followed.
 * @returns request and logger
 */
export function currentRequest(): RequestContext | undefined {
  return storage.getStore()
}

/**
 * What a line of the log says of where it is written: the id of the request, and of the trace
 * where one is recorded.
 * @returns `requestId`, `traceId` and `spanId`, as far as there are any
 */
export function toContextFields(): LogFields {
  const request = storage.getStore()?.request
  return { ...(request ? { requestId: request.id } : {}), ...toTraceFields() }
}

/**
 * Lets the requests of an app be followed, through any `await`.
 * @param app - the Express app
 * @param logger - of the API
 */
export function installRequestContext(app: Express, logger: Logger): void {
  wrapHandle(app, (handle) => (request, ...rest) => {
    if (isFollowing) storage.run({ request, logger }, handle, request, ...rest)
    else handle(request, ...rest)
  })
}
