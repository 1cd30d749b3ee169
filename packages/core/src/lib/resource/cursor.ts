import { createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import { mongo } from 'mongoose'
import { ApiError } from '../errors/api-error.ts'
import { listLimits } from './list-limits.ts'
import { type CursorKeys } from '../schemas/schema-marks.ts'

export type Position = readonly unknown[]

const { Double, EJSON } = mongo.BSON
const signatureBytes = 16

// For lists outside an API: their cursors are valid until the process exits.
const processKeys: CursorKeys = [randomBytes(32)]

export function createCursorKeys(
  secrets: readonly [string, ...string[]],
  name: string,
): CursorKeys {
  const [first, ...older] = secrets
  return [derive(first, name), ...older.map((secret) => derive(secret, name))]
}

function derive(secret: string, name: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, name, 'create-api cursor v1', 32))
}

export function toCursor(position: Position, list: string, keys = processKeys): string {
  const exact = position.map((value) => (typeof value === 'number' ? new Double(value) : value))
  const payload = Buffer.from(EJSON.stringify(exact, { relaxed: false }))
  const cursor = Buffer.concat([sign(payload, list, keys[0]), payload]).toString('base64url')
  if (cursor.length > listLimits.cursor) throw invalidCursor(tooLong)
  return cursor
}

export function parseCursor(cursor: string, list: string, keys = processKeys): Position {
  const bytes = Buffer.from(cursor, 'base64url')
  const payload = bytes.subarray(signatureBytes)
  const signature = bytes.subarray(0, signatureBytes)
  const isGenuine = keys.some((key) => {
    const expected = sign(payload, list, key)
    return signature.length === expected.length && timingSafeEqual(signature, expected)
  })
  // Base64 decoding is lenient; only the exact text that was issued is accepted.
  if (!isGenuine || bytes.toString('base64url') !== cursor) throw invalidCursor()
  const position: unknown = EJSON.parse(payload.toString(), { useBigInt64: true })
  if (!Array.isArray(position)) throw invalidCursor()
  return position.map(toNumber)
}

// Mongoose does not cast a bigint to a number.
function toNumber(value: unknown): unknown {
  const number = Number(value)
  return typeof value === 'bigint' && Number.isSafeInteger(number) ? number : value
}

function sign(payload: Uint8Array, list: string, key: Uint8Array): Buffer {
  // The signature binds the cursor to the list, so the cursor need not contain it.
  const digest = createHash('sha256').update(list).digest()
  return createHmac('sha256', key)
    .update(digest)
    .update(payload)
    .digest()
    .subarray(0, signatureBytes)
}

const tooLong =
  'cannot continue after a document with such long values of the fields that the list is sorted by; sort by others, or page by number'

function invalidCursor(detail = 'is not a cursor of this list'): ApiError {
  return new ApiError('invalid_query', {
    errors: [{ in: 'query', pointer: '#/cursor', code: 'invalid_cursor', detail }],
  })
}
