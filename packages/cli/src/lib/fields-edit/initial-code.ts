import { atom, type Code, list, number, quote, text } from '../code/code.ts'
import { membersCode } from '../code/zod-code.ts'
import { type Field, isNumeric } from '../fields/field.ts'
import { exampleOf } from '../resource/example-of.ts'
import { toSampleCode } from '../resource/sample-code.ts'

/**
 * Writes a value for documents that were stored before a field was added: its default, or the
 * plainest value that is valid.
 *
 * @param field the field
 * @returns the expression; one that holds `count` differs from document to document
 */
export function toInitialCode(field: Field): Code {
  if (field.array) return toInitialList(field)
  if (field.default !== undefined) return toDefaultCode(field)
  // One value for all would not be unique.
  if (field.unique) return toSampleCode(field)
  return toPlainCode(field)
}

function toInitialList(field: Field): Code {
  const element = { ...field, array: false, required: true, min: undefined, max: undefined }
  return list(Array.from({ length: field.min ?? 0 }, () => toPlainCode(element)))
}

function toDefaultCode({ default: value = '', type }: Field): Code {
  if (typeof value === 'object') return atom('new Date()')
  if (type.kind === 'decimal') return decimalCode(value)
  if (typeof value === 'string') return text(value)
  return typeof value === 'number' ? number(value) : atom(String(value))
}

// As it is stored: exact.
function decimalCode(value: string | number | boolean): Code {
  return atom(`Types.Decimal128.fromString(${quote(String(value))})`)
}

function toPlainCode(field: Field): Code {
  const { type } = field
  if (type.kind === 'decimal') return decimalCode(toPlainNumber(field))
  if (isNumeric(type.kind)) return number(toPlainNumber(field))
  switch (type.kind) {
    case 'enum':
      return text(type.values[0] ?? '')
    case 'string':
    case 'text':
      return text(toPlainText(field))
    case 'shape':
      return membersCode(type.fields, toInitialCode)
    default:
      return atom(plainValues[type.kind] ?? '{}')
  }
}

const plainValues: Readonly<Record<string, string>> = {
  boolean: 'false',
  date: 'new Date()',
  email: "'unknown@example.org'",
  url: "'https://example.org'",
  uuid: "'00000000-0000-4000-8000-000000000000'",
  objectid: "new Types.ObjectId('000000000000000000000000')",
  ref: "new Types.ObjectId('000000000000000000000000')",
}

function toPlainNumber({ max = Infinity, min = -Infinity, type }: Field): number {
  const least = type.kind === 'int' ? Math.ceil(min) : min
  return Math.min(Math.max(0, least), max)
}

function toPlainText({ match, max = 200, min = 1 }: Field): string {
  if (match !== undefined) return exampleOf(match, { min, max })[0] ?? ''
  return 'unknown'.padEnd(min, 'x').slice(0, max)
}
