import { createLogger } from './create-logger.ts'
import { type LogFields, type Logger } from './logger.ts'
import { currentRequest, followRequests, toContextFields } from './request-context.ts'

/** Writes one line: facts and a message, or a message alone. */
export interface LogMethod {
  (fields: LogFields, message: string): void
  (message: string): void
}

/** The application's log. */
export interface Log {
  /** For who looks into a fault. */
  readonly debug: LogMethod
  /** What happened. */
  readonly info: LogMethod
  /** What somebody should look at. */
  readonly warn: LogMethod
  /** What failed; the error goes under `err`. */
  readonly error: LogMethod
  /** What ends the process. */
  readonly fatal: LogMethod
}

let latest: Logger | undefined

const log: Log = {
  debug: at('debug'),
  info: at('info'),
  warn: at('warn'),
  error: at('error'),
  fatal: at('fatal'),
}

/**
 * The log of the application, for any file of it: `const log = getLogger()` at its top. Each line
 * carries the id of the request that is being handled where it is written, and goes where the API
 * that handles it logs to; outside of requests, to the log of the API that was made last.
 *
 * The first call makes requests be followed, which costs time on each `await`: services that do
 * not log do not pay for it.
 * @returns the log
 */
export function getLogger(): Log {
  followRequests()
  return log
}

/**
 * For a pino logger of your own: `pino({ mixin: createLogMixin() })` says in each of its lines what
 * those of {@link getLogger} say of the request. Like that it makes requests be followed.
 * @returns the mixin: `requestId`, `traceId` and `spanId`, as far as there are any
 */
export function createLogMixin(): () => LogFields {
  followRequests()
  return toContextFields
}

/**
 * Says where lines go that are written outside of requests.
 * @param logger - of an API
 */
export function setApplicationLogger(logger: Logger): void {
  latest = logger
}

function at(level: keyof Log): LogMethod {
  return (first: LogFields | string, message?: string) => {
    const logger = currentRequest()?.logger ?? (latest ??= createLogger())
    // Said here as well, for a logger that is not ours.
    const context = toContextFields()
    if (typeof first === 'string') logger[level](context, first)
    else logger[level]({ ...context, ...first }, message ?? '')
  }
}
