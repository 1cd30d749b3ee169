import { type BSONRegExp, type ObjectId } from 'bson'
import { lookUp } from '../bson/document.ts'
import { isNaNValue, isNumeric } from '../bson/numeric.ts'
import { isObjectId, typeNumber, typeOrder } from '../bson/type-name.ts'
import { CommandError } from '../errors/command-error.ts'
import { type Collation } from '../keys/collation.ts'
import { compare } from '../keys/compare.ts'
import { type ValueTest } from './match-path.ts'
import { fromBsonRegExp, isRegExp } from '../bson/regex.ts'

export function equals(expected: unknown, collation?: Collation): ValueTest {
  if (expected === null || expected === undefined)
    return (value) => value === null || value === undefined
  if (collation !== undefined) return equalsUnder(expected, collation)
  if (typeof expected === 'number') {
    return (value) =>
      value === expected ||
      (typeof value !== 'string' && isNumeric(value) && compare(value, expected) === 0)
  }
  if (typeof expected === 'string') {
    return (value) =>
      value === expected || (typeof value === 'object' && compare(value, expected) === 0)
  }
  if (typeof expected === 'boolean') return (value) => value === expected
  if (isObjectId(expected)) return (value) => isObjectId(value) && expected.equals(value)
  const order = typeOrder(expected)
  return (value) => typeOrder(value) === order && compare(value, expected) === 0
}

function equalsUnder(expected: unknown, collation: Collation): ValueTest {
  if (typeof expected !== 'string') {
    const order = typeOrder(expected)
    return (value) => typeOrder(value) === order && compare(value, expected, collation) === 0
  }
  const form = collation.equalityForm(expected)
  return (value) => typeof value === 'string' && collation.equalityForm(value) === form
}

// Only values of the operand's own type match.
export function inRange(operator: string, operand: unknown, collation?: Collation): ValueTest {
  const orEqual = operator.endsWith('e')
  const isGreater = operator.startsWith('$gt')
  if (operand === null || operand === undefined) return orEqual ? equals(null) : () => false
  const type = typeNumber(operand)
  if (type === -1 || type === 127)
    return beyondKey(type === -1 ? isGreater : !isGreater, operand, orEqual)
  if (isNaNValue(operand)) return orEqual ? isNaNValue : () => false
  const passes = isGreater
    ? (result: number) => result > 0 || (orEqual && result === 0)
    : (result: number) => result < 0 || (orEqual && result === 0)
  if (typeOrder(operand) === 10) return inNumericRange(operator, operand, passes)
  return inOtherRange(operand, passes, collation)
}

type Passes = (result: number) => boolean

function inOtherRange(operand: unknown, passes: Passes, collation?: Collation): ValueTest {
  if (operand instanceof Date) {
    const bound = operand.getTime()
    return (value) => value instanceof Date && passes(value.getTime() - bound)
  }
  const order = typeOrder(operand)
  return (value) => typeOrder(value) === order && passes(compare(value, operand, collation))
}

const plainRanges: Readonly<Record<string, (value: number, bound: number) => boolean>> = {
  $gt: (value, bound) => value > bound,
  $gte: (value, bound) => value >= bound,
  $lt: (value, bound) => value < bound,
  $lte: (value, bound) => value <= bound,
}

function inNumericRange(operator: string, operand: unknown, passes: Passes): ValueTest {
  const general: ValueTest = (value) =>
    typeOrder(value) === 10 && !isNaNValue(value) && passes(compare(value, operand))
  const plain = lookUp(plainRanges, operator)
  if (typeof operand !== 'number' || plain === undefined) return general
  // Comparisons with NaN are false, as required here.
  return (value) => (typeof value === 'number' ? plain(value, operand) : general(value))
}

// Every other type sorts above MinKey and below MaxKey.
function beyondKey(othersPass: boolean, key: unknown, orEqual: boolean): ValueTest {
  const type = typeNumber(key)
  return (value) => (typeNumber(value) === type ? orEqual : othersPass)
}

// A regular expression in the list matches text.
export function isOneOf(list: readonly unknown[], collation?: Collation): ValueTest {
  const simple = new Set<unknown>()
  const ids = new Set<string>()
  const tests: ValueTest[] = []
  for (const item of list) {
    if (isRegExp(item)) tests.push(matchesRegExp(item))
    else if (collation === undefined && isSimple(item)) simple.add(item)
    else if (isObjectId(item)) ids.add(idKey(item))
    else tests.push(equals(item, collation))
  }
  // A number may be stored as another numeric type, which the set does not find.
  const numbers = [...simple].filter((item) => typeof item === 'number').map((item) => equals(item))
  return (value) => {
    if (isSimple(value)) return simple.has(value) || tests.some((test) => test(value))
    if (ids.size > 0 && isObjectId(value)) return ids.has(idKey(value))
    if (numbers.length > 0 && isNumeric(value) && numbers.some((test) => test(value))) return true
    return tests.some((test) => test(value))
  }
}

function isSimple(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

function idKey(value: ObjectId): string {
  return Buffer.from(value.id).toString('latin1')
}

// Matches text, or an equal regular expression.
export function matchesRegExp(expected: BSONRegExp): ValueTest {
  const regExp = fromBsonRegExp(expected)
  return (value) => {
    if (typeof value === 'string') return regExp.test(value)
    const type = typeNumber(value)
    if (type === 14) return regExp.test(String(value))
    return type === 11 && compare(value, expected) === 0
  }
}

export function rejectRegExp(operand: unknown, message: string): void {
  if (isRegExp(operand)) throw new CommandError('BadValue', message)
}
