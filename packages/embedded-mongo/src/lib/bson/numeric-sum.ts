import { Decimal128 } from 'bson'
import { asDouble, asInteger, toBigInt, toDecimalOperand } from './arithmetic.ts'
import { type ExactDecimal, scaleTo, toDecimal } from './decimal.ts'
import { isDecimal, isLong, type Numeric, toNumber } from './numeric.ts'
import { typeNumber } from './type-name.ts'

// A sum that loses no precision where a plain sum of doubles would.
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

  // The sum in the widest type of its numbers; a double when integers exceed 64 bits.
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
    // A sum without doubles must not get the digits of a zero.
    return toDecimal(double === 0 || typeof rest === 'number' ? whole : addExact(whole, rest))
  }

  // A decimal when any number is one, else a double.
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

export function divideExact(a: ExactDecimal | number, b: ExactDecimal | number): Decimal128 {
  if (typeof a === 'number' || typeof b === 'number') {
    const left = typeof a === 'number' ? a : Number(a.coefficient)
    const right = typeof b === 'number' ? b : Number(b.coefficient)
    return Decimal128.fromString(String(left / right))
  }
  // Forty digits more than the divisor make rounding to 34 exact; a remainder is kept as a sticky digit.
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

function trimZeros(coefficient: bigint, exponent: number, minExponent: number): ExactDecimal {
  let value = coefficient
  let position = exponent
  while (position < minExponent && value % 10n === 0n) {
    value /= 10n
    position++
  }
  return { coefficient: value, exponent: position }
}

// Undefined for doubles and decimals.
export function toInteger64(value: Numeric): bigint | undefined {
  const type = typeNumber(value)
  return type === 16 || type === 18 ? toBigInt(value) : undefined
}
