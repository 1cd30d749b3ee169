import { type Request, type Response } from 'express'
import { noteArrival } from './arrival.ts'
import { toClientAddress } from './client-key.ts'
import { createLineSink, standardOutput } from '../logging/line-sink.ts'
import { type LineStream } from '../logging/line-target.ts'
import { redactText, redactUrl } from '../logging/redact.ts'
import { timestamp } from '../logging/timestamp.ts'
import { toTraceFields } from '../observability/tracing.ts'
import { routePattern } from '../routing/route-pattern.ts'
import { compileFormat } from './morgan-format.ts'
import { createStage, type Stage } from './stage.ts'

/** Options for {@link accessLog}. */
export interface AccessLogOptions {
  /**
   * `json` for one object per line; a name or a format string of morgan such as `dev`, `combined`
   * or `:method :url :status`; false for no log.
   * @default 'json'
   */
  format?: string | false | undefined
  /**
   * Where the lines go.
   * @default standard output
   */
  stream?: LineStream | undefined
  /**
   * Requests that leave no line.
   * @default none
   */
  skip?: ((req: Request, res: Response) => boolean) | undefined
}

/**
 * Writes one line for each request when its answer is done or its client gone. Lines are buffered
 * and carry no tokens: query parameters named like secrets and the headers with credentials are
 * hidden.
 * @param options - format and destination
 * @returns the stage
 * @throws TypeError for a token that morgan does not know, and for its formats where code must not be
 *   made of text
 */
export function accessLog(options: AccessLogOptions = {}): Stage {
  const { format = 'json', stream, skip } = options
  if (format === false) return createStage(() => {})
  const sink = stream === undefined ? standardOutput() : createLineSink(stream)
  const toLine = format === 'json' ? toJson : compileFormat(format)

  // One function for all requests: the response is `this`, and it knows its request.
  function log(this: Response): void {
    const { req } = this
    try {
      if (skip?.(req, this) !== true) sink.write(toLine(req, this, noteArrival(req)))
    } catch (error) {
      // There is nobody above this listener but the process, and a log line is not worth that.
      sink.write(toFailure(error))
    }
  }

  return createStage((req, res) => {
    noteArrival(req)
    res.on('close', log)
  })
}

function toJson(req: Request, res: Response, started: number): string {
  const bytes = Number(res.getHeader('Content-Length') ?? Number.NaN)
  const { traceId, spanId } = toTraceFields()
  const micros = Math.round((performance.now() - started) * 1000)
  // Field by field: half of what JSON.stringify takes for an object.
  return (
    `{"level":"info","time":"${timestamp()}","msg":"request"` +
    textField('requestId', req.id) +
    textField('traceId', traceId) +
    textField('spanId', spanId) +
    textField('method', req.method) +
    textField('path', redactUrl(req.originalUrl)) +
    textField('route', routePattern(req)) +
    (res.headersSent ? `,"status":${res.statusCode}` : '') +
    `,"ms":${Math.trunc(micros / 1000)}${thousandths[micros % 1000]}` +
    (Number.isNaN(bytes) ? '' : `,"bytes":${bytes}`) +
    (res.writableFinished ? '' : ',"aborted":true') +
    textField('userId', req.user?.id) +
    textField('ip', toClientAddress(req)) +
    `${textField('userAgent', redacted(req.headers['user-agent']))}}`
  )
}

// To write a fraction as a number takes several times as long.
const thousandths = Array.from({ length: 1000 }, (_, value) => `.${String(value).padStart(3, '0')}`)

// All that JSON lets stand as it is, of ASCII.
const plainText = /^[ !#-[\]-~]*$/

function textField(name: string, value: string | undefined): string {
  if (value === undefined) return ''
  return `,"${name}":${plainText.test(value) ? `"${value}"` : JSON.stringify(value)}`
}

function toFailure(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error)
  const msg = `access log failed: ${redactText(reason)}`
  return JSON.stringify({ level: 'error', time: new Date().toISOString(), msg })
}

function redacted(value: string | undefined): string | undefined {
  return value === undefined ? undefined : redactText(value)
}
