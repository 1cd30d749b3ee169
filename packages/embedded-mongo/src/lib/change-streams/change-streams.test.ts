import { type ChangeStream, type Db, type Document, Timestamp } from 'mongodb'
import { describe, expect, it } from 'vitest'
import { connect, freshDatabase, start, temporaryFolder } from '../../../test/fresh-server.ts'

// watch() opens lazily: a first look makes sure that the stream is open before anything is written.
async function opened(stream: ChangeStream): Promise<ChangeStream> {
  await stream.tryNext()
  return stream
}

// How long the server waits for a change before it replies: a first look takes as long.
const quick = { maxAwaitTimeMS: 20 }

async function take(stream: ChangeStream, count: number): Promise<Document[]> {
  const events: Document[] = []
  while (events.length < count) events.push(await stream.next())
  return events
}

async function withStream(
  open: (db: Db) => ChangeStream,
  run: (db: Db, stream: ChangeStream) => Promise<void>,
): Promise<void> {
  const db = await freshDatabase()
  const stream = await opened(open(db))
  try {
    await run(db, stream)
  } finally {
    await stream.close()
  }
}

describe('a change stream', () => {
  it('reports inserts, updates, replacements and deletes of a collection, in order', async () => {
    await withStream(
      (db) => db.collection('things').watch([], quick),
      async (db, stream) => {
        const things = db.collection<{ _id: number }>('things')
        await things.insertOne({ _id: 1, a: { b: 1, c: 2 }, list: [1, 2, 3] } as { _id: number })
        await things.updateOne(
          { _id: 1 },
          { $set: { 'a.b': 5, list: [1, 9] }, $unset: { 'a.c': 1 } },
        )
        await db.collection('things').replaceOne({ 'a.b': 5 }, { x: 1 })
        await things.deleteOne({ _id: 1 })
        await db.collection('others').insertOne({})
        const events = await take(stream, 4)
        expect(events.map(({ operationType }) => operationType)).toEqual([
          'insert',
          'update',
          'replace',
          'delete',
        ])
        expect(events[0]).toMatchObject({
          fullDocument: { _id: 1, a: { b: 1, c: 2 } },
          ns: { db: 'app', coll: 'things' },
          documentKey: { _id: 1 },
        })
        expect(events[1]?.['updateDescription']).toEqual({
          updatedFields: { 'a.b': 5, 'list.1': 9 },
          removedFields: ['a.c'],
          truncatedArrays: [{ field: 'list', newSize: 2 }],
        })
        expect(events[1]).not.toHaveProperty('fullDocument')
        expect(events[2]).toMatchObject({ fullDocument: { _id: 1, x: 1 } })
        expect(events[3]).toMatchObject({ documentKey: { _id: 1 } })
      },
    )
  })

  it('looks up updated documents on request, and filters and shapes events', async () => {
    await withStream(
      (db) =>
        db.watch([{ $match: { operationType: 'update' } }, { $project: { fullDocument: 1 } }], {
          ...quick,
          fullDocument: 'updateLookup',
        }),
      async (db, stream) => {
        const things = db.collection<{ _id: number }>('things')
        await things.insertOne({ _id: 1 })
        await things.updateOne({ _id: 1 }, { $set: { a: 1 } })
        expect(await stream.next()).toEqual({
          _id: expect.anything(),
          fullDocument: { _id: 1, a: 1 },
        })
      },
    )
  })

  it('reports a transaction’s writes when it commits, and not when it aborts', async () => {
    await withStream(
      (db) => db.watch([], quick),
      async (db, stream) => {
        await db.client.withSession(async (session) => {
          session.startTransaction()
          await db.collection('things').insertOne({ n: 1 }, { session })
          await session.abortTransaction()
          session.startTransaction()
          await db.collection('things').insertOne({ n: 2 }, { session })
          await session.commitTransaction()
        })
        expect(await stream.next()).toMatchObject({ fullDocument: { n: 2 } })
      },
    )
  })

  it('ends with invalidate when its collection is dropped or renamed', async () => {
    await withStream(
      (db) => db.collection('things').watch([], quick),
      async (db, stream) => {
        await db.collection('things').insertOne({})
        await db.collection('things').rename('renamed')
        const events = await take(stream, 3)
        expect(events.map(({ operationType }) => operationType)).toEqual([
          'insert',
          'rename',
          'invalidate',
        ])
        await expect(stream.next()).rejects.toThrow(/closed/)
      },
    )
  })

  it('of a database reports drops and ends with dropDatabase', async () => {
    await withStream(
      (db) => db.watch([], quick),
      async (db, stream) => {
        await db.collection('things').insertOne({})
        await db.dropDatabase()
        const events = await take(stream, 4)
        expect(events.map(({ operationType }) => operationType)).toEqual([
          'insert',
          'drop',
          'dropDatabase',
          'invalidate',
        ])
      },
    )
  })

  it('of a client reports the changes of all databases', async () => {
    const db = await freshDatabase()
    const stream = await opened(db.client.watch([], quick))
    await db.client.db('one').collection('x').insertOne({})
    await db.client.db('two').collection('y').insertOne({})
    const events = await take(stream, 2)
    expect(events.map(({ ns }) => ns.db)).toEqual(['one', 'two'])
    await stream.close()
  })

  it('resumes after a token, and rejects another value with 260', async () => {
    const db = await freshDatabase()
    const first = await opened(db.collection('things').watch([], quick))
    await db.collection('things').insertMany([{ n: 1 }, { n: 2 }, { n: 3 }])
    const { _id: token } = await first.next()
    await first.close()
    const second = db.collection('things').watch([], { resumeAfter: token })
    expect(await take(second, 2)).toMatchObject([
      { fullDocument: { n: 2 } },
      { fullDocument: { n: 3 } },
    ])
    await second.close()
    const foreign = db.collection('things').watch([], { resumeAfter: { _data: '8265' } })
    await expect(foreign.next()).rejects.toMatchObject({ code: 260 })
  })

  it('returns 286 for a token or a time of an earlier run', async () => {
    const directory = temporaryFolder()
    const first = await start({ storage: { directory } })
    const client = await connect(first.uri)
    const stream = await opened(client.db().collection('things').watch([], quick))
    await client
      .db()
      .collection('things')
      .insertMany([{ n: 1 }, { n: 2 }])
    const { _id: token, clusterTime } = await stream.next()
    await stream.close()
    await client.close()
    await first.stop()
    const second = await start({ storage: { directory } })
    const things = (await connect(second.uri)).db().collection('things')
    const startAtOperationTime = new Timestamp({ t: (clusterTime?.t ?? 0) - 10, i: 1 })
    const starts = [{ resumeAfter: token }, { startAfter: token }, { startAtOperationTime }]
    for (const options of starts) {
      await expect(things.watch([], options).next()).rejects.toMatchObject({ code: 286 })
    }
  })

  it('returns 286 for the time of a write before the first stream', async () => {
    const db = await freshDatabase()
    const things = db.collection('things')
    const insert = (): Promise<Document> => db.command({ insert: 'things', documents: [{}] })
    const { operationTime: early } = await insert()
    await insert()
    const stream = await opened(things.watch([], quick))
    const late = things.watch([], { startAtOperationTime: early })
    await expect(late.next()).rejects.toMatchObject({ code: 286 })
    const { operationTime } = await insert()
    const second = things.watch([], { startAtOperationTime: operationTime })
    expect(await second.next()).toMatchObject({ clusterTime: operationTime })
    await second.close()
    await stream.close()
  })

  it('returns 286 when the token or the time is too old', async () => {
    const db = await freshDatabase()
    const first = await opened(db.collection('things').watch([], quick))
    await db.collection('things').insertOne({ n: 0 })
    const { _id: token, clusterTime } = await first.next()
    await first.close()
    for (let i = 0; i < 9; i += 1) {
      const batch = Array.from({ length: 5000 }, (_, n) => ({ n }))
      await db.collection('things').insertMany(batch)
    }
    for (const options of [{ startAfter: token }, { startAtOperationTime: clusterTime }]) {
      const late = db.collection('things').watch([], options)
      await expect(late.next()).rejects.toMatchObject({ code: 286 })
    }
  })

  it('rejects unknown options and stages', async () => {
    const db = await freshDatabase()
    const unknown = db.collection('things').watch([], { fullDocument: 'sometimes' })
    await expect(unknown.next()).rejects.toMatchObject({ code: 2 })
    const sorted = db.collection('things').watch([{ $sort: { a: 1 } }])
    await expect(sorted.next()).rejects.toMatchObject({ code: 20 })
  })
})
