import { pino } from 'pino'
import { createLineSink, type LineSink, standardOutput } from './line-sink.ts'
import { type LineStream } from './line-target.ts'
import { type Logger, type LogLevel } from './logger.ts'
import { toPlainFields } from './plain-fields.ts'
import { redactText } from './redact.ts'
import { toContextFields } from './request-context.ts'
import { toText } from './text-line.ts'
import { timestamp } from './timestamp.ts'

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

/**
 * Makes a logger whose lines carry no credentials, no tokens and nothing that a field named like a
 * secret holds. It is pino, with a destination that neither blocks nor grows when nobody reads.
 * @param options - level, format and stream
 * @returns the logger, with the `flush` of its sink
 */
export function createLogger(options: LoggerOptions = {}): Logger & Pick<LineSink, 'flush'> {
  const { level = 'info', format = 'json', stream } = options
  const sink = stream === undefined ? standardOutput() : createLineSink(stream)
  const toLine = format === 'json' ? withoutBreak : toText
  const logger = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${timestamp()}"`,
      mixin: toContextFields,
      formatters: { level: (label) => ({ level: label }) },
      // The fields are plain by then; pino would take their shape for an error.
      serializers: { err: (error: unknown) => error },
      hooks: {
        logMethod([fields, message = ''], write) {
          write.call(this, toPlainFields(Object(fields)), redactText(message))
        },
      },
    },
    { write: (line) => sink.write(toLine(line)) },
  )
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    fatal: (fields, message) => logger.fatal(fields, message),
    flush: () => sink.flush(),
  }
}

function withoutBreak(line: string): string {
  return line.slice(0, -1)
}
