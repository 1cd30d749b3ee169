import { isJsonObject, type JsonObject } from './schema-components.ts'

export function toExample(
  schema: JsonObject,
  components: Readonly<Record<string, JsonObject>>,
): unknown {
  const { $ref: reference, examples, const: constant, enum: values, anyOf } = schema
  if (typeof reference === 'string') {
    const name = reference.split('/').at(-1) ?? ''
    // The schema itself is left out, so that a recursive schema ends.
    const { [name]: target = {}, ...rest } = components
    return toExample(target, rest)
  }
  if (Array.isArray(examples)) return examples[0]
  if (constant !== undefined) return constant
  if (Array.isArray(values)) return values[0]
  if (schema['default'] !== undefined) return schema['default']
  if (Array.isArray(anyOf) && isJsonObject(anyOf[0])) return toExample(anyOf[0], components)
  return toTyped(schema, components)
}

function toTyped(schema: JsonObject, components: Readonly<Record<string, JsonObject>>): unknown {
  const { type } = schema
  switch (Array.isArray(type) ? type[0] : type) {
    case 'object':
      return toObject(schema, components)
    case 'array':
      return isJsonObject(schema['items']) ? toItems(schema['items'], components) : []
    case 'string':
      return createText(schema)
    case 'integer':
    case 'number':
      return toNumber(schema)
    case 'boolean':
      return true
    default:
      return undefined
  }
}

// A list may contain the schema that it is in.
function toItems(items: JsonObject, components: Readonly<Record<string, JsonObject>>): unknown[] {
  const item = toExample(items, components)
  return item === undefined ? [] : [item]
}

function toObject(
  schema: JsonObject,
  components: Readonly<Record<string, JsonObject>>,
): JsonObject {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {}
  return Object.fromEntries(
    Object.entries(properties).map(([key, property]) => [
      key,
      isJsonObject(property) ? toExample(property, components) : undefined,
    ]),
  )
}

const formats: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    'date-time': '2026-01-31T12:00:00.000Z',
    date: '2026-01-31',
    email: 'ada@example.org',
    uri: 'https://example.org/',
    uuid: '3fa85f64-5717-4562-b3fc-2c963f66afa6',
  }),
)

function createText({ format, minLength, maxLength }: JsonObject): string {
  const known = typeof format === 'string' ? formats.get(format) : undefined
  if (known !== undefined) return known
  const text = 'text'.padEnd(typeof minLength === 'number' ? minLength : 0, '.')
  return typeof maxLength === 'number' ? text.slice(0, maxLength) : text
}

function toNumber({ minimum, exclusiveMinimum, maximum }: JsonObject): number {
  if (typeof minimum === 'number' && minimum > 0) return minimum
  if (typeof exclusiveMinimum === 'number' && exclusiveMinimum >= 0) return exclusiveMinimum + 1
  return typeof maximum === 'number' && maximum < 1 ? maximum : 1
}
