import { type core, z, type ZodType } from 'zod'
import { numberText } from '../json/number-text.ts'
import { decimalText } from '../schemas/decimal-text.ts'
import { instant } from '../schemas/instant.ts'
import { listLimits } from './list-limits.ts'
import { integerId, objectId } from './schemas.ts'

/** An operator of a filter, used in the query as `title[contains]=text`. */
export type Operator =
  | 'eq'
  | 'ne'
  | 'gt'
  | 'gte'
  | 'lt'
  | 'lte'
  | 'in'
  | 'contains'
  | 'startsWith'
  | 'exists'

// The values of a field in a query, and how they can be compared.
export interface Kind {
  readonly operators: readonly Operator[]
  readonly value: ZodType
  /** Regular expression of one value in a list. */
  readonly item: string
}

export const filterText = z.string().max(listLimits.filter)
export const searchText = filterText.min(1).max(listLimits.search)
const compared: readonly Operator[] = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in']
const named: readonly Operator[] = ['eq', 'ne', 'in']

export function toKind(schema: core.$ZodType): Kind | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    const kind = toKind(schema.unwrap())
    return kind && { ...kind, operators: [...new Set([...kind.operators, 'exists' as const])] }
  }
  if (schema instanceof z.ZodArray) {
    const kind = toKind(schema.element)
    return kind && { ...kind, operators: kind.operators.filter((name) => named.includes(name)) }
  }
  if (schema instanceof z.ZodBoolean) return booleans
  if (schema instanceof z.ZodNumberFormat) return integers
  if (schema instanceof z.ZodNumber) return numbers
  if (schema instanceof z.ZodBigInt) return bigIntegers
  if (schema instanceof z.ZodDate) return dates
  if (schema instanceof z.ZodEnum) {
    const item = schema.options.map((value) => escapeRegex(escapeItem(value))).join('|')
    return { operators: named, value: schema, item: `(?:${item})` }
  }
  return toTextKind(schema)
}

function toTextKind(schema: core.$ZodType): Kind | undefined {
  if (schema === objectId) return { operators: named, value: objectId, item: '[0-9a-f]{24}' }
  if (schema === decimalText) return decimals
  if (schema instanceof z.ZodISODateTime) return dates
  if (schema instanceof z.ZodISODate) return days
  return schema instanceof z.ZodString || schema instanceof z.ZodStringFormat ? texts : undefined
}

const texts: Kind = {
  operators: ['eq', 'ne', 'in', 'contains', 'startsWith'],
  value: filterText,
  // Neither empty nor with a space at an end, unless that is escaped.
  item: String.raw`(?:[^,\\ ]|\\[,\\ ])(?:(?:[^,\\]|\\[,\\ ])*(?:[^,\\ ]|\\[,\\ ]))?`,
}
// Whether a collation changes how values are compared.
export function isText(kind: Kind | undefined): boolean {
  return kind?.value === texts.value
}

const dates: Kind = {
  operators: compared.filter((name) => name !== 'in'),
  // As a Date, because an aggregation compares values of one type and casts none.
  value: instant.transform((value) => new Date(value)),
  item: '[^,]+',
}
// Text in the form YYYY-MM-DD has the order of the calendar.
const days: Kind = {
  operators: compared,
  value: z.iso.date(),
  item: z.regexes.date.source.slice(1, -1),
}
// z.coerce would accept an empty text as 0, `0x10` and `1e3` as whole numbers, and 'false' as true.
const integers: Kind = {
  operators: compared,
  value: integerId,
  // Every match is a safe integer.
  item: String.raw`(?:0|-?(?:[1-8]\d{0,15}|9\d{0,14}))`,
}
const bigIntegers: Kind = {
  operators: compared,
  value: z
    .string()
    .regex(/^(?:0|-?[1-9]\d{0,18})$/, 'must be a whole number')
    .transform(BigInt)
    .pipe(z.int64()),
  // Every match has 64 bits.
  item: `(?:0|-?(?:[1-9]\\d{0,17}|${int64Digits()})|-9223372036854775808)`,
}
// As in JSON.
const numbers: Kind = {
  operators: compared,
  value: z.string().regex(numberText, 'must be a number').transform(Number).pipe(z.number()),
  // Every match is finite.
  item: String.raw`-?(?:(?:0|[1-9]\d{0,99})(?:\.\d{1,99})?|\d(?:\.\d{1,99})?[eE](?:\+?[12]?\d{1,2}|-\d{1,3}))`,
}
const decimalPattern = String.raw`-?\d{1,20}(?:\.\d{1,14})?`
const decimals: Kind = {
  operators: compared,
  value: z.string().regex(new RegExp(`^${decimalPattern}$`), 'must be a decimal'),
  item: decimalPattern,
}
export const booleanText = z
  .enum(['true', 'false'])
  .transform((value) => value === 'true')
  .pipe(z.boolean())
const booleans: Kind = {
  operators: ['eq', 'ne'],
  value: booleanText,
  item: 'true|false',
}

// A comma separates the values of a list, unless it follows a backslash.
function escapeItem(value: unknown): string {
  return String(value).replace(/[\\,]/g, String.raw`\$&`)
}

export function escapeRegex(value: unknown): string {
  // MongoDB rejects a pattern that contains NUL.
  return String(value)
    .replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
    .replaceAll('\0', String.raw`\x00`)
}

// The numbers of 19 digits up to the maximum: one alternative for each digit that can be lower.
function int64Digits(): string {
  const max = '9223372036854775807'
  const lower = max.split('').flatMap((digit, at) => {
    const first = at === 0 ? 1 : 0
    if (Number(digit) <= first) return []
    return `${max.slice(0, at)}[${first}-${Number(digit) - 1}]\\d{${max.length - at - 1}}`
  })
  return [...lower, max].join('|')
}
