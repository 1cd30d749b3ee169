import { type Response } from 'express'
import { Readable } from 'node:stream'
import { z, type ZodType } from 'zod'
import { responseStreams, toResponseStream } from '../schemas/schema-marks.ts'
import { requireScopeRead } from '../access/scope.ts'
import { untilDrained } from './until-drained.ts'

/** Options for {@link stream}. */
export interface StreamOptions {
  /** Media type of the response: `text/csv; charset=utf-8`, `application/x-ndjson`, `image/png`. */
  readonly type: string
}

/** The source of a stream: a Node stream, or an iterable of text or bytes. */
export type StreamSource =
  | Readable
  | AsyncIterable<string | Uint8Array>
  | Iterable<string | Uint8Array>

/** The argument of the function that creates a source. */
export interface StreamContext {
  /** Aborted when the client has disconnected. */
  readonly signal: AbortSignal
}

/**
 * Describes a response that is not JSON, for `response` of a route: text or bytes that {@link sendStream} sends
 * while they are created.
 * @param options - the media type
 * @returns the schema of the response
 * @throws TypeError when the media type is not valid
 */
export function stream(options: StreamOptions): ZodType {
  const { type } = options
  if (!/^[\w.+-]+\/[\w.+-]+(\s*;.*)?$/.test(type)) {
    throw new TypeError(`'${type}' is not a media type such as text/csv.`)
  }
  const isText = /^text\/|json|xml/.test(type)
  const schema = z.unknown().meta({ type: 'string', ...(!isText && { format: 'binary' }) })
  responseStreams.add(schema, { type, isEvents: false })
  return schema
}

/**
 * Sends the response of a route with `response: stream(…)`: the pieces of the source, as fast as the client
 * takes them. `HANDLER_TIMEOUT` does not apply once the first piece has been sent. If the source fails before
 * that, the response is an error; if it fails later, the connection is closed, so that the response does not
 * look complete.
 * @param res - the response
 * @param source - the source, or a function that creates it
 * @returns a promise that resolves when the response has been sent or the client has disconnected
 * @throws Error when the response of the route is not a stream, and any error of the source
 * @example
 * ```ts
 * get('/export', { access: 'user', response: stream({ type: 'text/csv' }) }, (_req, res) =>
 *   sendStream(res, async function* () {
 *     yield 'slug,title\n'
 *     for await (const { slug, title } of ArticleModel.find()) yield `${slug},${title}\n`
 *   }),
 * )
 * ```
 */
export async function sendStream(
  res: Response,
  source: StreamSource | ((context: StreamContext) => StreamSource),
): Promise<void> {
  await sendPieces(res, requireStream(res, false), source)
}

export async function sendPieces(
  res: Response,
  type: string,
  source: StreamSource | ((context: StreamContext) => StreamSource),
): Promise<void> {
  if (!res.hasHeader('Content-Type')) res.setHeader('Content-Type', type)
  if (res.req.method === 'HEAD' || res.closed) {
    if (source instanceof Readable) source.destroy()
    res.end()
    return
  }
  const controller = new AbortController()
  const { signal } = controller
  const pieces = typeof source === 'function' ? source({ signal }) : source
  res.once('close', () => {
    controller.abort()
    if (pieces instanceof Readable) pieces.destroy()
  })
  try {
    for await (const piece of pieces) {
      if (signal.aborted) return
      if (!res.write(piece)) await untilDrained(res, signal)
    }
  } catch (error) {
    // An error that a source throws because the client has disconnected is not a failure.
    if (!signal.aborted) throw error
  }
  res.end()
}

// The media type of the stream that the route has declared.
export function requireStream(res: Response, isEvents: boolean): string {
  requireScopeRead(res.req)
  const facts = toResponseStream(res.req.endpoint?.route.response)
  if (facts?.isEvents === isEvents) return facts.type
  const [what, how] = isEvents
    ? ['sendEvents', 'events(schema)']
    : ['sendStream', 'stream({ type })']
  throw new Error(`${what} needs a route with response: ${how}.`)
}
