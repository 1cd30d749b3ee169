import { isDeepStrictEqual } from 'node:util'
import { EJSON } from 'bson'
import { type Document } from 'mongodb'
import { typeName } from '../../src/lib/bson/type-name.ts'
import { type Entities } from './entities.ts'

/** How a value differs from what a test expects: none when it matches. */
export type Mismatch = string | undefined

interface Scope {
  entities: Entities
  path: string
  // A document that may have more fields than expected.
  isRoot: boolean
}

/** Compares by the rules of the unified test format. */
export function match(expected: unknown, actual: unknown, entities: Entities): Mismatch {
  return compare(expected, actual, { entities, path: '', isRoot: true })
}

function compare(expected: unknown, given: unknown, scope: Scope): Mismatch {
  // The driver sends a sort as a map.
  const actual = given instanceof Map ? Object.fromEntries(given) : given
  if (Array.isArray(expected)) return compareArrays(expected, actual, scope)
  if (!isPlain(expected)) return compareScalars(expected, actual, scope)
  const [operator = ''] = Object.keys(expected)
  if (operator.startsWith('$$')) return applyOperator(operator, expected[operator], actual, scope)
  if (!isObject(actual)) return differ(expected, actual, scope)
  for (const [name, value] of Object.entries(expected)) {
    const found = compare(value, actual[name], inside(scope, name))
    if (found !== undefined) return found
  }
  if (scope.isRoot) return undefined
  const extra = Object.keys(actual).find(
    (name) => !(name in expected) && actual[name] !== undefined,
  )
  return extra === undefined ? undefined : `${scope.path}: field '${extra}' is not expected`
}

function compareArrays(expected: unknown[], actual: unknown, scope: Scope): Mismatch {
  if (!Array.isArray(actual)) return differ(expected, actual, scope)
  if (actual.length !== expected.length) return differ(expected, actual, scope)
  for (const [i, value] of expected.entries()) {
    // Documents in an array of results may have more fields.
    const isRoot = scope.isRoot && scope.path === ''
    const found = compare(value, actual[i], { ...inside(scope, String(i)), isRoot })
    if (found !== undefined) return found
  }
  return undefined
}

function compareScalars(expected: unknown, actual: unknown, scope: Scope): Mismatch {
  const [a, b] = [normalize(expected), normalize(actual)]
  return isDeepStrictEqual(a, b) ? undefined : differ(expected, actual, scope)
}

const numberTags = new Set(['Double', 'Int32', 'Long'])

// Numbers by value; other types of BSON by their canonical text.
function normalize(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (!isObject(value)) return value
  // By their tags: the driver may have loaded another copy of the library.
  if (numberTags.has(value['_bsontype'])) return Number(EJSON.stringify(value))
  return EJSON.stringify(value)
}

type Operator = (operand: never, actual: unknown, scope: Scope) => Mismatch

const operators: Readonly<Record<string, Operator>> = {
  $$exists: (operand: boolean, actual, { path }) =>
    (actual !== undefined) === operand
      ? undefined
      : `${path}: expected ${operand ? 'a value' : 'no value'}, found ${show(actual)}`,
  $$type: (operand: string | string[], actual, { path }) =>
    [operand].flat().some((type) => hasType(actual, type))
      ? undefined
      : `${path}: expected a ${String(operand)}, found ${show(actual)}`,
  $$unsetOrMatches: (operand: unknown, actual, scope) =>
    actual === undefined || actual === null ? undefined : compare(operand, actual, scope),
  $$matchesEntity: (id: string, actual, scope) =>
    compare(scope.entities.find(id).value, actual, { ...scope, isRoot: false }),
  $$matchesHexBytes: (hex: string, actual, scope) =>
    differUnless(Buffer.isBuffer(actual) && actual.toString('hex') === hex, hex, actual, scope),
  $$sessionLsid: (id: string, actual, scope) =>
    compare(scope.entities.get('session', id).lsid, actual, scope),
  $$matchAsDocument: (operand: unknown, actual, scope) =>
    typeof actual === 'string'
      ? compare(operand, EJSON.parse(actual), { ...scope, isRoot: false })
      : differ(operand, actual, scope),
  $$matchAsRoot: (operand: unknown, actual, scope) =>
    compare(operand, actual, { ...scope, isRoot: true }),
  $$lte: (operand: number, actual, scope) =>
    differUnless(Number(normalize(actual)) <= operand, operand, actual, scope),
}

function applyOperator(name: string, operand: unknown, actual: unknown, scope: Scope): Mismatch {
  const operator = operators[name]
  if (!operator) throw new Error(`This runner knows no operator ${name}`)
  return operator(operand as never, actual, scope)
}

// The driver returns any number as a JavaScript number.
const numbers = new Set(['int', 'long', 'double', 'number'])

function hasType(value: unknown, type: string): boolean {
  if (value === undefined) return false
  if (numbers.has(type)) return typeof normalize(value) === 'number'
  return typeName(value) === type
}

function inside(scope: Scope, name: string): Scope {
  return { ...scope, path: scope.path === '' ? name : `${scope.path}.${name}`, isRoot: false }
}

function differUnless(isSame: boolean, expected: unknown, actual: unknown, scope: Scope): Mismatch {
  return isSame ? undefined : differ(expected, actual, scope)
}

function differ(expected: unknown, actual: unknown, { path }: Scope): Mismatch {
  return `${path}: expected ${show(expected)}, found ${show(actual)}`
}

function show(value: unknown): string {
  return value === undefined ? 'nothing' : EJSON.stringify(value)
}

function isObject(value: unknown): value is Document {
  return typeof value === 'object' && value !== null
}

function isPlain(value: unknown): value is Document {
  return (
    isObject(value) &&
    !('_bsontype' in value) &&
    !Buffer.isBuffer(value) &&
    !(value instanceof Date) &&
    !(value instanceof RegExp)
  )
}
