import { type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { parse as parseContentType } from 'content-type'
import { type Request } from 'express'
import {
  createIncompleteError,
  createSizeError,
  createMediaTypeError,
} from '../errors/body-errors.ts'
import { hasBody } from '../stage/request-body.ts'
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
export const defaultMaxDepth = 32

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
  return createBodyParser(options)
}

// `onText` receives the text of each body that this stage has parsed.
export function createBodyParser(
  options: BodyParserOptions & Pick<JsonOptions, 'unchecked'>,
  onText?: (text: string, req: Request) => void,
): Stage {
  const { types = ['application/json'], maxDepth = defaultMaxDepth, dollarNames = false } = options
  const { unchecked } = options
  const limit = parseSize(options.limit ?? defaultBodyLimit, 'limit')
  if (!Number.isSafeInteger(maxDepth) || maxDepth < 1) {
    throw new TypeError('maxDepth must be a whole number of at least 1.')
  }
  const limits = { limit, maxDepth, dollarNames, unchecked }
  const accepted = new Set(types.map((type) => type.toLowerCase()))

  return createStage((req): StepResult | Promise<StepResult> => {
    if (isPlaceholder(req)) req.body = undefined
    if (!hasBody(req)) return
    requireType(req, accepted)
    if (req.body !== undefined) {
      requireDepth(req.body, maxDepth)
      if (!unchecked) requireStorable(req.body, limits)
      return
    }
    const decompress = findDecompressor(req)
    // Other middleware has consumed the body.
    if (req.readableEnded) return
    return readBody(req, decompress?.(), limits, onText)
  })
}

function requireType(req: Request, accepted: ReadonlySet<string>): void {
  const value = req.headers['content-type'] ?? ''
  if (accepted.has(value)) return
  const { type, parameters } = parseContentType(value)
  if (!accepted.has(type)) throw createMediaTypeError(req, [...accepted])
  if ((parameters['charset'] ?? 'utf-8').toLowerCase() !== 'utf-8') {
    throw new ApiError('unsupported_media_type', { detail: 'JSON is UTF-8 (RFC 8259).' })
  }
}

// Version 1 of body-parser, and so Express 4, sets an empty object for each body that it does not read.
function isPlaceholder(req: Request): boolean {
  const { body } = req
  return !req.readableDidRead && isRecord(body) && Object.keys(body).length === 0
}

export type Decompressor = Transform & { readonly bytesWritten: number }

const decompressors: ReadonlyMap<string, () => Decompressor> = new Map(
  Object.entries<() => Decompressor>({
    gzip: createGunzip,
    deflate: createInflate,
    br: createBrotliDecompress,
  }),
)

// Undefined for a body that is not compressed.
export function findDecompressor(req: Request): (() => Decompressor) | undefined {
  const encoding = req.headers['content-encoding']?.toLowerCase() ?? 'identity'
  if (encoding === 'identity') return undefined
  const create = decompressors.get(encoding)
  if (create) return create
  throw new ApiError('unsupported_media_type', {
    detail: 'The content encoding must be gzip, deflate or br.',
    headers: { 'Accept-Encoding': 'gzip, deflate, br' },
  })
}

// A large body takes milliseconds to parse and to validate.
const largeBytes = 16_384

async function readBody(
  req: Request,
  decompressor: Transform | undefined,
  limits: Limits,
  onText: ((text: string, req: Request) => void) | undefined,
): Promise<void> {
  if (req.destroyed) throw createIncompleteError()
  if (req.readableEncoding !== null) throw new Error(decodedMessage)
  if (Number(req.headers['content-length'] ?? 0) > limits.limit) throw createSizeError(limits.limit)
  const bytes = await readBytes(req, decompressor, limits.limit)
  // Whether a body is required is for the schema.
  if (bytes.length === 0) return
  if (bytes.length > largeBytes) await yieldToEventLoop()
  req.body = parseJson(bytes, limits, onText && ((text) => onText(text, req)))
}

const decodedMessage =
  'The body is decoded by other middleware: req.setEncoding() was called before it was read.'

// Settles when the whole body has arrived, or at the first fault: the rest is not read then.
function readBytes(
  req: Request,
  decompressor: Transform | undefined,
  limit: number,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const source = decompressor ? req.pipe(decompressor) : req
    const chunks: Buffer[] = []
    let size = 0

    function onData(chunk: Buffer): void {
      size += chunk.length
      if (size > limit) fail(createSizeError(limit))
      else chunks.push(chunk)
    }

    function onEnd(): void {
      removeListeners()
      resolve(chunks.length === 1 ? (chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(chunks))
    }

    function onClose(): void {
      // The end of a compressed body may be decompressed later.
      if (!req.readableEnded) fail(createIncompleteError())
    }

    function fail(error: ApiError): void {
      removeListeners()
      if (decompressor) req.unpipe(decompressor)
      decompressor?.destroy()
      reject(error)
    }

    function removeListeners(): void {
      source.off('data', onData).off('end', onEnd)
      req.off('error', onClose).off('close', onClose)
    }

    source.on('data', onData).on('end', onEnd)
    req.on('error', onClose).on('close', onClose)
    // Never removed: an error without a listener would end the process.
    decompressor?.on('error', () => fail(new ApiError('bad_request', { detail: invalidDetail })))
    // Adding a listener does not resume a stream that was paused explicitly.
    if (req.isPaused()) req.resume()
  })
}

const invalidDetail = 'The body is not compressed as Content-Encoding says.'
