import { type Collection } from '../catalog/collection.ts'
import { type Row } from '../catalog/row.ts'
import { type Reader } from '../storage/store.ts'
import { type AccessPath } from './access-path.ts'
import { choosePaths } from './choose-paths.ts'
import { type Query } from './query.ts'
import { race } from './race.ts'
import { walkPath, type WalkStats } from './walk-path.ts'

/** A query on its way. */
export interface RunningQuery {
  /** The way that is taken. */
  path: AccessPath
  /** The ways that lost the race. */
  rejected: AccessPath[]
  rows: Iterable<Row>
  /** Counts while rows are read. */
  stats: WalkStats
}

/**
 * Finds the rows a query wants, in its order.
 *
 * @param reader What is seen.
 * @param collection The collection.
 * @param query What is wanted.
 * @returns The rows, found as they are asked for.
 */
export function runQuery(reader: Reader, collection: Collection, query: Query): Iterable<Row> {
  return startQuery(reader, collection, query).rows
}

/**
 * Chooses the way to a query's rows.
 *
 * @param reader What is seen.
 * @param collection The collection.
 * @param query What is wanted.
 * @returns The way, and the rows.
 */
export function startQuery(reader: Reader, collection: Collection, query: Query): RunningQuery {
  const contenders = choosePaths(collection, query).map((path) => {
    const stats: WalkStats = { keysExamined: 0, docsExamined: 0 }
    return { path: { path, stats }, steps: walkPath({ reader, collection, query, stats }, path) }
  })
  const { winner, rows } = race(contenders)
  const rejected = contenders.map(({ path }) => path.path).filter((path) => path !== winner.path)
  return { path: winner.path, rejected, rows, stats: winner.stats }
}
