import {
  type Binary,
  type BSONRegExp,
  type BSONSymbol,
  type Code,
  type ObjectId,
  type Timestamp,
} from 'bson'
import { assume } from '../bson/assume.ts'
import { type Doc } from '../bson/document.ts'
import { compareNumeric } from '../bson/numeric.ts'
import { typeOrder } from '../bson/type-name.ts'
import { type Collation } from './collation.ts'

/**
 * Compares two values in BSON's canonical order; a missing value is below null.
 * @param a - The first value.
 * @param b - The second value.
 * @param collation - How text compares; binary when left out.
 * @returns Below, equal to or above 0.
 */
export function compare(a: unknown, b: unknown, collation?: Collation): number {
  if (typeof a === 'number' && typeof b === 'number' && a === b) return 0
  const order = typeOrder(a)
  const difference = order - typeOrder(b)
  if (difference !== 0) return difference
  return (comparers[order] ?? same)(a, b, collation)
}

/**
 * Tells whether two values are equal in BSON's order (so that 1, 1.0 and Long(1) are).
 * @param a - The first value.
 * @param b - The second value.
 * @param collation - How text compares; binary when left out.
 * @returns True when equal.
 */
export function isEqual(a: unknown, b: unknown, collation?: Collation): boolean {
  return compare(a, b, collation) === 0
}

type Comparer = (a: unknown, b: unknown, collation?: Collation) => number

// The type's place was compared before, so both values have the comparer's type.
const comparers: Readonly<Record<number, Comparer>> = assume({
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
})

function same(): number {
  return 0
}

function compareTexts(a: string | BSONSymbol, b: string | BSONSymbol, by?: Collation): number {
  const left = typeof a === 'string' ? a : a.value
  const right = typeof b === 'string' ? b : b.value
  return by === undefined ? compareStrings(left, right) : by.compare(left, right)
}

// In the order of UTF-8's bytes, which differs from UTF-16's at surrogates only.
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

// Surrogates stand for the characters above all others.
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
