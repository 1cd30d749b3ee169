import { Decimal128 } from 'bson'
import { asDouble, asInteger, toBigInt, toDecimalOperand } from './arithmetic.ts'
import { type ExactDecimal, scaleTo, toDecimal } from './decimal.ts'
import { isDecimal, isLong, type Numeric, toNumber } from './numeric.ts'
import { typeNumber } from './type-name.ts'

/** Adds many numbers without losing what a plain sum of doubles loses. */
export class NumericSum {
  count = 0
  #small = 0
  #integers = 0n
  #double = 0
  #lost = 0
  #decimal: ExactDecimal = { coefficient: 0n, exponent: 0 }
  // NaN and infinities among decimals.
  #special = 0
  #widest = 16

  /**
   * Adds a number.
   * @param value - The number.
   */
  add(value: Numeric): void {
    this.count++
    const type = typeNumber(value)
    if (type === 16) this.#addSmall(toNumber(value))
    else if (isLong(value)) this.#integers += value.toBigInt()
    else if (isDecimal(value)) this.#addDecimal(value)
    else this.#addDouble(toNumber(value))
    if (rank(type) > rank(this.#widest)) this.#widest = type
  }

  #addSmall(value: number): void {
    this.#small += value
    if (Math.abs(this.#small) > 2 ** 52) {
      this.#integers += BigInt(this.#small)
      this.#small = 0
    }
  }

  // Neumaier's compensated sum.
  #addDouble(value: number): void {
    const sum = this.#double + value
    const lost =
      Math.abs(this.#double) >= Math.abs(value)
        ? this.#double - sum + value
        : value - sum + this.#double
    if (Number.isFinite(lost)) this.#lost += lost
    this.#double = sum
  }

  #addDecimal(value: Decimal128): void {
    const exact = toDecimalOperand(value)
    if (typeof exact === 'number') this.#special += exact
    else this.#decimal = addExact(this.#decimal, exact)
  }

  /**
   * Gives the sum in the widest type of its numbers.
   * @returns The sum; 0 of nothing; a double when integers exceed 64 bits.
   */
  total(): Numeric {
    const integers = this.#integers + BigInt(this.#small)
    if (this.#widest === 19) return this.#decimalTotal(integers)
    if (this.#widest === 1) return asDouble(this.#double + (this.#lost + Number(integers)))
    return asInteger(integers, this.#widest === 18) ?? asDouble(Number(integers))
  }

  #decimalTotal(integers: bigint): Decimal128 {
    const double = this.#double + this.#lost
    if (!Number.isFinite(this.#special + double) || this.#special !== 0) {
      return Decimal128.fromString(String(this.#special + double))
    }
    const whole = addExact(this.#decimal, { coefficient: integers, exponent: 0 })
    const rest = toDecimalOperand(asDouble(double))
    // A zero that was never there must not add digits.
    return toDecimal(double === 0 || typeof rest === 'number' ? whole : addExact(whole, rest))
  }

  /**
   * Gives the mean: a decimal when any number was one, else a double.
   * @returns The mean; null of nothing.
   */
  mean(): Numeric | null {
    if (this.count === 0) return null
    const total = this.total()
    return isDecimal(total)
      ? divideDecimal(total, this.count)
      : asDouble(toNumber(total) / this.count)
  }
}

function rank(type: number): number {
  return [16, 18, 1, 19].indexOf(type)
}

function addExact(a: ExactDecimal, b: ExactDecimal): ExactDecimal {
  const exponent = Math.min(a.exponent, b.exponent)
  return {
    coefficient: scaleTo(a, exponent).coefficient + scaleTo(b, exponent).coefficient,
    exponent,
  }
}

function divideDecimal(total: Decimal128, count: number): Decimal128 {
  return divideExact(toDecimalOperand(total), { coefficient: BigInt(count), exponent: 0 })
}

/**
 * Divides decimals to 34 digits.
 * @param a - The dividend.
 * @param b - The divisor, not zero.
 * @returns The quotient.
 */
export function divideExact(a: ExactDecimal | number, b: ExactDecimal | number): Decimal128 {
  if (typeof a === 'number' || typeof b === 'number') {
    const left = typeof a === 'number' ? a : Number(a.coefficient)
    const right = typeof b === 'number' ? b : Number(b.coefficient)
    return Decimal128.fromString(String(left / right))
  }
  // Forty more digits than the divisor has leave the rounding to 34 exact enough; a rest is kept visible.
  const scale = String(b.coefficient).length + 40
  const dividend = a.coefficient * 10n ** BigInt(scale)
  const quotient = dividend / b.coefficient
  const isExact = quotient * b.coefficient === dividend
  const exponent = a.exponent - b.exponent - scale
  if (!isExact) {
    const sticky =
      quotient < 0n || (quotient === 0n && a.coefficient < 0n !== b.coefficient < 0n) ? -1n : 1n
    return toDecimal({ coefficient: quotient * 10n + sticky, exponent: exponent - 1 })
  }
  return toDecimal(trimZeros(quotient, exponent, a.exponent - b.exponent))
}

function trimZeros(coefficient: bigint, exponent: number, wanted: number): ExactDecimal {
  let value = coefficient
  let place = exponent
  while (place < wanted && value % 10n === 0n) {
    value /= 10n
    place++
  }
  return { coefficient: value, exponent: place }
}

/**
 * Reads a number for a computation in doubles.
 * @param value - The number.
 * @returns Its integer value as a bigint for int and long, else undefined.
 */
export function toInteger64(value: Numeric): bigint | undefined {
  const type = typeNumber(value)
  return type === 16 || type === 18 ? toBigInt(value) : undefined
}
