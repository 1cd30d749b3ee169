import { BSONRegExp } from 'bson'
import { isNaNValue } from '../bson/numeric.ts'
import { typeOrder } from '../bson/type-name.ts'
import { type Index } from '../catalog/collection.ts'
import { compare } from '../keys/compare.ts'
import { type Condition, type Conditions, toConditions } from './conditions.ts'

// Whether the index holds every document the filter matches: always, unless it is sparse or
// partial.
export function hasAllMatches(index: Index, conditions: Conditions): boolean {
  // A text index has terms as keys, a geo index has none.
  if (index.text || index.geo.length > 0) return false
  const { paths } = conditions
  if (index.sparse) {
    return index.fields.some(({ path }) => paths.get(path)?.some((one) => impliesExistence(one)))
  }
  if (!index.partialFilter) return true
  const demanded = toConditions(index.partialFilter)
  if (!demanded.complete || index.collation) return false
  return [...demanded.paths].every(([path, expected]) =>
    expected.every((want) =>
      paths.get(path)?.some((filterCondition) => implies(filterCondition, want)),
    ),
  )
}

function impliesExistence(condition: Condition): boolean {
  return condition.kind !== 'in' || condition.values.every((value) => value !== null)
}

function implies(filterCondition: Condition, want: Condition): boolean {
  if (want.kind === 'exists') return impliesExistence(filterCondition)
  if (filterCondition.kind === 'in') {
    return (
      filterCondition.values.length > 0 &&
      filterCondition.values.every((value) => fulfills(value, want))
    )
  }
  if (
    filterCondition.kind !== 'range' ||
    want.kind !== 'range' ||
    filterCondition.side !== want.side
  )
    return false
  if (!isSameType(filterCondition.value, want.value)) return false
  const distance = compare(filterCondition.value, want.value) * (want.side === 'lower' ? 1 : -1)
  return distance > 0 || (distance === 0 && (want.inclusive || !filterCondition.inclusive))
}

function fulfills(value: unknown, want: Condition): boolean {
  // Null also matches missing fields, and a missing value fulfills nothing but null.
  if (value === null) return want.kind === 'in' && want.values.includes(null)
  if (value instanceof BSONRegExp) return false
  if (want.kind === 'in') return want.values.some((one) => compare(one, value) === 0)
  if (want.kind !== 'range' || !isSameType(value, want.value) || isNaNValue(value)) return false
  const distance = compare(value, want.value) * (want.side === 'lower' ? 1 : -1)
  return distance > 0 || (distance === 0 && want.inclusive)
}

function isSameType(a: unknown, b: unknown): boolean {
  return typeOrder(a) === typeOrder(b)
}
