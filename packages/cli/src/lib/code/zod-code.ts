import { type Field, isNumeric, isTextual, type ValueType } from '../fields/field.ts'
import { atom, type Call, chain, type Code, list, number, object, regex, text } from './code.ts'

/** Longest texts and lists, unless the field says otherwise: nothing a client sends is unbounded. */
export const limits = { string: 200, text: 10_000, email: 254, url: 2048, list: 100 } as const

/**
 * Writes the Zod schema of a field as a client sends it.
 *
 * @param field the field
 * @returns the expression
 */
export function toZodCode(field: Field): Code {
  const { head, calls } = field.array ? toArray(field) : toValue(field)
  return chain(head, [...calls, ...toPresence(field)])
}

/**
 * Writes the fields of an object whose fields are known.
 *
 * @param fields the fields
 * @param toCode writes one of them
 * @returns an object, one member a field
 */
export function membersCode(fields: readonly Field[], toCode: (field: Field) => Code): Code {
  return object(fields.map((field) => [field.name, toCode(field)]))
}

interface Chain {
  readonly head: string
  readonly calls: readonly Call[]
}

function toArray(field: Field): Chain {
  const { head, calls } = toValue({ ...field, required: true, min: undefined, max: undefined })
  return {
    head: 'z',
    calls: [
      call('array', chain(head, calls)),
      ...(field.min === undefined ? [] : [call('min', number(field.min))]),
      call('max', number(field.max ?? limits.list)),
    ],
  }
}

function toPresence(field: Field): readonly Call[] {
  if (field.default !== undefined) return [call('default', toDefault(field.default))]
  if (field.required) return []
  return [field.array ? call('default', list([])) : call('optional')]
}

function toDefault(value: NonNullable<Field['default']>): Code {
  if (typeof value === 'string') return text(value)
  if (typeof value === 'number') return number(value)
  if (typeof value === 'boolean') return atom(String(value))
  return atom('() => new Date().toISOString()', 2)
}

function toValue(field: Field): Chain {
  const { type } = field
  if (isTextual(type.kind)) return toTextual(field)
  if (isNumeric(type.kind)) return toNumeric(field)
  if (type.kind === 'enum') {
    return { head: 'z', calls: [call('enum', list(type.values.map(text)))] }
  }
  if (type.kind === 'shape') {
    return { head: 'z', calls: [call('strictObject', membersCode(type.fields, toZodCode))] }
  }
  return simple(type, field.required)
}

function simple(type: ValueType, required: boolean): Chain {
  switch (type.kind) {
    case 'boolean':
      return { head: 'z', calls: [call('boolean')] }
    case 'uuid':
      return { head: 'z', calls: [call('uuid')] }
    case 'date':
      return { head: 'instant', calls: [] }
    case 'object':
      return { head: 'z', calls: [call('record', boundedKey, chain('z', [call('unknown')]))] }
    case 'any':
      return { head: 'z', calls: [call('unknown'), ...(required ? [presentCall] : [])] }
    default:
      return { head: 'objectId', calls: [] }
  }
}

const boundedKey = chain('z', [call('string'), call('max', number(limits.string))])

// An unknown value may be absent, a required one may not.
const presentCall = call('refine', atom('(value) => value != null', 2), text('is required'))

function toTextual(field: Field): Chain {
  const { kind } = field.type
  const max = call('max', number(field.max ?? maximum(kind)))
  const min = field.min ?? (field.required ? 1 : 0)
  const least = min > 0 ? [call('min', number(min))] : []
  const match = field.match === undefined ? [] : [call('regex', regex(field.match))]
  switch (kind) {
    case 'email':
      return { head: 'z', calls: [call('email'), max, call('toLowerCase')] }
    case 'url': {
      const web = object([['protocol', regex('^https?$')]])
      return { head: 'z', calls: [call('url', web), max] }
    }
    case 'text':
      return { head: 'z', calls: [call('string'), ...least, max, ...match] }
    default:
      return { head: 'z', calls: [call('string'), call('trim'), ...least, max, ...match] }
  }
}

function maximum(kind: string): number {
  if (kind === 'text') return limits.text
  if (kind === 'email') return limits.email
  return kind === 'url' ? limits.url : limits.string
}

function toNumeric(field: Field): Chain {
  if (field.type.kind === 'decimal') return toDecimal(field)
  if (field.type.kind === 'int') {
    // z.int() is bounded by the safe integers itself.
    const bounds = [...bound('min', field.min), ...bound('max', field.max)]
    return { head: 'z', calls: [call('int'), ...bounds] }
  }
  const min = field.min === undefined ? atom('Number.MIN_SAFE_INTEGER') : number(field.min)
  const max = field.max === undefined ? atom('Number.MAX_SAFE_INTEGER') : number(field.max)
  return { head: 'z', calls: [call('number'), call('min', min), call('max', max)] }
}

function toDecimal({ max, min }: Field): Chain {
  const bounds: [string, Code][] = []
  if (min !== undefined) bounds.push(['min', number(min)])
  if (max !== undefined) bounds.push(['max', number(max)])
  return { head: `decimal(${bounds.length > 0 ? object(bounds).flat : ''})`, calls: [] }
}

function bound(name: string, value: number | undefined): readonly Call[] {
  return value === undefined ? [] : [call(name, number(value))]
}

function call(name: string, ...args: readonly Code[]): Call {
  return { name, args }
}
