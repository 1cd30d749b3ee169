import { atom, chain, type Code, list, number, object, quote, text } from '../code/code.ts'
import { limits, membersCode } from '../code/zod-code.ts'
import { type Field, isNumeric } from '../fields/field.ts'
import { exampleOf } from './example-of.ts'

/**
 * Writes an expression that gives valid values for a field, different ones while `count` grows
 * where the type allows it.
 *
 * @param field the field
 * @returns the expression
 */
export function toSampleCode(field: Field): Code {
  if (!field.array) return toValueCode(field)
  const element = toValueCode({ ...field, array: false, min: undefined, max: undefined })
  const size = Math.max(field.min ?? 0, Math.min(1, field.max ?? 1))
  if (size <= 3) return list(Array.from({ length: size }, () => element))
  const fill = object([['length', number(size)]])
  return chain('Array', [{ name: 'from', args: [fill, atom(`() => ${element.flat}`, 2)] }])
}

/**
 * Tells whether two samples of a field differ.
 *
 * @param field the field
 * @returns false for types that have one sample only
 */
export function variesInSample(field: Field): boolean {
  return !field.array && toSampleCode(field).flat.includes('count')
}

/**
 * Writes what a client reads when it has left a field out.
 *
 * @param field the field
 * @returns the expression, or `undefined` for a field that is then absent or must be sent
 */
export function defaultCode(field: Field): string | undefined {
  if (field.required) return undefined
  if (field.array) return '[]'
  const { default: value } = field
  if (value === undefined) return undefined
  if (typeof value === 'string') return text(value).flat
  if (typeof value === 'number') return number(value).flat
  return typeof value === 'boolean' ? String(value) : 'expect.any(String)'
}

/**
 * Writes a value of the wrong kind for a field.
 *
 * @param field the field
 * @returns the expression, or `undefined` when every value is right
 */
export function wrongCode(field: Field): string | undefined {
  if (field.type.kind === 'any' && !field.array) return undefined
  if (field.array) return "'no list'"
  const { kind } = field.type
  if (field.match !== undefined) return '1'
  if (kind === 'string' || kind === 'text') {
    const { flat } = number(field.max ?? limits[kind])
    return `'x'.repeat(${flat} + 1)`
  }
  if (isNumeric(kind)) return wrongNumber(field)
  return kind === 'boolean' || kind === 'object' || kind === 'shape' ? "'nope'" : "'nope nope'"
}

function wrongNumber({ max, type }: Field): string {
  if (max !== undefined) return `${number(max).flat} + 1`
  // A decimal may be text.
  return type.kind === 'decimal' ? 'true' : "'1'"
}

function toValueCode(field: Field): Code {
  switch (field.type.kind) {
    case 'enum':
      return text(field.type.values.at(-1) ?? '')
    case 'boolean':
      return atom('count % 2 === 0')
    case 'int':
      return toNumberCode(field, true)
    case 'number':
      return toNumberCode(field, false)
    case 'decimal':
      return atom(`String(${toNumberCode(field, false).flat})`)
    case 'string':
    case 'text':
      return toTextCode(field)
    default:
      return toFixedCode(field)
  }
}

function toFixedCode(field: Field): Code {
  switch (field.type.kind) {
    case 'email':
      return atom('`person-${count}@example.org`')
    case 'url':
      return atom('`https://example.org/${count}`')
    case 'uuid':
      return atom("`00000000-0000-4000-8000-${String(count).padStart(12, '0')}`")
    case 'date':
      return atom('new Date(Date.UTC(2026, 0, 1, 0, 0, count)).toISOString()')
    case 'object':
      return object([['note', atom('`note ${count}`')]])
    case 'any':
      return atom('`anything ${count}`')
    case 'shape':
      return membersCode(field.type.fields, toSampleCode)
    case 'ref':
      return atom(`references.${field.name}`)
    default:
      return atom("String(count).padStart(24, '0')")
  }
}

function toTextCode(field: Field): Code {
  const max = field.max ?? limits[field.type.kind === 'text' ? 'text' : 'string']
  const min = Math.max(field.min ?? 1, 1)
  if (field.match !== undefined) return toMatchingCode(field, { min, max })
  const label = `${field.name} `
  // Four digits are more documents than any test makes.
  if (label.length + 4 <= max) {
    const sample = `\`${label}\${count}\``
    return atom(min > label.length ? `${sample}.padEnd(${min}, 'x')` : sample)
  }
  if (max >= 4) return atom(`String(count).padStart(${Math.max(min, 1)}, '0')`)
  return atom(`String(count % ${10 ** max}).padStart(${min}, '0')`)
}

function toMatchingCode(field: Field, bounds: { min: number; max: number }): Code {
  const source = field.match ?? ''
  const examples = exampleOf(source, bounds)
  const varied = examples.map((example) => varyDigits(source, example)).find(isDefined)
  if (varied !== undefined) return atom(varied)
  if (examples.length < 2) return text(examples[0] ?? '')
  const items = list(examples.map((example) => text(example))).flat
  return atom(`${items}[count % ${examples.length}]`)
}

// Finds a place in an example where any digits will do, and puts the count there.
function varyDigits(source: string, example: string): string | undefined {
  const pattern = new RegExp(source)
  for (const length of [4, 3]) {
    const numbers = [1, 26, 907].map((value) => String(value).padStart(length, '0'))
    for (let at = example.length - length; at >= 0; at -= 1) {
      const [before, after] = [example.slice(0, at), example.slice(at + length)]
      if (!numbers.every((digits) => pattern.test(before + digits + after))) continue
      const count = `String(count).padStart(${length}, '0')`
      const parts = [before === '' ? '' : quote(before), count, after === '' ? '' : quote(after)]
      return parts.filter((part) => part !== '').join(' + ')
    }
  }
  return undefined
}

function isDefined(value: string | undefined): value is string {
  return value !== undefined
}

function toNumberCode(field: Field, whole: boolean): Code {
  const { max, min } = field
  if (max === undefined) return atom(min === undefined || min === 0 ? 'count' : plus(min))
  if (min === undefined) return atom(`${number(max).flat} - count`)
  const room = Math.floor(max - min)
  if (room < 1) return number(whole ? Math.ceil(min) : min)
  const step = `(count % ${number(room + 1).flat})`
  return atom(min === 0 ? step.slice(1, -1) : `${number(min).flat} + ${step}`)
}

function plus(min: number): string {
  return `${number(min).flat} + count`
}
