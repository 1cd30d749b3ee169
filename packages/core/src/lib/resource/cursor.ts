import { createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import { mongo } from 'mongoose'
import { ApiError } from '../errors/api-error.ts'

/** Where a list goes on: the values of the sort fields of the last document, its `_id` last. */
export type Position = readonly unknown[]

const { EJSON } = mongo.BSON
const signatureBytes = 16

// Random until `setCursorSecret`: cursors then end with the process.
let key: Uint8Array = randomBytes(32)

/**
 * Sets what cursors are signed with, so that they hold across restarts and processes. The key is
 * derived, so the secret may serve other ends too.
 * @param secret - at least 32 characters
 */
export function setCursorSecret(secret: string): void {
  key = new Uint8Array(hkdfSync('sha256', secret, '', 'create-api cursor', 32))
}

/**
 * Writes a position as an opaque, signed text.
 * @param position - values of the sort fields
 * @param list - what identifies the list: its filters, its order and whose it is
 * @returns the cursor
 */
export function toCursor(position: Position, list: string): string {
  const payload = Buffer.from(EJSON.stringify(position, { relaxed: true }))
  return Buffer.concat([sign(payload, list), payload]).toString('base64url')
}

/**
 * Reads a cursor.
 * @param cursor - what the client sent
 * @param list - what identifies the list
 * @returns the position
 * @throws ApiError `invalid_query` when it was altered, or made for another list
 */
export function parseCursor(cursor: string, list: string): Position {
  const bytes = Buffer.from(cursor, 'base64url')
  const payload = bytes.subarray(signatureBytes)
  const signature = bytes.subarray(0, signatureBytes)
  const expected = sign(payload, list)
  // Base64 decoding is lenient; only the exact text that was handed out is taken.
  const genuine = signature.length === expected.length && timingSafeEqual(signature, expected)
  if (!genuine || bytes.toString('base64url') !== cursor) throw invalidCursor()
  const position: unknown = EJSON.parse(payload.toString())
  if (!Array.isArray(position)) throw invalidCursor()
  return position
}

function sign(payload: Uint8Array, list: string): Buffer {
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
