import { type core, z, type ZodType } from 'zod'
import { type CursorKeys } from './cursor.ts'
import { type Condition, type Operator, toFilterParameters } from './filter-parameters.ts'
import { type View, type ViewQuery } from './view.ts'

/** The order of a list: fields of the model with 1 (up) or -1 (down). */
export type Sort = readonly (readonly [field: string, direction: 1 | -1])[]

/** A list a client asked for, parsed; `findPage` runs it. */
export interface ListQuery extends ViewQuery {
  /** Conditions on fields of the model; all of them hold. */
  readonly conditions: readonly Condition[]
  /** The order; `findPage` appends `_id`. */
  readonly sort: Sort
  /** Most documents to answer with: 1 to 100. */
  readonly limit: number
  /** Which page, from 1; not used with a cursor. */
  readonly page: number
  /** Where to go on, as `nextCursor` said; empty to begin. */
  readonly cursor: string | undefined
  /** What a cursor of this list is bound to: its filters and its order, as one text. */
  readonly fingerprint: string
  /**
   * What its cursors are signed with; the API adds it to the query of each request.
   * @default a key of this process
   */
  readonly cursorKeys?: CursorKeys | undefined
}

/** Options for {@link defineListQuery}. */
export interface ListQueryOptions<S> {
  /**
   * Fields that can be filtered by: their names for every operator that suits their type, or an
   * object that names the operators. `tags=a` on an array asks whether it has the value.
   * @default []
   */
  filters?: readonly FieldOf<S>[] | { readonly [K in FieldOf<S>]?: readonly Operator[] } | undefined
  /**
   * Fields that can be sorted by.
   * @default []
   */
  sort?: readonly FieldOf<S>[] | undefined
  /**
   * The order when the client asks for none: `['-createdAt']`.
   * @default [], which is by id, the oldest first
   */
  defaultSort?: readonly (FieldOf<S> | `-${FieldOf<S>}`)[] | undefined
  /**
   * Text fields that `q` searches, ignoring case. Each search reads the whole collection.
   * @default []
   */
  search?: readonly FieldOf<S>[] | undefined
  /**
   * Documents on a page when the client does not say.
   * @default 20
   */
  limit?: number | undefined
  /**
   * What clients can choose to see, made with `defineView`.
   * @default undefined
   */
  view?: View | undefined
}

type FieldOf<S> = keyof S & string

const wholeNumber = z
  .string()
  .regex(/^(0|[1-9]\d{0,15})$/, 'must be a whole number')
  .transform(Number)

/**
 * Defines what the query of a list may hold: `page` and `limit` or `cursor` and `limit`, `sort`,
 * `q`, and one parameter for each allowed field and operator (`title`, `title[contains]`). Every
 * other parameter is refused. Only fields that the output shows can be named, so a hidden field
 * cannot be found out by filtering.
 * @param output - the schema of one document of the list, made with `toOutputSchema`
 * @param options - the allowed fields
 * @returns the schema of the query
 * @throws TypeError when a field is not in the output, or cannot be filtered or sorted by
 */
export function defineListQuery<S extends core.$ZodLooseShape>(
  output: z.ZodObject<S>,
  options: ListQueryOptions<S> = {},
): ZodType<ListQuery> {
  const shape: core.$ZodShape = output.shape
  const filters = toFilterParameters(shape, options)
  const sortable = (options.sort ?? []).map((field) => requireSortable(shape, field))
  const limit = z.int().min(1).max(100)
  const parameters = z.strictObject({
    page: wholeNumber.pipe(z.int().min(1).max(1_000_000)).optional(),
    limit: wholeNumber.pipe(limit).default(limit.parse(options.limit ?? 20)),
    cursor: z.string().max(2000).optional(),
    ...(sortable.length > 0 && { sort: toSortParameter(sortable).optional() }),
    ...filters.shape,
    ...options.view?.shape,
  })
  const defaultSort = toSort(options.defaultSort ?? [])
  const schema = parameters.transform((query, context): ListQuery => {
    const { page, cursor } = query
    if (page !== undefined && cursor !== undefined) {
      context.addIssue({ code: 'custom', path: ['cursor'], message: 'cannot be given with page' })
    }
    const sort = Array.isArray(query['sort']) ? toSort(query['sort']) : defaultSort
    return {
      conditions: filters.toConditions(query),
      sort,
      limit: query.limit,
      page: page ?? 1,
      cursor,
      ...options.view?.toQuery(query),
      fingerprint: JSON.stringify([sort, filters.toFingerprint(query)]),
    }
  })
  listings.add(schema, { filters: filters.fields, sort: sortable })
  return schema
}

/** The fields of a list that should have an index. */
export interface Listing {
  readonly filters: readonly string[]
  readonly sort: readonly string[]
}

const listings = z.registry<Listing>()

/**
 * Says which fields a list can be filtered and sorted by.
 * @param query - the schema of a query
 * @returns the fields; undefined for a schema that `defineListQuery` did not make
 */
export function toListing(query: ZodType | undefined): Listing | undefined {
  return query && listings.get(query)
}

function toSortParameter(fields: readonly string[]): ZodType<string[]> {
  const name = `-?(?:${fields.join('|')})`
  return z
    .string()
    .regex(new RegExp(`^${name}(?:,${name})*$`), `must be some of ${fields.join(', ')}`)
    .transform((text) => text.split(','))
}

function toSort(names: readonly string[]): Sort {
  const directions = new Map<string, 1 | -1>()
  for (const name of names) {
    const field = toField(name)
    const path = field === 'id' ? '_id' : field
    // Named again, a field has no say any more.
    if (!directions.has(path)) directions.set(path, name.startsWith('-') ? -1 : 1)
  }
  return [...directions]
}

function toField(name: string): string {
  return name.replace(/^-/, '')
}

function requireSortable(shape: core.$ZodShape, field: string): string {
  let schema = shape[field]
  while (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    schema = schema.unwrap()
  }
  if (!schema)
    throw new TypeError(`The list cannot sort by '${field}': the output has no such field.`)
  if (schema instanceof z.ZodArray || schema instanceof z.ZodObject) {
    throw new TypeError(`The list cannot sort by '${field}': it is no single value.`)
  }
  return field
}
