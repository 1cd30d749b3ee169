import { trusted } from 'mongoose'
import { countItems, readItem, takeItems } from '../json/stored-value.ts'
import { type AnyModel } from './model.ts'
import { type ReadOptions } from './document-options.ts'
import { type Condition } from './filter-parameters.ts'
import { parseCursor, type Position, toCursor } from './cursor.ts'
import { type ListQuery, type Sort } from './list-query.ts'
import { fromModel, type ListSource, type Source, toSource } from './list-source.ts'
import { type ListMeta } from './schemas.ts'
import { type StoredDocument } from './versioned.ts'
import { toProjection } from './view.ts'

/** One page of a list: its documents and the `meta` of the response. */
export interface Page<T> {
  /** The documents. */
  data: T[]
  /** Page number, offset or cursor, and the limit; see `listMeta` and `totalOnRequestMeta`. */
  meta: ListMeta
}

/**
 * Reads one page of a list, by number, by offset or by cursor.
 * @param model - the model
 * @param query - the query, parsed by a schema of `defineListQuery`
 * @param options - the scope
 * @returns lean documents and the meta of the list
 * @throws ApiError `invalid_query` when the cursor belongs to another list
 * @throws Error when the scope is undefined, names a field that the model does not have, or compares text in a way to which
 * the collation of the list would apply
 * @example
 * ```ts
 * const { data, meta } = await findPage(PostModel, req.valid.query, { scope: req.scope })
 * ```
 */
export async function findPage<T>(
  model: AnyModel<T>,
  query: ListQuery,
  options: ReadOptions,
): Promise<Page<StoredDocument<T>>>
/**
 * The list can also be that of a query or an aggregation. Filters, order and total apply to its result; its own
 * order, `skip` and `limit` are replaced, and it is not executed itself. Each document needs an `_id` that is
 * unique in the result. Filters on fields that only an aggregation has are not cast by the model: they compare
 * text, numbers, booleans and dates.
 * @param source - `PostModel.find({ draft: false }).populate('author').lean()` or `PostModel.aggregate([…])`
 * @param query - the query, parsed by a schema of `defineListQuery`
 * @returns the documents as the source returns them, and the meta of the list
 * @throws ApiError `invalid_query` when the cursor belongs to another list
 */
export async function findPage<T>(source: ListSource<T>, query: ListQuery): Promise<Page<T>>
export async function findPage<T>(
  list: AnyModel<T> | ListSource<T>,
  query: ListQuery,
  options?: ReadOptions,
): Promise<Page<T>> {
  const source = typeof list === 'function' ? fromModel(list, options?.scope) : toSource(list)
  const found = await Promise.all((query.lookups ?? []).map((lookup) => lookup()))
  const ordered = {
    source,
    conditions: [...query.conditions, ...found],
    sort: withTieBreak(query.sort),
  }
  return query.cursor === undefined ? findByNumber(ordered, query) : findAfter(ordered, query)
}

interface List<T> {
  readonly source: Source<T>
  readonly conditions: readonly Condition[]
  readonly sort: Sort
}

async function findByNumber<T>(list: List<T>, query: ListQuery): Promise<Page<T>> {
  const { source, conditions, sort } = list
  const { collation, page, offset, limit } = query
  const skip = offset ?? (page - 1) * limit
  if (query.total !== undefined) return findUncounted(list, query, skip)
  const projection = toProjection(query)
  const [data, total] = await Promise.all([
    source.find(conditions, { sort, skip, limit, projection, collation }),
    source.count(conditions, collation),
  ])
  if (offset !== undefined) return { data, meta: { limit, offset, total } }
  return { data, meta: { page, limit, total, pages: Math.ceil(total / limit) } }
}

// The total is part of the page only on request; one document more shows whether another page follows.
async function findUncounted<T>(
  { source, conditions, sort }: List<T>,
  query: ListQuery,
  skip: number,
): Promise<Page<T>> {
  const { collation, page, offset, limit } = query
  const projection = toProjection(query)
  const [found, totals] = await Promise.all([
    source.find(conditions, { sort, skip, limit: limit + 1, projection, collation }),
    countOnRequest(source, conditions, query),
  ])
  const hasNextPage = countItems(found) > limit
  const data = takeItems(found, limit)
  if (offset !== undefined) return { data, meta: { limit, offset, hasNextPage, ...totals } }
  const pages = totals && Math.ceil(totals.total / limit)
  return { data, meta: { page, limit, hasNextPage, ...totals, ...(totals && { pages }) } }
}

async function countOnRequest(
  source: Source<unknown>,
  conditions: readonly Condition[],
  { total, collation }: ListQuery,
): Promise<{ readonly total: number } | undefined> {
  return total === true ? { total: await source.count(conditions, collation) } : undefined
}

async function findAfter<T>(
  { source, conditions, sort }: List<T>,
  query: ListQuery,
): Promise<Page<T>> {
  const { collation, limit, cursor = '', cursorKeys: keys } = query
  const name = JSON.stringify([source.name, query.fingerprint].flat())
  const after =
    cursor === ''
      ? []
      : [toConditionAfter(sort, parseCursor(cursor, name, keys), collation !== undefined)]
  const sortFields = sort.map(([field]) => field)
  const [found, totals] = await Promise.all([
    source.find([...conditions, ...after], {
      sort,
      limit: limit + 1,
      projection: toProjection(query, sortFields),
      collation,
      live: query.live,
    }),
    countOnRequest(source, conditions, query),
  ])
  const last = countItems(found) > limit ? readItem(found, limit - 1) : undefined
  const nextCursor = last && toCursor(toPosition(sort, Object(last)), name, keys)
  const data = takeItems(found, limit)
  // Fields that were read only for the cursor are not part of the response.
  const projection = toProjection(query)
  if (projection) for (const document of data) dropOthers(Object(document), projection)
  return { data, meta: { limit, ...(nextCursor !== undefined && { nextCursor }), ...totals } }
}

function dropOthers(document: object, projection: object): void {
  // Of a hydrated document these would be its internals.
  if ('$__' in document) return
  for (const key of Object.keys(document)) {
    if (!Object.hasOwn(projection, key)) Reflect.deleteProperty(document, key)
  }
}

function withTieBreak(sort: Sort): Sort {
  if (sort.some(([field]) => field === '_id')) return sort
  // In the direction of the last field, so that one index serves both directions.
  return [...sort, ['_id', sort.at(-1)?.[1] ?? 1]]
}

function toPosition(sort: Sort, document: object): Position {
  return sort.map(([field]) => Reflect.get(document, field) ?? null)
}

// (a, b) comes after (x, y) if a comes after x, or if a equals x and b comes after y.
function toConditionAfter(sort: Sort, position: Position, isCollated: boolean): Condition {
  const alternatives = sort.flatMap(([field, direction], index) => {
    const tests = toTestsAfter(direction, position[index])
    if (tests === undefined) return []
    const equal = sort
      .slice(0, index)
      .map(([name], at) => [name, toTestEqual(position[at], isCollated)])
    return tests.map((test) => ({ ...Object.fromEntries(equal), [field]: test }))
  })
  return { $or: alternatives }
}

// Two bounds instead of $eq: under a collation, the embedded database only approximates equality.
function toTestEqual(value: unknown, isCollated: boolean): object {
  const isBounded = isCollated && typeof value === 'string'
  return trusted(isBounded ? { $gte: value, $lte: value } : { $eq: value })
}

// MongoDB sorts null and absent before everything else, but compares only values of one type.
function toTestsAfter(direction: 1 | -1, value: unknown): object[] | undefined {
  if (value === null) return direction === 1 ? [trusted({ $ne: null })] : undefined
  if (direction === 1) return [trusted({ $gt: value })]
  return [trusted({ $lt: value }), trusted({ $eq: null })]
}
