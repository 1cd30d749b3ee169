import {
  type Binary,
  type BSONRegExp,
  type BSONSymbol,
  type Code,
  type ObjectId,
  type Timestamp,
} from 'bson'
import { type Doc } from '../bson/document.ts'
import { compareExact, doubleToExact, type ExactDecimal } from '../bson/decimal.ts'
import { type Numeric, toExact, toNumber } from '../bson/numeric.ts'
import { typeOrder } from '../bson/type-name.ts'
import { type Collation } from './collation.ts'

// A latin1 string whose byte order is BSON's order. Equal strings mean equal values, and no key is
// a prefix of another, so keys can be concatenated.
export function encodeKey(value: unknown, descending = false, collation?: Collation): string {
  const key = encodeValue(value, collation)
  return descending ? invert(key) : key
}

function encodeValue(value: unknown, collation?: Collation): string {
  const order = typeOrder(value)
  const prefix = String.fromCharCode(order + 2)
  const encoder = encoders[order]
  return encoder === undefined ? prefix : prefix + encoder(value, collation)
}

type Encoder = (value: unknown, collation?: Collation) => string

// By type order, so each value has its encoder's type.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
const encoders = {
  10: encodeNumber,
  15: encodeText,
  20: encodeDocument,
  25: encodeArray,
  30: encodeBinary,
  35: (value: ObjectId) => Buffer.from(value.id).toString('latin1'),
  40: (value: boolean) => (value ? '\u0001' : '\u0000'),
  45: (value: Date) => encodeDouble(value.getTime()),
  47: (value: Timestamp) => encodeUint32(value.t) + encodeUint32(value.i),
  50: (value: BSONRegExp) => encodeString(value.pattern) + encodeString(value.options),
  60: (value: Code) => encodeString(value.code),
  65: (value: Code) => encodeString(value.code) + encodeDocument(value.scope ?? {}),
} as Readonly<Record<number, Encoder>>

const scratch = Buffer.alloc(8)

function encodeDouble(value: number): string {
  // NaN is the lowest number: below the inverted bits of -Infinity.
  if (value !== value) return '\u0000\u0000\u0000\u0000\u0000\u0000\u0000\u0000'
  scratch.writeDoubleBE(value === 0 ? 0 : value)
  const high = scratch[0] ?? 0
  if (high < 128) scratch[0] = high | 128
  else for (let i = 0; i < 8; i++) scratch[i] = ~(scratch[i] ?? 0)
  return scratch.toString('latin1', 0, 8)
}

function encodeUint32(value: number): string {
  scratch.writeUInt32BE(value >>> 0)
  return scratch.toString('latin1', 0, 4)
}

// The largest double not above the number, then the remainder.
function encodeNumber(value: Numeric): string {
  const double = toNumber(value)
  if (typeof value === 'number') return `${encodeDouble(double)}\u0000`
  const exact = toExact(value)
  if (typeof exact === 'number') return `${encodeDouble(exact)}\u0000`
  if (isSame(exact, double)) return `${encodeDouble(double)}\u0000`
  const floor = isAbove(double, exact) ? nextBelow(double) : double
  return `${encodeDouble(floor)}\u0001${encodeExact(exact)}`
}

function isSame(exact: ExactDecimal, double: number): boolean {
  return Number.isFinite(double) && compareExact(doubleToExact(double), exact) === 0
}

function isAbove(double: number, exact: ExactDecimal): boolean {
  return Number.isFinite(double) ? compareExact(doubleToExact(double), exact) > 0 : double > 0
}

function nextBelow(double: number): number {
  if (double === 0) return -Number.MIN_VALUE
  scratch.writeDoubleBE(double)
  const bits = scratch.readBigInt64BE()
  scratch.writeBigInt64BE(double > 0 ? bits - 1n : bits + 1n)
  return scratch.readDoubleBE()
}

// Sign, then the exponent of 0.d1d2… × 10^exponent, then the digits.
function encodeExact({ coefficient, exponent }: ExactDecimal): string {
  const negative = coefficient < 0n
  const digits = (negative ? -coefficient : coefficient).toString()
  const head = exponent + digits.length + 0x8000
  const body = `${String.fromCharCode(head >> 8, head & 255)}${digits.replace(/0+$/, '')}\u0000`
  return negative ? `\u0000${invert(body)}` : `\u0001${body}`
}

function encodeText(value: string | BSONSymbol, collation?: Collation): string {
  const text = typeof value === 'string' ? value : value.value
  return encodeString(collation === undefined ? text : collation.equalityForm(text))
}

// oxlint-disable-next-line no-control-regex -- exactly the characters whose UTF-8 is themselves
const ascii = /^[\u0001-\u007f]*$/

function encodeString(text: string): string {
  if (ascii.test(text)) return `${text}\u0000\u0000`
  return `${Buffer.from(text).toString('latin1').replaceAll('\u0000', '\u0000\u00ff')}\u0000\u0000`
}

function encodeDocument(value: Doc, collation?: Collation): string {
  let key = ''
  for (const name of Object.keys(value)) {
    const encoded = encodeValue(value[name], collation)
    // BSON's order compares the type before the name.
    key += encoded.slice(0, 1) + encodeString(name) + encoded.slice(1)
  }
  return `${key}\u0000`
}

function encodeArray(value: unknown[], collation?: Collation): string {
  let key = ''
  for (const item of value) key += encodeValue(item, collation)
  return `${key}\u0000`
}

function encodeBinary(value: Binary): string {
  const bytes = Buffer.from(value.buffer.buffer, value.buffer.byteOffset, value.position)
  return (
    encodeUint32(value.position) + String.fromCharCode(value.sub_type) + bytes.toString('latin1')
  )
}

function invert(key: string): string {
  const bytes = Buffer.from(key, 'latin1')
  for (let i = 0; i < bytes.length; i++) bytes[i] = ~(bytes[i] ?? 0)
  return bytes.toString('latin1')
}
