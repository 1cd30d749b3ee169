import { type Timestamp } from 'bson'
import { add, asInteger, multiply, toBigInt } from '../bson/arithmetic.ts'
import { type Doc, isDocument, lookUp } from '../bson/document.ts'
import { isLong, isNumeric, type Numeric } from '../bson/numeric.ts'
import { showValue } from '../bson/show-value.ts'
import { typeName, typeNumber } from '../bson/type-name.ts'
import { CommandError } from '../errors/command-error.ts'
import { type Collation } from '../keys/collation.ts'
import { compare, isIdentical } from '../keys/compare.ts'
import { type Modifier, type UpdateLocation } from './update-path.ts'

export interface ModifierContext {
  collation: Collation | undefined
  now: Date
  // A new one each time.
  nextTimestamp: () => Timestamp
}

export type ModifierFactory = (operand: unknown, path: string, context: ModifierContext) => Modifier

export const fieldModifiers: Readonly<Record<string, ModifierFactory>> = {
  $set: (operand) => replace(operand),
  $setOnInsert: (operand) => replace(operand),
  $unset: () => ({ creates: false, modify: () => undefined }),
  $inc: (operand, path) => arithmetic(operand, { name: '$inc', verb: 'increment', path }),
  $mul: (operand, path) => arithmetic(operand, { name: '$mul', verb: 'multiply', path }),
  $min: (operand, _path, { collation }) => extreme(operand, -1, collation),
  $max: (operand, _path, { collation }) => extreme(operand, 1, collation),
  $currentDate: (operand, _path, context) => currentDate(operand, context),
  $bit: bitwise,
}

function replace(expected: unknown): Modifier {
  return { creates: true, modify: (value) => (isIdentical(value, expected) ? value : expected) }
}

interface Arithmetic {
  name: '$inc' | '$mul'
  verb: string
  path: string
}

function arithmetic(operand: unknown, { name, verb, path }: Arithmetic): Modifier {
  if (!isNumeric(operand)) {
    const shown = `{${path}: ${showValue(operand)}}`
    throw new CommandError('TypeMismatch', `Cannot ${verb} with non-numeric argument: ${shown}`)
  }
  const compute = name === '$inc' ? add : multiply
  const modify = (value: unknown, where: UpdateLocation) => {
    if (value === undefined) return name === '$inc' ? operand : compute(0, operand)
    if (!isNumeric(value)) throw notNumeric(name, value, where)
    return same(value, compute(value, operand) ?? overflow(name, value, where.doc))
  }
  return { creates: true, modify }
}

// A result with the same bytes is not a change.
function same(before: Numeric, after: Numeric): Numeric {
  return isIdentical(before, after) ? before : after
}

function notNumeric(name: string, value: unknown, { doc, path }: UpdateLocation): CommandError {
  return new CommandError(
    'TypeMismatch',
    `Cannot apply ${name} to a value of non-numeric type. {_id: ${showValue(doc['_id'])}} has the field ` +
      `'${path.split('.').at(-1)}' of non-numeric type ${typeName(value)}`,
  )
}

function overflow(name: string, value: Numeric, doc: Doc): never {
  throw new CommandError(
    'BadValue',
    `Failed to apply ${name} operations to current value ((Number${isLong(value) ? 'Long' : 'Int'})` +
      `${value.toString()}) for document {_id: ${showValue(doc['_id'])}}`,
  )
}

function extreme(operand: unknown, sign: number, collation: Collation | undefined): Modifier {
  const modify = (value: unknown) =>
    value === undefined || compare(operand, value, collation) * sign > 0 ? operand : value
  return { creates: true, modify }
}

function currentDate(operand: unknown, { now, nextTimestamp }: ModifierContext): Modifier {
  const type = isDocument(operand) ? operand['$type'] : operand
  if (typeof operand === 'boolean' || type === 'date') return replace(now)
  if (type === 'timestamp') return { creates: true, modify: () => nextTimestamp() }
  if (isDocument(operand)) {
    const unknown = Object.keys(operand).find((name) => name !== '$type')
    if (unknown !== undefined) {
      throw new CommandError('BadValue', `Unrecognized $currentDate option: ${unknown}`)
    }
    throw new CommandError(
      'BadValue',
      `The '$type' string field is required to be 'date' or 'timestamp': {$currentDate: {field : {$type: 'date'}}}`,
    )
  }
  throw new CommandError(
    'BadValue',
    `${typeName(operand)} is not valid type for $currentDate. Please use a boolean ('true') or a $type expression ({$type: 'timestamp/date'}).`,
  )
}

const bitOperations: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = {
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
}

function bitwise(operand: unknown, path: string): Modifier {
  if (!isDocument(operand) || Object.keys(operand).length === 0) {
    throw new CommandError(
      'BadValue',
      `The $bit modifier is not compatible with a ${typeName(operand)}. You must pass in an embedded document: {$bit: {field: {and/or/xor: #}}`,
    )
  }
  const steps = Object.entries(operand).map(([name, by]) => {
    const compute = lookUp(bitOperations, name)
    if (compute === undefined) {
      throw new CommandError(
        'BadValue',
        `The $bit modifier only supports 'and', 'or', and 'xor', not '${name}' which is an unknown operator: {${name}: ${String(by)}}`,
      )
    }
    if (!isIntegral(by)) {
      throw new CommandError(
        'BadValue',
        `The $bit modifier field must be an Integer(32/64 bit); a '${typeName(by)}' is not supported here: {${path}: ${showValue(by)}}`,
      )
    }
    return (value: Numeric) =>
      asInteger(compute(toBigInt(value), toBigInt(by)), isLong(value) || isLong(by)) ?? value
  })
  const modify = (value: unknown, { doc }: UpdateLocation) => {
    const start = value ?? 0
    if (!isIntegral(start)) {
      throw new CommandError(
        'BadValue',
        `Cannot apply $bit to a value of non-integral type.{_id: ${showValue(doc['_id'])}} has the field ${path} of non-integer type ${typeName(start)}`,
      )
    }
    const result = steps.reduce((current: Numeric, step) => step(current), start)
    return value === undefined ? result : same(start, result)
  }
  return { creates: true, modify }
}

function isIntegral(value: unknown): value is Numeric {
  return typeNumber(value) === 16 || typeNumber(value) === 18
}
