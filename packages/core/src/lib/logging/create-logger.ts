import { pino } from 'pino'
import { type LineSink, type LineStream, toLineSink } from './line-sink.ts'
import { type Logger, type LogLevel } from './logger.ts'
import { toPlainFields } from './plain-fields.ts'
import { redactText } from './redact.ts'
import { toContextFields } from './request-context.ts'
import { formatTextLine } from './text-line.ts'
import { currentIsoText } from '../json/iso-text.ts'

/** Options for {@link createLogger}. */
export interface LoggerOptions {
  /**
   * The minimum level that is written.
   * @default 'info'
   */
  level?: LogLevel | undefined
  /**
   * `json` for one object per line, `text` for a terminal.
   * @default 'json'
   */
  format?: 'json' | 'text' | undefined
  /**
   * Where the lines are written.
   * @default standard output
   */
  stream?: LineStream | undefined
}

/**
 * Creates a pino logger that redacts credentials, tokens and fields named like secrets. While
 * standard output is not read it neither blocks nor uses unlimited memory: it drops lines and counts
 * them.
 * @param options - level, format and stream
 * @returns the logger; `flush` resolves when its lines are written
 */
export function createLogger(options: LoggerOptions = {}): Logger & Pick<LineSink, 'flush'> {
  const { level = 'info', format = 'json', stream } = options
  const sink = toLineSink(stream)
  const toLine = format === 'json' ? (line: string) => line.slice(0, -1) : formatTextLine
  const logger = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${currentIsoText()}"`,
      mixin: toContextFields,
      formatters: { level: (label) => ({ level: label }) },
      // The error is already a plain object; pino's own serializer expects an Error.
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
