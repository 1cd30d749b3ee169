import { parse as parseContentType } from 'content-type'
import express, { type Request } from 'express'
import { hasBody } from '../stage/has-body.ts'
import { isRecord } from '../json/plain.ts'
import { parseSize } from '../options/parse-size.ts'
import { ApiError } from '../errors/api-error.ts'
import { type JsonOptions, parseJson, requireDepth } from './parse-json.ts'
import { requireStorable } from './require-storable.ts'
import { createStage, type Stage, type StepResult } from '../stage/stage.ts'
import { yieldToEventLoop } from './yield-to-event-loop.ts'

/** Options for {@link bodyParser}. */
export interface BodyParserOptions {
  /**
   * Maximum size of a body, also after decompression: bytes, or text such as `100kb`.
   * @default '100kb'
   */
  limit?: number | string | undefined
  /**
   * Maximum nesting depth of arrays and objects.
   * @default 32
   */
  maxDepth?: number | undefined
  /**
   * Whether names of members may begin with `$`, as in a JSON Schema. MongoDB reads such a name in a
   * filter as an operator: `{ "email": { "$gt": "" } }` finds every user. With true, pass values of open
   * schemas (`z.any()`, `z.record()`) to filters as `{ $eq: value }` only.
   * @default false
   */
  dollarNames?: boolean | undefined
  /**
   * Accepted media types; any other returns 415.
   * @default ['application/json']
   */
  types?: readonly string[] | undefined
}

// The default of the stage and of the option `body.limit` of `createApi`.
export const defaultBodyLimit = '100kb'

interface Limits extends JsonOptions {
  readonly limit: number
}

/**
 * Reads a JSON body into `req.body`: UTF-8 only, limited in size and depth, plain or compressed
 * with gzip, deflate or br. Without a body `req.body` is undefined; a body that another parser has
 * read is checked and kept. Rejects with 415, 413, 400, or 422 for text that a database cannot
 * store and for names that begin with `$`.
 * @param options - limits and media types
 * @returns the stage
 * @throws TypeError for an invalid option
 */
export function bodyParser(options: BodyParserOptions = {}): Stage {
  const { types = ['application/json'], maxDepth = 32, dollarNames = false } = options
  const limit = parseSize(options.limit ?? defaultBodyLimit, 'limit')
  if (!Number.isSafeInteger(maxDepth) || maxDepth < 1) {
    throw new TypeError('maxDepth must be a whole number of at least 1.')
  }
  const limits = { limit, maxDepth, dollarNames }
  const accepted = new Set(types.map((type) => type.toLowerCase()))
  const rawParser = express.raw({ type: () => true, limit })

  return createStage((req, res): StepResult | Promise<StepResult> => {
    if (isPlaceholder(req)) req.body = undefined
    if (!hasBody(req)) return
    requireType(req, accepted)
    if (req.body !== undefined) {
      requireDepth(req.body, maxDepth)
      requireStorable(req.body, limits)
      return
    }
    requireEncoding(req)
    return isPlain(req)
      ? readPlain(req, limits)
      : readBy((done) => rawParser(req, res, done), req, limits)
  })
}

function requireType(req: Request, accepted: ReadonlySet<string>): void {
  const value = req.headers['content-type'] ?? ''
  if (accepted.has(value)) return
  const { type, parameters } = parseContentType(value)
  if (!accepted.has(type)) {
    const list = [...accepted].join(', ')
    throw new ApiError('unsupported_media_type', {
      detail: `Content-Type must be ${[...accepted].join(' or ')}.`,
      headers: req.method === 'PATCH' ? { 'Accept-Patch': list } : { 'Accept-Post': list },
    })
  }
  if ((parameters['charset'] ?? 'utf-8').toLowerCase() !== 'utf-8') {
    throw new ApiError('unsupported_media_type', { detail: 'JSON is UTF-8 (RFC 8259).' })
  }
}

// Version 1 of body-parser, and so Express 4, sets an empty object for each body that it does not read.
function isPlaceholder(req: Request): boolean {
  const { body } = req
  return !req.readableDidRead && isRecord(body) && Object.keys(body).length === 0
}

const encodings = new Set(['gzip', 'deflate', 'br', 'identity'])

function requireEncoding(req: Request): void {
  const encoding = req.headers['content-encoding']
  if (encoding === undefined || encodings.has(encoding.toLowerCase())) return
  throw new ApiError('unsupported_media_type', {
    detail: 'The content encoding must be gzip, deflate or br.',
    headers: { 'Accept-Encoding': 'gzip, deflate, br' },
  })
}

// A stream that another middleware has touched is left to Express' own parser.
function isPlain(req: Request): boolean {
  return (
    (req.headers['content-encoding'] ?? 'identity') === 'identity' &&
    req.readableEncoding === null &&
    !req.readableDidRead &&
    !req.destroyed
  )
}

async function readPlain(req: Request, limits: Limits): Promise<void> {
  const { limit } = limits
  if (Number(req.headers['content-length'] ?? 0) > limit) throw tooLarge(limit)
  const bytes = await readBytes(req, limit)
  await parseInto(req, bytes, limits)
}

function readBytes(req: Request, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0

    function onData(chunk: Buffer): void {
      size += chunk.length
      if (size > limit) fail(tooLarge(limit))
      else chunks.push(chunk)
    }

    function onEnd(): void {
      removeListeners()
      resolve(chunks.length === 1 ? (chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(chunks))
    }

    function onClose(): void {
      fail(new ApiError('bad_request', { detail: 'The body is incomplete.' }))
    }

    function fail(error: ApiError): void {
      removeListeners()
      reject(error)
    }

    function removeListeners(): void {
      req.off('data', onData).off('end', onEnd).off('error', onClose).off('close', onClose)
    }

    req.on('data', onData).on('end', onEnd).on('error', onClose).on('close', onClose)
    // Adding a listener does not resume a stream that was paused explicitly.
    if (req.isPaused()) req.resume()
  })
}

async function readBy(
  parse: (done: (error?: unknown) => void) => void,
  req: Request,
  options: JsonOptions,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    parse((error) => {
      if (error === undefined) resolve()
      else reject(error)
    })
  })
  const bytes: unknown = req.body
  // Undefined when another middleware has already consumed the stream.
  if (Buffer.isBuffer(bytes)) await parseInto(req, bytes, options)
}

// A large body takes milliseconds to parse and to validate.
const largeBytes = 16_384

async function parseInto(req: Request, bytes: Buffer, options: JsonOptions): Promise<void> {
  // Whether a body is required is for the schema.
  if (bytes.length === 0) {
    req.body = undefined
    return
  }
  if (bytes.length > largeBytes) await yieldToEventLoop()
  req.body = parseJson(bytes, options)
}

function tooLarge(limit: number): ApiError {
  return new ApiError('payload_too_large', { detail: `At most ${limit} bytes are allowed.` })
}
