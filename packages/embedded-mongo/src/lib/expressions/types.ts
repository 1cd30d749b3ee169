import { Decimal128, Long, ObjectId } from 'bson'
import { asDouble, toDecimalOperand } from '../bson/arithmetic.ts'
import { toDecimal } from '../bson/decimal.ts'
import { lookUp } from '../bson/document.ts'
import { isDecimal, isLong, isNumeric, type Numeric, toExact, toNumber } from '../bson/numeric.ts'
import { typeAlias, typeAliases, typeName, typeNumber } from '../bson/type-name.ts'
import { CommandError } from '../errors/command-error.ts'
import { readDate } from './date-math.ts'
import { parseDate } from './date-text.ts'
import {
  isNullish,
  isTrue,
  listOperator,
  type Operator,
  type OperatorContext,
  requireNames,
} from './operator.ts'
import { type Expression } from './scope.ts'
import { toText } from './to-text.ts'

export const types: Readonly<Record<string, Operator>> = {
  $type: listOperator([1, 1], ([value]) => typeName(value)),
  $isNumber: listOperator([1, 1], ([value]) => isNumeric(value)),
  $convert: convertTo,
  $toBool: shorthand('bool'),
  $toDate: shorthand('date'),
  $toDecimal: shorthand('decimal'),
  $toDouble: shorthand('double'),
  $toInt: shorthand('int'),
  $toLong: shorthand('long'),
  $toObjectId: shorthand('objectId'),
  $toString: shorthand('string'),
}

function shorthand(type: string): Operator {
  return listOperator([1, 1], ([value]) => (isNullish(value) ? null : convert(value, type)))
}

function convertTo(operand: unknown, { compile, scope }: OperatorContext): Expression {
  const spec = requireNames(operand, ['input', 'to', 'onError?', 'onNull?', 'format?'], '$convert')
  const input = compile(spec['input'], scope)
  const to = compile(spec['to'], scope)
  const onNull = compile(spec['onNull'] ?? null, scope)
  const onError = 'onError' in spec ? compile(spec['onError'], scope) : undefined
  return (root) => {
    const value = input(root)
    if (isNullish(value)) return onNull(root)
    const type = to(root)
    if (isNullish(type)) return null
    const name = toTypeName(type)
    try {
      return convert(value, name)
    } catch (error) {
      if (
        onError === undefined ||
        !(error instanceof CommandError) ||
        error.codeName !== 'ConversionFailure'
      )
        throw error
      return onError(root)
    }
  }
}

function toTypeName(type: unknown): string {
  const name = isNumeric(type) ? typeAlias(toNumber(type)) : type
  if (typeof name === 'string' && lookUp(typeAliases, name) !== undefined) return name
  throw new CommandError('BadValue', `Unknown type name: ${String(type)}`)
}

function convert(value: unknown, type: string): unknown {
  if (typeName(value) === type) return value
  const converter = lookUp(converters, type)
  const result = converter?.(value)
  if (result !== undefined) return result
  throw failure(
    `Unsupported conversion from ${typeName(value)} to ${type} in $convert with no onError value`,
  )
}

function failure(message: string): CommandError {
  return new CommandError('ConversionFailure', message)
}

const converters: Readonly<Record<string, (value: unknown) => unknown>> = {
  bool: (value) => isTrue(value),
  string: (value) => toText(value),
  int: (value) => toInteger(value, 32),
  long: (value) => toInteger(value, 64),
  double: (value) => {
    const number = toNumeric(value)
    if (value instanceof Date) return asDouble(value.getTime())
    if (number === undefined) return undefined
    const double = toNumber(number)
    if (isDecimal(number) && !Number.isFinite(double) && !/Inf|NaN/.test(String(number))) {
      throw failure(
        `Conversion would overflow target type in $convert with no onError value: ${String(number)}`,
      )
    }
    return asDouble(double)
  },
  decimal: (value) => {
    const number = toNumeric(value, true)
    if (value instanceof Date) return Decimal128.fromString(String(value.getTime()))
    if (number === undefined) return undefined
    const exact = toDecimalOperand(number)
    return typeof exact === 'number' ? Decimal128.fromString(String(exact)) : toDecimal(exact)
  },
  date: toDate,
  objectId: (value) => {
    if (typeof value !== 'string') return undefined
    if (/^[0-9a-fA-F]{24}$/.test(value)) return ObjectId.createFromHexString(value)
    throw failure(
      `Failed to parse objectId '${value}' in $convert with no onError value: Invalid string length for parsing to OID, expected 24 but found ${value.length}`,
    )
  },
}

function toNumeric(value: unknown, preferDecimal = false): Numeric | undefined {
  if (isNumeric(value)) return value
  if (typeof value === 'boolean') return value ? 1 : 0
  return typeof value === 'string' ? parseNumber(value, preferDecimal) : undefined
}

function parseNumber(text: string, preferDecimal: boolean): Numeric {
  const isNumber =
    /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text) ||
    /^[+-]?(?:inf(?:inity)?|nan)$/i.test(text)
  if (!isNumber) {
    throw failure(
      `Failed to parse number '${text}' in $convert with no onError value: Bad digit "${text.replace(/^[+-]?[\d.]*/, '')[0] ?? ''}" while parsing ${text}`,
    )
  }
  if (preferDecimal) return Decimal128.fromString(text.replace(/^\+/, ''))
  return asDouble(Number(text.replace(/inf(?:inity)?/i, 'Infinity').replace(/nan/i, 'NaN')))
}

function toInteger(value: unknown, bits: 32 | 64): unknown {
  if (value instanceof Date) return bits === 64 ? Long.fromNumber(value.getTime()) : undefined
  if (typeof value === 'string' && !/^[+-]?\d+$/.test(value)) {
    throw failure(
      `Failed to parse number '${value}' in $convert with no onError value: Did not consume whole string.`,
    )
  }
  const integer =
    typeof value === 'string' ? BigInt(value.replace(/^\+/, '')) : truncate(toNumeric(value))
  if (integer === undefined) return undefined
  if (BigInt.asIntN(bits, integer) !== integer) {
    throw failure(
      `Conversion would overflow target type in $convert with no onError value: ${String(value)}`,
    )
  }
  return bits === 32 ? Number(integer) : Long.fromBigInt(integer)
}

function truncate(value: Numeric | undefined): bigint | undefined {
  if (value === undefined) return undefined
  if (isLong(value)) return value.toBigInt()
  const exact = toExact(value)
  if (typeof exact === 'number') {
    throw failure(
      `Attempt to convert ${Number.isNaN(exact) ? 'NaN' : 'infinity'} value to integer type in $convert with no onError value`,
    )
  }
  const { coefficient, exponent } = exact
  if (exponent > 40)
    throw failure(
      `Conversion would overflow target type in $convert with no onError value: ${String(value)}`,
    )
  return exponent >= 0
    ? coefficient * 10n ** BigInt(exponent)
    : coefficient / 10n ** BigInt(-exponent)
}

function toDate(value: unknown): Date | undefined {
  if (typeof value === 'string') return parseDate(value)
  const date = readDate(value)
  if (date !== undefined) return date
  if (typeNumber(value) === 16 || !isNumeric(value)) return undefined
  return new Date(Number(truncate(value)))
}
