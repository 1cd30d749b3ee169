import { Binary, Long } from 'bson'
import { isDocument } from '../bson/document.ts'
import { CommandError } from '../errors/command-error.ts'

/**
 * The bytes of a session id, as one latin1 string.
 *
 * @param lsid What the command carries as `lsid`.
 * @returns The bytes, `undefined` without a session.
 * @throws {CommandError} 14 when it is no session id.
 */
export function toSessionId(lsid: unknown): string | undefined {
  if (lsid === undefined) return undefined
  const id = isDocument(lsid) ? lsid['id'] : undefined
  if (!(id instanceof Binary) || id.position !== 16) {
    throw new CommandError(14, "BSON field 'lsid.id' is the wrong type, expected a UUID")
  }
  return Buffer.from(id.buffer.subarray(0, 16)).toString('latin1')
}

/**
 * A transaction number.
 *
 * @param value What the command carries as `txnNumber`.
 * @returns The number.
 * @throws {CommandError} 14 when it is no whole number.
 */
export function toTransactionNumber(value: unknown): bigint {
  if (value instanceof Long) return value.toBigInt()
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value)
  throw new CommandError(14, "BSON field 'txnNumber' is the wrong type, expected type 'long'")
}
