import { createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import { mongo } from 'mongoose'
import { ApiError } from '../errors/api-error.ts'

/** Where a list goes on: the values of the sort fields of the last document, its `_id` last. */
export type Position = readonly unknown[]

const { EJSON } = mongo.BSON
const signatureBytes = 16

/** What cursors are signed with: the first key signs, every key is recognised. */
export type CursorKeys = readonly [Uint8Array, ...Uint8Array[]]

// For lists outside an API: their cursors end with the process.
const ownKeys: CursorKeys = [randomBytes(32)]

/**
 * Derives the keys of one API from its secrets (HKDF, RFC 5869), so that cursors hold across
 * restarts and processes, and no other use of the secrets or other API can make one.
 * @param secrets - as authentication takes them: a new one in front, older ones behind
 * @param name - name of the API
 * @returns the keys
 */
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

/**
 * Writes a position as an opaque, signed text.
 * @param position - values of the sort fields
 * @param list - what identifies the list: its filters, its order and whose it is
 * @param keys - the first one signs
 * @returns the cursor
 */
export function toCursor(position: Position, list: string, keys = ownKeys): string {
  const payload = Buffer.from(EJSON.stringify(position, { relaxed: true }))
  return Buffer.concat([sign(payload, list, keys[0]), payload]).toString('base64url')
}

/**
 * Reads a cursor.
 * @param cursor - what the client sent
 * @param list - what identifies the list
 * @param keys - any of them may have signed
 * @returns the position
 * @throws ApiError `invalid_query` when it was altered, or made for another list
 */
export function parseCursor(cursor: string, list: string, keys = ownKeys): Position {
  const bytes = Buffer.from(cursor, 'base64url')
  const payload = bytes.subarray(signatureBytes)
  const signature = bytes.subarray(0, signatureBytes)
  const isGenuine = keys.some((key) => {
    const expected = sign(payload, list, key)
    return signature.length === expected.length && timingSafeEqual(signature, expected)
  })
  // Base64 decoding is lenient; only the exact text that was handed out is taken.
  if (!isGenuine || bytes.toString('base64url') !== cursor) throw invalidCursor()
  const position: unknown = EJSON.parse(payload.toString())
  if (!Array.isArray(position)) throw invalidCursor()
  return position
}

function sign(payload: Uint8Array, list: string, key: Uint8Array): Buffer {
  // The list is bound by the signature, so the cursor need not carry it.
  const digest = createHash('sha256').update(list).digest()
  return createHmac('sha256', key)
    .update(digest)
    .update(payload)
    .digest()
    .subarray(0, signatureBytes)
}

function invalidCursor(): ApiError {
  const detail = 'is not a cursor of this list'
  return new ApiError('invalid_query', {
    errors: [{ in: 'query', pointer: '#/cursor', code: 'invalid_cursor', detail }],
  })
}
