import { type BSONRegExp, type ObjectId } from 'bson'
import { assume } from '../bson/assume.ts'
import { isNaNValue, isNumeric } from '../bson/numeric.ts'
import { typeNumber, typeOrder } from '../bson/type-name.ts'
import { CommandError } from '../errors/command-error.ts'
import { type Collation } from '../keys/collation.ts'
import { compare } from '../keys/compare.ts'
import { type ValueTest } from './match-path.ts'
import { fromBsonRegExp } from './regex.ts'

const regexType = 11

/**
 * Tells a BSON regular expression.
 * @param value - Any value of a document.
 * @returns True for one.
 */
export function isRegExp(value: unknown): value is BSONRegExp {
  return typeNumber(value) === regexType
}

/**
 * Makes the test of `$eq`.
 * @param wanted - The value to be equal to.
 * @param collation - How text compares.
 * @returns The test of one value.
 */
export function equals(wanted: unknown, collation?: Collation): ValueTest {
  if (wanted === null || wanted === undefined)
    return (value) => value === null || value === undefined
  if (collation !== undefined) return equalsUnder(wanted, collation)
  if (typeof wanted === 'number') {
    return (value) =>
      value === wanted ||
      (typeof value !== 'string' && isNumeric(value) && compare(value, wanted) === 0)
  }
  if (typeof wanted === 'string') {
    return (value) =>
      value === wanted || (typeof value === 'object' && compare(value, wanted) === 0)
  }
  if (typeof wanted === 'boolean') return (value) => value === wanted
  if (typeNumber(wanted) === 7) return equalsObjectId(assume(wanted))
  const order = typeOrder(wanted)
  return (value) => typeOrder(value) === order && compare(value, wanted) === 0
}

function equalsObjectId(wanted: ObjectId): ValueTest {
  return (value) => typeNumber(value) === 7 && wanted.equals(assume<ObjectId>(value))
}

function equalsUnder(wanted: unknown, collation: Collation): ValueTest {
  if (typeof wanted !== 'string') {
    const order = typeOrder(wanted)
    return (value) => typeOrder(value) === order && compare(value, wanted, collation) === 0
  }
  const form = collation.equalityForm(wanted)
  return (value) => typeof value === 'string' && collation.equalityForm(value) === form
}

/**
 * Makes the test of `$gt`, `$gte`, `$lt` or `$lte`: only values of the operand's own type pass.
 * @param operator - The operator.
 * @param operand - The bound.
 * @param collation - How text compares.
 * @returns The test of one value.
 */
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
  const plain = plainRanges[operator]
  if (typeof operand !== 'number' || plain === undefined) return general
  // Comparisons of NaN are false, as they must be here.
  return (value) => (typeof value === 'number' ? plain(value, operand) : general(value))
}

// Every other type lies above MinKey and below MaxKey.
function beyondKey(othersPass: boolean, key: unknown, orEqual: boolean): ValueTest {
  const type = typeNumber(key)
  return (value) => (typeNumber(value) === type ? orEqual : othersPass)
}

/**
 * Makes the test of `$in`; a regular expression in the list matches text.
 * @param list - The list.
 * @param collation - How text compares.
 * @returns The test of one value.
 */
export function isOneOf(list: readonly unknown[], collation?: Collation): ValueTest {
  const simple = new Set<unknown>()
  const ids = new Set<string>()
  const tests: ValueTest[] = []
  for (const item of list) {
    if (isRegExp(item)) tests.push(matchesRegExp(item))
    else if (collation === undefined && isSimple(item)) simple.add(item)
    else if (typeNumber(item) === 7) ids.add(idKey(item))
    else tests.push(equals(item, collation))
  }
  // An int may be stored as another kind of number, which the set does not find.
  const numbers = [...simple].filter((item) => typeof item === 'number').map((item) => equals(item))
  return (value) => {
    if (isSimple(value)) return simple.has(value) || tests.some((test) => test(value))
    if (ids.size > 0 && typeNumber(value) === 7) return ids.has(idKey(value))
    if (numbers.length > 0 && isNumeric(value) && numbers.some((test) => test(value))) return true
    return tests.some((test) => test(value))
  }
}

function isSimple(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

function idKey(value: unknown): string {
  return Buffer.from(assume<ObjectId>(value).id).toString('latin1')
}

/**
 * Makes the test of a regular expression used as a filter: text that matches, or an equal regular expression.
 * @param wanted - The regular expression.
 * @returns The test of one value.
 */
export function matchesRegExp(wanted: BSONRegExp): ValueTest {
  const regExp = fromBsonRegExp(wanted)
  return (value) => {
    if (typeof value === 'string') return regExp.test(value)
    const type = typeNumber(value)
    if (type === 14) return regExp.test(String(value))
    return type === regexType && compare(value, wanted) === 0
  }
}

/**
 * Refuses a regular expression where MongoDB does.
 * @param operand - The operand of an operator.
 * @param message - MongoDB's message.
 * @throws {CommandError} 2 when the operand is a regular expression.
 */
export function refuseRegExp(operand: unknown, message: string): void {
  if (isRegExp(operand)) throw new CommandError(2, message)
}
