import { ApiError, type ErrorItem } from '../errors/api-error.ts'
import { countFaults } from '../errors/to-error-items.ts'
import { toPointer } from '../errors/to-pointer.ts'

/**
 * Refuses what a database could not give back as it was sent: half of a surrogate pair, which UTF-8
 * cannot write, in a text or a name, and names of members that hold NUL, which BSON cannot write, or
 * are `_bsontype`, by which the driver knows its own types.
 * @param value - a body made of JSON
 * @throws ApiError `validation_failed` with a pointer to the first fault
 */
export function requireStorable(value: unknown): void {
  const fault = findFault(value, [])
  if (!fault) return
  throw new ApiError('validation_failed', { detail: countFaults(1), errors: [fault] })
}

/**
 * Tells from the text of a body whether it may hold any of that, which hardly any does.
 * @param text - JSON
 * @returns false when there is nothing to look for
 */
export function mayBeUnstorable(text: string): boolean {
  return text.includes(String.raw`\u`) || text.includes('_bsontype')
}

const loneSurrogate = /\p{Surrogate}/u

function findFault(value: unknown, path: readonly PropertyKey[]): ErrorItem | undefined {
  if (typeof value === 'string') {
    if (!loneSurrogate.test(value)) return undefined
    return toItem(path, 'invalid_format', 'must be well-formed text')
  }
  if (typeof value !== 'object' || value === null) return undefined
  const isList = Array.isArray(value)
  for (const [key, member] of Object.entries(value)) {
    const inner = [...path, key]
    if (!isList && !isStorableName(key)) {
      return toItem(inner, 'unrecognized_key', 'is not allowed as a name')
    }
    const fault = findFault(member, inner)
    if (fault) return fault
  }
  return undefined
}

function isStorableName(name: string): boolean {
  return name !== '_bsontype' && !name.includes('\0') && !loneSurrogate.test(name)
}

function toItem(path: readonly PropertyKey[], code: string, detail: string): ErrorItem {
  return { in: 'body', pointer: toPointer(path), code, detail }
}
