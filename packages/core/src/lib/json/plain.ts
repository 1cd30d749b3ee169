import { toIsoText } from './iso-text.ts'

// A value whose properties can be read by name.
export type Readable = Readonly<Record<string, unknown>>

// Whether the properties of a value may be copied: true for plain objects and documents, false for arrays,
// dates and values of the database driver.
export function isRecord(value: unknown): value is Readable {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Date) &&
    !('_bsontype' in value)
  )
}

// Whether a value was written as an object: no instance of a class.
export function isPlainObject(value: unknown): value is Readable {
  if (!isRecord(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

// Converts a single value for JSON. Undefined for any other object: it may contain what must not be sent.
export function toScalar(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) {
    return typeof value === 'bigint' ? String(value) : value
  }
  if (value instanceof Date) {
    const ms = value.valueOf()
    return Number.isNaN(ms) ? undefined : toIsoText(ms)
  }
  // ObjectId, Decimal128, Long, UUID: the driver's classes for types that JSON does not have.
  return isDatabaseValue(value) ? formatDatabaseValue(value) : undefined
}

// Converts an integer of any size for JSON. The driver returns the small ones as numbers.
export function toIntegerText(value: unknown): unknown {
  return typeof value === 'number' && Number.isInteger(value)
    ? String(BigInt(value))
    : toScalar(value)
}

interface DatabaseValue {
  readonly _bsontype: string
  toString(): string
}

function isDatabaseValue(value: object): value is DatabaseValue {
  return '_bsontype' in value
}

function formatDatabaseValue(value: DatabaseValue): string {
  const { _bsontype: type } = value
  return type === 'Decimal128' ? expandExponent(value.toString()) : value.toString()
}

// Writes a number without an exponent: `1.5E-7` → `0.00000015`. Any other text is returned unchanged.
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

// Copies a value of any shape for JSON: dates become ISO 8601 strings, values of the driver strings.
export function toPlain(value: unknown): unknown {
  if (Array.isArray(value)) return Array.from(value, toPlain)
  if (value instanceof Map) return toPlain(Object.fromEntries(value))
  if (!isRecord(value)) return toScalar(value)
  const source: Readable = typeof value['toJSON'] === 'function' ? value['toJSON']() : value
  return Object.fromEntries(Object.entries(source).map(([key, item]) => [key, toPlain(item)]))
}
