import { type Schema, type SchemaType } from 'mongoose'
import { isPlainObject } from '../json/plain.ts'

interface Checked {
  readonly modelName: string
  readonly schema: Schema
}

// Throws Error if a filter names a field that the model does not have: such a filter finds nothing, or, with $ne,
// everything. Fields of which a schema says nothing (Mixed, `strict: false`) and conditions that name none ($where,
// $text, $jsonSchema) are not checked.
export function requireKnownFields({ modelName, schema }: Checked, filter: object): void {
  const unknown = findUnknown(filter, '', schema)
  if (unknown === undefined) return
  throw new Error(
    `The scope filters by '${unknown}', a field that ${modelName} does not have. Add the field to the model, or use another access.`,
  )
}

// The path of the first unknown field in a filter, or in a condition on the elements of a field.
function findUnknown(filter: object, prefix: string, schema: Schema): string | undefined {
  for (const [key, value] of Object.entries(filter)) {
    const unknown = key.startsWith('$')
      ? findInOperator(key, value, prefix, schema)
      : findInField(prefix + key, value, schema)
    if (unknown !== undefined) return unknown
  }
  return undefined
}

function findInOperator(
  operator: string,
  operand: unknown,
  prefix: string,
  schema: Schema,
): string | undefined {
  if (operator === '$expr') return findInExpression(operand, schema)
  if (!groups.has(operator) || !Array.isArray(operand)) return undefined
  return findFirst(operand, (part) => findUnknown(Object(part), prefix, schema))
}

const groups = new Set(['$and', '$or', '$nor'])

function findInField(path: string, condition: unknown, schema: Schema): string | undefined {
  return isKnown(schema, path) ? findInCondition(path, condition, schema) : path
}

// A condition is an operator with its operand, or the value that a field has, which may be an object of fields.
function findInCondition(path: string, condition: unknown, schema: Schema): string | undefined {
  if (Array.isArray(condition)) {
    return findFirst(condition, (item) => findInCondition(path, item, schema))
  }
  if (!isPlainObject(condition)) return undefined
  return findFirst(Object.entries(condition), ([key, value]) => {
    if (!key.startsWith('$')) return findInField(`${path}.${key}`, value, schema)
    if (key === '$elemMatch') return findUnknown(Object(value), `${path}.`, schema)
    return comparisons.has(key) ? findInCondition(path, value, schema) : undefined
  })
}

const comparisons = new Set([
  '$all',
  '$eq',
  '$gt',
  '$gte',
  '$in',
  '$lt',
  '$lte',
  '$ne',
  '$nin',
  '$not',
])

function findInExpression(expression: unknown, schema: Schema): string | undefined {
  if (typeof expression === 'string') {
    const [, path] = /^\$(?:\$(?:ROOT|CURRENT)\.)?([^$].*)$/.exec(expression) ?? []
    return path === undefined || isKnown(schema, path) ? undefined : path
  }
  if (Array.isArray(expression)) {
    return findFirst(expression, (item) => findInExpression(item, schema))
  }
  if (!isPlainObject(expression) || '$literal' in expression) return undefined
  const { $getField: read } = expression
  if (typeof read === 'string' && !isKnown(schema, read)) return read
  return findFirst(Object.values(expression), (item) => findInExpression(item, schema))
}

function findFirst<T>(
  items: readonly T[],
  find: (item: T) => string | undefined,
): string | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}

const maxCached = 1000
const known = new WeakMap<Schema, Map<string, boolean>>()

function isKnown(schema: Schema, path: string): boolean {
  let paths = known.get(schema)
  if (!paths) known.set(schema, (paths = new Map()))
  let result = paths.get(path)
  if (result === undefined) {
    result = hasPath(schema, path.split('.'))
    // Names in a map may come from a caller.
    if (paths.size >= maxCached) paths.clear()
    paths.set(path, result)
  }
  return result
}

function hasPath(schema: Schema, names: readonly string[]): boolean {
  if (schema.options.strict === false) return true
  for (let length = 1; length <= names.length; length++) {
    const type = schema.paths[names.slice(0, length).join('.')]
    if (type) return hasPathBelow(type, names.slice(length))
  }
  return (
    schema.pathType(names.join('.')) === 'nested' ||
    variantsOf(schema).some((own) => hasPath(own, names))
  )
}

// The schemas of the discriminators of a model or of a list of documents.
function variantsOf({ discriminators = {} }: Schema): Schema[] {
  return Object.values(discriminators)
}

function hasPathBelow(type: SchemaType, names: readonly string[]): boolean {
  const [first, ...rest] = names
  if (first === undefined || type.instance === 'Mixed') return true
  if (type.instance === 'Map') {
    const value = type.getEmbeddedSchemaType()
    return !value || hasPathBelow(value, rest)
  }
  const { schema }: { schema?: Schema } = type
  const isList = type.instance === 'Array'
  // A position in a list may be named or left out.
  if (isList && /^\d+$/.test(first)) return hasPathBelow(type, rest)
  if (schema) return hasPath(schema, names)
  const element = type.getEmbeddedSchemaType()
  return element !== undefined && hasPathBelow(element, names)
}
