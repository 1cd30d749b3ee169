import { type core, z, type ZodType } from 'zod'
import { instant } from '../schemas/instant.ts'
import { restrictions } from '../schemas/schema-marks.ts'
import { isOptional, type Side } from '../schemas/schema-members.ts'
import { describeTrimmed } from './trimmed.ts'

/** A JSON Schema, or any other plain object of the document. */
export type JsonObject = Record<string, unknown>

export interface SchemaComponents {
  /** `components.schemas` of the document. */
  readonly schemas: Record<string, JsonObject>
  /** Translates a request schema: closed objects, fields with defaults not required. */
  toInput(schema: core.$ZodType): JsonObject
  /** Translates a response schema: open objects. */
  toOutput(schema: core.$ZodType): JsonObject
  /** Translates a response schema to a reference to a component, one for each schema. */
  toNamedOutput(schema: ZodType, name: string): JsonObject
  /** Makes a translated schema a component, unless it is a reference already. */
  toComponent(json: JsonObject, name: string): JsonObject
}

const prefix = '#/components/schemas/'

export function createSchemaComponents(): SchemaComponents {
  const schemas: Record<string, JsonObject> = {}
  const references = new Map<ZodType, JsonObject>()

  function translate(schema: core.$ZodType, io: 'input' | 'output'): JsonObject {
    const options = {
      io,
      unrepresentable: 'any',
      override: io === 'output' ? open : close,
    } as const
    const { $schema: _, $id: __, id: ___, $defs = {}, ...json } = toJson(schema, options)
    return hoist(json, $defs)
  }

  // Definitions (`.meta({ id })`) become components, and references are renamed with them.
  function hoist(json: JsonObject, definitions: JsonObject): JsonObject {
    const names = new Map<string, string>()
    for (const [name, definition] of Object.entries(definitions)) {
      names.set(
        name,
        claim(schemas, name.startsWith('__') ? `Schema${name.slice(2)}` : name, definition),
      )
    }
    for (const [name, definition] of Object.entries(definitions)) {
      schemas[names.get(name) ?? name] = rename(definition, names)
    }
    return rename(json, names)
  }

  const toComponent = (json: JsonObject, name: string): JsonObject =>
    '$ref' in json ? json : addComponent(schemas, name, json)

  return {
    schemas,
    toComponent,
    toInput: (schema) => translate(schema, 'input'),
    toOutput: (schema) => translate(schema, 'output'),
    toNamedOutput(schema, name) {
      const reference =
        references.get(schema) ??
        toComponent(translate(schema, 'output'), schema.meta()?.id ?? name)
      references.set(schema, reference)
      return reference
    },
  }
}

type Options = NonNullable<Parameters<typeof z.toJSONSchema>[1]>

function toJson(schema: core.$ZodType, options: Options): JsonObject & { $defs?: JsonObject } {
  return { ...z.toJSONSchema(schema, options) }
}

// Clients ignore unknown members, so a response may gain members.
const open: Options['override'] = ({ jsonSchema, zodSchema }) => {
  Object.assign(
    jsonSchema,
    describeRestriction(zodSchema, jsonSchema),
    describeText(zodSchema),
    describeLength(zodSchema, 'output'),
  )
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
}

const close: Options['override'] = ({ jsonSchema, zodSchema }) => {
  Object.assign(
    jsonSchema,
    describeRestriction(zodSchema, jsonSchema),
    describeText(zodSchema),
    describeLength(zodSchema, 'input'),
  )
  const { propertyNames } = jsonSchema
  // Every key of an object is a string anyway.
  if (propertyNames && Object.keys(propertyNames).join() === 'type') delete jsonSchema.propertyNames
  if (zodSchema instanceof z.ZodString) Object.assign(jsonSchema, describeTrimmed(zodSchema))
}

// Dates and bigints, which JSON contains as text.
function describeText(schema: core.$ZodType): object {
  if (schema instanceof z.ZodDate) {
    const { $schema: _, ...json } = z.toJSONSchema(instant)
    return { ...json, ...toBounds(schema.minDate?.toISOString(), schema.maxDate?.toISOString()) }
  }
  if (schema instanceof z.ZodBigInt) {
    const { format, maxValue, minValue } = schema
    return {
      type: 'string',
      ...(format !== null && { format }),
      pattern: '^(?:0|-?[1-9]\\d*)$',
      ...toBounds(minValue?.toString(), maxValue?.toString()),
    }
  }
  return {}
}

// Without these keywords, JSON Schema accepts a tuple that is shorter or longer.
function describeLength(schema: core.$ZodType, side: Side): object {
  if (!(schema instanceof z.ZodTuple)) return {}
  const { items, rest } = schema.def
  const required = items.findLastIndex((item) => !isOptional(item, side)) + 1
  return { ...(required > 0 && { minItems: required }), ...(!rest && { items: false }) }
}

// JSON Schema has bounds of numbers only.
function toBounds(minimum: string | undefined, maximum: string | undefined): object {
  return {
    ...(minimum !== undefined && { 'x-minimum': minimum }),
    ...(maximum !== undefined && { 'x-maximum': maximum }),
  }
}

function addComponent(
  schemas: Record<string, JsonObject>,
  name: string,
  json: JsonObject,
): JsonObject {
  const free = claim(schemas, name, json)
  schemas[free] = rename(json, new Map([['', free]]))
  return { $ref: prefix + free }
}

function claim(schemas: Record<string, JsonObject>, name: string, json: unknown): string {
  const wanted = name.replaceAll(/[^\w.-]/g, '')
  const same = (other: string): boolean => JSON.stringify(schemas[other]) === JSON.stringify(json)
  let free = wanted
  for (let count = 2; free in schemas && !same(free); count++) free = `${wanted}${count}`
  schemas[free] ??= {}
  return free
}

function rename(json: unknown, names: ReadonlyMap<string, string>): JsonObject {
  const renamed: unknown = JSON.parse(JSON.stringify(json), (key, value: unknown) => {
    if (key !== '$ref' || typeof value !== 'string') return value
    const name = names.get(value.replace(/^#(\/\$defs\/)?/, ''))
    return name === undefined ? value : prefix + name
  })
  return isJsonObject(renamed) ? renamed : {}
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

// Describes a restricted field. The document describes the API to every caller, so it names the rules.
function describeRestriction(
  field: core.$ZodType,
  json: { readonly description?: unknown },
): object {
  const restriction = restrictions.get(field)
  if (!restriction) return {}
  const { readable, writable } = restriction
  const sentences = [
    json.description,
    readable && `Read by: ${readable.name}.`,
    writable && `Written by: ${writable.name}.`,
  ]
  return {
    description: sentences.filter(Boolean).join(' '),
    ...(readable && { 'x-readable': readable.name }),
    ...(writable && { 'x-writable': writable.name }),
  }
}
