import { type Collection, Row } from '../catalog/collection.ts'
import { createSorter, type SortOrder } from '../keys/sort.ts'
import { documentKey, documentRange, recordIdLength } from '../storage/keys.ts'
import { type Entry, type Reader, requireBytes, scan } from '../storage/store.ts'
import { type AccessPath, type IndexPath } from './access-path.ts'
import { type Query } from './query.ts'

const stepsPerTimeCheck = 256

export interface WalkStats {
  keysExamined: number
  docsExamined: number
}

interface Walk {
  reader: Reader
  collection: Collection
  query: Query
  stats: WalkStats
}

// A matching row, or `undefined` for a step without one.
export type Step = Row | undefined

// Walks a path step by step, so that several can be raced.
export function walkPath(walk: Walk, path: AccessPath): Generator<Step, void> {
  const matching = filterSteps(walk, path)
  const isSorted = path.kind !== 'scan' && path.isSorted
  const { query } = walk
  const ordered = query.order && !isSorted ? sortSteps(query, query.order, matching) : matching
  return query.skip > 0 || query.limit > 0 ? sliceSteps(query, ordered) : ordered
}

function* filterSteps(walk: Walk, path: AccessPath): Generator<Step, void> {
  const { query, stats } = walk
  const exact = path.kind === 'index' && path.isExact ? path : undefined
  const { fields } = query.matches
  let works = 0
  const rows = exact && query.isCount ? indexRows(walk, [exact], () => counted) : rowsOf(walk, path)
  for (const row of rows) {
    works += 1
    if (works % stepsPerTimeCheck === 0) query.checkTime()
    if (row && row !== counted) stats.docsExamined += 1
    yield row && (exact || query.matches(row.fields(fields))) ? row : undefined
  }
}

function rowsOf(walk: Walk, path: AccessPath): Iterable<Step> {
  if (path.kind === 'scan') return scanRows(walk, path.reverse)
  if (path.kind === 'index') return indexRows(walk, [path])
  const { order } = walk.query
  return path.isSorted && order
    ? mergeRows(walk, path.branches, order)
    : indexRows(walk, path.branches)
}

interface Head {
  readonly steps: Iterator<Step, void>
  row: Row
  key: unknown
}

// Several branches may return the same document.
function* mergeRows(
  walk: Walk,
  branches: readonly IndexPath[],
  order: SortOrder,
): Generator<Step, void> {
  const seen = new Set<string>()
  let heads = branches.flatMap((branch) => toHead(indexRows(walk, [branch]), order) ?? [])
  while (heads.length > 0) {
    const least = heads.reduce((a, b) => (order.compare(b.key, a.key) < 0 ? b : a))
    yield seen.has(least.row.recordId) ? undefined : least.row
    seen.add(least.row.recordId)
    const next = toHead(least.steps, order)
    heads = heads.flatMap((head) => (head === least ? (next ?? []) : head))
  }
}

function toHead(steps: Iterator<Step, void>, order: SortOrder): Head | undefined {
  for (let step = steps.next(); step.done !== true; step = steps.next()) {
    const row = step.value
    if (row) return { steps, row, key: order.key(row.fields(order.fields)) }
  }
  return undefined
}

// A document that is counted and need not be read.
const counted = new Row('', Buffer.alloc(0))

function* indexRows(walk: Walk, branches: IndexPath[], fetch = fetchRow): Generator<Step, void> {
  const mayRepeat =
    branches.length > 1 || branches.some(({ index }) => index.multikey.includes(true))
  const seen = mayRepeat ? new Set<string>() : undefined
  for (const branch of branches) {
    for (const recordId of recordsOf(walk, branch)) {
      if (seen?.has(recordId)) yield undefined
      else {
        seen?.add(recordId)
        yield fetch(walk, recordId)
      }
    }
  }
}

function* scanRows({ reader, collection }: Walk, reverse: boolean): Generator<Row, void> {
  for (const [key, value] of scan(reader, { ...documentRange(collection.id), reverse })) {
    yield new Row(key.slice(-recordIdLength), requireBytes(value))
  }
}

function* recordsOf({ reader, stats }: Walk, path: IndexPath): Generator<string, void> {
  const ranges = path.reverse ? path.ranges.toReversed() : path.ranges
  const isUnique = path.index.unique && path.points === path.index.fields.length
  for (const range of ranges) {
    const entries = isUnique
      ? lookUp(reader, range.start)
      : scan(reader, { ...range, reverse: path.reverse })
    for (const [, value] of entries) {
      stats.keysExamined += 1
      yield value.toString()
    }
  }
}

// The whole key is known, so there is at most one entry.
function lookUp(reader: Reader, key: string): Entry[] {
  const value = reader.get(key)
  return value === undefined ? [] : [[key, value]]
}

// The document may have been deleted since its index entry was read in an earlier batch.
function fetchRow({ reader, collection }: Walk, recordId: string): Row | undefined {
  const value = reader.get(documentKey(collection.id, recordId))
  return value === undefined ? undefined : new Row(recordId, requireBytes(value))
}

function* sortSteps(
  { skip, limit }: Query,
  order: SortOrder,
  steps: Iterable<Step>,
): Generator<Step, void> {
  const top = limit === 0 ? undefined : skip + limit
  const rows = createSorter<Row>(order, { doc: (row) => row.fields(order.fields), limit: top })
  for (const row of steps) {
    if (row) rows.add(row)
    yield undefined
  }
  yield* rows.sorted()
}

function* sliceSteps({ skip, limit }: Query, steps: Iterable<Step>): Generator<Step, void> {
  let position = 0
  for (const row of steps) {
    if (row) position += 1
    yield position > skip ? row : undefined
    if (limit > 0 && position === skip + limit) return
  }
}
