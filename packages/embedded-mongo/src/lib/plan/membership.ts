import { BSONRegExp } from 'bson'
import { assume } from '../bson/assume.ts'
import { type Doc } from '../bson/document.ts'
import { isNaNValue } from '../bson/numeric.ts'
import { typeOrder } from '../bson/type-name.ts'
import { type Index } from '../catalog/collection.ts'
import { compare } from '../keys/compare.ts'
import { type Condition, type Conditions, toConditions } from './conditions.ts'

/**
 * Tells whether every document a filter matches is in an index: always, unless it is sparse or partial.
 *
 * @param index The index.
 * @param conditions What the filter demands.
 * @returns False when the index may lack some of them.
 */
export function hasAllMatches(index: Index, conditions: Conditions): boolean {
  const { paths } = conditions
  if (index.sparse) {
    return index.fields.some(({ path }) => paths.get(path)?.some((one) => impliesExistence(one)))
  }
  const partial = assume<Doc | undefined>(index.options['partialFilterExpression'])
  if (!partial) return true
  const demanded = toConditions(partial)
  if (!demanded.complete || index.collation) return false
  return [...demanded.paths].every(([path, wanted]) =>
    wanted.every((want) => paths.get(path)?.some((given) => implies(given, want))),
  )
}

function impliesExistence(condition: Condition): boolean {
  return condition.kind !== 'in' || condition.values.every((value) => value !== null)
}

function implies(given: Condition, want: Condition): boolean {
  if (want.kind === 'exists') return impliesExistence(given)
  if (given.kind === 'in') {
    return given.values.length > 0 && given.values.every((value) => fulfils(value, want))
  }
  if (given.kind !== 'range' || want.kind !== 'range' || given.side !== want.side) return false
  if (!isSameType(given.value, want.value)) return false
  const distance = compare(given.value, want.value) * (want.side === 'lower' ? 1 : -1)
  return distance > 0 || (distance === 0 && (want.inclusive || !given.inclusive))
}

function fulfils(value: unknown, want: Condition): boolean {
  // Null also matches what is missing, and a missing value fulfils nothing.
  if (value === null || value instanceof BSONRegExp) return false
  if (want.kind === 'in') return want.values.some((one) => compare(one, value) === 0)
  if (want.kind !== 'range' || !isSameType(value, want.value) || isNaNValue(value)) return false
  const distance = compare(value, want.value) * (want.side === 'lower' ? 1 : -1)
  return distance > 0 || (distance === 0 && want.inclusive)
}

function isSameType(a: unknown, b: unknown): boolean {
  return typeOrder(a) === typeOrder(b)
}
