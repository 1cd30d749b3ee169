/** Facts that belong to a log line. An error goes under `err`. */
export type LogFields = Readonly<Record<string, unknown>>

/** How much is logged; `silent` is nothing. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'

/** What the framework logs to. Any pino logger is one. */
export interface Logger {
  /** For who looks into a fault. */
  debug(fields: LogFields, message: string): void
  /** What happened. */
  info(fields: LogFields, message: string): void
  /** What somebody should look at. */
  warn(fields: LogFields, message: string): void
  /** What failed. */
  error(fields: LogFields, message: string): void
  /** What ends the process. */
  fatal(fields: LogFields, message: string): void
}
