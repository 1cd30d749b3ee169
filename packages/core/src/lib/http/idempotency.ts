import { type Response } from 'express'
import mongoose, { type Model, Schema, trusted, type mongo } from 'mongoose'
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { ApiError } from '../errors/api-error.ts'
import { isDuplicateKey } from '../errors/from-database-error.ts'
import { createStage, ended, type Stage, type StepResult } from '../stage/stage.ts'
import { toClientKey } from '../address/client-address.ts'
import { type ApiRequest } from '../route/request.ts'

/** A request that was sent with an `Idempotency-Key`, and its response once it exists. */
interface IdempotencyRecord {
  /** Digest of caller, method, path and key. */
  _id: string
  /** Digest of URL and body. */
  fingerprint: string
  /** Before this time no other process takes the request over. */
  lockedUntil: Date
  /** When the record is removed. */
  expiresAt: Date
  /** Status of the response; absent while the request is running. */
  status?: number | undefined
  headers?: Record<string, string> | undefined
  body?: string | undefined
  /** The body with gzip, if it is long. */
  compressed?: mongo.Binary | Uint8Array | undefined
}

const lifetimeMs = 24 * 60 * 60 * 1000
// Renewed while the request runs, so only requests of a dead process are taken over.
const lockMs = 60 * 1000

// A document has at most 16 MiB.
const longBody = 1_000_000

/**
 * Pattern of an `Idempotency-Key`: a structured-field string (RFC 9651 section 3.3.3) without
 * escapes, or the bare token that many clients send.
 */
export const idempotencyKeyPattern = String.raw`^(?:"[ !#-\[\]-~]{1,255}"|[\w.~:/+=-]{1,255})$`

const storedHeaders = ['Content-Type', 'Location', 'ETag']

/**
 * Lets a client repeat a request without repeating its effect: the response to the first request
 * with an `Idempotency-Key` is stored for 24 hours and sent again. A key belongs to one caller,
 * organization, method and path; anonymous callers are identified by their network, as in rate limits. Keys are
 * stored in the database, so they hold across processes. Returns 409 while the first request is
 * running, 422 when the key is sent with a different body, 400 when it is malformed. Responses 429
 * and 5xx are not stored. Runs after the validation of the body.
 * @returns the stage
 */
export function idempotency(): Stage {
  const records = createIdempotencyKeyModel()
  return createStage((req, res): StepResult | Promise<StepResult> => {
    const header = req.headers['idempotency-key']
    return header === undefined ? undefined : begin(records, toRecord(req, String(header)), res)
  })
}

async function begin(
  records: Model<IdempotencyRecord>,
  record: IdempotencyRecord,
  res: Response,
): Promise<StepResult> {
  const earlier = await claim(records, record)
  if (!earlier) {
    storeResponse(records, record, res)
    return
  }
  if (earlier.fingerprint !== record.fingerprint) throw new ApiError('idempotency_key_reused')
  if (earlier.status === undefined) throw new ApiError('idempotency_conflict')
  res.status(earlier.status).set(earlier.headers ?? {})
  const { body, compressed } = earlier
  res.end(compressed ? await decompress(compressed) : body)
  return ended
}

// Inserts the record, or takes over an expired one; otherwise returns the earlier one.
async function claim(
  records: Model<IdempotencyRecord>,
  record: IdempotencyRecord,
): Promise<IdempotencyRecord | null> {
  const { _id, ...fields } = record
  const now = trusted({ $lte: new Date() })
  const stale = { _id, $or: [{ status: null, lockedUntil: now }, { expiresAt: now }] }
  try {
    await records.create(record)
    return null
  } catch (error) {
    if (!isDuplicateKey(error)) throw error
  }
  const update = {
    $set: fields,
    $unset: { status: true, headers: true, body: true, compressed: true },
  }
  if (await records.findOneAndUpdate(stale, update).lean()) return null
  const earlier = await records.findById(_id).lean()
  // Removed in the meantime: the first request failed in a way that can be repeated.
  if (!earlier) throw new ApiError('idempotency_conflict')
  return earlier
}

// The response is stored before it is sent: what a client has seen can be repeated.
function storeResponse(
  records: Model<IdempotencyRecord>,
  { _id, lockedUntil }: IdempotencyRecord,
  res: Response,
): void {
  // A process that took the request over, because this one seemed dead, stores its own response.
  const own = { _id, lockedUntil }
  const lock = keepLocked(records, own, res)
  const end = res.end.bind(res)
  const store = async (body: string): Promise<void> => {
    const { statusCode: status } = res
    await lock.release()
    if (status === 429 || status >= 500) {
      await records.deleteOne(own)
      return
    }
    const content = body.length > longBody ? { compressed: await toGzip(body) } : { body }
    await records.updateOne(own, { $set: { status, headers: readHeaders(res), ...content } })
  }
  res.end = (...args: unknown[]) => {
    res.end = end
    const send = (): void => void Reflect.apply(end, undefined, args)
    // The request is done, whether its response could be stored or not.
    void store(decodeChunk(args[0])).then(send, send)
    return res
  }
}

// Ten minutes.
const renewalsAfterClose = 30

interface Lock {
  /** Stops renewing the lock. */
  release(): Promise<void>
}

// Renews the lock of a request, and keeps its time in `own`, until it is released.
function keepLocked(
  records: Model<IdempotencyRecord>,
  own: Pick<IdempotencyRecord, '_id' | 'lockedUntil'>,
  res: Response,
): Lock {
  let renewal = Promise.resolve()
  let remaining = Infinity
  // A handler may go on for a client that has left, or may have failed.
  res.once('close', () => (remaining = renewalsAfterClose))
  const renew = async (): Promise<void> => {
    const lockedUntil = new Date(Date.now() + lockMs)
    const { modifiedCount } = await records.updateOne({ ...own }, { $set: { lockedUntil } })
    if (modifiedCount > 0) own.lockedUntil = lockedUntil
  }
  const timer = setInterval(() => {
    if (remaining-- <= 0) clearInterval(timer)
    // Without the database, the next attempt renews it.
    renewal = renewal.then(renew).catch(() => {})
  }, lockMs / 3).unref()
  return {
    release() {
      clearInterval(timer)
      return renewal
    },
  }
}

const toGzip = promisify(gzip)

async function decompress(bytes: mongo.Binary | Uint8Array): Promise<Buffer> {
  return promisify(gunzip)(bytes instanceof Uint8Array ? bytes : bytes.buffer)
}

function decodeChunk(chunk: unknown): string {
  return typeof chunk === 'string' || Buffer.isBuffer(chunk) ? chunk.toString() : ''
}

function readHeaders(res: Response): Record<string, string> {
  return Object.fromEntries(
    storedHeaders.flatMap((name) => {
      const value = res.getHeader(name)
      return value === undefined ? [] : [[name, String(value)]]
    }),
  )
}

function toRecord(req: ApiRequest, header: string): IdempotencyRecord {
  const key = parseKey(header)
  const path = req.originalUrl.split('?')[0]
  const now = Date.now()
  return {
    _id: toDigest([
      toOwner(req),
      req.method,
      path,
      key,
      // Where the path does not name the organization, it is part of what the request is about.
      ...(req.tenant ? [req.tenant.id] : []),
    ]),
    fingerprint: toDigest([req.originalUrl, req.body]),
    lockedUntil: new Date(now + lockMs),
    expiresAt: new Date(now + lifetimeMs),
  }
}

// A key does not replay the responses of its owner, who may see more.
function toOwner(req: ApiRequest): string[] {
  if (req.apiKey) return ['apiKey', req.apiKey.id]
  return req.user ? ['user', req.user.id] : ['network', toClientKey(req)]
}

function parseKey(header: string): string {
  const text = header.trim()
  if (new RegExp(idempotencyKeyPattern).test(text)) return text.replaceAll('"', '')
  const detail = 'must be a string of 1 to 255 characters in double quotes'
  const pointer = '#/Idempotency-Key'
  throw new ApiError('bad_request', {
    errors: [{ in: 'header', pointer, code: 'invalid_format', detail }],
  })
}

function toDigest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url')
}

// The model on Mongoose's default connection, created once.
export function createIdempotencyKeyModel(): Model<IdempotencyRecord> {
  const known: Model<IdempotencyRecord> | undefined = mongoose.models['IdempotencyKey']
  if (known) return known
  const schema = new Schema<IdempotencyRecord>(
    {
      _id: { type: String, required: true },
      fingerprint: { type: String, required: true },
      lockedUntil: { type: Date, required: true },
      expiresAt: { type: Date, required: true },
      status: Number,
      headers: Schema.Types.Mixed,
      body: String,
      compressed: Buffer,
    },
    { versionKey: false, collection: 'idempotency_keys' },
  )
  schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 })
  return mongoose.model<IdempotencyRecord>('IdempotencyKey', schema)
}
