import { type Aggregate, type mongo, type PipelineStage } from 'mongoose'
import { type Scope } from '../access/scope.ts'
import { countDirectly, findDirectly } from './direct-reads.ts'
import { toExactScope } from './exact-scope.ts'
import { type Condition } from './filter-parameters.ts'
import { joinFilters, reachable } from './in-scope.ts'
import { type LiveRead, type Sort } from './list-query.ts'
import { findLive } from './live-reads.ts'
import { type AnyModel, type AnyQuery } from './model.ts'

/** The source of a list other than a model: a query or an aggregation. */
export type ListSource<T> = AnyQuery<T> | Aggregate<T[]>

// Where the documents of a list come from.
export interface Source<T> {
  /** What cursors of the list are bound to. */
  readonly name: unknown
  find(conditions: readonly Condition[], options: FindOptions): Promise<T[]>
  count(conditions: readonly Condition[], collation?: mongo.CollationOptions): Promise<number>
}

export interface FindOptions {
  readonly sort: Sort
  readonly skip?: number
  readonly limit: number
  readonly collation?: mongo.CollationOptions | undefined
  readonly projection: Record<string, 1> | null
  readonly live?: LiveRead | undefined
}

export function toSource<T>(list: ListSource<T>): Source<T> {
  return 'pipeline' in list ? fromAggregate(list) : fromQuery(list)
}

export function fromModel<T>(model: AnyModel<T>, scope: Scope | undefined): Source<T> {
  const own: Condition = reachable(model, scope, {})
  const join = (conditions: readonly Condition[], collation: object | undefined): Condition =>
    joinFilters([collation ? toExactScope(model, own) : own, ...conditions])
  return {
    name: [model.modelName, withoutTimes(own)],
    async find(conditions, options) {
      const filter = join(conditions, options.collation)
      if (options.live) return findLive(model.find(filter).lean<T[]>(), options, options.live)
      return (await findDirectly(model, { ...options, filter })) ?? find(model, filter, options)
    },
    async count(conditions, collation) {
      const filter = join(conditions, collation)
      return (
        (await countDirectly(model, filter, collation)) ??
        model.countDocuments(filter, collation && { collation }).exec()
      )
    },
  }
}

function find<T>(
  model: AnyModel<T>,
  filter: Condition,
  { sort, projection, collation, ...options }: FindOptions,
): Promise<T[]> {
  return model
    .find(filter, projection, {
      sort: Object.fromEntries(sort),
      ...options,
      ...(collation && { collation }),
    })
    .lean<T[]>()
    .exec()
}

function fromQuery<T>(query: AnyQuery<T>): Source<T> {
  const { model } = query
  const own: Condition = query.getFilter()
  const join = (conditions: readonly Condition[], collation: object | undefined): Condition =>
    joinFilters([collation ? toExactScope(model, own) : own, ...conditions])
  return {
    name: [model.modelName, withoutTimes(own)],
    find(conditions, options) {
      const { sort, skip = 0, limit, projection, collation, live } = options
      const found = query.clone()
      found.setQuery(join(conditions, collation))
      if (live) return findLive(found, options, live)
      if (collation) found.collation(collation)
      if (projection) found.projection(projection)
      return found.sort(Object.fromEntries(sort), { override: true }).skip(skip).limit(limit).exec()
    },
    count(conditions, requested) {
      const { session, withDeleted, ...options } = query.getOptions()
      const collation = requested ?? options['collation']
      return model
        .countDocuments(join(conditions, requested))
        .setOptions({
          ...(session && { session }),
          ...(collation && { collation }),
          ...(withDeleted === true && { withDeleted }),
        })
        .exec()
    },
  }
}

function fromAggregate<T>(aggregate: Aggregate<T[]>): Source<T> {
  const model = aggregate.model()
  const run = <R>(stages: PipelineStage[], collation?: mongo.CollationOptions): Promise<R[]> =>
    model
      .aggregate<R>([...aggregate.pipeline(), ...stages])
      .option({ ...aggregate.options, ...(collation && { collation }) })
      .exec()
  // Unlike a query, an aggregation casts no values, and it has fields that the model does not know.
  const uncast = (): AnyQuery<unknown> => model.find().setOptions({ strictQuery: false })
  const toMatch = (conditions: readonly Condition[]): PipelineStage[] =>
    conditions.map((condition) => ({ $match: uncast().cast(model, { ...condition }) }))
  return {
    name: [model.modelName, withoutTimes(aggregate.pipeline())],
    find: (conditions, { sort, skip = 0, limit, projection, collation, live }) => {
      if (live) throw new Error(aggregateMessage)
      const stages: PipelineStage[] = [
        ...toMatch(conditions),
        { $sort: Object.fromEntries(sort) },
        ...(skip > 0 ? [{ $skip: skip }] : []),
        { $limit: limit },
        ...(projection ? [{ $project: projection }] : []),
      ]
      return run<T>(stages, collation)
    },
    async count(conditions, collation) {
      const stages: PipelineStage[] = [...toMatch(conditions), { $count: 'total' }]
      const [found] = await run<{ total: number }>(stages, collation)
      return found?.total ?? 0
    },
  }
}

const aggregateMessage =
  'A live list cannot read an aggregation, whose documents change with those of other collections. Return findPage() with a model or a query.'

// A query that compares with the current time is still the same list in the next request.
export function withoutTimes(value: unknown): unknown {
  if (value instanceof Date) return null
  if (Array.isArray(value)) return value.map(withoutTimes)
  if (Object.prototype.toString.call(value) !== '[object Object]') return value
  const { toJSON }: { toJSON?: unknown } = Object(value)
  if (typeof toJSON === 'function') return value
  return Object.fromEntries(
    Object.entries(Object(value)).map(([name, member]) => [name, withoutTimes(member)]),
  )
}
