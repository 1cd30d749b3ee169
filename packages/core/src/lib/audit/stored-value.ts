import { createHash, randomBytes } from 'node:crypto'
import { normalise, toBytes } from './canonical.ts'
import { type StoredValue } from './audit-store.ts'
import { masked } from './compare-documents.ts'

const saltBytes = 16

// A value with the digest that the chain contains; undefined for a field that is missing.
export function toStoredValue(value: unknown): StoredValue | undefined {
  if (value === undefined) return undefined
  if (value === masked) return { masked: true }
  const salt = randomBytes(saltBytes).toString('base64url')
  return { value, salt, digest: digest(value, salt) }
}

// The salt keeps a value from being guessed by its digest once both have been erased.
export function digest(value: unknown, salt: string): string {
  return createHash('sha256')
    .update(salt)
    .update(toBytes(normalise(value)))
    .digest('base64url')
}
