import { type Decimal128, type Double, type Long } from 'bson'
import { compareExact, doubleToExact, type ExactDecimal, readDecimal } from './decimal.ts'
import { typeNumber } from './type-name.ts'

/** A number of the engine. */
export type Numeric = number | Double | Long | Decimal128

/**
 * Tells numbers from other values.
 * @param value - Any value of a document.
 * @returns True for int, long, double and decimal.
 */
export function isNumeric(value: unknown): value is Numeric {
  if (typeof value === 'number') return true
  if (typeof value !== 'object' || value === null) return false
  return isDecimal(value) || isLong(value) || isDouble(value)
}

/**
 * Tells an int64.
 * @param value - Any value of a document.
 * @returns True for a Long.
 */
export function isLong(value: unknown): value is Long {
  return typeNumber(value) === 18
}

/**
 * Tells a decimal.
 * @param value - Any value of a document.
 * @returns True for a Decimal128.
 */
export function isDecimal(value: unknown): value is Decimal128 {
  return typeNumber(value) === 19
}

/**
 * Tells NaN, which no range of a filter contains.
 * @param value - Any value of a document.
 * @returns True for a NaN of any numeric type.
 */
export function isNaNValue(value: unknown): boolean {
  return isNumeric(value) && Number.isNaN(toNumber(value))
}

function isDouble(value: unknown): value is Double {
  return typeNumber(value) === 1 && typeof value === 'object'
}

/**
 * Gives the nearest JavaScript number.
 * @param value - A number of the engine.
 * @returns The number, exact for int and double.
 */
export function toNumber(value: Numeric): number {
  if (typeof value === 'number') return value
  if (isLong(value)) return value.toNumber()
  return isDecimal(value) ? Number(value.toString()) : value.value
}

/**
 * Gives the exact value of a number.
 * @param value - A number of the engine.
 * @returns The exact number; NaN and infinities as JavaScript numbers.
 */
export function toExact(value: Numeric): ExactDecimal | number {
  if (isLong(value)) return { coefficient: value.toBigInt(), exponent: 0 }
  if (isDecimal(value)) return readDecimal(value)
  const double = toNumber(value)
  return Number.isFinite(double) ? doubleToExact(double) : double
}

/**
 * Compares numbers by their exact values; NaN is equal to itself and below all others.
 * @param a - The first number.
 * @param b - The second number.
 * @returns Below, equal to or above 0.
 */
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
