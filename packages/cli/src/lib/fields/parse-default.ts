import { type DefaultValue, type ValueType } from './field.ts'
import { FieldProblem, type Token } from './field-problem.ts'
import { unescapeColons } from './scan-field.ts'

const parsers: Readonly<Record<string, (text: string) => DefaultValue | undefined>> = {
  string: toText,
  text: toText,
  int: (text) => (/^-?\d+$/.test(text) ? safeNumber(text) : undefined),
  number: toNumber,
  // Exact, so code has it as text.
  decimal: (text) => (toNumber(text) === undefined ? undefined : text),
  boolean: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
  date: toDate,
  email: (text) => (/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text) ? text.toLowerCase() : undefined),
  url: (text) => (URL.canParse(text) ? text : undefined),
  uuid: (text) => (/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text) ? text : undefined),
}

const examples: Readonly<Record<string, string>> = {
  boolean: 'true or false',
  date: 'now or a date such as 2026-01-31',
  int: 'a whole number',
  number: 'a number',
  decimal: 'a number',
}

/**
 * Reads the value behind `default=` as the field's type has it.
 *
 * @param argument the whole argument, for messages
 * @param token the value
 * @param type the field's type
 * @returns the typed default
 * @throws FieldProblem when the value is not one of that type, or the type takes no default
 */
export function parseDefault(argument: string, token: Token, type: ValueType): DefaultValue {
  const text = unescapeColons(token.text)
  if (type.kind === 'enum') {
    if (type.values.includes(text)) return text
    const hint = `one of ${type.values.join(', ')}`
    throw new FieldProblem(`"${text}" is not one of the enum's values`, { argument, token, hint })
  }
  const parse = parsers[type.kind]
  if (parse === undefined) {
    throw new FieldProblem(`type "${type.kind}" takes no default`, { argument, token })
  }
  const value = parse(text)
  if (value !== undefined) return value
  throw new FieldProblem(`"${text}" is not a default for type "${type.kind}"`, {
    argument,
    token,
    hint: examples[type.kind],
  })
}

function toText(text: string): string | undefined {
  return /^[^\p{Cc}]{1,200}$/u.test(text) && text.trim() === text ? text : undefined
}

function toNumber(text: string): number | undefined {
  return /^-?\d+(\.\d+)?$/.test(text) ? safeNumber(text) : undefined
}

function safeNumber(text: string): number | undefined {
  const value = Number(text)
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? value : undefined
}

function toDate(text: string): DefaultValue | undefined {
  if (text === 'now') return { now: true }
  if (!/^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/.test(text)) {
    return undefined
  }
  const date = new Date(text.includes('T') ? text : `${text}T00:00:00Z`)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}
