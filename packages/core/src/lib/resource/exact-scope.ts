import { trusted } from 'mongoose'
import { type Scope } from '../access/scope.ts'
import { isRecord } from '../json/plain.ts'
import { escapeRegex } from './filter-kinds.ts'
import { type Condition } from './filter-parameters.ts'
import { type AnyModel } from './model.ts'

// A scope, or the filter of a query, for a list with a collation, under which `acme` may equal `Acme`: texts become
// patterns, which MongoDB compares exactly. Throws Error for a filter that compares text in other ways.
export function toExactScope<T>(model: AnyModel<T>, scope: Scope): Condition {
  // After the cast, ids are no longer text.
  return toExactFilter(model.find({ ...scope }).cast(model))
}

function toExactFilter(filter: object): Condition {
  return Object.fromEntries(
    Object.entries(filter).map(([key, value]) => {
      if (!key.startsWith('$')) return [key, toExactTest(value)]
      if (!Array.isArray(value) || !['$and', '$or', '$nor'].includes(key)) {
        return [key, requireNoText(value, key)]
      }
      return [key, value.map((part) => toExactFilter(Object(part)))]
    }),
  )
}

function toExactTest(test: unknown): unknown {
  if (typeof test === 'string') return toPattern(test)
  if (!isRecord(test) || !Object.keys(test).some((key) => key.startsWith('$'))) {
    return requireNoText(test, 'equality with a list or object')
  }
  const tests = Object.entries(test).map(([operator, value]) => toExactOperator(operator, value))
  return trusted(Object.fromEntries(tests))
}

function toExactOperator(operator: string, value: unknown): [operator: string, value: unknown] {
  if (typeof value === 'string') {
    if (operator === '$eq') return ['$in', [toPattern(value)]]
    if (operator === '$ne') return ['$not', toPattern(value)]
  }
  if (Array.isArray(value) && (operator === '$in' || operator === '$nin')) {
    return [operator, value.map(toExactItem)]
  }
  return [operator, requireNoText(value, operator)]
}

function toExactItem(item: unknown): unknown {
  return typeof item === 'string'
    ? toPattern(item)
    : requireNoText(item, '$in with a list or object')
}

// In MongoDB, `$` also matches before a line break at the end.
function toPattern(text: string): RegExp {
  return new RegExp(String.raw`^${escapeRegex(text)}(?![\s\S])`)
}

// Their text is not compared by the collation.
const unaffected = new Set([
  '$comment',
  '$exists',
  '$geoIntersects',
  '$geoWithin',
  '$near',
  '$nearSphere',
  '$options',
  '$regex',
  '$text',
  '$type',
])

function requireNoText(value: unknown, test: string): unknown {
  if (unaffected.has(test) || !hasText(value)) return value
  throw new Error(
    `The list has a collation, and its scope or query compares text by ${test}, to which the collation would apply. Compare it with equality, $ne, $in or $nin, or leave out the collation.`,
  )
}

function hasText(value: unknown): boolean {
  if (typeof value === 'string') return true
  if (Array.isArray(value)) return value.some(hasText)
  return isRecord(value) && Object.values(value).some(hasText)
}
