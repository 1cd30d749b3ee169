import { type QueryFilter, trusted } from 'mongoose'
import { type AnyModel } from './any-model.ts'
import { type Condition } from './filter-parameters.ts'
import { parseCursor, type Position, toCursor } from './cursor.ts'
import { type ListQuery, type Sort } from './list-query.ts'
import { type ListMeta } from './schemas.ts'
import { type StoredFields } from './versioned.ts'
import { toProjection } from './view.ts'

/** A part of a list, with what is to be said about it. */
export interface Page<T> {
  data: T[]
  meta: ListMeta
}

/**
 * Reads the page, or the stretch behind the cursor, that a client asked for.
 * @param model - the model
 * @param scope - what the documents must have whatever the client asks, such as the owner
 * @param query - the parsed query, of a schema made with `defineListQuery`
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
  return findBehind(list, query, name)
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

async function findBehind<T>(
  { model, conditions, sort }: List<T>,
  query: ListQuery,
  name: string,
): Promise<Page<T & StoredFields>> {
  const { limit, cursor = '', cursorKeys: keys } = query
  const behind = cursor === '' ? [] : [toConditionBehind(sort, parseCursor(cursor, name, keys))]
  const sortFields = sort.map(([field]) => field)
  const found = await model
    .find(toFilter<T>([...conditions, ...behind]), toProjection(query, sortFields), {
      sort: toSortObject(sort),
      limit: limit + 1,
    })
    .lean<(T & StoredFields)[]>()
  const last = found.length > limit ? found[limit - 1] : undefined
  const nextCursor = last && toCursor(toPosition(sort, last), name, keys)
  const data = found.slice(0, limit)
  // What was read for the cursor alone is not the client's choice.
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
  // In the direction of the last field, so that one index serves both ways.
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

// (a, b) is behind (x, y) when a is behind x, or a is x and b is behind y.
function toConditionBehind(sort: Sort, position: Position): Condition {
  const alternatives = sort.flatMap(([field, direction], index) => {
    const behind = toBehind(direction, position[index])
    if (behind === undefined) return []
    const equal = sort.slice(0, index).map(([name], at) => [name, trusted({ $eq: position[at] })])
    return behind.map((test) => ({ ...Object.fromEntries(equal), [field]: test }))
  })
  return { $or: alternatives }
}

// MongoDB sorts null and absent before everything else, but compares only values of one type.
function toBehind(direction: 1 | -1, value: unknown): object[] | undefined {
  if (value === null) return direction === 1 ? [trusted({ $ne: null })] : undefined
  if (direction === 1) return [trusted({ $gt: value })]
  return [trusted({ $lt: value }), trusted({ $eq: null })]
}
