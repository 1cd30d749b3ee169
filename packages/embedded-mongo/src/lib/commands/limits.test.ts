import { type Db, type Document, MongoBulkWriteError } from 'mongodb'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { freshDatabase } from '../../../test/fresh-server.ts'

const mb = 1024 * 1024

async function largeDocuments(): Promise<Db> {
  const db = await freshDatabase()
  const documents = Array.from({ length: 20 }, (_, n) => ({ n, text: String(n % 10).repeat(mb) }))
  // Different from one another, so that they are distinct.
  for (const document of documents) document.text += String(document.n)
  await db.collection('things').insertMany(documents)
  return db
}

describe('a result that is larger than a document may be', () => {
  it.each<[string, Document, number]>([
    ['distinct', { distinct: 'things', key: 'text' }, 17217],
    ['$group', { pipeline: [{ $group: { _id: null, all: { $push: '$text' } } }] }, 10334],
    ['$facet', { pipeline: [{ $facet: { all: [{ $match: {} }] } }] }, 10334],
    [
      '$lookup',
      { pipeline: [{ $limit: 1 }, { $lookup: { from: 'things', pipeline: [], as: 'all' } }] },
      10334,
    ],
    [
      '$concat',
      { pipeline: [{ $limit: 1 }, { $project: { a: { $concat: Array(20).fill('$text') } } }] },
      10334,
    ],
    [
      '$project of find',
      { find: 'things', projection: { a: { $concat: Array(20).fill('$text') } } },
      10334,
    ],
    [
      '$range',
      { pipeline: [{ $limit: 1 }, { $project: { a: { $range: [0, 2_000_000_000] } } }] },
      146,
    ],
    [
      'an update',
      {
        update: 'things',
        updates: [{ q: { n: 1 }, u: [{ $set: { a: { $concat: Array(20).fill('$text') } } }] }],
      },
      10334,
    ],
  ])('is an error: %s', async (_name, command, code) => {
    const db = await largeDocuments()
    const isPipeline = 'pipeline' in command
    const run = db.command(isPipeline ? { aggregate: 'things', cursor: {}, ...command } : command)
    const outcome: Document = await run.catch((error: unknown) => ({ error }))
    expect(outcome['writeErrors']?.[0] ?? outcome['error']).toMatchObject({ code })
    // The server and the connection go on.
    expect(await db.collection('things').countDocuments()).toBe(20)
  })

  it('may be as large as a document with what a reply adds', async () => {
    const db = await freshDatabase()
    const things = db.collection<{ _id: number; text: string }>('things')
    await things.insertOne({ _id: 1, text: 'x'.repeat(16 * mb - 40) })
    const changed = await things.findOneAndUpdate({ _id: 1 }, { $set: { _id: 1 } })
    expect(changed?.text.length).toBe(16 * mb - 40)
  })
})

it('reports every duplicate of a large unordered insert', async () => {
  const db = await freshDatabase()
  const things = db.collection<{ _id: string }>('things')
  // With messages and values, the errors would be 40 MB.
  const long = 'a document with a long identifier '.repeat(20)
  const documents = Array.from({ length: 30_000 }, (_, n) => ({ _id: `${long}${n % 3_000}` }))
  const failed = await things
    .insertMany(documents, { ordered: false })
    .catch((error: unknown) => error)
  if (!(failed instanceof MongoBulkWriteError)) throw failed
  expect(failed.insertedCount).toBe(3_000)
  const errors = [failed.writeErrors].flat()
  expect(errors.map((error) => error.index)).toEqual(
    Array.from({ length: 27_000 }, (_, n) => n + 3_000),
  )
  expect(errors.every((error) => error.code === 11000)).toBe(true)
  expect(await things.countDocuments()).toBe(3_000)
})

describe('what MongoDB refuses', () => {
  it('create with a number for capped, and without size', async () => {
    const db = await freshDatabase()
    await expect(db.command({ create: 'logs', capped: 1024 })).rejects.toMatchObject({ code: 72 })
    await db.command({ create: 'logs', capped: 1, size: 4096 })
    expect(await db.collection('logs').isCapped()).toBe(true)
    await db.command({ create: 'others', capped: 0 })
    expect(await db.collection('others').isCapped()).toBe(false)
  })

  it('a hint that names a hidden index', async () => {
    const db = await freshDatabase()
    await db.collection('things').createIndex({ n: 1 }, { hidden: true })
    const found = db.collection('things').find({ n: 1 }).hint({ n: 1 }).toArray()
    await expect(found).rejects.toMatchObject({ code: 2 })
  })
})

describe('a transaction', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  it('is aborted after 60 seconds', async () => {
    const db = await freshDatabase()
    await db.createCollection('things')
    const session = db.client.startSession()
    session.startTransaction()
    await db.collection('things').insertOne({ n: 1 }, { session })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 })
    await expect(db.collection('things').insertOne({ n: 2 }, { session })).rejects.toMatchObject({
      code: 251,
      errorLabels: ['TransientTransactionError'],
    })
    vi.useRealTimers()
    await session.endSession()
    expect(await db.collection('things').countDocuments()).toBe(0)
  })
})
