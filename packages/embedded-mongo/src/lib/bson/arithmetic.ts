import { Decimal128, Double, Long } from 'bson'
import { type ExactDecimal, scaleTo, toDecimal } from './decimal.ts'
import { isDecimal, isLong, type Numeric, toExact, toNumber } from './numeric.ts'
import { typeNumber } from './type-name.ts'

// An integral double is a `Double`, because a plain integral number is an int.
export function asDouble(value: number): number | Double {
  return Number.isInteger(value) && !Object.is(value, -0) ? new Double(value) : value
}

// The narrowest type that holds the value, not narrower than requested; undefined beyond 64 bits.
export function asInteger(value: bigint, preferLong: boolean): number | Long | undefined {
  if (BigInt.asIntN(64, value) !== value) return undefined
  if (!preferLong && BigInt.asIntN(32, value) === value) return Number(value)
  return Long.fromBigInt(value)
}

interface Operation {
  doubles(a: number, b: number): number
  integers(a: bigint, b: bigint): bigint
  decimals(a: ExactDecimal, b: ExactDecimal): ExactDecimal
}

const addition: Operation = {
  doubles: (a, b) => a + b,
  integers: (a, b) => a + b,
  decimals: (a, b) => {
    const exponent = Math.min(a.exponent, b.exponent)
    const coefficient = scaleTo(a, exponent).coefficient + scaleTo(b, exponent).coefficient
    return { coefficient, exponent }
  },
}

const multiplication: Operation = {
  doubles: (a, b) => a * b,
  integers: (a, b) => a * b,
  decimals: (a, b) => ({
    coefficient: a.coefficient * b.coefficient,
    exponent: a.exponent + b.exponent,
  }),
}

// The wider type wins, as in MongoDB: int, long, double, decimal.
export function add(a: Numeric, b: Numeric): Numeric | undefined {
  return operate(addition, a, b)
}

export function multiply(a: Numeric, b: Numeric): Numeric | undefined {
  return operate(multiplication, a, b)
}

function operate(operation: Operation, a: Numeric, b: Numeric): Numeric | undefined {
  if (isDecimal(a) || isDecimal(b)) return operateDecimals(operation, a, b)
  if (typeNumber(a) === 1 || typeNumber(b) === 1) {
    return asDouble(operation.doubles(toNumber(a), toNumber(b)))
  }
  const hasLong = isLong(a) || isLong(b)
  if (!hasLong) {
    const result = operation.doubles(toNumber(a), toNumber(b))
    if ((result | 0) === result) return result + 0
  }
  return asInteger(operation.integers(toBigInt(a), toBigInt(b)), hasLong)
}

export function toBigInt(value: Numeric): bigint {
  return isLong(value) ? value.toBigInt() : BigInt(Math.trunc(toNumber(value)))
}

function operateDecimals(operation: Operation, a: Numeric, b: Numeric): Decimal128 {
  const left = toDecimalOperand(a)
  const right = toDecimalOperand(b)
  if (typeof left !== 'number' && typeof right !== 'number') {
    return toDecimal(operation.decimals(left, right))
  }
  return Decimal128.fromString(String(operation.doubles(approximate(left), approximate(right))))
}

function approximate(value: ExactDecimal | number): number {
  return typeof value === 'number' ? value : Math.sign(Number(value.coefficient))
}

// As MongoDB widens a number to a decimal: a double gets 15 digits.
export function toDecimalOperand(value: Numeric): ExactDecimal | number {
  if (typeNumber(value) !== 1) return toExact(value)
  const double = toNumber(value)
  if (!Number.isFinite(double)) return double
  return toExact(Decimal128.fromString(double.toPrecision(15)))
}
