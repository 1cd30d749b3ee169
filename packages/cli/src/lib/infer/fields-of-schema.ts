import { type Document, isJson, type Json, toJson, toList } from '../client/document.ts'
import { type FlatSchema, flattenSchema } from './flatten-schema.ts'
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
  /** The schema of an object with known members. */
  readonly members?: FlatSchema
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
  addMembers(flattenSchema(document, schema, []), '')
  return { source, fields, omitted }

  function addMembers({ followed, keywords }: FlatSchema, prefix: string): void {
    const required = toList(keywords['required'])
    for (const [name, member] of Object.entries(toJson(keywords['properties']))) {
      const flat = flattenSchema(document, toJson(member), followed)
      const isRequired = required.includes(name) && !flat.isNullable
      const reason = addField(flat, { name, path: prefix + name, isRequired })
      if (reason !== undefined) omitted.push({ name: prefix + name, reason })
    }
  }

  // Returns why it is left out.
  function addField(flat: FlatSchema, place: Place): string | undefined {
    const { isRequired, name, path } = place
    const nameFault = findNameFault(name, path)
    if (nameFault !== undefined) return nameFault
    if (flat.keywords['readOnly'] === true) return 'is read-only, so the service sets it'
    if (flat.keywords['writeOnly'] === true) return 'is write-only, and would be in responses'
    const type = accept(chooseType(flat, { document, findModel, path }), place)
    const suffix = isRequired || /^array:|:default=/.test(type.text) ? '' : ':optional'
    const argument = `${path}:${type.text}${suffix}`
    const reasons = [flat.isNullable ? 'null is stored as absent' : '', type.reason]
    // The members of an object that is required say that it is one.
    if (type.members === undefined || argument !== `${path}:object`) {
      const { certainty } = type
      fields.push({ argument, certainty, reason: reasons.filter(Boolean).join(', ') })
    }
    if (type.members) addMembers(type.members, `${path}.`)
    return undefined
  }
}

interface Place {
  readonly name: string
  readonly path: string
  readonly isRequired: boolean
}

// A type without the modifiers or values that the grammar does not take, such as a pattern with other flags.
function accept(type: Type, place: Place): Type {
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
}

function chooseType(flat: FlatSchema, context: Context): Type {
  if (flat.fallback) return flat.fallback
  const schema = flat.keywords
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
      return chooseList(flat, context)
    case 'object':
      return chooseObject(flat)
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

function chooseList({ followed, keywords: schema }: FlatSchema, context: Context): Type {
  const { items, maxItems, minItems } = schema
  if (!isJson(items)) return guess('array:any', 'no items')
  const flat = flattenSchema(context.document, items, followed)
  if (toTypeName(flat.keywords) === 'array') return guess('any', 'lists in lists')
  if (flat.isNullable) return guess('any', 'null in lists')
  const item = chooseType(flat, context)
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

function chooseObject(flat: FlatSchema): Type {
  const { keywords } = flat
  if (Object.keys(toJson(keywords['properties'])).length === 0) {
    return { text: 'object', certainty: 'likely', reason: 'no properties' }
  }
  const untranslated = ['patternProperties', 'minProperties', 'maxProperties', 'default']
  return { ...describe(keywords, 'object', [], untranslated), members: flat }
}
