import { type core, z, type ZodType } from 'zod'
import { toPlain } from '../json/plain.ts'
import { instant } from '../schemas/instant.ts'
import { documents, problems, restrictions } from '../schemas/schema-marks.ts'
import { isOptional, type Side } from '../schemas/schema-members.ts'
import { findComponents } from './find-components.ts'
import { describeTrimmed } from './trimmed.ts'

/** A JSON Schema, or any other plain object of the document. */
export type JsonObject = Record<string, unknown>

export interface SchemaComponents {
  /** `components.schemas` of the document. */
  readonly schemas: Record<string, JsonObject>
  /**
   * Translates a request schema: closed objects, fields with defaults not required. `name` is that of a
   * component, which a schema that contains itself needs.
   */
  toInput(schema: core.$ZodType, name?: string): JsonObject
  /** Translates a response schema: open objects. */
  toOutput(schema: core.$ZodType, name?: string): JsonObject
  /** Translates a response schema to a reference to a component, one for each schema. */
  toNamedOutput(schema: ZodType, name: string): JsonObject
  /** Makes a translated schema a component, unless it is a reference already. */
  toComponent(json: JsonObject, name: string): JsonObject
}

const prefix = '#/components/schemas/'
const suffixes: Readonly<Record<Side, string>> = { input: 'Input', output: 'Output' }

// `resources` are the names of the schemas that responses consist of, `problem` is the schema of errors.
export function createSchemaComponents(
  resources: ReadonlyMap<core.$ZodType, string> = new Map(),
  problem: JsonObject = {},
): SchemaComponents {
  const schemas: Record<string, JsonObject> = {}
  const named: Readonly<Record<Side, Map<core.$ZodType, string>>> = {
    input: new Map(),
    output: new Map(),
  }

  function toReference(schema: core.$ZodType): JsonObject | undefined {
    if (problems.has(schema)) return problem
    const name = documents.has(schema) ? resources.get(schema) : undefined
    return name === undefined ? undefined : { $ref: prefix + (named.output.get(schema) ?? name) }
  }

  function translate(schema: core.$ZodType, side: Side, name: string): JsonObject {
    const found = findComponents(schema, side, name)
    const targets = [...found.keys()]
    const { $defs = {}, ...json } = toJson(schema, { side, targets, toReference })
    const names = new Map<string, Component>()
    const definitions = Object.entries($defs).map(([key, { [mark]: index, ...definition }]) => {
      const target = targets[Number(index)]
      const { json: own, schema: part, list } = toItem(definition, target)
      const known = part && named[side].get(part)
      const resource = part && side === 'output' ? resources.get(part) : undefined
      const id = part && z.globalRegistry.get(part)?.id
      const wanted = id ?? resource ?? (target && found.get(target)) ?? key
      const free = known ?? claim(schemas, wanted, own, suffixes[side])
      if (part) named[side].set(part, free)
      names.set(key, { name: free, list })
      return [free, own] as const
    })
    // The schema contains itself.
    const own = JSON.stringify([json, $defs]).includes('"$ref":"#"')
      ? (named[side].get(schema) ?? claim(schemas, name, json, suffixes[side]))
      : undefined
    if (own !== undefined) names.set('', { name: own, list: undefined })
    for (const [free, definition] of definitions) schemas[free] = rename(definition, names)
    if (own === undefined) return rename(json, names)
    named[side].set(schema, own)
    schemas[own] = rename(json, names)
    return { $ref: prefix + own }
  }

  const toComponent = (json: JsonObject, name: string): JsonObject =>
    '$ref' in json ? json : { $ref: prefix + add(schemas, name, json) }

  return {
    schemas,
    toComponent,
    toInput: (schema, name = 'Schema') => translate(schema, 'input', name),
    toOutput: (schema, name = 'Schema') => translate(schema, 'output', name),
    toNamedOutput(schema, name) {
      const known = named.output.get(schema)
      if (known !== undefined) return { $ref: prefix + known }
      const wanted = schema.meta()?.id ?? name
      const reference = toComponent(translate(schema, 'output', wanted), wanted)
      named.output.set(schema, String(reference['$ref']).slice(prefix.length))
      return reference
    },
  }
}

// The position of a schema that becomes a component, which its name is found by.
const mark = 'x-component'

type Options = NonNullable<Parameters<typeof z.toJSONSchema>[1]>
type Override = NonNullable<Options['override']>

interface Translated extends JsonObject {
  readonly $defs?: Readonly<Record<string, JsonObject>>
}

interface Translation {
  readonly side: Side
  readonly targets: readonly core.$ZodType[]
  /** The reference that a schema inside another one is replaced by. */
  readonly toReference: (schema: core.$ZodType) => JsonObject | undefined
}

function toJson(schema: core.$ZodType, { side, targets, toReference }: Translation): Translated {
  const override: Override = (context) => {
    const { jsonSchema, zodSchema } = context
    Object.assign(
      jsonSchema,
      describeRestriction(zodSchema, jsonSchema),
      describeText(zodSchema),
      describeLength(zodSchema, side),
      describeDiscriminator(zodSchema, jsonSchema.oneOf ?? []),
    )
    if (side === 'output') open(context)
    else close(context)
    const target = targets.indexOf(zodSchema)
    if (target !== -1) jsonSchema[mark] = target
    const reference = zodSchema === schema ? undefined : toReference(zodSchema)
    if (reference) replace(jsonSchema, reference)
    const { examples } = jsonSchema
    if (examples) jsonSchema.examples = examples.map(toPlain)
  }
  const options = { io: side, unrepresentable: 'any', override } as const
  const { $schema: _, $id: __, id: ___, [mark]: ____, ...json } = z.toJSONSchema(schema, options)
  return json
}

function replace(json: JsonObject, by: JsonObject): void {
  for (const key of Object.keys(json)) delete json[key]
  Object.assign(json, by)
}

// Clients ignore unknown members, so a response may gain members.
const open: Override = ({ jsonSchema }) => {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
}

const close: Override = ({ jsonSchema, zodSchema }) => {
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
  if (schema instanceof z.ZodLiteral && [...schema.values].some((one) => typeof one === 'bigint')) {
    const values = Array.from(schema.values, (one) => (typeof one === 'bigint' ? String(one) : one))
    return { type: undefined, const: undefined, enum: values }
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

// By the value of the key. The options become references later.
const optionsKey = 'x-options'

function describeDiscriminator(schema: core.$ZodType, options: readonly unknown[]): object {
  if (!(schema instanceof z.ZodDiscriminatedUnion)) return {}
  const { discriminator: propertyName } = schema.def
  const entries = schema.options.flatMap(({ _zod }, index) =>
    Array.from(_zod.propValues?.[propertyName] ?? [], (value) => [value, options[index]] as const),
  )
  if (entries.some(([value, option]) => typeof value !== 'string' || !option)) return {}
  return { discriminator: { propertyName, [optionsKey]: Object.fromEntries(entries) } }
}

// OpenAPI ignores inline options: a union of them has no discriminator.
function toDiscriminator({ propertyName, [optionsKey]: options }: JsonObject): unknown {
  const entries = Object.entries(Object(options)).map(([value, option]) => [
    value,
    Object(option)['$ref'],
  ])
  const isNamed = entries.every(([, reference]) => reference !== undefined)
  return isNamed ? { propertyName, mapping: Object.fromEntries(entries) } : undefined
}

// JSON Schema has bounds of numbers only.
function toBounds(minimum: string | undefined, maximum: string | undefined): object {
  return {
    ...(minimum !== undefined && { 'x-minimum': minimum }),
    ...(maximum !== undefined && { 'x-maximum': maximum }),
  }
}

function add(schemas: Record<string, JsonObject>, name: string, json: JsonObject): string {
  const free = claim(schemas, name, json)
  schemas[free] = json
  return free
}

// A schema that another one has the name of gets the suffix, or else a number.
function claim(
  schemas: Record<string, JsonObject>,
  name: string,
  json: unknown,
  suffix = '',
): string {
  const wanted = name.replaceAll(/[^\w.-]/g, '')
  const isTaken = (other: string): boolean =>
    Object.hasOwn(schemas, other) && JSON.stringify(schemas[other]) !== JSON.stringify(json)
  let free = isTaken(wanted) ? wanted + suffix : wanted
  for (let count = 2; isTaken(free); count++) free = `${wanted}${count}`
  schemas[free] ??= {}
  return free
}

interface Component {
  readonly name: string
  /** The keywords of a list whose items are the component, without `items`. */
  readonly list: JsonObject | undefined
}

interface Item {
  readonly json: JsonObject
  readonly schema: core.$ZodType | undefined
  readonly list: JsonObject | undefined
}

// The component of a list that contains itself is that of its items: several languages have no name for such a list.
function toItem(json: JsonObject, schema: core.$ZodType | undefined): Item {
  const { items, ...list } = json
  const isOwn = schema instanceof z.ZodArray && z.globalRegistry.get(schema)?.id === undefined
  if (!isOwn || !isJsonObject(items) || '$ref' in items) return { json, schema, list: undefined }
  return { json: items, schema: schema.element, list }
}

function rename(json: unknown, names: ReadonlyMap<string, Component>): JsonObject {
  const renamed: unknown = JSON.parse(JSON.stringify(json), (key, value: unknown) => {
    if (!isJsonObject(value)) return value
    if (key === 'discriminator' && Object.hasOwn(value, optionsKey)) return toDiscriminator(value)
    if (typeof value['$ref'] !== 'string') return value
    const { $ref: reference, ...beside } = value
    const found = names.get(reference.replace(/^#(\/\$defs\/)?/, ''))
    if (!found) return value
    const target = { $ref: prefix + found.name }
    return { ...(found.list ? { ...found.list, items: target } : target), ...beside }
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
