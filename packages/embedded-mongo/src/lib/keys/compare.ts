import {
  type Binary,
  type BSONRegExp,
  type BSONSymbol,
  type Code,
  type ObjectId,
  type Timestamp,
} from 'bson'
import { type Doc, isDocument } from '../bson/document.ts'
import { compareNumeric, isDecimal } from '../bson/numeric.ts'
import { typeNumber, typeOrder } from '../bson/type-name.ts'
import { type Collation } from './collation.ts'

// BSON's canonical order; a missing value is below null.
export function compare(a: unknown, b: unknown, collation?: Collation): number {
  if (typeof a === 'number' && typeof b === 'number' && a === b) return 0
  const order = typeOrder(a)
  const difference = order - typeOrder(b)
  if (difference !== 0) return difference
  return (comparers[order] ?? same)(a, b, collation)
}

export function isEqual(a: unknown, b: unknown, collation?: Collation): boolean {
  return compare(a, b, collation) === 0
}

type Comparer = (a: unknown, b: unknown, collation?: Collation) => number

// By type order. The caller has compared the order, so both values have the comparer's type.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
const comparers = {
  10: compareNumeric,
  15: compareTexts,
  20: compareDocuments,
  25: compareArrays,
  30: compareBinaries,
  35: (a: ObjectId, b: ObjectId) => Buffer.compare(a.id, b.id),
  40: (a: boolean, b: boolean) => Number(a) - Number(b),
  45: (a: Date, b: Date) => a.getTime() - b.getTime(),
  47: (a: Timestamp, b: Timestamp) => a.t - b.t || a.i - b.i,
  50: (a: BSONRegExp, b: BSONRegExp) =>
    compareStrings(a.pattern, b.pattern) || compareStrings(a.options, b.options),
  60: (a: Code, b: Code) => compareStrings(a.code, b.code),
  65: (a: Code, b: Code) =>
    compareStrings(a.code, b.code) || compareDocuments(a.scope ?? {}, b.scope ?? {}),
} as Readonly<Record<number, Comparer>>

function same(): number {
  return 0
}

function compareTexts(a: string | BSONSymbol, b: string | BSONSymbol, by?: Collation): number {
  const left = typeof a === 'string' ? a : a.value
  const right = typeof b === 'string' ? b : b.value
  return by === undefined ? compareStrings(left, right) : by.compare(left, right)
}

// In the order of UTF-8 bytes, which differs from UTF-16 at surrogates only.
function compareStrings(a: string, b: string): number {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i)
    const right = b.charCodeAt(i)
    if (left !== right)
      return left >= 0xd800 || right >= 0xd800 ? rank(left) - rank(right) : left - right
  }
  return a.length - b.length
}

// Surrogates encode the characters above all others.
function rank(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit
}

function compareDocuments(a: Doc, b: Doc, collation?: Collation): number {
  const left = Object.keys(a)
  const right = Object.keys(b)
  const length = Math.min(left.length, right.length)
  for (let i = 0; i < length; i++) {
    const leftName = left[i] ?? ''
    const rightName = right[i] ?? ''
    const leftValue = a[leftName]
    const rightValue = b[rightName]
    const result =
      typeOrder(leftValue) - typeOrder(rightValue) ||
      compareStrings(leftName, rightName) ||
      compare(leftValue, rightValue, collation)
    if (result !== 0) return result
  }
  return left.length - right.length
}

function compareArrays(a: unknown[], b: unknown[], collation?: Collation): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const result = compare(a[i], b[i], collation)
    if (result !== 0) return result
  }
  return a.length - b.length
}

function compareBinaries(a: Binary, b: Binary): number {
  return (
    a.position - b.position ||
    a.sub_type - b.sub_type ||
    Buffer.compare(a.buffer.subarray(0, a.position), b.buffer.subarray(0, b.position))
  )
}

// Whether two values have the same BSON, so that 1, 1.0 and Long(1) differ.
export function isIdentical(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  const type = typeNumber(a)
  if (type !== typeNumber(b)) return false
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, i) => isIdentical(item, b[i]))
  }
  if (isDocument(a) && isDocument(b)) {
    const names = Object.keys(a)
    const others = Object.keys(b)
    return (
      names.length === others.length &&
      names.every((name, i) => name === others[i] && isIdentical(a[name], b[name]))
    )
  }
  if (isDecimal(a) && isDecimal(b)) {
    return Buffer.compare(a.bytes, b.bytes) === 0
  }
  return typeof a !== 'number' && compare(a, b) === 0
}

// Compares by UTF-16 code units.
export function compareText(a: string, b: string): number {
  if (a < b) return -1
  return a > b ? 1 : 0
}
