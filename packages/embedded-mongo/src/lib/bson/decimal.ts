import { Decimal128 } from 'bson'

// coefficient × 10^exponent
export interface ExactDecimal {
  coefficient: bigint
  exponent: number
}

export function readDecimal(value: Decimal128): ExactDecimal | number {
  const view = new DataView(value.bytes.buffer, value.bytes.byteOffset, 16)
  const low = view.getBigUint64(0, true)
  const high = view.getBigUint64(8, true)
  const negative = high >> 63n === 1n
  const combination = Number((high >> 58n) & 31n)
  if (combination === 31) return NaN
  if (combination === 30) return negative ? -Infinity : Infinity
  // A coefficient in the large form exceeds 34 digits and counts as zero.
  if (combination >> 3 === 3) return { coefficient: 0n, exponent: 0 }
  const exponent = Number((high >> 49n) & 0x3fffn) - 6176
  const coefficient = ((high & 0x1_ffff_ffff_ffffn) << 64n) | low
  return { coefficient: negative ? -coefficient : coefficient, exponent }
}

// Rounds half to even, to the 34 digits of a Decimal128.
export function toDecimal(value: ExactDecimal): Decimal128 {
  const rounded = roundTo34(value.coefficient, value.exponent)
  return Decimal128.fromString(`${rounded.coefficient}E${rounded.exponent}`)
}

function roundTo34(coefficient: bigint, exponent: number): ExactDecimal {
  const digits = (coefficient < 0n ? -coefficient : coefficient).toString().length
  if (digits <= 34) return { coefficient, exponent }
  return roundExact({ coefficient, exponent }, exponent + digits - 34)
}

// Rounds half to even.
export function roundExact(value: ExactDecimal, exponent: number): ExactDecimal {
  if (exponent <= value.exponent) return scaleTo(value, exponent)
  const unit = 10n ** BigInt(exponent - value.exponent)
  const negative = value.coefficient < 0n
  const magnitude = negative ? -value.coefficient : value.coefficient
  let quotient = magnitude / unit
  const twice = (magnitude % unit) * 2n
  if (twice > unit || (twice === unit && quotient % 2n === 1n)) quotient += 1n
  return { coefficient: negative ? -quotient : quotient, exponent }
}

export function scaleTo(value: ExactDecimal, exponent: number): ExactDecimal {
  if (exponent === value.exponent) return value
  const coefficient = value.coefficient * 10n ** BigInt(value.exponent - exponent)
  return { coefficient, exponent }
}

export function doubleToExact(value: number): ExactDecimal {
  if (Number.isInteger(value)) return { coefficient: BigInt(value), exponent: 0 }
  let scaled = value
  let halvings = 0
  while (!Number.isInteger(scaled)) {
    scaled *= 2
    halvings++
  }
  return { coefficient: BigInt(scaled) * 5n ** BigInt(halvings), exponent: -halvings }
}

export function compareExact(a: ExactDecimal, b: ExactDecimal): number {
  const exponent = Math.min(a.exponent, b.exponent)
  const left = scaleTo(a, exponent).coefficient
  const right = scaleTo(b, exponent).coefficient
  return left < right ? -1 : left > right ? 1 : 0
}
