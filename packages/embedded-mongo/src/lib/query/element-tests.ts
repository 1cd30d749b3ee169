import { lookUp } from '../bson/document.ts'
import { Binary, Double } from 'bson'
import { showValue } from '../bson/show-value.ts'
import { isDecimal, isLong, isNumeric, type Numeric, toNumber } from '../bson/numeric.ts'
import { typeAlias, typeAliases, typeNumber } from '../bson/type-name.ts'
import { CommandError } from '../errors/command-error.ts'
import { type ValueTest } from './match-path.ts'

const numberTypes = [1, 16, 18, 19]

export function hasType(operand: unknown): ValueTest {
  const types = new Set((Array.isArray(operand) ? operand : [operand]).flatMap(toTypes))
  if (types.size === 0)
    throw new CommandError('FailedToParse', '$type must match at least one type')
  return (value) => types.has(typeNumber(value))
}

function toTypes(operand: unknown): number[] {
  if (operand === 'number') return numberTypes
  if (typeof operand === 'string') {
    const type = lookUp(typeAliases, operand)
    if (type === undefined)
      throw new CommandError('BadValue', `Unknown type name alias: ${operand}`)
    return [type]
  }
  if (!isNumeric(operand)) {
    throw new CommandError('TypeMismatch', 'type must be represented as a number or a string')
  }
  const type = toNumber(operand)
  if (typeAlias(type) === undefined) {
    throw new CommandError('BadValue', `Invalid numerical type code: ${type}`)
  }
  return [type]
}

export function hasSize(operand: unknown): ValueTest {
  const shown = `$size: ${showValue(operand)}`
  if (!isNumeric(operand)) {
    throw new CommandError('BadValue', `Failed to parse $size. Expected a number in: ${shown}`)
  }
  const size = toNumber(operand)
  if (!Number.isInteger(size)) {
    throw new CommandError('BadValue', `Failed to parse $size. Expected an integer: ${shown}`)
  }
  if (size < 0) {
    throw new CommandError(
      'BadValue',
      `Failed to parse $size. Expected a non-negative number in: ${shown}`,
    )
  }
  return (value) => Array.isArray(value) && value.length === size
}

export function hasRemainder(operand: unknown): ValueTest {
  if (!Array.isArray(operand)) throw fail('needs to be an array')
  if (operand.length < 2) throw fail('not enough elements')
  if (operand.length > 2) throw fail('too many elements')
  const [divisor, remainder]: unknown[] = operand
  if (!isNumeric(divisor)) throw fail('divisor not a number')
  if (!isNumeric(remainder)) throw fail('remainder not a number')
  const by = toInteger(divisor)
  const rest = toInteger(remainder)
  if (by === undefined || rest === undefined)
    throw fail('divisor cannot be represented as a 64-bit integer')
  if (by === 0n) throw new CommandError('BadValue', 'divisor cannot be 0')
  return (value) => {
    const integer = isNumeric(value) ? toInteger(value) : undefined
    return integer !== undefined && integer % by === rest
  }
}

function fail(problem: string): CommandError {
  return new CommandError('BadValue', `malformed mod, ${problem}`)
}

function toInteger(value: Numeric): bigint | undefined {
  if (isLong(value)) return value.toBigInt()
  const number = Math.trunc(toNumber(value))
  if (!Number.isFinite(number) || Math.abs(number) >= 2 ** 63) return undefined
  if (isDecimal(value) && Math.abs(number) > Number.MAX_SAFE_INTEGER) {
    const text = value.toString()
    return /^-?\d+$/.test(text) ? BigInt(text) : BigInt(number)
  }
  return BigInt(number)
}

const bitTests: Readonly<Record<string, (bits: bigint, mask: bigint) => boolean>> = {
  $bitsAllSet: (bits, mask) => (bits & mask) === mask,
  $bitsAllClear: (bits, mask) => (bits & mask) === 0n,
  $bitsAnySet: (bits, mask) => (bits & mask) !== 0n,
  $bitsAnyClear: (bits, mask) => (bits & mask) !== mask,
}

export function hasBits(operator: string, operand: unknown): ValueTest {
  const mask = toMask(operator, operand)
  const test = lookUp(bitTests, operator)
  return (value) => {
    const bits = toBits(value)
    return bits !== undefined && test !== undefined && test(bits, mask)
  }
}

function toMask(operator: string, operand: unknown): bigint {
  if (Array.isArray(operand)) {
    return operand.reduce((mask: bigint, place: unknown) => mask | (1n << toPlace(place)), 0n)
  }
  const mask = toBits(operand)
  if (mask === undefined) {
    throw new CommandError(
      'BadValue',
      `${operator} takes an Array, a number, or a BinData but received: ${String(operand)}`,
    )
  }
  if (mask < 0n)
    throw new CommandError(
      'FailedToParse',
      `Expected a non-negative number in: ${operator}: ${mask}`,
    )
  return mask
}

function toPlace(place: unknown): bigint {
  const number = isNumeric(place) ? toNumber(place) : NaN
  if (!Number.isInteger(number)) {
    throw new CommandError(
      'BadValue',
      `Failed to parse bit position. Expected an integer: ${String(place)}`,
    )
  }
  if (number < 0) {
    throw new CommandError(
      'BadValue',
      `Failed to parse bit position. Expected a non-negative number in: ${number}`,
    )
  }
  // Beyond 63 the sign repeats, and binary data in MongoDB is far shorter than this.
  return BigInt(Math.min(number, 1 << 20))
}

function toBits(value: unknown): bigint | undefined {
  if (isNumeric(value)) {
    const integer = toInteger(value)
    const isIntegral = isLong(value) || Number.isInteger(toNumber(value)) || value instanceof Double
    return isIntegral ? integer : undefined
  }
  if (!(value instanceof Binary)) return undefined
  const { buffer, position } = value
  const hex = Buffer.from(buffer.subarray(0, position).toReversed()).toString('hex')
  return BigInt(`0x0${hex}`)
}
