import { Types } from 'mongoose'

export type Value = unknown

export type Doc = Readonly<Record<string, Value>>

// Whether a stored document matches a MongoDB filter, for the operators that the property test generates. It shares no
// code with what it tests: neither with Mongoose nor with the embedded database.
export function matches(document: Doc, filter: Doc): boolean {
  return Object.entries(filter).every(([key, condition]) => {
    const parts = (): boolean[] => toList(condition).map((part) => matches(document, toDoc(part)))
    if (key === '$and') return parts().every(Boolean)
    if (key === '$or') return parts().some(Boolean)
    if (key === '$nor') return !parts().some(Boolean)
    return matchesAt(toLeaves(document, key.split('.')), condition)
  })
}

// What a path leads to: one value, or one of each object in a list. Nothing for an empty list.
function toLeaves(value: Value, [name, ...rest]: readonly string[]): Value[] {
  if (name === undefined) return [value]
  if (Array.isArray(value)) {
    return value.flatMap((item) => (isDoc(item) ? toLeaves(item, [name, ...rest]) : []))
  }
  return toLeaves(isDoc(value) ? value[name] : undefined, rest)
}

function matchesAt(leaves: readonly Value[], condition: Value): boolean {
  if (!isOperators(condition)) return leaves.some((leaf) => equals(leaf, condition))
  return Object.entries(condition).every(([operator, operand]) =>
    matchesOperator(leaves, operator, operand),
  )
}

function matchesOperator(leaves: readonly Value[], operator: string, operand: Value): boolean {
  switch (operator) {
    case '$eq':
      return leaves.some((leaf) => equals(leaf, operand))
    case '$ne':
      return !leaves.some((leaf) => equals(leaf, operand))
    case '$in':
      return toList(operand).some((one) => leaves.some((leaf) => equals(leaf, one)))
    case '$nin':
      return !matchesOperator(leaves, '$in', operand)
    case '$all':
      return toList(operand).every((one) => leaves.some((leaf) => equals(leaf, one)))
    case '$exists':
      return leaves.some((leaf) => leaf !== undefined) === operand
    case '$size':
      return leaves.some((leaf) => Array.isArray(leaf) && leaf.length === operand)
    case '$not':
      return !matchesAt(leaves, operand)
    case '$elemMatch':
      return leaves.some(
        (leaf) => Array.isArray(leaf) && leaf.some((item) => isElement(item, operand)),
      )
    case '$regex':
      return leaves
        .flatMap(toItems)
        .some((item) => typeof item === 'string' && item.startsWith(String(operand).slice(1)))
    default:
      return leaves.flatMap(toItems).some((item) => compares(item, operator, operand))
  }
}

function isElement(item: Value, condition: Value): boolean {
  return isOperators(condition)
    ? matchesAt([item], condition)
    : isDoc(item) && matches(item, toDoc(condition))
}

function compares(item: Value, operator: string, operand: Value): boolean {
  const [left, right] = [toComparable(item), toComparable(operand)]
  if (typeof left !== typeof right || left === null || left === undefined) return false
  if (item instanceof Date !== operand instanceof Date) return false
  const difference = left < Object(right) ? -1 : left > Object(right) ? 1 : 0
  if (operator === '$lt') return difference < 0
  if (operator === '$lte') return difference <= 0
  if (operator === '$gt') return difference > 0
  if (operator === '$gte') return difference >= 0
  throw new Error(`The oracle does not know ${operator}.`)
}

function equals(leaf: Value, operand: Value): boolean {
  return toItems(leaf).some((item) => toComparable(item) === toComparable(operand))
}

// A list matches as a whole or by one of its items.
function toItems(leaf: Value): Value[] {
  return Array.isArray(leaf) ? [leaf, ...leaf] : [leaf]
}

function toComparable(value: Value): Value {
  if (value === undefined) return null
  if (value instanceof Types.ObjectId) return String(value)
  return value instanceof Date ? value.getTime() : value
}

function isOperators(condition: Value): condition is Doc {
  return isDoc(condition) && Object.keys(condition).some((key) => key.startsWith('$'))
}

function isDoc(value: Value): value is Doc {
  return (
    Object.prototype.toString.call(value) === '[object Object]' &&
    !(value instanceof Types.ObjectId)
  )
}

function toDoc(value: Value): Doc {
  return isDoc(value) ? value : {}
}

function toList(value: Value): readonly Value[] {
  return Array.isArray(value) ? value : []
}
