import { isJsonObject, type JsonObject, objectAt, textAt } from './json.ts'
import { toName } from './operations.ts'

/** Whether a schema describes the arguments or the result of a tool. */
export type Side = 'input' | 'output'

// Makes a schema of the document complete in itself, and smaller: a component that is used once replaces its
// reference, the others are `$defs`. The service checks every value anyway, so what costs more to read than it says is
// left out.
export function bundleSchema(schema: JsonObject, schemas: JsonObject, side: Side): JsonObject {
  const uses = countUses(schema, schemas)
  const isShared = (name: string): boolean => (uses.get(name) ?? 0) > 1
  const visit = (node: JsonObject): JsonObject => {
    const reference = textAt(node, '$ref')
    if (reference === undefined) return mapSchemas(slim(node, side), visit)
    const name = toName(reference)
    return isShared(name) ? { $ref: `#/$defs/${name}` } : visit(objectAt(schemas, name))
  }
  const shared = [...uses.keys()].filter(isShared)
  const definitions = shared.map((name) => [name, visit(objectAt(schemas, name))])
  return {
    ...visit(schema),
    ...(shared.length > 0 && { $defs: Object.fromEntries(definitions) }),
  }
}

// How often each component is referred to. One that contains itself is referred to twice.
function countUses(schema: JsonObject, schemas: JsonObject): ReadonlyMap<string, number> {
  const uses = new Map<string, number>()
  const visit = (node: JsonObject): JsonObject => {
    const reference = textAt(node, '$ref')
    if (reference === undefined) return mapSchemas(node, visit)
    const name = toName(reference)
    const count = uses.get(name) ?? 0
    uses.set(name, count + 1)
    if (count === 0) visit(objectAt(schemas, name))
    return node
  }
  visit(schema)
  return uses
}

const single = new Set([
  'additionalProperties',
  'contains',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
])
const lists = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
const maps = new Set(['patternProperties', 'properties'])

// Replaces each schema that a schema contains.
function mapSchemas(node: JsonObject, visit: (node: JsonObject) => JsonObject): JsonObject {
  const visitAny = (value: unknown): unknown => (isJsonObject(value) ? visit(value) : value)
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => {
      if (single.has(key)) return [key, visitAny(value)]
      if (lists.has(key) && Array.isArray(value)) return [key, value.map(visitAny)]
      if (maps.has(key) && isJsonObject(value)) {
        const members = Object.entries(value).map(([name, member]) => [name, visitAny(member)])
        return [key, Object.fromEntries(members)]
      }
      return [key, value]
    }),
  )
}

const bounds = new Set([
  'exclusiveMaximum',
  'exclusiveMinimum',
  'maxItems',
  'maxLength',
  'maximum',
  'minItems',
  'minLength',
  'minimum',
  'multipleOf',
  'pattern',
])
const longestPattern = 300

function slim(node: JsonObject, side: Side): JsonObject {
  return Object.fromEntries(
    Object.entries(node).flatMap(([key, value]) => {
      if (key === 'examples' || key === 'example' || key.startsWith('x-')) return []
      if (bounds.has(key) && side === 'output') return []
      if (isRedundant(node, key, value)) return []
      if (key !== 'allOf' || !Array.isArray(value)) return [[key, value]]
      const parts = value.filter((part) => !isRedundantPart(node, part))
      return parts.length > 0 ? [[key, parts]] : []
    }),
  )
}

// A format says what its pattern says, and a long pattern says nothing to a reader.
function isRedundant(node: JsonObject, key: string, value: unknown): boolean {
  if (key !== 'pattern') return false
  return 'format' in node || (typeof value === 'string' && value.length > longestPattern)
}

function isRedundantPart(node: JsonObject, part: unknown): boolean {
  return isJsonObject(part) && Object.keys(part).join() === 'pattern' && 'format' in node
}
