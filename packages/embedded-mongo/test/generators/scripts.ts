// Commands for the differential test, a script of some of them on the same data.
import { type Document } from 'bson'
import { type Script } from '../differential/compare.ts'
import { type Random } from '../random.ts'
import { randomPipeline } from './pipelines.ts'
import { randomProjection } from './projections.ts'
import { randomDocument, randomFilter, randomIndex, randomSort } from './queries.ts'
import { filtersFor, randomDocument as randomTarget, randomUpdate } from './updates.ts'

/** Makes a script of `length` commands. */
export type Generator = (random: Random, length: number) => Script

const batch = 10_000

export const generators: Readonly<Record<string, Generator>> = {
  query: onDocuments((random) => ({
    filter: randomFilter(random, 2),
    sort: complete(random, random.chance(0.5) ? randomSort(random) : {}),
    ...(random.chance(0.3) ? { skip: random.int(10) } : {}),
    ...(random.chance(0.5) ? { limit: 1 + random.int(20) } : {}),
  })),
  sort: onDocuments((random) => ({ sort: complete(random, randomSort(random)) })),
  projection: onDocuments((random) => ({
    filter: random.chance(0.5) ? randomFilter(random, 1) : {},
    projection: randomProjection(random),
    sort: { _id: 1 },
  })),
  collation: onDocuments((random) => ({
    filter: randomFilter(random, 1),
    sort: complete(random, randomSort(random)),
    collation: randomCollation(random),
  })),
  aggregation: (random, length) => ({
    setup: createItems(random),
    commands: Array.from({ length }, () => ({
      aggregate: 'items',
      pipeline: randomPipeline(random),
      cursor: { batchSize: batch },
    })),
  }),
  update: (random, length) => ({
    setup: [],
    commands: Array.from({ length }, (_, _id) => updateOne(random, _id)).flat(),
  }),
}

function onDocuments(find: (random: Random) => Document): Generator {
  return (random, length) => ({
    setup: createItems(random),
    commands: Array.from({ length }, () => ({ find: 'items', ...find(random), batchSize: batch })),
  })
}

function createItems(random: Random): Document[] {
  // Without arrays bounds are tighter and orders are used: both kinds are needed.
  const hasArrays = random.chance(0.5)
  const documents = Array.from({ length: 60 }, (_, _id) => ({
    ...randomDocument(random, hasArrays),
    _id,
  }))
  const indexes = Array.from({ length: random.int(4) }, (_, i) => ({
    createIndexes: 'items',
    indexes: [{ ...randomIndex(random), name: `i${i}` }],
  }))
  return [...indexes, { insert: 'items', documents, ordered: false }]
}

// Documents with equal keys come in the order of the plan.
function complete(random: Random, sort: Document): Document {
  return '_id' in sort ? sort : { ...sort, _id: random.pick([1, -1]) }
}

function randomCollation(random: Random): Document {
  return {
    locale: random.pick(['en', 'fr', 'de', 'simple']),
    ...(random.chance(0.7) ? { strength: 1 + random.int(3) } : {}),
    ...(random.chance(0.2) ? { numericOrdering: true } : {}),
  }
}

function updateOne(random: Random, _id: number): Document[] {
  const u = randomUpdate(random)
  const arrayFilters = filtersFor(u)
  const filter = random.chance(0.2) ? { a: { $gte: random.int(3) } } : {}
  const update = {
    q: { _id, ...filter },
    u,
    ...(arrayFilters.length > 0 ? { arrayFilters } : {}),
    ...(random.chance(0.2) ? { upsert: true } : {}),
  }
  return [
    { insert: 'items', documents: [{ ...randomTarget(random, 3), _id }] },
    { update: 'items', updates: [update] },
    { find: 'items', filter: { _id } },
  ]
}
