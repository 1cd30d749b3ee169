import { toIsoText } from '../iso-text.ts'

/** A value with properties that can be read by name. */
export type Readable = Readonly<Record<string, unknown>>

/**
 * Whether a value is an object whose properties may be copied: no array, date or database value.
 * @param value - anything
 * @returns true for plain objects and documents
 */
export function isRecord(value: unknown): value is Readable {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Date) &&
    !('_bsontype' in value)
  )
}

/**
 * Writes a single value for JSON. An object where a single value is expected is dropped: it may hold
 * what nobody meant to send.
 * @param value - anything
 * @returns a string, number, boolean, null, or undefined for what is no single value
 */
export function toScalar(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) {
    return typeof value === 'bigint' ? String(value) : value
  }
  if (value instanceof Date) {
    const ms = value.valueOf()
    return Number.isNaN(ms) ? undefined : toIsoText(ms)
  }
  // ObjectId, Decimal128, Long, UUID: what the driver hands out for types that JSON does not have.
  return isDatabaseValue(value) ? toText(value) : undefined
}

interface DatabaseValue {
  readonly _bsontype: string
  toString(): string
}

function isDatabaseValue(value: object): value is DatabaseValue {
  return '_bsontype' in value
}

function toText(value: DatabaseValue): string {
  const { _bsontype: type } = value
  return type === 'Decimal128' ? expandExponent(value.toString()) : value.toString()
}

/**
 * Writes a number without an exponent: `1.5E-7` → `0.00000015`.
 * @param text - digits, perhaps with a point and an exponent
 * @returns the same number; any other text as it is
 */
export function expandExponent(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent] =
    /^(-?)(\d+)(?:\.(\d+))?e([+-]?\d+)$/i.exec(text) ?? []
  if (exponent === undefined) return text
  const digits = whole + fraction
  const point = whole.length + Number(exponent)
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  if (point >= digits.length) return sign + digits.padEnd(point, '0')
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}

/**
 * Copies a value of any shape for JSON.
 * @param value - anything
 * @returns the same shape with dates as ISO texts and database values as texts
 */
export function toPlain(value: unknown): unknown {
  if (Array.isArray(value)) return Array.from(value, toPlain)
  if (value instanceof Map) return toPlain(Object.fromEntries(value))
  if (!isRecord(value)) return toScalar(value)
  const source: Readable = typeof value['toJSON'] === 'function' ? value['toJSON']() : value
  return Object.fromEntries(Object.entries(source).map(([key, item]) => [key, toPlain(item)]))
}
