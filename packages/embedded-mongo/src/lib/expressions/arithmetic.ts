import { Decimal128, Long } from 'bson'
import { isNullish, listOperator, type Operator } from './operator.ts'
import {
  add,
  asDouble,
  asInteger,
  multiply,
  toBigInt,
  toDecimalOperand,
} from '../bson/arithmetic.ts'
import { type ExactDecimal, roundExact, scaleTo, toDecimal } from '../bson/decimal.ts'
import { divideExact, NumericSum, toInteger64 } from '../bson/numeric-sum.ts'
import { isDecimal, isLong, isNumeric, type Numeric, toExact, toNumber } from '../bson/numeric.ts'
import { typeName } from '../bson/type-name.ts'
import { CommandError, notImplemented } from '../errors/command-error.ts'

export const arithmetic: Readonly<Record<string, Operator>> = {
  $add: listOperator([0, Infinity], (values) => sum(values)),
  $subtract: listOperator([2, 2], ([a, b]) => subtract(a, b)),
  $multiply: listOperator([0, Infinity], (values) => {
    if (values.some(isNullish)) return null
    return values.reduce<Numeric>((product, value) => {
      const factor = requireNumeric('$multiply', value)
      return multiply(product, factor) ?? asDouble(toNumber(product) * toNumber(factor))
    }, 1)
  }),
  $divide: numbers('$divide', divide),
  $mod: numbers('$mod', modulo),
  $abs: rounding('$abs', Math.abs, (value) => (value < 0n ? -value : value)),
  $ceil: rounding('$ceil', Math.ceil),
  $floor: rounding('$floor', Math.floor),
  $trunc: listOperator([1, 2], ([value, place]) => toPlace('$trunc', value, place)),
  $round: listOperator([1, 2], ([value, place]) => toPlace('$round', value, place)),
  $pow: numbers('$pow', power),
  $log: numbers('$log', (value, base) =>
    double('$log', Math.log(toNumber(value)) / Math.log(toNumber(base)), value, base),
  ),
  $sqrt: real('$sqrt', Math.sqrt, (value) => value < 0),
  $exp: real('$exp', Math.exp),
  $ln: real('$ln', Math.log, (value) => value <= 0),
  $log10: real('$log10', Math.log10, (value) => value <= 0),
  ...Object.fromEntries(
    (
      [
        'sin',
        'cos',
        'tan',
        'asin',
        'acos',
        'atan',
        'sinh',
        'cosh',
        'tanh',
        'asinh',
        'acosh',
        'atanh',
      ] as const
    ).map((name) => [`$${name}`, real(`$${name}`, Math[name])]),
  ),
  $atan2: numbers('$atan2', (y, x) => double('$atan2', Math.atan2(toNumber(y), toNumber(x)), y, x)),
  $degreesToRadians: real('$degreesToRadians', (value) => (value * Math.PI) / 180),
  $radiansToDegrees: real('$radiansToDegrees', (value) => (value * 180) / Math.PI),
  $bitAnd: bits('$bitAnd', -1n, (a, b) => a & b),
  $bitOr: bits('$bitOr', 0n, (a, b) => a | b),
  $bitXor: bits('$bitXor', 0n, (a, b) => a ^ b),
  $bitNot: listOperator([1, 1], ([value]) => {
    if (isNullish(value)) return null
    const integer = requireIntegral('$bitNot', value)
    return asInteger(~toBigInt(integer), isLong(integer))
  }),
}

function requireNumeric(name: string, value: unknown): Numeric {
  if (isNumeric(value)) return value
  throw new CommandError(
    'TypeMismatch',
    `${name} only supports numeric types, not ${typeName(value)}`,
  )
}

function sum(values: readonly unknown[]): unknown {
  let date: Date | undefined
  const total = new NumericSum()
  for (const value of values) {
    if (isNullish(value)) return null
    if (value instanceof Date) {
      if (date !== undefined)
        throw new CommandError('Location16612', 'only one date allowed in an $add expression')
      date = value
    } else if (isNumeric(value)) total.add(value)
    else
      throw new CommandError(
        'TypeMismatch',
        `$add only supports numeric or date types, not ${typeName(value)}`,
      )
  }
  // Two numbers need no compensated sum, and decimals keep their digits.
  if (date === undefined) return values.length === 2 ? addTwo(values[0], values[1]) : total.total()
  return new Date(date.getTime() + Math.round(toNumber(total.total())))
}

function addTwo(a: unknown, b: unknown): Numeric {
  const left = requireNumeric('$add', a)
  const right = requireNumeric('$add', b)
  return add(left, right) ?? asDouble(toNumber(left) + toNumber(right))
}

function subtract(a: unknown, b: unknown): unknown {
  if (isNullish(a) || isNullish(b)) return null
  if (a instanceof Date) {
    if (b instanceof Date) return Long.fromNumber(a.getTime() - b.getTime())
    if (isNumeric(b)) return new Date(a.getTime() - Math.round(toNumber(b)))
  }
  if (!isNumeric(a) || !isNumeric(b)) {
    throw new CommandError('TypeMismatch', `can't $subtract ${typeName(b)} from ${typeName(a)}`)
  }
  const negative = negate(b)
  return (negative && add(a, negative)) ?? asDouble(toNumber(a) - toNumber(b))
}

function negate(value: Numeric): Numeric | undefined {
  if (isDecimal(value)) {
    const exact = toDecimalOperand(value)
    if (typeof exact === 'number') return Decimal128.fromString(String(-exact))
    return toDecimal({ ...exact, coefficient: -exact.coefficient })
  }
  const integer = toInteger64(value)
  return integer === undefined ? asDouble(-toNumber(value)) : asInteger(-integer, isLong(value))
}

function numbers(name: string, compute: (a: Numeric, b: Numeric) => unknown): Operator {
  return listOperator([2, 2], ([a, b]) => {
    if (isNullish(a) || isNullish(b)) return null
    return compute(requireNumeric(name, a), requireNumeric(name, b))
  })
}

function isZero(value: Numeric): boolean {
  const exact = isDecimal(value) ? toDecimalOperand(value) : toNumber(value)
  return typeof exact === 'number' ? exact === 0 : exact.coefficient === 0n
}

function divide(a: Numeric, b: Numeric): Numeric {
  if (isZero(b)) throw new CommandError('BadValue', "can't $divide by zero")
  if (isDecimal(a) || isDecimal(b)) return divideExact(toDecimalOperand(a), toDecimalOperand(b))
  return asDouble(toNumber(a) / toNumber(b))
}

function modulo(a: Numeric, b: Numeric): Numeric {
  if (isZero(b)) throw new CommandError('Location16610', "can't $mod by zero")
  if (isDecimal(a) || isDecimal(b)) return decimalModulo(toDecimalOperand(a), toDecimalOperand(b))
  const [left, right] = [toInteger64(a), toInteger64(b)]
  if (left === undefined || right === undefined) return asDouble(toNumber(a) % toNumber(b))
  return asInteger(left % right, isLong(a) || isLong(b)) ?? asDouble(0)
}

function decimalModulo(a: ExactDecimal | number, b: ExactDecimal | number): Decimal128 {
  if (typeof a === 'number' || typeof b === 'number')
    throw notImplemented('$mod of an infinite decimal')
  const exponent = Math.min(a.exponent, b.exponent)
  const coefficient = scaleTo(a, exponent).coefficient % scaleTo(b, exponent).coefficient
  return toDecimal({ coefficient, exponent })
}

function rounding(
  name: string,
  round: (value: number) => number,
  integers = (value: bigint) => value,
): Operator {
  return listOperator([1, 1], ([value]) => {
    if (isNullish(value)) return null
    const number = requireNumeric(name, value)
    const integer = toInteger64(number)
    if (integer !== undefined) {
      const result = asInteger(integers(integer), isLong(number))
      if (result !== undefined) return result
      throw new CommandError('Location28680', `can't take ${name} of long long min`)
    }
    if (!isDecimal(number)) return asDouble(round(toNumber(number)))
    return roundDecimal(number, (exact) => {
      if (name === '$abs') return { ...exact, coefficient: integers(exact.coefficient) }
      return toWhole(exact, name === '$ceil' ? 1n : -1n)
    })
  })
}

function roundDecimal(value: Decimal128, round: (exact: ExactDecimal) => ExactDecimal): Decimal128 {
  const exact = toDecimalOperand(value)
  if (typeof exact === 'number') return value
  return toDecimal(round(exact))
}

// Rounds toward the sign of `sign`.
function toWhole(value: ExactDecimal, sign: bigint): ExactDecimal {
  if (value.exponent >= 0) return value
  const unit = 10n ** BigInt(-value.exponent)
  const whole = value.coefficient / unit
  const rest = value.coefficient % unit
  return { coefficient: rest !== 0n && rest > 0n === sign > 0n ? whole + sign : whole, exponent: 0 }
}

function toPlace(name: string, value: unknown, place: unknown): unknown {
  if (isNullish(value) || place === null) return null
  const number = requireNumeric(name, value)
  const digits = requirePlace(name, place)
  const cut = name === '$round' ? roundExact : truncateExact
  const integer = toInteger64(number)
  if (integer !== undefined) {
    const rounded = cut({ coefficient: integer, exponent: 0 }, Math.max(0, -digits))
    const result = asInteger(scaleTo(rounded, 0).coefficient, isLong(number))
    if (result !== undefined) return result
    throw new CommandError('Location51080', `invalid conversion from Decimal128 result in ${name}`)
  }
  const short = (exact: ExactDecimal) => (exact.exponent >= -digits ? exact : cut(exact, -digits))
  if (isDecimal(number)) return roundDecimal(number, short)
  const exact = toExact(number)
  if (typeof exact === 'number') return exact
  const { coefficient, exponent } = short(exact)
  // Parsing the decimal text finds the nearest double.
  return asDouble(Number(`${coefficient}e${exponent}`))
}

function requirePlace(name: string, place: unknown): number {
  const digits = isNumeric(place) ? toNumber(place) : 0
  if (Number.isInteger(digits) && digits >= -20 && digits <= 100) return digits
  throw new CommandError(
    'Location51083',
    `cannot apply ${name} with precision value ${digits} value must be in [-20, 100]`,
  )
}

function truncateExact(value: ExactDecimal, exponent: number): ExactDecimal {
  if (exponent <= value.exponent) return scaleTo(value, exponent)
  return { coefficient: value.coefficient / 10n ** BigInt(exponent - value.exponent), exponent }
}

// Computed in doubles only, which cannot give the digits of a decimal.
function double(name: string, result: number, ...operands: Numeric[]): Numeric {
  if (operands.some((operand) => isDecimal(operand))) throw notImplemented(`${name} of a decimal`)
  return asDouble(result)
}

function real(
  name: string,
  compute: (value: number) => number,
  isInvalid?: (value: number) => boolean,
): Operator {
  return listOperator([1, 1], ([value]) => {
    if (isNullish(value)) return null
    const number = requireNumeric(name, value)
    if (isInvalid?.(toNumber(number))) {
      throw new CommandError(
        name === '$sqrt' ? 'Location28714' : 'Location28766',
        `${name}'s argument must be a ${name === '$sqrt' ? 'non-negative' : 'positive'} number, but is ${number.toString()}`,
      )
    }
    return double(name, compute(toNumber(number)), number)
  })
}

function power(base: Numeric, exponent: Numeric): Numeric {
  const [left, right] = [toInteger64(base), toInteger64(exponent)]
  if (left === 0n && right !== undefined && right < 0n) {
    throw new CommandError('Location28764', '$pow cannot take a base of 0 and a negative exponent')
  }
  if (left !== undefined && right !== undefined && right >= 0n && right < 64n * 64n) {
    const exact = asInteger(left ** right, isLong(base) || isLong(exponent))
    if (exact !== undefined) return exact
  }
  return double('$pow', toNumber(base) ** toNumber(exponent), base, exponent)
}

function requireIntegral(name: string, value: unknown): Numeric {
  if (isNumeric(value) && toInteger64(value) !== undefined) return value
  throw new CommandError('TypeMismatch', `${name} only supports int and long operands.`)
}

function bits(name: string, start: bigint, compute: (a: bigint, b: bigint) => bigint): Operator {
  return listOperator([0, Infinity], (values) => {
    if (values.some(isNullish)) return null
    const integers = values.map((value) => requireIntegral(name, value))
    const result = integers.reduce((total, value) => compute(total, toBigInt(value)), start)
    return asInteger(
      result,
      integers.some((value) => isLong(value)),
    )
  })
}
