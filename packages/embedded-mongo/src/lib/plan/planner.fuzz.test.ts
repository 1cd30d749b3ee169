import { EJSON } from 'bson'
import { describe, expect, it } from 'vitest'
import {
  randomDocument,
  randomFilter,
  randomIndex,
  randomPage,
  randomPageIndex,
  randomSort,
} from '../../../test/generators/queries.ts'
import { createRandom, type Random } from '../../../test/random.ts'
import { encode } from '../bson/codec.ts'
import { type Doc } from '../bson/document.ts'
import { buildIndex } from '../catalog/index-entries.ts'
import { findCollection, newCollection, saveCollection, toIndex } from '../catalog/catalog.ts'
import { parseIndexSpec } from '../catalog/index-spec.ts'
import { writeRecord } from '../catalog/records.ts'
import { Row } from '../catalog/collection.ts'
import { CommandError } from '../errors/command-error.ts'
import { ChangeLog } from '../change-streams/change-log.ts'
import { type Collation, createCollation } from '../keys/collation.ts'
import { createSortOrder, sortBy } from '../keys/sort.ts'
import { compileFilter } from '../query/compile-filter.ts'
import { createClusterClock } from '../sessions/cluster-clock.ts'
import { commitView } from '../sessions/commit.ts'
import { recordIdLength, toBytes, toObjectKeyId } from '../storage/keys.ts'
import { createMemoryStore } from '../storage/tree.ts'
import { type Store } from '../storage/store.ts'
import { View } from '../storage/view.ts'
import { type Query } from './query.ts'
import { type AccessPath } from './access-path.ts'
import { startQuery } from './run-query.ts'

// 50,000 queries: PLANNER_FUZZ_QUERIES=50000 npx vitest run planner.fuzz
const queries = Number(process.env['PLANNER_FUZZ_QUERIES'] ?? 20000)
const firstSeed = Number(process.env['PLANNER_FUZZ_SEED'] ?? 1)
const queriesPerWorld = 100
const documents = 90
const namespace = 'fuzz.docs'

describe('a query', () => {
  it(`returns what a full scan returns, whatever the indexes (${queries} queries, seed ${firstSeed})`, () => {
    const used = new Map<string, number>()
    for (let world = 0; world * queriesPerWorld < queries; world += 1) {
      const seed = firstSeed * 1_000_000 + world
      const random = createRandom(seed)
      const { store, rows } = createWorld(random)
      for (let i = 0; i < queriesPerWorld; i += 1) {
        const query = randomQuery(random)
        const kind = check(store, rows, { query, label: `seed ${seed}, query ${i}` })
        used.set(kind, (used.get(kind) ?? 0) + 1)
      }
    }
    // The generator must keep reaching every kind of plan, or agreement means nothing.
    expect(
      Math.min(...['index', 'union', 'merge', 'scan'].map((kind) => used.get(kind) ?? 0)),
    ).toBeGreaterThan(queries / 100)
  }, 1_200_000)
})

function check(
  store: Store,
  rows: Row[],
  { query, label }: { query: Query; label: string },
): string {
  const collection = findCollection(store, namespace)
  if (!collection) throw new Error('The world has no collection')
  const expected = attempt(() => fullScan(rows, query))
  const actual = attempt(() => {
    const started = startQuery(store, collection, query)
    const found = [...started.rows]
    const counted = query.order
      ? found.length
      : [...startQuery(store, collection, { ...query, isCount: true }).rows].length
    return { kind: toKind(started.path), found, counted }
  })
  const difference = findDifference(query, expected, actual)
  if (difference) {
    const { filter, sort, skip, limit } = query
    const indexes = collection.indexes.map(({ pattern, options }) => ({ pattern, options }))
    const shown = { filter, sort, skip, limit, collation: query.collation?.spec, indexes }
    throw new Error(`${label}: ${difference}: ${EJSON.stringify(shown)}`)
  }
  return typeof actual === 'string' ? actual : actual.kind
}

function toKind(path: AccessPath): string {
  return path.kind === 'union' && path.isSorted ? 'merge' : path.kind
}

function findDifference(
  query: Query,
  expected: { all: Row[]; page: Row[] } | string,
  actual: { found: Row[]; counted: number } | string,
): string | undefined {
  // Only a blocking sort looks at every document's sort key, so an index may be kinder.
  if (typeof expected === 'string') return undefined
  if (typeof actual === 'string') return `threw ${actual}`
  const { sort, order } = query
  const ids = actual.found.map((row) => row.recordId)
  const wanted = expected.page.map((row) => row.recordId)
  if (sort && '_id' in sort) return isSame(ids, wanted) ? undefined : 'other rows or order'
  const allowed = new Set(expected.all.map((row) => row.recordId))
  if (ids.length !== wanted.length) return `${ids.length} rows instead of ${wanted.length}`
  if (actual.counted !== wanted.length) return `a count of ${actual.counted}, not ${wanted.length}`
  if (new Set(ids).size !== ids.length) return 'a row comes twice'
  if (!ids.every((id) => allowed.has(id))) return 'a row does not match'
  if (!order || query.collation) return undefined
  const keys = (list: Row[]): unknown[] => list.map((row) => order.key(row.doc))
  return isSame(keys(actual.found), keys(expected.page)) ? undefined : 'another order'
}

function isSame(a: unknown[], b: unknown[]): boolean {
  return a.length === b.length && a.every((item, position) => item === b[position])
}

function fullScan(rows: Row[], query: Query): { all: Row[]; page: Row[] } {
  const matching = rows.filter((row) => query.matches(row.doc))
  const sorted = query.order ? sortBy(matching, query.order, { doc: (row) => row.doc }) : matching
  const end = query.limit === 0 ? undefined : query.skip + query.limit
  return { all: matching, page: sorted.slice(query.skip, end) }
}

function attempt<T>(run: () => T): T | string {
  try {
    return run()
  } catch (error) {
    if (error instanceof CommandError) return `error ${error.code}`
    throw error
  }
}

function createWorld(random: Random): { store: Store; rows: Row[] } {
  // Without arrays bounds are tighter and orders are used: both kinds of worlds are needed.
  const hasArrays = random.next() < 0.5
  const store = createMemoryStore()
  const clock = createClusterClock()
  let nextId = 3
  const inView = (write: (view: View) => void): void => {
    const view = new View(store)
    write(view)
    commitView({ store, clock, streams: new ChangeLog() }, view, [])
  }
  inView((view) => saveCollection(view, newCollection(namespace, [1, 2], {})))
  const addIndex = (): void => {
    const isForPages = random.next() < 0.3
    const chosen = isForPages ? randomPageIndex(random) : randomIndex(random)
    const given = { ...chosen, name: `i${nextId}` }
    try {
      const spec = parseIndexSpec(given)
      inView((view) => {
        const collection = findCollection(view, namespace)
        if (!collection) return
        const index = buildIndex(view, collection, toIndex(spec, toObjectKeyId(nextId)))
        saveCollection(view, { ...collection, indexes: [...collection.indexes, index] })
      })
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
    }
    nextId += 1
  }
  const early = Math.floor(random.next() * 3)
  for (let i = 0; i < early; i += 1) addIndex()
  const rows = new Map<string, Row>()
  const write = (before: Row | undefined, after: Row | undefined): void => {
    try {
      inView((view) => writeRecord(view, namespace, { before, after }))
      if (after) rows.set(after.recordId, after)
      else if (before) rows.delete(before.recordId)
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
    }
  }
  const newRow = (recordId: string): Row => {
    const doc = randomDocument(random, hasArrays)
    return new Row(recordId, encode(doc))
  }
  for (let i = 1; i <= documents; i += 1) write(undefined, newRow(toBytes(i, recordIdLength)))
  for (const row of Array.from(rows.values())) {
    const dice = random.next()
    if (dice < 0.1) write(row, undefined)
    else if (dice < 0.3) write(row, newRow(row.recordId))
  }
  for (let i = 0; i < 4; i += 1) addIndex()
  const sorted = [...rows.values()].toSorted((a, b) => (a.recordId < b.recordId ? -1 : 1))
  return { store, rows: sorted }
}

function randomQuery(random: Random): Query {
  const collation =
    random.next() < 0.1
      ? createCollation({ locale: 'en', strength: random.pick([1, 2, 3]) })
      : undefined
  const isPage = random.next() < 0.2
  const matching = randomMatch(collation, () =>
    isPage ? randomPage(random) : { filter: randomFilter(random, 2), sort: undefined },
  )
  const sort = matching.sort ?? (random.next() < 0.6 ? randomSort(random) : undefined)
  return {
    ...matching,
    sort,
    order: sort && createSortOrder(sort, collation),
    skip: random.next() < 0.3 ? Math.floor(random.next() * 10) : 0,
    limit: random.next() < 0.5 ? 1 + Math.floor(random.next() * 20) : 0,
    collation,
    checkTime: () => {},
  }
}

interface Wanted {
  filter: Doc
  sort: Doc | undefined
}

function randomMatch(
  collation: Collation | undefined,
  create: () => Wanted,
): Wanted & Pick<Query, 'matches'> {
  for (;;) {
    const wanted = create()
    const matches = attempt(() => compileFilter(wanted.filter, { collation }))
    if (typeof matches !== 'string') return { ...wanted, matches }
  }
}
