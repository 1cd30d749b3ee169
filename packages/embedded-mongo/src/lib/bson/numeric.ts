import { type Decimal128, type Double, type Long } from 'bson'
import { compareExact, doubleToExact, type ExactDecimal, readDecimal } from './decimal.ts'
import { typeNumber } from './type-name.ts'

export type Numeric = number | Double | Long | Decimal128

export function isNumeric(value: unknown): value is Numeric {
  if (typeof value === 'number') return true
  if (typeof value !== 'object' || value === null) return false
  return isDecimal(value) || isLong(value) || isDouble(value)
}

export function isLong(value: unknown): value is Long {
  return typeNumber(value) === 18
}

export function isDecimal(value: unknown): value is Decimal128 {
  return typeNumber(value) === 19
}

export function isNaNValue(value: unknown): boolean {
  return isNumeric(value) && Number.isNaN(toNumber(value))
}

function isDouble(value: unknown): value is Double {
  return typeNumber(value) === 1 && typeof value === 'object'
}

// Exact for int and double, else the nearest double.
export function toNumber(value: Numeric): number {
  if (typeof value === 'number') return value
  if (isLong(value)) return value.toNumber()
  return isDecimal(value) ? Number(value.toString()) : value.value
}

// NaN and infinities remain JavaScript numbers.
export function toExact(value: Numeric): ExactDecimal | number {
  if (isLong(value)) return { coefficient: value.toBigInt(), exponent: 0 }
  if (isDecimal(value)) return readDecimal(value)
  const double = toNumber(value)
  return Number.isFinite(double) ? doubleToExact(double) : double
}

// Compares the exact values; NaN equals itself and is below all others.
export function compareNumeric(a: Numeric, b: Numeric): number {
  if (typeof a === 'number' && typeof b === 'number') return compareDoubles(a, b)
  const left = toNumber(a)
  const right = toNumber(b)
  if (isExactDouble(a) && isExactDouble(b)) return compareDoubles(left, right)
  // Different nearest doubles decide; equal ones need the exact values.
  if (left !== right || !Number.isFinite(left)) return compareRounded(a, b)
  return compareFinite(toExact(a), toExact(b))
}

function isExactDouble(value: Numeric): boolean {
  return typeof value === 'number' || (!isLong(value) && !isDecimal(value))
}

function compareRounded(a: Numeric, b: Numeric): number {
  const rounded = compareDoubles(toNumber(a), toNumber(b))
  // A decimal may be finite and yet beyond the doubles.
  return rounded === 0 ? compareFinite(toExact(a), toExact(b)) : rounded
}

function compareFinite(a: ExactDecimal | number, b: ExactDecimal | number): number {
  if (typeof a !== 'number' && typeof b !== 'number') return compareExact(a, b)
  return compareDoubles(signOrNumber(a), signOrNumber(b))
}

function signOrNumber(value: ExactDecimal | number): number {
  return typeof value === 'number' ? value : Math.sign(Number(value.coefficient))
}

function compareDoubles(a: number, b: number): number {
  if (a < b) return -1
  if (a > b) return 1
  if (a === b) return 0
  return Number(b !== b) - Number(a !== a)
}
