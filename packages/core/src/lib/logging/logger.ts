/** Fields of a log line. An error is passed as `err`. */
export type LogFields = Readonly<Record<string, unknown>>

/** The minimum level that is logged; `silent` turns the log off. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'

/** The logger interface of the framework. Any pino logger implements it. */
export interface Logger {
  /** Details for debugging. */
  debug(fields: LogFields, message: string): void
  /** Normal operation. */
  info(fields: LogFields, message: string): void
  /** Something that needs attention. */
  warn(fields: LogFields, message: string): void
  /** A failure. */
  error(fields: LogFields, message: string): void
  /** A failure that stops the process. */
  fatal(fields: LogFields, message: string): void
}
