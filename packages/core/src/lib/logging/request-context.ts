import { AsyncLocalStorage } from 'node:async_hooks'
import { type Express, type Request } from 'express'
import { toTraceFields } from '../observability/tracing.ts'
import { type LogFields, type Logger } from './logger.ts'

/** What is known wherever a request is being handled. */
export interface RequestContext {
  readonly request: Request
  /** The logger of the API that handles it. */
  readonly logger: Logger
}

const storage = new AsyncLocalStorage<RequestContext>()

/**
 * The request that is being handled here, if any.
 * @returns request and logger
 */
export function currentRequest(): RequestContext | undefined {
  return storage.getStore()
}

/**
 * What each line of an application's log says of where it was written: the id of the request, and
 * of the trace where one is recorded. For a pino logger of your own: `pino({ mixin: logContext })`.
 * @returns `requestId`, `traceId` and `spanId`, as far as there are any
 */
export function logContext(): LogFields {
  const request = storage.getStore()?.request
  return { ...(request ? { requestId: request.id } : {}), ...toTraceFields() }
}

/**
 * Makes everything that an app does for a request know the request, through any `await`.
 * @param app - the Express app
 * @param logger - of the API
 */
export function installRequestContext(app: Express, logger: Logger): void {
  const handle: unknown = Reflect.get(app, 'handle')
  if (typeof handle !== 'function') throw new Error('This release of Express has no app.handle.')
  Reflect.set(app, 'handle', (request: Request, ...rest: unknown[]) =>
    storage.run({ request, logger }, () => Reflect.apply(handle, app, [request, ...rest])),
  )
}
