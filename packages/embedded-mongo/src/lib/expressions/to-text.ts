import { isNumeric } from '../bson/numeric.ts'
import { typeNumber } from '../bson/type-name.ts'

// Undefined for a type that has no text.
export function toText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return String(value)
  if (value instanceof Date) return value.toISOString()
  if (isNumeric(value)) return String(value)
  const type = typeNumber(value)
  return type === 7 || type === 14 ? String(value) : undefined
}
