import { createLogger } from './create-logger.ts'
import { type LogFields, type Logger } from './logger.ts'
import { currentRequest, logContext } from './request-context.ts'

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

/**
 * The log of the application, for every file of it: each line carries the id of the request that
 * is being handled where it is written, and goes where the API that handles it logs to. Outside of
 * requests it is the log of the API that was made last.
 */
export const log: Log = {
  debug: at('debug'),
  info: at('info'),
  warn: at('warn'),
  error: at('error'),
  fatal: at('fatal'),
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
    const context = logContext()
    if (typeof first === 'string') logger[level](context, first)
    else logger[level]({ ...context, ...first }, message ?? '')
  }
}
