import { type Document, isJson, type Json, toJson, toList } from '../client/document.ts'

/** A field of the body, or of an object in it. */
export interface Field {
  /** `address.city` for a member of an object. */
  readonly name: string
  readonly path: readonly string[]
  readonly kind: Kind
  /** Whether the body, and each object that contains it, must have it. */
  readonly required: boolean
  /** Whether it may be absent from the object that contains it. */
  readonly optional: boolean
}

/** What values a schema accepts, as far as text can be converted to them. */
export interface Kind {
  /** JSON types; all of them if the schema names none. */
  readonly types: ReadonlySet<string>
  /** The values of an enumeration. */
  readonly values: readonly unknown[]
  readonly format: string | undefined
  /** Whether the empty text is a value. */
  readonly acceptsEmpty: boolean
  readonly items: Kind | undefined
}

interface Walk {
  readonly path: readonly string[]
  readonly required: boolean
  readonly above: readonly Json[]
}

// The fields of the objects that a schema describes, and of the objects in them.
export function listFields(schema: unknown, document: Document): readonly Field[] {
  return walk(document, schema, { path: [], required: true, above: [] })
}

function walk(
  document: Document,
  schema: unknown,
  { above, path, required }: Walk,
): readonly Field[] {
  const parts = toParts(document, schema)
  if (parts.some((part) => above.includes(part))) return []
  const members = new Map<string, unknown[]>()
  for (const part of parts) {
    for (const [name, member] of Object.entries(toJson(part['properties']))) {
      members.set(name, [...(members.get(name) ?? []), member])
    }
  }
  const objects = parts.filter((part) => 'properties' in part)
  return Array.from(members, ([name, schemas]) => {
    const isRequired = objects.every((part) => toList(part['required']).includes(name))
    const member = schemas.length === 1 ? schemas[0] : { anyOf: schemas }
    const field: Field = {
      name: [...path, name].join('.'),
      path: [...path, name],
      kind: toKind(document, member),
      required: required && isRequired,
      optional: !isRequired,
    }
    const below = { path: field.path, required: field.required, above: [...above, ...parts] }
    return [field, ...walk(document, member, below)]
  }).flat()
}

// The alternatives of a schema; those of all its parts together if it combines some.
function toParts(document: Document, schema: unknown): readonly Json[] {
  const json = document.resolve(schema)
  const alternatives = ['anyOf', 'oneOf', 'allOf'].flatMap((key) => toList(json[key]))
  if (alternatives.length === 0) return [json]
  const isOwn = 'type' in json || 'properties' in json || 'enum' in json || 'const' in json
  const parts = alternatives.filter(isJson).flatMap((one) => toParts(document, one))
  // Parts without a type only restrict that of the schema.
  return isOwn ? [json, ...parts.filter((part) => 'properties' in part)] : parts
}

const all = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']

function toKind(document: Document, schema: unknown): Kind {
  const parts = toParts(document, schema)
  const values = parts.flatMap((part) => ('const' in part ? [part['const']] : toList(part['enum'])))
  const types = parts.flatMap((part) => toTypes(part))
  const texts = parts.filter((part) => toTypes(part).includes('string'))
  const list = parts.find((part) => 'items' in part)
  return {
    types: new Set(types),
    values,
    format: texts.map((part) => part['format']).find((one) => typeof one === 'string'),
    acceptsEmpty: texts.some(
      ({ enum: words, format, minLength, pattern }) =>
        words === undefined &&
        format === undefined &&
        pattern === undefined &&
        Number(minLength ?? 0) === 0,
    ),
    items: list && toKind(document, list['items']),
  }
}

function toTypes({
  const: constant,
  enum: values,
  type,
}: Json): readonly unknown[] & readonly string[] {
  if (typeof type === 'string') return [type]
  if (Array.isArray(type)) return type.filter((one) => typeof one === 'string')
  const given = constant === undefined ? toList(values) : [constant]
  return given.length === 0 ? all : given.map((value) => (value === null ? 'null' : typeof value))
}
