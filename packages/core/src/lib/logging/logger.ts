import { redactText } from './redact.ts'
import { timestamp } from './timestamp.ts'
import { type LineSink, type LineStream, createLineSink, standardOutput } from './line-sink.ts'

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

/** Options for {@link createLogger}. */
export interface LoggerOptions {
  /**
   * The least level that is written.
   * @default 'info'
   */
  level?: LogLevel | undefined
  /**
   * `json`: one object per line. `text`: for people.
   * @default 'json'
   */
  format?: 'json' | 'text' | undefined
  /**
   * Where the lines go.
   * @default standard output
   */
  stream?: LineStream | undefined
}

const order: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'fatal', 'silent']
const deepestCause = 5

/**
 * Makes a logger whose lines carry no credentials of addresses and no tokens.
 * @param options - level, format and stream
 * @returns the logger, with the `flush` of its sink
 */
export function createLogger(options: LoggerOptions = {}): Logger & Pick<LineSink, 'flush'> {
  const { level = 'info', format = 'json', stream } = options
  const sink = stream === undefined ? standardOutput() : createLineSink(stream)
  const toLine = format === 'json' ? toJson : toText
  const least = order.indexOf(level)

  function at(own: LogLevel): (fields: LogFields, message: string) => void {
    if (order.indexOf(own) < least) return () => {}
    return (fields, message) => sink.write(toLine(own, fields, message))
  }

  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    fatal: at('fatal'),
    flush: () => sink.flush(),
  }
}

function toJson(level: LogLevel, fields: LogFields, message: string): string {
  const record = { level, time: timestamp(), ...fields, msg: message }
  try {
    return JSON.stringify(record, replace)
  } catch {
    // A cycle or a BigInt among the fields: the message still counts.
    return JSON.stringify({ level, time: record.time, msg: message })
  }
}

function toText(level: LogLevel, fields: LogFields, message: string): string {
  const { err, ...rest } = fields
  const time = timestamp().slice(11, 19)
  const facts = Object.entries(rest).map(
    ([key, value]) => ` ${key}=${JSON.stringify(value, replace)}`,
  )
  const line = `${time} ${level.toUpperCase()} ${message}${facts.join('')}`
  if (err === undefined) return line
  return `${line}\n${err instanceof Error ? describeStack(err) : JSON.stringify(err, replace)}`
}

function describeStack(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${describeStack(error.cause)}` : ''
  return `${redactText(error.stack ?? error.message)}${cause}`
}

function replace(_key: string, value: unknown): unknown {
  if (typeof value === 'string') return redactText(value)
  return value instanceof Error ? toPlainError(value, 0) : value
}

// Only these members: an error of the driver carries the whole topology, one of Zod the input.
function toPlainError(error: Error & { readonly code?: unknown }, depth: number): LogFields {
  const { code, cause } = error
  return {
    type: error.name,
    message: error.message,
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    stack: error.stack,
    ...(cause === undefined || depth >= deepestCause
      ? {}
      : { cause: cause instanceof Error ? toPlainError(cause, depth + 1) : typeof cause }),
  }
}
