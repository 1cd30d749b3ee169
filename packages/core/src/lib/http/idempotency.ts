import { type Response } from 'express'
import mongoose, { type Model, Schema, trusted } from 'mongoose'
import { createHash } from 'node:crypto'
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
}

const lifetimeMs = 24 * 60 * 60 * 1000
// Longer than any request can take, so only requests of a dead process are taken over.
const lockMs = 60 * 1000

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
  res.end(earlier.body)
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
  const update = { $set: fields, $unset: { status: true, headers: true, body: true } }
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
  const end = res.end.bind(res)
  const store = async (body: string): Promise<void> => {
    const { statusCode: status } = res
    if (status === 429 || status >= 500) {
      await records.deleteOne(own)
      return
    }
    await records.updateOne(own, { $set: { status, headers: readHeaders(res), body } })
  }
  res.end = (...args: unknown[]) => {
    res.end = end
    const send = (): void => void Reflect.apply(end, undefined, args)
    // The request is done, whether its response could be stored or not.
    void store(decodeChunk(args[0])).then(send, send)
    return res
  }
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
    },
    { versionKey: false, collection: 'idempotency_keys' },
  )
  schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 })
  return mongoose.model<IdempotencyRecord>('IdempotencyKey', schema)
}
