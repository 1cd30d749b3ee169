import { BSONRegExp } from 'bson'
import { type Doc, isDocument, lookUp } from '../bson/document.ts'
import { isNaNValue } from '../bson/numeric.ts'
import { typeOrder } from '../bson/type-name.ts'
import { isFieldOperators, isOperatorDocument } from '../query/compile-field.ts'

// What a filter requires of one path, as far as bounds or existence follow from it.
export type Condition =
  | { kind: 'in'; values: unknown[] }
  | { kind: 'range'; side: 'lower' | 'upper'; inclusive: boolean; value: unknown }
  | { kind: 'prefix'; text: string; regex: BSONRegExp }
  | { kind: 'exists' }

export type Bounding = Exclude<Condition, { kind: 'exists' }>

// What a filter requires, as far as the planner understands it.
export interface Conditions {
  // All must hold, so each alone may serve as bounds.
  paths: ReadonlyMap<string, Condition[]>
  // Of each list at least one filter must hold.
  alternatives: Doc[][]
  // Nothing else is required: a document that meets all conditions matches.
  complete: boolean
}

const ranges: Readonly<Record<string, { side: 'lower' | 'upper'; inclusive: boolean }>> = {
  $gt: { side: 'lower', inclusive: false },
  $gte: { side: 'lower', inclusive: true },
  $lt: { side: 'upper', inclusive: false },
  $lte: { side: 'upper', inclusive: true },
}

// Numbers, strings, binary, ObjectId, bool, date, timestamp: types whose ranges stay in one bracket.
const rangeTypes = new Set([10, 15, 30, 35, 40, 45, 47])
const arrayOrder = 25
const regexOrder = 50

export function toConditions(filter: Doc): Conditions {
  const found: Found = { paths: new Map(), alternatives: [], complete: true }
  collect(filter, found)
  return found
}

interface Found extends Conditions {
  paths: Map<string, Condition[]>
}

function collect(filter: Doc, found: Found): void {
  for (const [name, value] of Object.entries(filter)) {
    if (name === '$and' && Array.isArray(value)) {
      for (const part of value) if (isDocument(part)) collect(part, found)
    } else if (name === '$or' && Array.isArray(value)) {
      found.alternatives.push(value.filter((part) => isDocument(part)))
      found.complete = false
    } else if (name.startsWith('$')) {
      found.complete = false
    } else {
      collectField(name, value, found)
    }
  }
}

function collectField(path: string, value: unknown, found: Found): void {
  if (!isOperatorDocument(value)) add(path, toEquality(value), found)
  else {
    for (const [operator, operand] of Object.entries(value)) {
      if (operator === '$elemMatch') collectElement(path, operand, found)
      else if (operator !== '$options') add(path, toCondition(operator, operand, value), found)
    }
  }
}

function add(path: string, condition: Condition | undefined, found: Found): void {
  if (!condition) found.complete = false
  else found.paths.set(path, [...(found.paths.get(path) ?? []), condition])
}

// What one element must fulfill, some element must; the filter checks that it is the same one.
function collectElement(path: string, operand: unknown, found: Found): void {
  found.complete = false
  if (!isDocument(operand)) return
  if (isFieldOperators(operand)) {
    for (const [operator, value] of Object.entries(operand)) {
      const condition = operator === '$options' ? undefined : toCondition(operator, value, operand)
      if (condition) add(path, condition, found)
    }
    return
  }
  for (const [name, value] of Object.entries(operand)) {
    if (!name.startsWith('$')) collectField(`${path}.${name}`, value, found)
  }
}

function toCondition(operator: string, operand: unknown, all: Doc): Condition | undefined {
  const range = lookUp(ranges, operator)
  if (range) return isRangeValue(operand) ? { kind: 'range', ...range, value: operand } : undefined
  if (operator === '$eq') return isPoint(operand) ? { kind: 'in', values: [operand] } : undefined
  if (operator === '$in') return toMembership(operand)
  if (operator === '$regex') return toPrefix(operand, all['$options'])
  if (operator === '$exists' && operand === true) return { kind: 'exists' }
  return undefined
}

function toEquality(value: unknown): Condition | undefined {
  if (value instanceof BSONRegExp) return toPrefix(value, undefined)
  return isPoint(value) ? { kind: 'in', values: [value] } : undefined
}

function toMembership(operand: unknown): Condition | undefined {
  if (!Array.isArray(operand)) return undefined
  return operand.every((value) => isPoint(value)) ? { kind: 'in', values: operand } : undefined
}

// An array equals a whole array or one of its elements; a regular expression is a pattern.
function isPoint(value: unknown): boolean {
  const order = typeOrder(value)
  return value !== undefined && order !== arrayOrder && order !== regexOrder
}

function isRangeValue(value: unknown): boolean {
  return rangeTypes.has(typeOrder(value)) && !isNaNValue(value)
}

function toPrefix(operand: unknown, options: unknown): Condition | undefined {
  const { pattern, flags } = toPattern(operand, options)
  if (flags !== '' || pattern.includes('|')) return undefined
  const literal = /^\^([\w\s@#%&=:;,<>~`'"!/-]+)([*?{]?)/.exec(pattern)
  // A quantifier that allows zero makes the preceding character optional.
  const text = literal?.[2] === '' ? literal[1] : literal?.[1]?.slice(0, -1)
  if (text === undefined || text === '') return undefined
  return { kind: 'prefix', text, regex: new BSONRegExp(pattern) }
}

function toPattern(operand: unknown, options: unknown): { pattern: string; flags: string } {
  const given = typeof options === 'string' ? options : ''
  if (operand instanceof BSONRegExp) {
    return { pattern: operand.pattern, flags: given || operand.options }
  }
  return { pattern: typeof operand === 'string' ? operand : '', flags: given }
}
