import { type Field, type ValueType } from '../fields/field.ts'
import { atom, type Code, invoke, list, number, object, regex, text } from './code.ts'
import { membersCode } from './zod-code.ts'

type Entry = readonly [string, Code]

/**
 * Writes the Mongoose path of a field.
 *
 * @param field the field
 * @returns the expression
 */
export function toMongooseCode(field: Field): Code {
  if (!field.array) return object([...typeEntries(field), ...ownEntries(field)])
  const element = { ...field, min: undefined, max: undefined }
  const items = list([field.type.kind === 'shape' ? typeCode(field) : object(typeEntries(element))])
  const index: readonly Entry[] = field.index ? [['index', atom('true')]] : []
  return index.length === 0 ? items : object([['type', items], ...index])
}

/**
 * Tells whether a resource stores empty objects, which Mongoose drops unless told otherwise.
 *
 * @param fields the fields
 * @returns true when one of them is an object or anything
 */
export function keepsEmptyObjects(fields: readonly Field[]): boolean {
  return fields.some(({ type }) => {
    if (type.kind === 'shape') {
      return keepsEmptyObjects(type.fields) || type.fields.every(({ required }) => !required)
    }
    return type.kind === 'object' || type.kind === 'any'
  })
}

function typeEntries(field: Field): readonly Entry[] {
  const { type } = field
  const entries: Entry[] = [['type', typeCode(field)]]
  if (type.kind === 'ref') entries.push(['ref', text(type.model)])
  if (type.kind === 'enum') entries.push(['enum', list(type.values.map(text))])
  if (field.required && !field.array) entries.push(['required', atom('true')])
  return [...entries, ...textEntries(field), ...numberEntries(field)]
}

// Without an id of its own: a client neither sends nor reads one.
function typeCode({ type }: Field): Code {
  if (type.kind !== 'shape') return atom(constructorOf(type))
  const members = membersCode(type.fields, toMongooseCode)
  return invoke('new Schema', [members, object([['_id', atom('false')]])])
}

function constructorOf(type: ValueType): string {
  switch (type.kind) {
    case 'int':
    case 'number':
      return 'Number'
    case 'decimal':
      return 'Schema.Types.Decimal128'
    case 'boolean':
      return 'Boolean'
    case 'date':
      return 'Date'
    case 'ref':
    case 'objectid':
      return 'Schema.Types.ObjectId'
    case 'object':
    case 'any':
      return 'Schema.Types.Mixed'
    default:
      return 'String'
  }
}

// Lengths are for the schema of the body to judge: Mongoose counts UTF-16 units, and clients, like
// JSON Schema, count characters.
function textEntries({ match, type }: Field): readonly Entry[] {
  if (type.kind === 'email') return [['lowercase', atom('true')]]
  if (type.kind !== 'string' && type.kind !== 'text') return []
  const entries: Entry[] = type.kind === 'string' ? [['trim', atom('true')]] : []
  return match === undefined ? entries : [...entries, ['match', regex(match)]]
}

function numberEntries(field: Field): readonly Entry[] {
  if (field.type.kind !== 'int' && field.type.kind !== 'number') return []
  const entries: Entry[] = []
  if (field.min !== undefined) entries.push(['min', number(field.min)])
  if (field.max !== undefined) entries.push(['max', number(field.max)])
  return entries
}

function ownEntries(field: Field): readonly Entry[] {
  const entries: Entry[] = []
  if (field.default !== undefined) entries.push(['default', defaultCode(field.default)])
  if (field.unique) entries.push(['unique', atom('true')])
  if (field.index) entries.push(['index', atom('true')])
  // Two documents without the value would count as two with the same one.
  if (field.sparse || (field.unique && !field.required && field.default === undefined)) {
    entries.push(['sparse', atom('true')])
  }
  return entries
}

function defaultCode(value: NonNullable<Field['default']>): Code {
  if (typeof value === 'string') return text(value)
  if (typeof value === 'number') return number(value)
  return atom(typeof value === 'boolean' ? String(value) : 'Date.now', 0)
}
