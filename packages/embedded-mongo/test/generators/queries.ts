// Documents, indexes, filters and sort orders that reach every kind of query plan.
import { BSONRegExp, Decimal128, type Document, Double, Long, MaxKey, MinKey, ObjectId } from 'bson'
import { type Random } from '../random.ts'

const fieldPaths = ['a', 'b', 'c', 'd.x', 'd.y', 'e']
const texts = ['', 'a', 'ab', 'abc', 'abd', 'b', 'B', 'é', 'e', 'Z', 'a\u0000b', '\uffff', '😀']

export function randomDocument(random: Random, hasArrays: boolean): Document {
  const doc: Document = { _id: new ObjectId() }
  for (const field of ['a', 'b', 'c', 'e']) {
    if (random.next() < 0.85)
      doc[field] = randomStored(random, hasArrays && random.next() < 0.4 ? 1 : 0)
  }
  const dice = random.next()
  const inner = (): Document => ({
    ...(random.next() < 0.8 ? { x: randomStored(random, 0) } : {}),
    ...(random.next() < 0.8 ? { y: randomStored(random, 0) } : {}),
  })
  if (dice < 0.4 || !hasArrays) doc['d'] = inner()
  else if (dice < 0.65) doc['d'] = Array.from({ length: pickLength(random) }, inner)
  else if (dice < 0.75) doc['d'] = randomStored(random, 1)
  return doc
}

function randomStored(random: Random, depth: number): unknown {
  const dice = random.next()
  if (depth > 0 && dice < 0.25) {
    return Array.from({ length: pickLength(random) }, () => randomStored(random, depth - 1))
  }
  if (depth > 0 && dice < 0.35) return { x: randomScalar(random), y: randomScalar(random) }
  return randomScalar(random)
}

function pickLength(random: Random): number {
  return Math.floor(random.next() * 4)
}

function randomScalar(random: Random): unknown {
  const small = Math.floor(random.next() * 8)
  const dice = random.next()
  if (dice < 0.45) return small
  if (dice < 0.62) return random.pick(texts)
  if (dice < 0.69) return null
  if (dice < 0.74) return new Date(small * 1000)
  return random.pick([
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

export function randomIndex(random: Random): Document {
  const length = 1 + Math.floor(random.next() * 3)
  const paths = shuffle(random, [
    ...fieldPaths,
    ...(random.next() < 0.2 ? ['_id', 'd'] : []),
  ]).slice(0, length)
  // Two fields below one array, in one index: a shape that once failed.
  if (random.next() < 0.25) paths.splice(0, 2, ...shuffle(random, ['d.x', 'd.y']))
  const key = Object.fromEntries(paths.map((path) => [path, random.next() < 0.6 ? 1 : -1]))
  const dice = random.next()
  if (dice < 0.15) return { key, sparse: true }
  if (dice < 0.4) return { key, partialFilterExpression: randomPartial(random, paths) }
  if (dice < 0.5) return { key, unique: true }
  if (dice < 0.6) return { key, collation: { locale: 'en', strength: 2 } }
  return { key }
}

function randomPartial(random: Random, paths: string[]): Document {
  const path = random.next() < 0.7 ? (paths[0] ?? 'a') : random.pick(fieldPaths)
  return random.pick<() => Document>([
    () => ({ [path]: { $exists: true } }),
    () => ({ [path]: { [random.pick(['$gt', '$gte', '$lt', '$lte'])]: randomScalar(random) } }),
    () => ({ [path]: { $gt: 1, $lte: 6 } }),
    () => ({ [path]: randomScalar(random) }),
    () => ({ [path]: { $in: [1, 2, 'a', null] } }),
  ])()
}

export function randomSort(random: Random): Document {
  const paths = shuffle(random, fieldPaths).slice(0, 1 + Math.floor(random.next() * 2))
  const all = random.next() < 0.7 ? [...paths, '_id'] : paths
  return Object.fromEntries(all.map((path) => [path, random.next() < 0.5 ? 1 : -1]))
}

const pageOrders: readonly Document[] = [
  { a: 1, _id: 1 },
  { b: -1, _id: -1 },
  { c: 1, a: -1, _id: 1 },
]

export function randomPageIndex(random: Random): Document {
  return { key: random.pick(pageOrders) }
}

// The filter and the order of the documents after a position, as pages by cursor are read.
export function randomPage(random: Random): { filter: Document; sort: Document } {
  const sort = random.pick(pageOrders)
  const position = Object.keys(sort).map(
    (path) => [path, path === '_id' ? new ObjectId() : randomScalar(random)] as const,
  )
  const alternatives = position.map(([path, value], index) => ({
    ...Object.fromEntries(position.slice(0, index)),
    [path]: { [sort[path] === 1 ? '$gt' : '$lt']: value },
  }))
  const others = random.next() < 0.5 ? [] : [{ [random.pick(['a', 'b', 'c'])]: null }]
  return { filter: { $or: [...alternatives, ...others] }, sort }
}

export function randomFilter(random: Random, depth: number): Document {
  const dice = random.next()
  if (depth > 0 && dice < 0.2) {
    return { $or: [randomFilter(random, depth - 1), randomFilter(random, depth - 1)] }
  }
  if (depth > 0 && dice < 0.35) {
    // Several demands on one field, which arrays may meet with different elements.
    const path = random.pick(fieldPaths)
    return { $and: [randomField(random, path), randomField(random, path)] }
  }
  if (depth > 0 && dice < 0.41) {
    return { $and: [randomFilter(random, depth - 1), randomFilter(random, depth - 1)] }
  }
  if (depth > 0 && dice < 0.44) return { $nor: [randomFilter(random, depth - 1)] }
  const paths =
    random.next() < 0.15
      ? ['d.x', 'd.y']
      : shuffle(random, fieldPaths).slice(0, 1 + Math.floor(random.next() * 3))
  return Object.assign({}, ...paths.map((path) => randomField(random, path)))
}

function randomField(random: Random, path: string): Document {
  if (!path.startsWith('d.') || random.next() < 0.6) return { [path]: randomCondition(random) }
  const names = shuffle(random, ['x', 'y']).slice(0, 1 + Math.floor(random.next() * 2))
  const element = Object.fromEntries(names.map((name) => [name, randomCondition(random)]))
  return { d: { $elemMatch: element } }
}

function randomCondition(random: Random): unknown {
  const value = (): unknown => randomStored(random, random.next() < 0.1 ? 1 : 0)
  const list = (): unknown[] => Array.from({ length: pickLength(random) }, value)
  const range = (): Document => ({ [random.pick(['$gt', '$gte', '$lt', '$lte'])]: value() })
  return random.pick<() => unknown>([
    value,
    value,
    value,
    () => ({ $eq: value() }),
    () => ({ $in: list() }),
    () => ({ $in: list() }),
    range,
    range,
    () => ({ ...range(), ...range() }),
    () => ({ $gte: Math.floor(random.next() * 4), $lt: Math.floor(random.next() * 8) }),
    () => ({ $ne: value() }),
    () => ({ $nin: list() }),
    () => ({ $exists: random.next() < 0.7 }),
    () => ({ $not: range() }),
    () => new BSONRegExp(random.pick(['^a', '^ab', '^abc?', '^ab*', '^a|b', 'b', '^A'])),
    () => new BSONRegExp('^A', 'i'),
    () => ({
      $regex: random.pick(['^ab', '^a.c', '^é']),
      ...(random.next() < 0.3 ? { $options: 'i' } : {}),
    }),
    () => ({ $elemMatch: { ...range(), ...range() } }),
    () => ({ $elemMatch: { $in: list() } }),
    () => ({ $type: random.pick(['string', 'number', 'array', 'null']) }),
    () => ({ $all: list() }),
    () => ({ $size: pickLength(random) }),
  ])()
}

function shuffle<T>(random: Random, list: readonly T[]): T[] {
  return list
    .map((item) => ({ item, order: random.next() }))
    .toSorted((a, b) => a.order - b.order)
    .map(({ item }) => item)
}
