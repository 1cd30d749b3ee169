import { Binary, Long } from 'bson'
import { isDocument } from '../bson/document.ts'
import { CommandError } from '../errors/command-error.ts'

export function toSessionId(lsid: unknown): string | undefined {
  if (lsid === undefined) return undefined
  const id = isDocument(lsid) ? lsid['id'] : undefined
  if (!(id instanceof Binary) || id.position !== 16) {
    throw new CommandError(
      'TypeMismatch',
      "BSON field 'lsid.id' is the wrong type, expected a UUID",
    )
  }
  return Buffer.from(id.buffer.subarray(0, 16)).toString('latin1')
}

export function toTransactionNumber(value: unknown): bigint {
  if (value instanceof Long) return value.toBigInt()
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value)
  throw new CommandError(
    'TypeMismatch',
    "BSON field 'txnNumber' is the wrong type, expected type 'long'",
  )
}
