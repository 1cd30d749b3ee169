import { trusted } from 'mongoose'
import { type core, z, type ZodType } from 'zod'
import { decimalText } from './decimal.ts'
import { instant, integerId, objectId } from './schemas.ts'

/** An operator of a filter, used in the query as `title[contains]=text`. */
export type Operator = 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'contains' | 'startsWith'

/** One part of a MongoDB filter, built by the server: none of its keys comes from a request. */
export type Condition = Readonly<Record<string, unknown>>

export interface FilterParameters {
  /** Fields that filters can look up in an index; `contains` always reads the whole collection. */
  readonly fields: readonly string[]
  /** Schema of each query parameter, by its name. */
  readonly shape: Record<string, ZodType>
  /** The conditions that a parsed query requests. */
  readonly toConditions: (query: Readonly<Record<string, unknown>>) => Condition[]
  /** The filters of a parsed query as one value, to compare two queries. */
  readonly toFingerprint: (query: Readonly<Record<string, unknown>>) => unknown
}

export interface FilterOptions {
  readonly filters?:
    | readonly string[]
    | Readonly<Record<string, readonly Operator[] | undefined>>
    | undefined
  readonly search?: readonly string[] | undefined
}

interface Kind {
  readonly operators: readonly Operator[]
  readonly value: ZodType
  /** Regular expression of one value in a list. */
  readonly item: string
}

const text = z.string().max(2000)
const compared: readonly Operator[] = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in']
const named: readonly Operator[] = ['eq', 'ne', 'in']

export function toFilterParameters(
  shape: core.$ZodShape,
  options: FilterOptions,
): FilterParameters {
  const pairs = toPairs(shape, options)
  const entries = pairs.map(({ field, operator, kind }) => ({
    name: operator === 'eq' ? field : `${field}[${operator}]`,
    schema: toParameter(operator, kind),
    toCondition: (value: unknown) => ({ [toPath(field)]: toTest(operator, value) }),
  }))
  const search = options.search ?? []
  for (const field of search) requireKind(shape, field, 'contains')
  if (search.length > 0) {
    entries.push({
      name: 'q',
      schema: text.min(1).max(100),
      toCondition: (value) => ({
        $or: search.map((field) => ({ [field]: toTest('contains', value) })),
      }),
    })
  }
  const lookups = pairs.filter(({ operator }) => operator !== 'contains')
  return {
    fields: [...new Set(lookups.map(({ field }) => field))],
    shape: Object.fromEntries(entries.map(({ name, schema }) => [name, schema.optional()])),
    toConditions: (query) =>
      entries
        .filter(({ name }) => query[name] !== undefined)
        .map(({ name, toCondition }) => toCondition(query[name])),
    toFingerprint: (query) => entries.map(({ name }) => query[name] ?? null),
  }
}

interface Pair {
  readonly field: string
  readonly operator: Operator
  readonly kind: Kind
}

function toPairs(shape: core.$ZodShape, { filters = [] }: FilterOptions): Pair[] {
  const wanted = Array.isArray(filters)
    ? filters.map((field: string) => [field, undefined] as const)
    : Object.entries(filters)
  return wanted.flatMap(([field, operators]) => {
    const all = requireKind(shape, field, 'eq').operators
    return (operators ?? all).map((operator: Operator) => ({
      field,
      operator,
      kind: requireKind(shape, field, operator),
    }))
  })
}

function requireKind(shape: core.$ZodShape, field: string, operator: Operator): Kind {
  const schema = shape[field]
  const kind = schema && toKind(schema)
  if (!kind) {
    throw new TypeError(
      `The list cannot filter by '${field}': ${schema ? 'its type has no operators' : 'the output has no such field'}.`,
    )
  }
  if (!kind.operators.includes(operator)) {
    throw new TypeError(
      `The list cannot filter by '${field}[${operator}]': use ${kind.operators.join(', ')}.`,
    )
  }
  return kind
}

function toKind(schema: core.$ZodType): Kind | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return toKind(schema.unwrap())
  }
  if (schema instanceof z.ZodArray) {
    const kind = toKind(schema.element)
    return kind && { ...kind, operators: kind.operators.filter((name) => named.includes(name)) }
  }
  if (schema instanceof z.ZodBoolean) return booleans
  if (schema instanceof z.ZodNumberFormat) return integers
  if (schema instanceof z.ZodNumber) return numbers
  if (schema instanceof z.ZodEnum) {
    const item = schema.options.map((value) => escapeRegex(value)).join('|')
    return { operators: named, value: schema, item: `(?:${item})` }
  }
  return toTextKind(schema)
}

function toTextKind(schema: core.$ZodType): Kind | undefined {
  if (schema === objectId) return { operators: named, value: objectId, item: '[0-9a-f]{24}' }
  if (schema === decimalText) return decimals
  if (schema instanceof z.ZodISODateTime) return dates
  return schema instanceof z.ZodString || schema instanceof z.ZodStringFormat ? texts : undefined
}

const texts: Kind = {
  operators: ['eq', 'ne', 'in', 'contains', 'startsWith'],
  value: text,
  item: '[^,]*',
}
const dates: Kind = {
  operators: compared.filter((name) => name !== 'in'),
  value: instant,
  item: '[^,]+',
}
// z.coerce would accept an empty text as 0, `0x10` and `1e3` as whole numbers, and 'false' as true.
const integers: Kind = {
  operators: compared,
  value: integerId,
  // Every match is a safe integer.
  item: String.raw`(?:0|-?(?:[1-8]\d{0,15}|9\d{0,14}))`,
}
// As in JSON.
const numbers: Kind = {
  operators: compared,
  value: z
    .string()
    .regex(/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/, 'must be a number')
    .transform(Number)
    .pipe(z.number()),
  // Every match is finite.
  item: String.raw`-?(?:(?:0|[1-9]\d{0,99})(?:\.\d{1,99})?|\d(?:\.\d{1,99})?[eE](?:\+?[12]?\d{1,2}|-\d{1,3}))`,
}
const decimalPattern = String.raw`-?\d{1,20}(?:\.\d{1,14})?`
const decimals: Kind = {
  operators: compared,
  value: z.string().regex(new RegExp(`^${decimalPattern}$`), 'must be a decimal'),
  item: decimalPattern,
}
const booleans: Kind = {
  operators: ['eq', 'ne'],
  value: z
    .enum(['true', 'false'])
    .transform((value) => value === 'true')
    .pipe(z.boolean()),
  item: 'true|false',
}

function toParameter(operator: Operator, { value, item }: Kind): ZodType {
  if (operator === 'contains' || operator === 'startsWith') return text.min(1).max(100)
  if (operator !== 'in') return value
  return z
    .string()
    .max(2000)
    .regex(
      new RegExp(`^${item}(?:,${item}){0,99}$`),
      'must be up to 100 values, separated by commas',
    )
    .transform((list): unknown[] => list.split(','))
    .pipe(z.array(value))
}

function toTest(operator: Operator, value: unknown): unknown {
  // Mongoose's sanitizeFilter accepts only operators that the server has marked as trusted.
  if (operator === 'contains') return trusted({ $regex: escapeRegex(value), $options: 'i' })
  if (operator === 'startsWith') return trusted({ $regex: `^${escapeRegex(value)}` })
  return trusted({ [`$${operator}`]: value })
}

function escapeRegex(value: unknown): string {
  // MongoDB rejects a pattern that contains NUL.
  return String(value)
    .replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
    .replaceAll('\0', String.raw`\x00`)
}

function toPath(field: string): string {
  return field === 'id' ? '_id' : field
}
