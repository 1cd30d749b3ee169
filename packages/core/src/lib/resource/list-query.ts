import { type core, z, type ZodType } from 'zod'
import { type mongo } from 'mongoose'
import { toPlain } from '../json/plain.ts'
import { type CursorKeys, includes, type Listing, listings } from '../schemas/schema-marks.ts'
import { toPresent } from '../schemas/schema-members.ts'
import {
  type Condition,
  type Filter,
  type Lookup,
  toFilterFields,
  toFilterParameters,
  toVisible,
} from './filter-parameters.ts'
import { listLimits } from './list-limits.ts'
import { type Paging, toPagingParameters } from './paging.ts'
import { type IsHidden, registerCallerQuery } from './caller-query.ts'
import { booleanText, isText, toKind } from './filter-kinds.ts'
import { type View, type ViewQuery } from './view.ts'

/** The order of a list: fields of the model with 1 (ascending) or -1 (descending). */
export type Sort = readonly (readonly [field: string, direction: 1 | -1])[]

/** A parsed list query; `findPage` runs it. */
export interface ListQuery extends ViewQuery {
  /** Conditions on fields of the model, combined with AND. */
  readonly conditions: readonly Condition[]
  /** Functions that return further conditions, for filters made by functions; `findPage` calls them. */
  readonly lookups?: readonly Lookup[] | undefined
  /** The order; `findPage` appends `_id`. */
  readonly sort: Sort
  /** Maximum number of documents: 1 to 100. */
  readonly limit: number
  /** Page number, from 1; ignored with an offset or a cursor. */
  readonly page: number
  /** Number of documents before the first one; undefined for pages by number and cursors. */
  readonly offset?: number | undefined
  /** `nextCursor` of the previous page, or empty for the first page; undefined for pages by number. */
  readonly cursor: string | undefined
  /**
   * Whether the client requested the total; undefined for lists that always have it.
   * @default undefined
   */
  readonly total?: boolean | undefined
  /**
   * How MongoDB compares the text of this query; undefined for exact comparison.
   * @default undefined
   */
  readonly collation?: mongo.CollationOptions | undefined
  /** Filters and order as one text; a cursor is valid only for the list with the same text. */
  readonly fingerprint: string
  /**
   * Keys that sign the cursors; the API adds them to the query of each request.
   * @default a random key of this process
   */
  readonly cursorKeys?: CursorKeys | undefined
  /**
   * How a live list reads; set by `@create-api/core/live`.
   * @default undefined
   */
  readonly live?: LiveRead | undefined
}

/** How a live list reads: with the changes that it has received, or from documents as they were before them. */
export interface LiveRead {
  /** A session that has seen the changes. */
  readonly session: mongo.ClientSession
  /** The documents to choose from, instead of those of the collection. */
  readonly documents?: readonly object[] | undefined
  /** Called when the list is read. */
  readonly onRead: () => void
}

/** Options for {@link defineListQuery}. */
export interface ListQueryOptions<S> {
  /**
   * Fields that can be filtered by: a list of names allows every operator of the field's type, an
   * object lists the operators of each field. `tags=a` matches an array that contains the value. In an
   * object a filter can also be mapped to another field, or be a function:
   * `{ author: { field: 'author.name', schema: z.string() }, tagged: async (tag) => ({ _id: { $in: … } }) }`.
   * @default []
   */
  filters?: readonly FieldOf<S>[] | Filters<S> | undefined
  /**
   * Fields that can be sorted by.
   * @default []
   */
  sort?: readonly FieldOf<S>[] | undefined
  /**
   * The order when the query has no `sort`: `['-createdAt']`.
   * @default [], which sorts by id, oldest first
   */
  defaultSort?: readonly (FieldOf<S> | `-${FieldOf<S>}`)[] | undefined
  /**
   * How text is compared in the order and in filters: `{ locale: 'en', strength: 2 }` ignores case. It applies to requests
   * that sort or filter by text; the scope is compared exactly. Text fields need an index with the same collation:
   * `schema.index({ title: 1, _id: 1 }, { collation })`.
   * @default undefined, exact comparison by code points
   */
  collation?: mongo.CollationOptions | undefined
  /**
   * Text fields that `q` searches, ignoring case. Each search reads the whole collection.
   * @default []
   */
  search?: readonly FieldOf<S>[] | undefined
  /**
   * How clients can page: `page` by number, `offset` by the number of documents to skip, `cursor` by the
   * position of the last document. Without a parameter of paging the first of these applies.
   * @default ['page', 'cursor', 'offset']
   */
  paging?: readonly [Paging, ...Paging[]] | undefined
  /**
   * Number of documents on a page when the query has no `limit`.
   * @default 20
   */
  limit?: number | undefined
  /**
   * Whether the `meta` of a page contains the number of all documents, which MongoDB must count: `always`, except for
   * pages by cursor, or `onRequest`, with `total=true` in the query. Without the total, `hasNextPage` states whether
   * another page follows. The route then has `meta: totalOnRequestMeta`.
   * @default 'always'
   */
  total?: 'always' | 'onRequest' | undefined
  /**
   * The fields and includes that clients can choose, defined with `defineView`.
   * @default undefined
   */
  view?: View | undefined
}

type FieldOf<S> = keyof S & string

/** The filters of a list by their names in the query, which need not be fields. */
export type Filters<S> = { readonly [K in FieldOf<S>]?: Filter } & {
  readonly [name: string]: Filter | undefined
}

/**
 * Defines the query parameters of a list: `limit` with `page`, `offset` or `cursor`, `sort`, `q`, and
 * one parameter for each allowed field and operator (`title`, `title[contains]`). Every other parameter
 * is rejected. Only fields of the output are allowed, so filters cannot reveal a hidden field, except
 * for filters that are mapped to one.
 * @param output - the schema of one document of the list, created with `toOutputSchema`
 * @param options - the allowed fields
 * @returns the schema of the query
 * @throws TypeError when a field is not in the output, or cannot be filtered or sorted by, or when a
 * filter has the name of another parameter
 * @example
 * ```ts
 * import { post } from './posts.validation.js'
 *
 * export const listPosts = defineListQuery(post, {
 *   filters: ['title', 'createdAt'],
 *   sort: ['createdAt', 'title'],
 *   search: ['title'],
 * })
 * ```
 */
export function defineListQuery<S extends core.$ZodLooseShape>(
  output: z.ZodObject<S>,
  options: ListQueryOptions<S> = {},
): ZodType<ListQuery> {
  const shape: core.$ZodShape = output.shape
  const schema = createListQuery(shape, options)
  const sort = (options.sort ?? []).map((field) => requireSortable(shape, field))
  const toUnpaged = (): ZodType<ListQuery> => defineUnpaged(shape, options)
  listings.set(schema, { ...toListing(shape, options, sort), toUnpaged })
  if (options.view) includes.add(schema, {})
  registerCallerQuery(schema, shape, {
    fields: toFields(options),
    create: (isHidden) => createListQuery(shape, toVisibleOptions(options, isHidden), isHidden),
  })
  return schema
}

// The filters and the view of a list, without paging, order and total.
function defineUnpaged(
  shape: core.$ZodShape,
  { sort: _sort, defaultSort: _order, total: _total, ...options }: ListQueryOptions<core.$ZodShape>,
): ZodType<ListQuery> {
  const schema = createListQuery(shape, { ...options, paging: 'none' })
  listings.set(schema, toListing(shape, options, []))
  if (options.view) includes.add(schema, {})
  registerCallerQuery(schema, shape, {
    fields: toFields(options),
    create: (isHidden) =>
      createListQuery(shape, { ...toVisibleOptions(options, isHidden), paging: 'none' }, isHidden),
  })
  return schema
}

function toListing(
  shape: core.$ZodShape,
  options: ListQueryOptions<core.$ZodShape>,
  sort: readonly string[],
): Listing {
  const { fields: filters, texts } = toFilterParameters(shape, options)
  const { collation } = options
  if (!collation) return { filters, sort }
  const sorted = sort.filter((field) => isTextField(shape, field))
  return { filters, sort, collation, texts: [...new Set([...texts, ...sorted])] }
}

function isTextField(shape: core.$ZodShape, field: string): boolean {
  const member = shape[field]
  return member !== undefined && isText(toKind(member))
}

// The fields that a query can read.
function toFields(options: ListQueryOptions<core.$ZodShape>): string[] {
  const { sort = [], defaultSort = [], view } = options
  return [...sort, ...defaultSort.map(toField), ...toFilterFields(options), ...(view?.names ?? [])]
}

// The options of a caller who may not read some fields: it cannot name them, and no order reveals them.
function toVisibleOptions(
  options: ListQueryOptions<core.$ZodShape>,
  isHidden: IsHidden,
): ListQueryOptions<core.$ZodShape> {
  const isVisible = (name: string): boolean => !isHidden(toField(name))
  return {
    ...options,
    ...toVisible(options, isHidden),
    sort: options.sort?.filter(isVisible),
    defaultSort: options.defaultSort?.filter(isVisible),
  }
}

interface QueryOptions extends Omit<ListQueryOptions<core.$ZodShape>, 'paging'> {
  readonly paging?: ListQueryOptions<core.$ZodShape>['paging'] | 'none'
}

function createListQuery(
  shape: core.$ZodShape,
  options: QueryOptions,
  isHidden: IsHidden = () => false,
): ZodType<ListQuery> {
  const { collation, sort: sortable = [], view } = options
  const filters = toFilterParameters(shape, options)
  const paging = toPagingParameters(options)
  const others = {
    ...(options.total === 'onRequest' && { total: totalParameter }),
    ...(sortable.length > 0 && { sort: toSortParameter(sortable).optional() }),
    ...view?.toVisible(isHidden),
  }
  requireFreeNames(Object.keys(filters.shape), { ...paging.shape, ...others })
  const parameters = z.strictObject({ ...paging.shape, ...others, ...filters.shape })
  const defaultSort = toSort(options.defaultSort ?? [])
  return parameters.transform((query, context): ListQuery => {
    const sort = Array.isArray(query['sort']) ? toSort(query['sort']) : defaultSort
    const isCollated =
      collation &&
      (filters.comparesText(query) || sort.some(([field]) => isTextField(shape, field)))
    return {
      conditions: filters.toConditions(query),
      ...toLookups(filters.toLookups(query)),
      sort,
      ...paging.toPosition(query, context),
      ...(typeof query['total'] === 'boolean' && { total: query['total'] }),
      ...view?.toQuery(query),
      ...(isCollated && { collation }),
      fingerprint: JSON.stringify(
        toPlain([sort, filters.toFingerprint(query), ...(isCollated ? [collation] : [])]),
      ),
    }
  })
}

const totalParameter = booleanText
  .default(false)
  .describe('Whether `meta` contains the number of all items.')

function toLookups(lookups: readonly Lookup[]): Pick<ListQuery, 'lookups'> {
  return lookups.length > 0 ? { lookups } : {}
}

function requireFreeNames(names: readonly string[], others: object): void {
  const taken = names.find((name) => Object.hasOwn(others, name))
  if (taken === undefined) return
  throw new TypeError(
    `The list cannot filter by '${taken}': that is another parameter of the list. Give the filter another name: filters: { by_${taken}: { field: '${taken}' } }.`,
  )
}

function toSortParameter(fields: readonly string[]): ZodType<string[]> {
  const name = `-?(?:${fields.join('|')})`
  const others = listLimits.sortFields - 1
  return z
    .string()
    .regex(new RegExp(`^${name}(?:,${name}){0,${others}}$`), {
      error: ({ input }) => describeSortFault(String(input), fields),
    })
    .transform((text) => text.split(','))
}

function describeSortFault(text: string, fields: readonly string[]): string {
  const { length } = text.split(',')
  return length > listLimits.sortFields
    ? `has ${length} fields; at most ${listLimits.sortFields} are possible`
    : `must be some of ${fields.join(', ')}`
}

function toSort(names: readonly string[]): Sort {
  const directions = new Map<string, 1 | -1>()
  for (const name of names) {
    const field = toField(name)
    const path = field === 'id' ? '_id' : field
    // The first occurrence of a field wins.
    if (!directions.has(path)) directions.set(path, name.startsWith('-') ? -1 : 1)
  }
  return [...directions]
}

function toField(name: string): string {
  return name.replace(/^-/, '')
}

function requireSortable(shape: core.$ZodShape, field: string): string {
  const member = shape[field]
  if (!member)
    throw new TypeError(`The list cannot sort by '${field}': the output has no such field.`)
  const schema = toPresent(member)
  if (schema instanceof z.ZodArray || schema instanceof z.ZodObject) {
    throw new TypeError(`The list cannot sort by '${field}': it is not a single value.`)
  }
  return field
}
