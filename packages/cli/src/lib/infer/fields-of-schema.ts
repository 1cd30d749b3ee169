import {
  type Document,
  isJson,
  type Json,
  toJson,
  toList,
  Unsupported,
} from '../client/document.ts'
import {
  chooseReference,
  type FindModel,
  findFault,
  findNameFault,
  guess,
  type Inference,
  type InferredField,
  type InferredType,
} from './inference.ts'

interface Type extends InferredType {
  readonly isNullable?: boolean
  /** The schema of an object with known members. */
  readonly members?: Json
}

export interface SchemaSource {
  readonly document: Document
  readonly schema: Json
  /** Its name for messages. */
  readonly name: string
}

// Reads the fields of an object schema of OpenAPI 3.0 or 3.1. Keywords without an equal in the grammar are named.
export function readFields(
  { document, name: source, schema }: SchemaSource,
  findModel: FindModel,
): Inference {
  const fields: InferredField[] = []
  const omitted: { name: string; reason: string }[] = []
  addMembers(flatten(document, schema, []), { prefix: '', followed: referencesOf(schema) })
  return { source, fields, omitted }

  function addMembers(
    object: Json,
    { followed, prefix }: { prefix: string; followed: readonly string[] },
  ): void {
    const required = toList(object['required'])
    for (const [name, member] of Object.entries(toJson(object['properties']))) {
      const path = prefix + name
      const field = { name, path, isRequired: required.includes(name) }
      const reason = addField(toJson(member), field, followed)
      if (reason !== undefined) omitted.push({ name: path, reason })
    }
  }

  // Returns why it is left out.
  function addField(
    member: Json,
    {
      isRequired,
      name,
      path,
    }: { readonly name: string; readonly path: string; readonly isRequired: boolean },
    followed: readonly string[],
  ): string | undefined {
    const nameFault = findNameFault(name, path)
    if (nameFault !== undefined) return nameFault
    const flat = flatten(document, member, followed)
    if (flat['readOnly'] === true) return 'is read-only, so the service sets it'
    if (flat['writeOnly'] === true) return 'is write-only, and would be in responses'
    const type = accept(chooseType(flat, { document, findModel, path, followed }), { name, path })
    const isOptional = !isRequired || type.isNullable === true
    const suffix = !isOptional || /^array:|:default=/.test(type.text) ? '' : ':optional'
    const argument = `${path}:${type.text}${suffix}`
    const reason = [type.isNullable ? 'null is stored as absent' : '', type.reason]
    const isImplied = type.members !== undefined && argument === `${path}:object`
    if (!isImplied) {
      const { certainty } = type
      fields.push({ argument, certainty, reason: reason.filter(Boolean).join(', ') })
    }
    if (type.members) {
      addMembers(type.members, {
        prefix: `${path}.`,
        followed: [...followed, ...referencesOf(member)],
      })
    }
    return undefined
  }
}

// A type without the modifiers or values that the grammar does not take, such as a pattern with other flags.
function accept(type: Type, place: { readonly name: string; readonly path: string }): Type {
  const fault = findFault(`${place.path}:${type.text}`, place)
  if (fault === undefined) return type
  const [kind = 'any'] = splitModifiers(type.text)
  const text = kind.replace(/enum:.*/s, 'string')
  return { ...type, text, certainty: 'guess', reason: `not checked: ${fault}` }
}

interface Context {
  readonly document: Document
  readonly findModel: FindModel
  readonly path: string
  readonly followed: readonly string[]
}

function referencesOf({ $ref, items }: Json): readonly string[] {
  const own = typeof $ref === 'string' ? [$ref] : []
  return isJson(items) ? [...own, ...referencesOf(items)] : own
}

// Follows `$ref`, and merges the parts of `allOf`.
function flatten(document: Document, schema: Json, followed: readonly string[]): Json {
  const { $ref } = schema
  if (typeof $ref === 'string' && followed.includes($ref)) return { isRecursive: true }
  const own = resolve(document, schema)
  const { allOf, ...rest } = own
  const parts = toList(allOf).map((part) =>
    flatten(document, toJson(part), typeof $ref === 'string' ? [...followed, $ref] : followed),
  )
  if (parts.length === 0) return own
  const all = [...parts, rest]
  return {
    ...Object.assign({}, ...all),
    properties: Object.assign({}, ...all.map((part) => toJson(part['properties']))),
    required: all.flatMap((part) => toList(part['required'])),
  }
}

function resolve(document: Document, schema: Json): Json {
  try {
    const { $ref, ...siblings } = schema
    return { ...document.resolve($ref === undefined ? schema : { $ref }), ...siblings }
  } catch (error) {
    if (error instanceof Unsupported) return { unsupported: error.message }
    throw error
  }
}

function chooseType(schema: Json, context: Context): Type {
  if (schema['isRecursive'] === true) return guess('object', 'the schema contains itself')
  if (typeof schema['unsupported'] === 'string') return guess('any', schema['unsupported'])
  const { isNullable, schema: value } = unwrapNull(schema, context)
  const type = chooseValue(value, context)
  return isNullable ? { ...type, isNullable } : type
}

// `nullable` of 3.0, `type: [string, null]` and alternatives with null of 3.1.
function unwrapNull(
  schema: Json,
  { document, followed }: Context,
): { isNullable: boolean; schema: Json } {
  const { anyOf, oneOf, type, ...rest } = schema
  const types = toList(type).filter((one) => one !== 'null')
  if (Array.isArray(type) && types.length < type.length) {
    return { isNullable: true, schema: { ...schema, type: types.length === 1 ? types[0] : types } }
  }
  const alternatives = [...toList(anyOf), ...toList(oneOf)].map((one) =>
    flatten(document, toJson(one), followed),
  )
  const others = alternatives.filter((one) => one['type'] !== 'null')
  const [only] = others
  if (alternatives.length > 0 && others.length === 1 && only) {
    return { isNullable: others.length < alternatives.length, schema: { ...rest, ...only } }
  }
  return {
    isNullable: schema['nullable'] === true || toList(schema['enum']).includes(null),
    schema,
  }
}

function chooseValue(schema: Json, context: Context): Type {
  if (toList(schema['anyOf']).length + toList(schema['oneOf']).length > 0) {
    return guess('any', 'one of several schemas')
  }
  switch (toTypeName(schema)) {
    case 'boolean':
      return describe(schema, 'boolean', toDefault(schema), ['enum', 'const'])
    case 'integer':
      return describe(
        schema,
        'int',
        [...toRange(schema, true), ...toDefault(schema)],
        ['multipleOf', 'enum', 'const'],
      )
    case 'number': {
      const isDecimal = schema['format'] === 'decimal'
      const untranslated = ['multipleOf', 'exclusiveMinimum', 'exclusiveMaximum', 'enum', 'const']
      return describe(
        schema,
        isDecimal ? 'decimal' : 'number',
        [...toRange(schema, false), ...toDefault(schema)],
        untranslated,
      )
    }
    case 'string':
      return chooseText(schema, context)
    case 'array':
      return chooseList(schema, context)
    case 'object':
      return chooseObject(schema)
    default:
      return guess('any', 'no type')
  }
}

function toTypeName(schema: Json): unknown {
  const { const: constant, enum: values, type } = schema
  if (type !== undefined) return type
  if (isJson(schema['properties'])) return 'object'
  if (isJson(schema['items'])) return 'array'
  const all = constant === undefined ? toList(values) : [constant]
  return all.length > 0 && all.every((value) => typeof value === 'string') ? 'string' : undefined
}

// Keywords that the type has no modifier for are not checked by the generated code.
function describe(
  schema: Json,
  kind: string,
  modifiers: readonly string[],
  untranslated: readonly string[],
): Type {
  const left = untranslated.filter(
    (keyword) => schema[keyword] !== undefined && schema[keyword] !== false,
  )
  return {
    text: [kind, ...modifiers].join(':'),
    certainty: left.length > 0 ? 'guess' : 'certain',
    reason: left.length > 0 ? `not checked: ${left.join(', ')}` : '',
  }
}

function toRange(schema: Json, isWhole: boolean): readonly string[] {
  const least = toBound(schema, ['minimum', 'exclusiveMinimum'], isWhole ? 1 : undefined)
  const greatest = toBound(schema, ['maximum', 'exclusiveMaximum'], isWhole ? -1 : undefined)
  return [
    ...(least === undefined ? [] : [`min=${isWhole ? Math.ceil(least) : least}`]),
    ...(greatest === undefined ? [] : [`max=${isWhole ? Math.floor(greatest) : greatest}`]),
  ]
}

// An exclusive bound is a number in 3.1, and in 3.0 a flag beside the bound. Whole numbers have a next one.
function toBound(
  schema: Json,
  [name, exclusive]: readonly [string, string],
  step: number | undefined,
): number | undefined {
  const bound = schema[name]
  const flag = schema[exclusive]
  if (typeof flag === 'number') return step === undefined ? flag : flag + step
  if (typeof bound !== 'number') return undefined
  return flag === true && step !== undefined ? bound + step : bound
}

function toDefault({ default: value }: Json): readonly string[] {
  if (typeof value === 'string') return [`default=${value.replaceAll(':', String.raw`\:`)}`]
  return typeof value === 'number' || typeof value === 'boolean' ? [`default=${value}`] : []
}

const formats: ReadonlyMap<string, string> = new Map(
  Object.entries({
    date: 'day',
    'date-time': 'date',
    email: 'email',
    uri: 'url',
    url: 'url',
    uuid: 'uuid',
    decimal: 'decimal',
    objectid: 'objectid',
  }),
)

function chooseText(schema: Json, { findModel, path }: Context): Type {
  const { const: constant, enum: values, format, pattern } = schema
  const choices = (constant === undefined ? toList(values) : [constant]).filter(
    (value) => typeof value === 'string',
  )
  if (choices.length > 0)
    return describe(schema, `enum:${choices.join(',')}`, toDefault(schema), [])
  if (typeof pattern === 'string' && /^\^\[0-9a-f(A-F)?\]\{24\}\$$/i.test(pattern)) {
    return chooseReference(path, findModel)
  }
  const kind = typeof format === 'string' ? formats.get(format) : undefined
  return kind === undefined
    ? choosePlainText(schema)
    : describe(schema, kind, toDefault(schema), ['pattern', 'minLength'])
}

function choosePlainText(schema: Json): Type {
  const { maxLength, minLength, pattern } = schema
  const limit = typeof maxLength === 'number' ? maxLength : undefined
  const kind = limit !== undefined && limit > 200 ? 'text' : 'string'
  const modifiers = [
    ...(typeof minLength === 'number' && minLength > 0 ? [`min=${minLength}`] : []),
    ...(limit === undefined ? [] : [`max=${limit}`]),
    ...(typeof pattern === 'string' ? [`match=${pattern.replaceAll(':', String.raw`\:`)}`] : []),
    ...toDefault(schema),
  ]
  const type = describe(schema, kind, modifiers, ['format'])
  return limit === undefined && type.reason === ''
    ? { ...type, certainty: 'likely', reason: 'no maxLength: at most 200 characters' }
    : type
}

function chooseList(schema: Json, context: Context): Type {
  const { items, maxItems, minItems } = schema
  if (!isJson(items)) return guess('array:any', 'no items')
  const item = chooseType(flatten(context.document, items, context.followed), context)
  if (item.text.startsWith('array:')) return guess('any', 'lists in lists')
  if (item.isNullable) return guess('any', 'null in lists')
  // The modifiers of a list are about its length.
  const [kind = '', ...others] = splitModifiers(item.text)
  const { reason } = describe(schema, kind, [], ['uniqueItems', 'contains', 'default'])
  const lost =
    others.length === 0
      ? ''
      : `not checked in items: ${others.map((one) => one.split('=', 1)[0]).join(', ')}`
  const why = [item.reason, reason, lost].filter(Boolean).join(', ')
  const bounds = [
    ...(typeof minItems === 'number' && minItems > 0 ? [`min=${minItems}`] : []),
    ...(typeof maxItems === 'number' ? [`max=${maxItems}`] : []),
  ]
  return {
    ...item,
    text: ['array', kind, ...bounds].join(':'),
    certainty: reason === '' && lost === '' ? item.certainty : 'guess',
    reason: why,
  }
}

function splitModifiers(text: string): readonly string[] {
  const [, kind = text, modifiers = ''] =
    /^(.*?)((?::(?:min|max|match|default)=.*)?)$/s.exec(text) ?? []
  return [kind, ...modifiers.split(/:(?=(?:min|max|match|default)=)/).filter(Boolean)]
}

function chooseObject(schema: Json): Type {
  const members = toJson(schema['properties'])
  if (Object.keys(members).length === 0)
    return { text: 'object', certainty: 'likely', reason: 'no properties' }
  const type = describe(
    schema,
    'object',
    [],
    ['patternProperties', 'minProperties', 'maxProperties', 'default'],
  )
  return { ...type, members: schema }
}
