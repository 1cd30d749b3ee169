import { type Field } from './field.ts'
import { type DefaultValue } from './field-type.ts'
import { toFieldType } from './field-types.ts'
import { list, number, object, text } from '../code/literals.ts'

// Code for a field. What depends on its type is in the table of field types; arrays, objects with
// fields, presence and defaults are handled here.

const maxItems = 100

// The schema of what a client sends.
export function toZodCode(field: Field): string {
  if (field.type.kind === 'modelled') return field.type.code.zod
  const { default: value, max = maxItems, min } = field
  const code = field.array
    ? `z.array(${zodValue({ ...toElement(field), required: true })})` +
      `${min === undefined ? '' : `.min(${number(min)})`}.max(${number(max)})`
    : zodValue(field)
  if (value !== undefined) {
    return `${code}.default(${toLiteral(value, '() => new Date().toISOString()')})`
  }
  if (field.required) return code
  return code + (field.array ? '.default([])' : '.optional()')
}

function zodValue(field: Field): string {
  const { type } = field
  if (type.kind === 'shape') return `z.strictObject(${members(type.fields, toZodCode)})`
  return toFieldType(type.kind).zod(field)
}

// The path of a Mongoose schema.
export function toMongooseCode(field: Field): string {
  if (!field.array) return object([...mongooseType(field), ...mongooseOptions(field)])
  const { index, type } = field
  const item =
    type.kind === 'shape'
      ? subSchema(type.fields)
      : object(mongooseType({ ...toElement(field), required: false }))
  return index ? object([`type: ${list([item])}`, 'index: true']) : list([item])
}

function mongooseType(field: Field): readonly string[] {
  const { type } = field
  const required = field.required ? ['required: true'] : []
  if (type.kind === 'shape') return [`type: ${subSchema(type.fields)}`, ...required]
  const { mongoose, mongooseRules } = toFieldType(type.kind)
  return [...mongoose(field), ...required, ...(mongooseRules?.(field) ?? [])]
}

// Without an id: a client neither sends nor reads one.
function subSchema(fields: readonly Field[]): string {
  const minimize = keepsEmptyObjects(fields) ? ', minimize: false' : ''
  return `new Schema(${members(fields, toMongooseCode)}, { _id: false${minimize} })`
}

function mongooseOptions(field: Field): readonly string[] {
  const { default: value, index, required, unique } = field
  // Without `sparse` two documents without the value would count as duplicates.
  const sparse = field.sparse || (unique && !required && value === undefined)
  return [
    ...(value === undefined ? [] : [`default: ${toLiteral(value, 'Date.now')}`]),
    ...(unique ? ['unique: true'] : []),
    ...(index ? ['index: true'] : []),
    ...(sparse ? ['sparse: true'] : []),
  ]
}

// True for fields that may store empty objects, which Mongoose removes by default.
export function keepsEmptyObjects(fields: readonly Field[]): boolean {
  return fields.some(({ type }) =>
    type.kind === 'shape'
      ? keepsEmptyObjects(type.fields) || type.fields.every(({ required }) => !required)
      : toFieldType(type.kind).schemaless === true,
  )
}

// A valid value; one that contains `count` differs from call to call.
export function toSampleCode(field: Field): string {
  if (field.type.kind === 'modelled') return field.type.code.sample ?? 'undefined'
  if (!field.array) return sampleValue(field)
  const item = sampleValue(toElement(field))
  const size = Math.max(field.min ?? 0, Math.min(1, field.max ?? 1))
  if (size <= 3) return list(Array.from({ length: size }, () => item))
  return `Array.from({ length: ${number(size)} }, () => ${item})`
}

function sampleValue(field: Field): string {
  const { type } = field
  if (type.kind === 'shape') return members(type.fields, toSampleCode)
  return toFieldType(type.kind).sample(field)
}

export function variesInSample(field: Field): boolean {
  return !field.array && toSampleCode(field).includes('count')
}

// An invalid value; undefined when there is none.
export function toWrongCode(field: Field): string | undefined {
  if (field.type.kind === 'modelled') return field.type.code.wrong
  return field.array ? "'no list'" : toFieldType(field.type.kind).wrong?.(field)
}

// The value that a client reads after leaving the field out; undefined when the field is then absent.
export function toReadDefault(field: Field): string | undefined {
  if (field.required) return undefined
  if (field.type.kind === 'modelled') return field.type.code.readDefault
  if (field.array) return '[]'
  return field.default === undefined ? undefined : toLiteral(field.default, 'expect.any(String)')
}

// A value for documents stored before the field was added: its default, or the simplest valid one.
// Code that contains `count` differs from document to document.
export function toInitialCode(field: Field): string {
  const { default: value, type } = field
  if (field.array) {
    const item = { ...toElement(field), required: true }
    return list(Array.from({ length: field.min ?? 0 }, () => initialValue(item)))
  }
  if (value === undefined) return field.unique ? toDistinctCode(field) : initialValue(field)
  const { stored } = toFieldType(type.kind)
  return stored !== undefined && typeof value === 'string'
    ? stored(value)
    : toLiteral(value, 'new Date()')
}

function toDistinctCode(field: Field): string {
  const { type } = field
  const distinct = type.kind === 'shape' ? undefined : toFieldType(type.kind).distinct
  return distinct?.(field) ?? toSampleCode(field)
}

function initialValue(field: Field): string {
  const { type } = field
  if (type.kind === 'shape') return members(type.fields, toInitialCode)
  return toFieldType(type.kind).initial(field)
}

// The bounds of an array are those of its length.
function toElement(field: Field): Field {
  return { ...field, array: false, min: undefined, max: undefined }
}

function members(fields: readonly Field[], toCode: (field: Field) => string): string {
  return object(fields.map((field) => `${field.name}: ${toCode(field)}`))
}

function toLiteral(value: DefaultValue, now: string): string {
  if (typeof value === 'object') return now
  if (typeof value === 'string') return text(value)
  return typeof value === 'number' ? number(value) : String(value)
}
