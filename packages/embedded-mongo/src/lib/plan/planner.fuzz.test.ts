import { BSONRegExp, Decimal128, Double, EJSON, Long, MaxKey, MinKey, ObjectId } from 'bson'
import { describe, expect, it } from 'vitest'
import { type Doc } from '../bson/document.ts'
import { encode } from '../bson/codec.ts'
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
import { RECORD_ID_LENGTH, toBytes, toObjectKeyId } from '../storage/keys.ts'
import { createMemoryStore } from '../storage/tree.ts'
import { type Store } from '../storage/store.ts'
import { View } from '../storage/view.ts'
import { type Query } from './query.ts'
import { startQuery } from './run-query.ts'

// 50,000 queries: PLANNER_FUZZ_QUERIES=50000 npx vitest run planner.fuzz
const QUERIES = Number(process.env['PLANNER_FUZZ_QUERIES'] ?? 20000)
const SEED = Number(process.env['PLANNER_FUZZ_SEED'] ?? 1)
const QUERIES_PER_WORLD = 100
const DOCUMENTS = 90
const NAMESPACE = 'fuzz.docs'

describe('a query', () => {
  it(`returns what a full scan returns, whatever the indexes (${QUERIES} queries, seed ${SEED})`, () => {
    const used = new Map<string, number>()
    for (let world = 0; world * QUERIES_PER_WORLD < QUERIES; world += 1) {
      const seed = SEED * 1_000_000 + world
      const random = createRandom(seed)
      const { store, rows } = createWorld(random)
      for (let i = 0; i < QUERIES_PER_WORLD; i += 1) {
        const query = randomQuery(random)
        const kind = check(store, rows, { query, label: `seed ${seed}, query ${i}` })
        used.set(kind, (used.get(kind) ?? 0) + 1)
      }
    }
    // The generator must keep reaching every kind of plan, or agreement means nothing.
    expect(
      Math.min(...['index', 'union', 'scan'].map((kind) => used.get(kind) ?? 0)),
    ).toBeGreaterThan(QUERIES / 100)
  }, 1_200_000)
})

type Random = () => number

function check(
  store: Store,
  rows: Row[],
  { query, label }: { query: Query; label: string },
): string {
  const collection = findCollection(store, NAMESPACE)
  if (!collection) throw new Error('The world has no collection')
  const expected = attempt(() => fullScan(rows, query))
  const actual = attempt(() => {
    const started = startQuery(store, collection, query)
    return { kind: started.path.kind, found: [...started.rows] }
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

function findDifference(
  query: Query,
  expected: { all: Row[]; page: Row[] } | string,
  actual: { found: Row[] } | string,
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
  const hasArrays = random() < 0.5
  const store = createMemoryStore()
  const clock = createClusterClock()
  let nextId = 3
  const inView = (write: (view: View) => void): void => {
    const view = new View(store)
    write(view)
    commitView({ store, clock, streams: new ChangeLog() }, view, [])
  }
  inView((view) => saveCollection(view, newCollection(NAMESPACE, [1, 2], {})))
  const addIndex = (): void => {
    const spec = parseIndexSpec({ ...randomIndex(random), name: `i${nextId}` })
    try {
      inView((view) => {
        const collection = findCollection(view, NAMESPACE)
        if (!collection) return
        const index = buildIndex(view, collection, toIndex(spec, toObjectKeyId(nextId)))
        saveCollection(view, { ...collection, indexes: [...collection.indexes, index] })
      })
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
    }
    nextId += 1
  }
  const early = Math.floor(random() * 3)
  for (let i = 0; i < early; i += 1) addIndex()
  const rows = new Map<string, Row>()
  const write = (before: Row | undefined, after: Row | undefined): void => {
    try {
      inView((view) => writeRecord(view, NAMESPACE, { before, after }))
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
  for (let i = 1; i <= DOCUMENTS; i += 1) write(undefined, newRow(toBytes(i, RECORD_ID_LENGTH)))
  for (const row of Array.from(rows.values())) {
    const dice = random()
    if (dice < 0.1) write(row, undefined)
    else if (dice < 0.3) write(row, newRow(row.recordId))
  }
  for (let i = 0; i < 4; i += 1) addIndex()
  const sorted = [...rows.values()].toSorted((a, b) => (a.recordId < b.recordId ? -1 : 1))
  return { store, rows: sorted }
}

const PATHS = ['a', 'b', 'c', 'd.x', 'd.y', 'e']
const TEXTS = ['', 'a', 'ab', 'abc', 'abd', 'b', 'B', 'é', 'e', 'Z', 'a\u0000b', '\uffff', '😀']

function randomDocument(random: Random, hasArrays: boolean): Doc {
  const doc: Doc = { _id: new ObjectId() }
  for (const field of ['a', 'b', 'c', 'e']) {
    if (random() < 0.85) doc[field] = randomStored(random, hasArrays && random() < 0.4 ? 1 : 0)
  }
  const dice = random()
  const inner = (): Doc => ({
    ...(random() < 0.8 ? { x: randomStored(random, 0) } : {}),
    ...(random() < 0.8 ? { y: randomStored(random, 0) } : {}),
  })
  if (dice < 0.4 || !hasArrays) doc['d'] = inner()
  else if (dice < 0.65) doc['d'] = Array.from({ length: pickLength(random) }, inner)
  else if (dice < 0.75) doc['d'] = randomStored(random, 1)
  return doc
}

function randomStored(random: Random, depth: number): unknown {
  const dice = random()
  if (depth > 0 && dice < 0.25) {
    return Array.from({ length: pickLength(random) }, () => randomStored(random, depth - 1))
  }
  if (depth > 0 && dice < 0.35) return { x: randomScalar(random), y: randomScalar(random) }
  return randomScalar(random)
}

function pickLength(random: Random): number {
  return Math.floor(random() * 4)
}

function randomScalar(random: Random): unknown {
  const small = Math.floor(random() * 8)
  const dice = random()
  if (dice < 0.45) return small
  if (dice < 0.62) return pick(random, TEXTS)
  if (dice < 0.69) return null
  if (dice < 0.74) return new Date(small * 1000)
  return pick(random, [
    new Double(small),
    Long.fromNumber(small),
    Long.fromString('9007199254740993'),
    Long.fromString('9007199254740992'),
    new Double(9007199254740992),
    Decimal128.fromString('1.10'),
    Decimal128.fromString('0.1'),
    small + 0.5,
    -small,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    true,
    false,
    new ObjectId('0123456789abcdef01234567'),
    new BSONRegExp('^ab'),
    new MinKey(),
    new MaxKey(),
  ])
}

function randomIndex(random: Random): Doc {
  const length = 1 + Math.floor(random() * 3)
  const paths = shuffle(random, [...PATHS, ...(random() < 0.2 ? ['_id', 'd'] : [])]).slice(
    0,
    length,
  )
  // Two fields below one array, in one index: a shape that once failed.
  if (random() < 0.25) paths.splice(0, 2, ...shuffle(random, ['d.x', 'd.y']))
  const key = Object.fromEntries(paths.map((path) => [path, random() < 0.6 ? 1 : -1]))
  const dice = random()
  if (dice < 0.15) return { key, sparse: true }
  if (dice < 0.4) return { key, partialFilterExpression: randomPartial(random, paths) }
  if (dice < 0.5) return { key, unique: true }
  if (dice < 0.6) return { key, collation: { locale: 'en', strength: 2 } }
  return { key }
}

function randomPartial(random: Random, paths: string[]): Doc {
  const path = random() < 0.7 ? (paths[0] ?? 'a') : pick(random, PATHS)
  return pick<() => Doc>(random, [
    () => ({ [path]: { $exists: true } }),
    () => ({ [path]: { [pick(random, ['$gt', '$gte', '$lt', '$lte'])]: randomScalar(random) } }),
    () => ({ [path]: { $gt: 1, $lte: 6 } }),
    () => ({ [path]: randomScalar(random) }),
    () => ({ [path]: { $in: [1, 2, 'a', null] } }),
  ])()
}

function randomQuery(random: Random): Query {
  const collation =
    random() < 0.1
      ? createCollation({ locale: 'en', strength: pick(random, [1, 2, 3]) })
      : undefined
  const matching = randomMatch(random, collation)
  const sort = random() < 0.6 ? randomSort(random) : undefined
  return {
    ...matching,
    sort,
    order: sort && createSortOrder(sort, collation),
    skip: random() < 0.3 ? Math.floor(random() * 10) : 0,
    limit: random() < 0.5 ? 1 + Math.floor(random() * 20) : 0,
    collation,
    checkTime: () => {},
  }
}

function randomMatch(
  random: Random,
  collation: Collation | undefined,
): Pick<Query, 'filter' | 'matches'> {
  for (;;) {
    const filter = randomFilter(random, 2)
    const matches = attempt(() => compileFilter(filter, { collation }))
    if (typeof matches !== 'string') return { filter, matches }
  }
}

function randomSort(random: Random): Doc {
  const paths = shuffle(random, PATHS).slice(0, 1 + Math.floor(random() * 2))
  const all = random() < 0.7 ? [...paths, '_id'] : paths
  return Object.fromEntries(all.map((path) => [path, random() < 0.5 ? 1 : -1]))
}

function randomFilter(random: Random, depth: number): Doc {
  const dice = random()
  if (depth > 0 && dice < 0.2) {
    return { $or: [randomFilter(random, depth - 1), randomFilter(random, depth - 1)] }
  }
  if (depth > 0 && dice < 0.35) {
    // Several demands on one field, which arrays may meet with different elements.
    const path = pick(random, PATHS)
    return { $and: [randomField(random, path), randomField(random, path)] }
  }
  if (depth > 0 && dice < 0.41) {
    return { $and: [randomFilter(random, depth - 1), randomFilter(random, depth - 1)] }
  }
  if (depth > 0 && dice < 0.44) return { $nor: [randomFilter(random, depth - 1)] }
  const paths =
    random() < 0.15 ? ['d.x', 'd.y'] : shuffle(random, PATHS).slice(0, 1 + Math.floor(random() * 3))
  return Object.assign({}, ...paths.map((path) => randomField(random, path)))
}

function randomField(random: Random, path: string): Doc {
  if (!path.startsWith('d.') || random() < 0.6) return { [path]: randomCondition(random) }
  const names = shuffle(random, ['x', 'y']).slice(0, 1 + Math.floor(random() * 2))
  const element = Object.fromEntries(names.map((name) => [name, randomCondition(random)]))
  return { d: { $elemMatch: element } }
}

function randomCondition(random: Random): unknown {
  const value = (): unknown => randomStored(random, random() < 0.1 ? 1 : 0)
  const list = (): unknown[] => Array.from({ length: pickLength(random) }, value)
  const range = (): Doc => ({ [pick(random, ['$gt', '$gte', '$lt', '$lte'])]: value() })
  return pick<() => unknown>(random, [
    value,
    value,
    value,
    () => ({ $eq: value() }),
    () => ({ $in: list() }),
    () => ({ $in: list() }),
    range,
    range,
    () => ({ ...range(), ...range() }),
    () => ({ $gte: Math.floor(random() * 4), $lt: Math.floor(random() * 8) }),
    () => ({ $ne: value() }),
    () => ({ $nin: list() }),
    () => ({ $exists: random() < 0.7 }),
    () => ({ $not: range() }),
    () => new BSONRegExp(pick(random, ['^a', '^ab', '^abc?', '^ab*', '^a|b', 'b', '^A'])),
    () => new BSONRegExp('^A', 'i'),
    () => ({
      $regex: pick(random, ['^ab', '^a.c', '^é']),
      ...(random() < 0.3 ? { $options: 'i' } : {}),
    }),
    () => ({ $elemMatch: { ...range(), ...range() } }),
    () => ({ $elemMatch: { $in: list() } }),
    () => ({ $type: pick(random, ['string', 'number', 'array', 'null']) }),
    () => ({ $all: list() }),
    () => ({ $size: pickLength(random) }),
  ])()
}

function pick<T>(random: Random, list: readonly T[]): T {
  const item = list[Math.floor(random() * list.length)]
  if (item === undefined && list.length === 0) throw new Error('Nothing to pick from')
  return item as T
}

function shuffle<T>(random: Random, list: readonly T[]): T[] {
  return list
    .map((item) => ({ item, order: random() }))
    .toSorted((a, b) => a.order - b.order)
    .map(({ item }) => item)
}

// mulberry32: small, seeded, good enough to reach odd corners again.
function createRandom(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
