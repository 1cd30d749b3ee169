import { type ErrorItem } from '../errors/api-error.ts'
import { createValidationError } from '../errors/to-error-items.ts'
import { toPointer } from '../errors/to-pointer.ts'

// Rejects what a database cannot store unchanged: a lone surrogate in a string or a name, which UTF-8
// cannot encode; a name with NUL, which BSON cannot encode; the name `_bsontype`, by which the driver
// recognizes its own types; `__proto__`, which assignment does not store. And a name that MongoDB reads as an operator in a filter: `$gt`. Throws
// `validation_failed` with a pointer to the first error.
export function requireStorable(value: unknown, { dollarNames }: StorableOptions): void {
  const error = findError(value, [], dollarNames ? isStorableName : isPlainName)
  if (error) throw createValidationError([error])
}

// Whether the text of a body can contain any of that; most do not. A character that is rare is found sooner than a
// text that begins with a quote.
export function mayBeUnstorable(text: string): boolean {
  return (
    (text.includes('\\') && text.includes(String.raw`\u`)) ||
    (text.includes('$') && text.includes('"$')) ||
    text.includes('_bsontype') ||
    text.includes('__proto__')
  )
}

export interface StorableOptions {
  /** Whether names may begin with `$`. */
  readonly dollarNames: boolean
}

type IsAllowed = (name: string) => boolean

const loneSurrogate = /\p{Surrogate}/u

function findError(
  value: unknown,
  path: readonly PropertyKey[],
  isAllowed: IsAllowed,
): ErrorItem | undefined {
  if (typeof value === 'string') {
    if (!loneSurrogate.test(value)) return undefined
    return toItem(path, 'invalid_format', 'must be well-formed text')
  }
  if (typeof value !== 'object' || value === null) return undefined
  const isList = Array.isArray(value)
  for (const [key, member] of Object.entries(value)) {
    const inner = [...path, key]
    if (!isList && !isAllowed(key)) {
      return toItem(inner, 'unrecognized_key', 'is not allowed as a name')
    }
    const error = findError(member, inner, isAllowed)
    if (error) return error
  }
  return undefined
}

function isPlainName(name: string): boolean {
  return !name.startsWith('$') && isStorableName(name)
}

function isStorableName(name: string): boolean {
  return (
    name !== '_bsontype' &&
    name !== '__proto__' &&
    !name.includes('\0') &&
    !loneSurrogate.test(name)
  )
}

function toItem(path: readonly PropertyKey[], code: string, detail: string): ErrorItem {
  return { in: 'body', pointer: toPointer(path), code, detail }
}
