import { type Doc, getField, isDocument, lookUp } from '../bson/document.ts'
import { compareNumeric, isNumeric, type Numeric, toNumber } from '../bson/numeric.ts'
import { typeNumber } from '../bson/type-name.ts'
import { CommandError } from '../errors/command-error.ts'
import { isEqual } from '../keys/compare.ts'
import { encodeKey } from '../keys/encode-key.ts'
import { hasType } from './element-tests.ts'
import { type ValueTest } from './match-path.ts'
import { toRegExp } from '../bson/regex.ts'

export function compileJsonSchema(schema: unknown): ValueTest {
  if (!isDocument(schema)) throw new CommandError('TypeMismatch', '$jsonSchema must be an object')
  const tests = Object.keys(schema).flatMap((keyword) => compileKeyword(keyword, schema))
  return (value) => tests.every((test) => test(value))
}

export function passesKeyword(keyword: string, schema: Doc, value: unknown): boolean {
  return compileKeyword(keyword, schema).every((test) => test(value))
}

const annotations = new Set([
  'title',
  'description',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'additionalItems',
])
const unsupported = new Set(['$ref', '$schema', 'default', 'definitions', 'format', 'id'])

function compileKeyword(keyword: string, schema: Doc): ValueTest[] {
  if (annotations.has(keyword)) return []
  if (unsupported.has(keyword)) {
    throw new CommandError(
      'FailedToParse',
      `$jsonSchema keyword '${keyword}' is not currently supported`,
    )
  }
  const compiler = lookUp(keywords, keyword)
  if (compiler === undefined)
    throw new CommandError('FailedToParse', `Unknown $jsonSchema keyword: ${keyword}`)
  return [compiler(schema[keyword], schema)]
}

type Keyword = (operand: unknown, schema: Doc) => ValueTest

const jsonTypes: Readonly<Record<string, string>> = {
  object: 'object',
  array: 'array',
  number: 'number',
  boolean: 'bool',
  string: 'string',
  null: 'null',
}

const keywords: Readonly<Record<string, Keyword>> = {
  bsonType: (operand) => hasType(operand),
  type: (operand) => {
    const names: unknown[] = Array.isArray(operand) ? operand : [operand]
    return hasType(names.map((name) => requireJsonType(name)))
  },
  enum: (operand) => {
    const values = requireArray('enum', operand)
    return (value) => values.some((expected) => isEqual(value, expected))
  },
  allOf: (operand) => {
    const tests = requireArray('allOf', operand).map(compileJsonSchema)
    return (value) => tests.every((test) => test(value))
  },
  anyOf: (operand) => {
    const tests = requireArray('anyOf', operand).map(compileJsonSchema)
    return (value) => tests.some((test) => test(value))
  },
  oneOf: (operand) => {
    const tests = requireArray('oneOf', operand).map(compileJsonSchema)
    return (value) => tests.filter((test) => test(value)).length === 1
  },
  not: (operand) => {
    const test = compileJsonSchema(operand)
    return (value) => !test(value)
  },
  minimum: (operand, schema) => {
    const isExclusive = schema['exclusiveMinimum'] === true
    return bound('minimum', operand, (result) => result > 0 || (!isExclusive && result === 0))
  },
  maximum: (operand, schema) => {
    const isExclusive = schema['exclusiveMaximum'] === true
    return bound('maximum', operand, (result) => result < 0 || (!isExclusive && result === 0))
  },
  multipleOf: (operand) => {
    const by = requireNumber('multipleOf', operand)
    return (value) => !isNumeric(value) || toNumber(value) % toNumber(by) === 0
  },
  minLength: (operand) => sized('minLength', operand, [lengthOf, atLeast]),
  maxLength: (operand) => sized('maxLength', operand, [lengthOf, atMost]),
  pattern: (operand) => {
    if (typeof operand !== 'string') throw wrongType('pattern', 'a string')
    const regExp = toRegExp(operand)
    return (value) => typeof value !== 'string' || regExp.test(value)
  },
  minItems: (operand) => sized('minItems', operand, [itemsOf, atLeast]),
  maxItems: (operand) => sized('maxItems', operand, [itemsOf, atMost]),
  uniqueItems: (operand) => (value) =>
    operand !== true ||
    !Array.isArray(value) ||
    new Set(value.map((item) => encodeKey(item))).size === value.length,
  items: compileItems,
  minProperties: (operand) => sized('minProperties', operand, [fieldsOf, atLeast]),
  maxProperties: (operand) => sized('maxProperties', operand, [fieldsOf, atMost]),
  required: (operand) => {
    const names = requireArray('required', operand).map(String)
    if (names.length === 0)
      throw new CommandError(
        'FailedToParse',
        "$jsonSchema keyword 'required' cannot be an empty array",
      )
    return (value) =>
      !isDocument(value) || names.every((name) => getField(value, name) !== undefined)
  },
  properties: (operand) => {
    const tests = compileEach('properties', operand)
    return (value) =>
      !isDocument(value) ||
      tests.every(([name, test]) => {
        const field = getField(value, name)
        return field === undefined || test(field)
      })
  },
  patternProperties: (operand) => {
    const tests = compileEach('patternProperties', operand).map(([pattern, test]) => ({
      regExp: toRegExp(pattern),
      test,
    }))
    return (value) =>
      !isDocument(value) ||
      Object.keys(value).every((name) =>
        tests.every(({ regExp, test }) => !regExp.test(name) || test(value[name])),
      )
  },
  additionalProperties: compileAdditional,
  dependencies: (operand) => {
    if (!isDocument(operand)) throw wrongType('dependencies', 'an object')
    const tests = Object.keys(operand).map((name): [string, ValueTest] => [
      name,
      compileJsonSchema(Array.isArray(operand[name]) ? { required: operand[name] } : operand[name]),
    ])
    return (value) =>
      !isDocument(value) ||
      tests.every(([name, test]) => getField(value, name) === undefined || test(value))
  },
}

function wrongType(keyword: string, expected: string): CommandError {
  return new CommandError('TypeMismatch', `$jsonSchema keyword '${keyword}' must be ${expected}`)
}

function requireArray(keyword: string, operand: unknown): unknown[] {
  if (Array.isArray(operand)) return operand
  throw wrongType(keyword, 'an array')
}

function requireNumber(keyword: string, operand: unknown): Numeric {
  if (isNumeric(operand)) return operand
  throw wrongType(keyword, 'a number')
}

function requireJsonType(name: unknown): string {
  const alias = typeof name === 'string' ? lookUp(jsonTypes, name) : undefined
  if (alias !== undefined) return alias
  if (name === 'integer')
    throw new CommandError(
      'FailedToParse',
      "$jsonSchema type 'integer' is not currently supported.",
    )
  throw new CommandError('BadValue', `Unknown type name alias: ${String(name)}`)
}

function bound(keyword: string, operand: unknown, passes: (result: number) => boolean): ValueTest {
  const limit = requireNumber(keyword, operand)
  return (value) => !isNumeric(value) || passes(compareNumeric(value, limit))
}

type Passes = (size: number, limit: number) => boolean

// A limit on a size; values without a size pass.
function sized(
  keyword: string,
  operand: unknown,
  [sizeOf, passes]: [(value: unknown) => number | undefined, Passes],
): ValueTest {
  const limit = toNumber(requireNumber(keyword, operand))
  return (value) => {
    const size = sizeOf(value)
    return size === undefined || passes(size, limit)
  }
}

const atLeast: Passes = (size, limit) => size >= limit
const atMost: Passes = (size, limit) => size <= limit
const lengthOf = (value: unknown) =>
  typeof value === 'string' ? Array.from(value).length : undefined
const itemsOf = (value: unknown) => (Array.isArray(value) ? value.length : undefined)
const fieldsOf = (value: unknown) => (isDocument(value) ? Object.keys(value).length : undefined)

function compileEach(keyword: string, operand: unknown): [string, ValueTest][] {
  if (!isDocument(operand)) throw wrongType(keyword, 'an object')
  return Object.keys(operand).map((name) => [name, compileJsonSchema(operand[name])])
}

// One schema for all items, or one per position and `additionalItems` for the rest.
function compileItems(operand: unknown, schema: Doc): ValueTest {
  if (!Array.isArray(operand)) {
    const test = compileJsonSchema(operand)
    return (value) => !Array.isArray(value) || value.every((item) => test(item))
  }
  const tests = operand.map(compileJsonSchema)
  const rest = compileOptional(schema['additionalItems'])
  return (value) => !Array.isArray(value) || value.every((item, i) => (tests[i] ?? rest)(item))
}

function compileOptional(operand: unknown): ValueTest {
  if (operand === undefined || typeof operand === 'boolean') return () => operand !== false
  return compileJsonSchema(operand)
}

function compileAdditional(operand: unknown, schema: Doc): ValueTest {
  const test = compileOptional(operand)
  const known = new Set(isDocument(schema['properties']) ? Object.keys(schema['properties']) : [])
  const patterns = isDocument(schema['patternProperties'])
    ? Object.keys(schema['patternProperties']).map((pattern) => toRegExp(pattern))
    : []
  const isKnown = (name: string) => known.has(name) || patterns.some((regExp) => regExp.test(name))
  return (value) =>
    typeNumber(value) !== 3 ||
    !isDocument(value) ||
    Object.keys(value).every((name) => isKnown(name) || test(value[name]))
}
