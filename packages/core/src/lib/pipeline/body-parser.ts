import express, { type Request, type RequestHandler, type Response } from 'express'
import { parseSize } from '../config/parse-size.ts'
import { ApiError } from '../errors/api-error.ts'
import { parseMediaType } from './media-type.ts'
import { parseJson, requireDepth } from './parse-json.ts'
import { requireStorable } from './require-storable.ts'
import { createStage, type Stage, type StepResult } from './stage.ts'
import { takeTurn } from './turns.ts'

/** Options for {@link bodyParser}. */
export interface BodyParserOptions {
  /**
   * Largest body, also after inflating: bytes, or text such as `100kb`.
   * @default '100kb'
   */
  limit?: number | string | undefined
  /**
   * How deep arrays and objects may be nested.
   * @default 32
   */
  maxDepth?: number | undefined
  /**
   * Media types that are read; any other is a 415.
   * @default ['application/json']
   */
  types?: readonly string[] | undefined
}

interface Limits {
  readonly limit: number
  readonly maxDepth: number
}

/**
 * Reads a JSON body into `req.body`: UTF-8 only, bounded in size and depth, plain or compressed
 * with gzip, deflate or br. A request without a body leaves `req.body` undefined; a body that
 * another parser has read is checked and kept.
 * @param options - limits and media types
 * @returns the stage; it refuses with 415, 413, 400, or 422 for what no database could keep
 * @throws TypeError for an option that cannot be used
 */
export function bodyParser(options: BodyParserOptions = {}): Stage {
  const { types = ['application/json'], maxDepth = 32 } = options
  const limit = parseSize(options.limit ?? '100kb', 'limit')
  if (!Number.isSafeInteger(maxDepth) || maxDepth < 1) {
    throw new TypeError('maxDepth must be a whole number of at least 1.')
  }
  const limits = { limit, maxDepth }
  const accepted = new Set(types.map((type) => type.toLowerCase()))
  const readAny = express.raw({ type: () => true, limit })

  return createStage((req, res): StepResult | Promise<StepResult> => {
    if (!hasBody(req)) return
    requireType(req, accepted)
    if (req.body !== undefined) {
      requireDepth(req.body, maxDepth)
      requireStorable(req.body)
      return
    }
    requireEncoding(req)
    return isPlain(req) ? readPlain(req, limits) : readThrough(readAny, { req, res, maxDepth })
  })
}

function hasBody(req: Request): boolean {
  const length = req.headers['content-length']
  return length === undefined ? req.headers['transfer-encoding'] !== undefined : length !== '0'
}

function requireType(req: Request, accepted: ReadonlySet<string>): void {
  const value = req.headers['content-type'] ?? ''
  if (accepted.has(value)) return
  const type = parseMediaType(value)
  if (type === undefined || !accepted.has(type.essence)) {
    const list = [...accepted].join(', ')
    throw new ApiError('unsupported_media_type', {
      detail: `Content-Type must be ${[...accepted].join(' or ')}.`,
      headers: req.method === 'PATCH' ? { 'Accept-Patch': list } : { 'Accept-Post': list },
    })
  }
  if (type.charset !== undefined && type.charset !== 'utf-8') {
    throw new ApiError('unsupported_media_type', { detail: 'JSON is UTF-8 (RFC 8259).' })
  }
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

// Anything a middleware may have done to the stream is left to the package that knows it all.
function isPlain(req: Request): boolean {
  return (
    (req.headers['content-encoding'] ?? 'identity') === 'identity' &&
    req.readableEncoding === null &&
    !req.readableDidRead &&
    !req.destroyed
  )
}

async function readPlain(req: Request, { limit, maxDepth }: Limits): Promise<void> {
  if (Number(req.headers['content-length'] ?? 0) > limit) throw tooLarge(limit)
  const bytes = await readBytes(req, limit)
  await parseInto(req, bytes, maxDepth)
}

function readBytes(req: Request, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0

    function onData(chunk: Buffer): void {
      size += chunk.length
      if (size > limit) refuse(tooLarge(limit))
      else chunks.push(chunk)
    }

    function onEnd(): void {
      forget()
      resolve(chunks.length === 1 ? (chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(chunks))
    }

    function onClose(): void {
      refuse(new ApiError('bad_request', { detail: 'The body is incomplete.' }))
    }

    function refuse(error: ApiError): void {
      forget()
      reject(error)
    }

    function forget(): void {
      req.off('data', onData).off('end', onEnd).off('error', onClose).off('close', onClose)
    }

    req.on('data', onData).on('end', onEnd).on('error', onClose).on('close', onClose)
    // Listening alone does not wake a stream that a middleware has paused.
    if (req.isPaused()) req.resume()
  })
}

interface Odd {
  readonly req: Request
  readonly res: Response
  readonly maxDepth: number
}

async function readThrough(read: RequestHandler, { req, res, maxDepth }: Odd): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    void read(req, res, (error?: unknown) => {
      if (error === undefined) resolve()
      else reject(error)
    })
  })
  const bytes: unknown = req.body
  // Undefined when somebody has read the stream and kept it: then there is nothing to check.
  if (Buffer.isBuffer(bytes)) await parseInto(req, bytes, maxDepth)
}

// A large body takes milliseconds to parse and to validate.
const largeBytes = 16_384

async function parseInto(req: Request, bytes: Buffer, maxDepth: number): Promise<void> {
  if (bytes.length > largeBytes) await takeTurn()
  req.body = parseJson(bytes, maxDepth)
}

function tooLarge(limit: number): ApiError {
  return new ApiError('payload_too_large', { detail: `At most ${limit} bytes are allowed.` })
}
