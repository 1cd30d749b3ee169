import { trusted } from 'mongoose'
import { type core, type z, type ZodType } from 'zod'
import { type IsHidden } from './caller-query.ts'
import { toItemsParameter } from './filter-items.ts'
import {
  booleanText,
  escapeRegex,
  filterText,
  isText,
  searchText,
  type Kind,
  type Operator,
  toKind,
} from './filter-kinds.ts'

/** One part of a MongoDB filter, built by the server: none of its keys comes from a request. */
export type Condition = Readonly<Record<string, unknown>>

/** A filter whose name is not that of a field, or that allows some operators only. */
export interface MappedFilter {
  /**
   * Path in the documents, also one that the output hides: `author.name`.
   * @default the name of the filter
   */
  readonly field?: string | undefined
  /**
   * Schema of one value; its type decides which operators there are.
   * @default the schema of `field` in the output, else that of the name of the filter
   */
  readonly schema?: ZodType | undefined
  /**
   * Operators that clients can use.
   * @default every operator of the type
   */
  readonly operators?: readonly Operator[] | undefined
}

/**
 * A filter made by a function: it receives the value of the query, text of 1 to 2,000 characters, and
 * returns a MongoDB filter, for example `{ _id: { $in: ids } }` with ids of another collection.
 */
export type FilterFunction = (value: string) => Condition | Promise<Condition>

/** A filter made by a function that receives a parsed value; created with {@link defineFilter}. */
export interface OwnFilter {
  /** Schema of the text in the query. */
  readonly schema: ZodType
  /** Returns a MongoDB filter for a parsed value. */
  readonly toCondition: (value: unknown) => Condition | Promise<Condition>
}

/**
 * Defines a filter made by a function whose value has its own schema.
 * @param schema - schema of the text in the query: `z.enum(['mine', 'all'])`, `integerId`
 * @param toCondition - returns a MongoDB filter for a parsed value
 * @returns the filter, for `filters` of `defineListQuery`
 * @example
 * ```ts
 * import { post } from './posts.validation.js'
 *
 * const state = defineFilter(z.enum(['open', 'done']), (value) => ({ done: value === 'done' }))
 *
 * defineListQuery(post, { filters: { state } })
 * ```
 */
export function defineFilter<S extends ZodType>(
  schema: S,
  toCondition: (value: z.output<S>) => Condition | Promise<Condition>,
): OwnFilter {
  return {
    schema,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the value was parsed by the schema
    toCondition: (value) => toCondition(value as z.output<S>),
  }
}

/** A filter of a list: operators of a field, a field under another name, or a function. */
export type Filter = readonly Operator[] | MappedFilter | FilterFunction | OwnFilter

/** Reads the conditions of filter functions, which may ask the database. */
export type Lookup = () => Promise<Condition>

export interface FilterParameters {
  /** Fields that filters can look up in an index; `contains` always reads the whole collection. */
  readonly fields: readonly string[]
  /** Those of them that are compared as text. */
  readonly texts: readonly string[]
  /** Schema of each query parameter, by its name. */
  readonly shape: Record<string, ZodType>
  /** The conditions that a parsed query requests. */
  readonly toConditions: (query: Readonly<Record<string, unknown>>) => Condition[]
  /** The conditions of filter functions that a parsed query requests. */
  readonly toLookups: (query: Readonly<Record<string, unknown>>) => Lookup[]
  /** Whether a parsed query compares text as a whole, to which a collation applies. */
  readonly comparesText: (query: Readonly<Record<string, unknown>>) => boolean
  /** The filters of a parsed query as one value, to compare two queries. */
  readonly toFingerprint: (query: Readonly<Record<string, unknown>>) => unknown
}

export interface FilterOptions {
  readonly filters?: readonly string[] | Readonly<Record<string, Filter | undefined>> | undefined
  readonly search?: readonly string[] | undefined
}

// The filters and the search of a caller who may not read some fields.
export function toVisible(options: FilterOptions, isHidden: IsHidden): FilterOptions {
  const entries = toEntries(options).filter(
    ([name, filter]) => !toReadFields(name, filter).some(isHidden),
  )
  return {
    filters: Object.fromEntries(entries),
    search: options.search?.filter((field) => !isHidden(field)),
  }
}

// The fields that the filters and the search of a list read.
export function toFilterFields(options: FilterOptions): string[] {
  const filtered = toEntries(options).flatMap(([name, filter]) => toReadFields(name, filter))
  return [...filtered, ...(options.search ?? [])]
}

type Entry = readonly [name: string, filter: Filter | undefined]

function toEntries({ filters = [] }: FilterOptions): Entry[] {
  return isList(filters) ? filters.map((name) => [name, {}]) : Object.entries(filters)
}

// The name of a filter that is made by a function is that of its field.
function toReadFields(name: string, filter: Filter | undefined): string[] {
  const field = typeof filter === 'object' && 'field' in filter ? filter.field : undefined
  return field === undefined ? [name] : [name, field]
}

interface Parameter {
  readonly name: string
  readonly schema: ZodType
  /** The field it looks up in an index. */
  readonly field?: string | undefined
  readonly comparesText?: boolean
  readonly toCondition?: (value: unknown) => Condition
  readonly toLookup?: OwnFilter['toCondition']
}

export function toFilterParameters(
  shape: core.$ZodShape,
  options: FilterOptions,
): FilterParameters {
  const parameters = [...toParameters(shape, options), ...toSearch(shape, options.search ?? [])]
  const requested = (query: Readonly<Record<string, unknown>>): Parameter[] =>
    parameters.filter(({ name }) => query[name] !== undefined)
  return {
    fields: toUnique(parameters.map(({ field }) => field)),
    texts: toUnique(parameters.map(({ field, comparesText }) => comparesText && field)),
    shape: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema.optional()])),
    toConditions: (query) =>
      requested(query).flatMap(({ name, toCondition }) =>
        toCondition ? [toCondition(query[name])] : [],
      ),
    toLookups: (query) =>
      requested(query).flatMap(({ name, toLookup }) =>
        toLookup ? async () => toLookup(query[name]) : [],
      ),
    comparesText: (query) => requested(query).some(({ comparesText }) => comparesText),
    toFingerprint: (query) => requested(query).map(({ name }) => [name, query[name]]),
  }
}

function toUnique(fields: readonly (string | false | undefined)[]): string[] {
  return [...new Set(fields.filter((field) => typeof field === 'string'))]
}

function toParameters(shape: core.$ZodShape, options: FilterOptions): Parameter[] {
  return toEntries(options).flatMap(([name, filter = []]) => {
    if (typeof filter === 'function') {
      return { name, schema: filterText.min(1), toLookup: (value) => filter(String(value)) }
    }
    if ('toCondition' in filter) {
      return { name, schema: filter.schema, toLookup: filter.toCondition }
    }
    return toMapped(shape, name, isList(filter) ? { operators: filter } : filter)
  })
}

function toMapped(shape: core.$ZodShape, name: string, filter: MappedFilter): Parameter[] {
  const { field = name } = filter
  const schema = filter.schema ?? shape[field] ?? shape[name]
  const { operators = requireKind(schema, name, 'eq').operators } = filter
  return operators.map((operator) => {
    const kind = requireKind(schema, name, operator)
    return {
      name: operator === 'eq' ? name : `${name}[${operator}]`,
      schema: toParameter(operator, kind),
      field: operator === 'contains' ? undefined : field,
      // Patterns and `exists` ignore a collation.
      comparesText: isText(kind) && ['eq', 'ne', 'in'].includes(operator),
      toCondition: (value: unknown) => ({ [toPath(field)]: toTest(operator, value) }),
    }
  })
}

function toSearch(shape: core.$ZodShape, fields: readonly string[]): Parameter[] {
  for (const field of fields) requireKind(shape[field], field, 'contains')
  if (fields.length === 0) return []
  const toCondition = (value: unknown): Condition => ({
    $or: fields.map((field) => ({ [field]: toTest('contains', value) })),
  })
  return [{ name: 'q', schema: searchText, toCondition }]
}

function requireKind(schema: core.$ZodType | undefined, name: string, operator: Operator): Kind {
  const kind = schema && toKind(schema)
  if (!kind) {
    throw new TypeError(
      `The list cannot filter by '${name}': ${schema ? 'its type has no operators' : 'the output has no such field, and the filter has no schema'}.`,
    )
  }
  if (!kind.operators.includes(operator)) {
    throw new TypeError(
      `The list cannot filter by '${name}[${operator}]': use ${kind.operators.join(', ')}.`,
    )
  }
  return kind
}

// Array.isArray does not recognise readonly arrays.
function isList<T>(value: readonly T[] | object): value is readonly T[] {
  return Array.isArray(value)
}

function toParameter(operator: Operator, kind: Kind): ZodType {
  if (operator === 'contains' || operator === 'startsWith') return searchText
  if (operator === 'exists') return booleanText
  return operator === 'in' ? toItemsParameter(kind) : kind.value
}

function toTest(operator: Operator, value: unknown): unknown {
  // The application may have turned on Mongoose's sanitizeFilter.
  if (operator === 'contains') return trusted({ $regex: escapeRegex(value), $options: 'i' })
  if (operator === 'startsWith') return trusted({ $regex: `^${escapeRegex(value)}` })
  // In MongoDB, null also equals a missing value.
  if (operator === 'exists') return trusted({ [value === true ? '$ne' : '$eq']: null })
  return trusted({ [`$${operator}`]: value })
}

function toPath(field: string): string {
  return field === 'id' ? '_id' : field
}
