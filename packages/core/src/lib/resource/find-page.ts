import { type QueryFilter, trusted } from 'mongoose'
import { type AnyModel } from './model.ts'
import { type Condition } from './filter-parameters.ts'
import { parseCursor, type Position, toCursor } from './cursor.ts'
import { type ListQuery, type Sort } from './list-query.ts'
import { type ListMeta } from './schemas.ts'
import { type StoredFields } from './versioned.ts'
import { toProjection } from './view.ts'

/** One page of a list: its documents and the `meta` of the response. */
export interface Page<T> {
  data: T[]
  meta: ListMeta
}

/**
 * Reads one page of a list, by number or by cursor.
 * @param model - the model
 * @param scope - a filter that always applies, such as the owner
 * @param query - the query, parsed by a schema of `defineListQuery`
 * @returns lean documents and the meta of the list
 * @throws ApiError `invalid_query` when the cursor belongs to another list
 */
export async function findPage<T>(
  model: AnyModel<T>,
  scope: QueryFilter<T>,
  query: ListQuery,
): Promise<Page<T & StoredFields>> {
  const list = {
    model,
    conditions: [{ ...scope }, ...query.conditions],
    sort: withTieBreak(query.sort),
  }
  if (query.cursor === undefined) return findByNumber(list, query)
  const name = JSON.stringify([model.modelName, scope, query.fingerprint])
  return findAfter(list, query, name)
}

interface List<T> {
  readonly model: AnyModel<T>
  readonly conditions: readonly Condition[]
  readonly sort: Sort
}

async function findByNumber<T>(
  { model, conditions, sort }: List<T>,
  query: ListQuery,
): Promise<Page<T & StoredFields>> {
  const { page, limit } = query
  const filter = toFilter<T>(conditions)
  const [data, total] = await Promise.all([
    model
      .find(filter, toProjection(query), {
        sort: toSortObject(sort),
        skip: (page - 1) * limit,
        limit,
      })
      .lean<(T & StoredFields)[]>(),
    model.countDocuments(filter),
  ])
  return { data, meta: { page, limit, total, pages: Math.ceil(total / limit) } }
}

async function findAfter<T>(
  { model, conditions, sort }: List<T>,
  query: ListQuery,
  name: string,
): Promise<Page<T & StoredFields>> {
  const { limit, cursor = '', cursorKeys: keys } = query
  const after = cursor === '' ? [] : [toConditionAfter(sort, parseCursor(cursor, name, keys))]
  const sortFields = sort.map(([field]) => field)
  const found = await model
    .find(toFilter<T>([...conditions, ...after]), toProjection(query, sortFields), {
      sort: toSortObject(sort),
      limit: limit + 1,
    })
    .lean<(T & StoredFields)[]>()
  const last = found.length > limit ? found[limit - 1] : undefined
  const nextCursor = last && toCursor(toPosition(sort, last), name, keys)
  const data = found.slice(0, limit)
  // Fields that were read only for the cursor are not part of the response.
  for (const document of data) dropOthers(document, toProjection(query))
  return { data, meta: nextCursor === undefined ? { limit } : { limit, nextCursor } }
}

function dropOthers(document: object, projection: object | null): void {
  if (!projection) return
  for (const key of Object.keys(document)) {
    if (!(key in projection)) Reflect.deleteProperty(document, key)
  }
}

function withTieBreak(sort: Sort): Sort {
  if (sort.some(([field]) => field === '_id')) return sort
  // In the direction of the last field, so that one index serves both directions.
  return [...sort, ['_id', sort.at(-1)?.[1] ?? 1]]
}

function toSortObject(sort: Sort): Record<string, 1 | -1> {
  return Object.fromEntries(sort)
}

function toPosition(sort: Sort, document: object): Position {
  const values: Readonly<Record<string, unknown>> = { ...document }
  return sort.map(([field]) => values[field] ?? null)
}

function toFilter<T>(conditions: readonly Condition[]): QueryFilter<T> {
  const names = conditions.flatMap((condition) => Object.keys(condition))
  const filter =
    new Set(names).size === names.length
      ? Object.assign({}, ...conditions)
      : { $and: conditions.map((condition) => ({ ...condition })) }
  return filter
}

// (a, b) comes after (x, y) if a comes after x, or if a equals x and b comes after y.
function toConditionAfter(sort: Sort, position: Position): Condition {
  const alternatives = sort.flatMap(([field, direction], index) => {
    const tests = toTestsAfter(direction, position[index])
    if (tests === undefined) return []
    const equal = sort.slice(0, index).map(([name], at) => [name, trusted({ $eq: position[at] })])
    return tests.map((test) => ({ ...Object.fromEntries(equal), [field]: test }))
  })
  return { $or: alternatives }
}

// MongoDB sorts null and absent before everything else, but compares only values of one type.
function toTestsAfter(direction: 1 | -1, value: unknown): object[] | undefined {
  if (value === null) return direction === 1 ? [trusted({ $ne: null })] : undefined
  if (direction === 1) return [trusted({ $gt: value })]
  return [trusted({ $lt: value }), trusted({ $eq: null })]
}
