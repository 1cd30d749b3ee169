import { createLogger } from './create-logger.ts'
import { type LogFields, type Logger } from './logger.ts'
import { currentRequest, trackRequests, toContextFields } from './request-context.ts'

/** Writes one line: fields and a message, or a message alone. */
export interface LogMethod {
  (fields: LogFields, message: string): void
  (message: string): void
}

/** The application's log. */
export interface Log {
  /** Details for debugging. */
  readonly debug: LogMethod
  /** Normal operation. */
  readonly info: LogMethod
  /** Something that needs attention. */
  readonly warn: LogMethod
  /** A failure; the error is passed as `err`. */
  readonly error: LogMethod
  /** A failure that stops the process. */
  readonly fatal: LogMethod
}

let latest: Logger | undefined

// For the framework's own files: unlike `getLogger`, it leaves request tracking off.
export const applicationLog: Log = {
  debug: at('debug'),
  info: at('info'),
  warn: at('warn'),
  error: at('error'),
  fatal: at('fatal'),
}

/**
 * Returns the log of the application, for any of its files: write `const log = getLogger()` at the top. Each
 * line carries the id of the current request and is written to the log of the API that handles it; outside of
 * requests, to the log of the API that was created last.
 *
 * The first call turns on request tracking, which costs time on each `await`: services that never
 * call it do not pay for it.
 * @returns the log
 * @example
 * ```ts
 * const log = getLogger()
 * log.info({ postId: id }, 'published')
 * ```
 */
export function getLogger(): Log {
  trackRequests()
  return applicationLog
}

/**
 * Creates a mixin for your own pino logger: `pino({ mixin: createLogMixin() })` adds the request fields of
 * {@link getLogger} to each line. It also turns on request tracking.
 * @returns the mixin: `requestId`, `traceId` and `spanId` where they exist
 */
export function createLogMixin(): () => LogFields {
  trackRequests()
  return toContextFields
}

// Lines outside of requests are written to the logger that was set last.
export function setApplicationLogger(logger: Logger): void {
  latest = logger
}

function at(level: keyof Log): LogMethod {
  return (first: LogFields | string, message?: string) => {
    const logger = currentRequest()?.logger ?? (latest ??= createLogger())
    // Added here too, because a custom logger has no mixin.
    const context = toContextFields()
    if (typeof first === 'string') logger[level](context, first)
    else logger[level]({ ...context, ...first }, message ?? '')
  }
}
