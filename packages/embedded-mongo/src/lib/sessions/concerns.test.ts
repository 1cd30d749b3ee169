import { type Document, Long, type MongoClient, Timestamp, UUID, type W } from 'mongodb'
import { describe, expect, it } from 'vitest'
import { connect, freshDatabase, start } from '../../../test/fresh-server.ts'

async function inTransaction(
  client: MongoClient,
  run: (send: (command: Document) => Promise<Document>) => Promise<unknown>,
): Promise<void> {
  await client.withSession(async (session) => {
    session.startTransaction()
    await run((command) => client.db().command(command, { session }))
    await session.commitTransaction()
  })
}

describe('a transaction', () => {
  it('creates indexes of a collection that it creates, and of no other', async () => {
    const db = await freshDatabase()
    const old = await db.createCollection('old')
    const indexes = [{ key: { a: 1 }, name: 'a_1', unique: true }]
    await inTransaction(db.client, async (send) => {
      await send({ createIndexes: 'fresh', indexes })
      await send({ insert: 'fresh', documents: [{ a: 1 }] })
    })
    expect(await db.collection('fresh').indexExists('a_1')).toBe(true)
    await expect(db.collection('fresh').insertOne({ a: 1 })).rejects.toMatchObject({ code: 11_000 })
    const building = inTransaction(db.client, (send) => send({ createIndexes: 'old', indexes }))
    await expect(building).rejects.toMatchObject({ code: 263 })
    const filling = inTransaction(db.client, async (send) => {
      await send({ insert: 'filled', documents: [{}] })
      await send({ createIndexes: 'filled', indexes })
    })
    await expect(filling).rejects.toMatchObject({ code: 263 })
    await old.createIndex({ a: 1 })
    await inTransaction(db.client, async (send) => {
      const same = [{ key: { a: 1 }, name: 'a_1' }]
      expect(await send({ createIndexes: 'old', indexes: same })).toMatchObject({
        note: 'all indexes already exist',
      })
    })
  })

  it.each([{ writeConcern: { w: 1 } }, { readConcern: { level: 'majority' } }])(
    'has no %j after its first command',
    async (concern) => {
      const db = await freshDatabase()
      const session = { lsid: { id: new UUID() }, txnNumber: Long.ONE, autocommit: false }
      const insert = { insert: 'things', documents: [{}], ...session, startTransaction: true }
      await db.command(insert)
      const ops = [{ insert: 0, document: {} }]
      const bulk = { bulkWrite: 1, ops, nsInfo: [{ ns: 'app.things' }], ...session, ...concern }
      await expect(db.admin().command(bulk)).rejects.toMatchObject({ code: 72 })
      expect(await db.collection('things').countDocuments()).toBe(0)
    },
  )

  it('is committed, with an error, when its write concern cannot be met', async () => {
    const client = await connect((await start()).uri)
    const things = client.db().collection('things')
    for (const [w, code] of [
      [3, 100],
      // The types of the driver know no names of an application's own.
      ['nowhere' as W, 79],
    ] as const) {
      const commit = client.withSession((session) =>
        session.withTransaction(() => things.insertOne({}, { session }), { writeConcern: { w } }),
      )
      await expect(commit).rejects.toMatchObject({ code })
    }
    expect(await things.countDocuments()).toBe(2)
    const insert = things.insertOne({}, { writeConcern: { w: 3 } })
    await expect(insert).rejects.toMatchObject({ code: 100 })
    await things.insertOne({}, { writeConcern: { w: 2, wtimeoutMS: 100 } })
    expect(await things.countDocuments()).toBe(4)
  })
})

describe('a write concern', () => {
  it.each([51, -1, { dc: 1 }])('of %j is rejected before the write', async (w) => {
    const db = await freshDatabase()
    const insert = { insert: 'things', documents: [{}], writeConcern: { w } }
    await expect(db.command(insert)).rejects.toMatchObject({ code: 9 })
    expect(await db.collection('things').countDocuments()).toBe(0)
  })
})

describe('a snapshot session', () => {
  it('reads one state, whatever is written meanwhile', async () => {
    const db = await freshDatabase()
    const things = db.collection('things')
    await things.insertMany([{ n: 1 }, { n: 2 }])
    await db.client.withSession({ snapshot: true }, async (session) => {
      expect(await things.find({}, { session }).toArray()).toHaveLength(2)
      await things.insertOne({ n: 3 })
      await things.deleteOne({ n: 1 })
      expect(await things.distinct('n', {}, { session })).toEqual([1, 2])
      expect(await things.countDocuments({}, { session })).toBe(2)
      expect(await things.find({ n: 1 }, { session }).toArray()).toHaveLength(1)
    })
    await db.client.withSession({ snapshot: true }, async (session) => {
      expect(await things.distinct('n', {}, { session })).toEqual([2, 3])
      await things.insertOne({ n: 4 })
      expect(await things.find({}, { session }).toArray()).toHaveLength(2)
    })
  })

  it('does not write, count or return to a state that was not read', async () => {
    const db = await freshDatabase()
    const readConcern = { level: 'snapshot' }
    const past = new Timestamp({ t: 1, i: 1 })
    for (const [command, code] of [
      [{ insert: 'things', documents: [{}], readConcern }, 72],
      [{ count: 'things', readConcern }, 72],
      [{ aggregate: 'things', pipeline: [{ $out: 'x' }], cursor: {}, readConcern }, 72],
      [{ find: 'things', readConcern: { ...readConcern, atClusterTime: past } }, 239],
    ] as const) {
      await expect(db.command(command)).rejects.toMatchObject({ code })
    }
  })
})

describe('a bulk write over several namespaces', () => {
  const command = {
    bulkWrite: 1,
    ops: [
      { insert: 0, document: { _id: 1 } },
      { insert: 1, document: { _id: 2 } },
      { insert: 0, document: { _id: 3 } },
    ],
    nsInfo: [{ ns: 'app.things' }, { ns: 'app.others' }],
    errorsOnly: false,
  }

  it('returns its results again when it is retried', async () => {
    const db = await freshDatabase()
    const retryable = { ...command, lsid: { id: new UUID() }, txnNumber: Long.ONE }
    const first = await db.admin().command(retryable)
    const second = await db.admin().command(retryable)
    expect(first['cursor'].firstBatch).toHaveLength(3)
    expect(second).toMatchObject({ nInserted: 3, cursor: first['cursor'] })
    expect(await db.collection('things').countDocuments()).toBe(2)
  })

  it('returns its results in batches on request', async () => {
    const admin = (await freshDatabase()).admin()
    const { cursor } = await admin.command({ ...command, cursor: { batchSize: 2 } })
    expect(cursor.firstBatch).toHaveLength(2)
    const getMore = Long.fromValue(cursor.id)
    const rest = await admin.command({ getMore, collection: '$cmd.bulkWrite' })
    expect(rest['cursor'].nextBatch).toMatchObject([{ ok: 1, idx: 2, n: 1 }])
  })
})

describe('$merge', () => {
  it('names the key of a duplicate', async () => {
    const db = await freshDatabase()
    const things = db.collection('things')
    await things.insertOne({ name: 'a' })
    await things.createIndex({ name: 1 }, { unique: true })
    await db.collection('more').insertOne({ name: 'a' })
    const whenMatched = 'fail'
    for (const [options, key] of [
      [{ whenMatched, on: 'name' }, 'name'],
      [{}, 'name'],
    ] as const) {
      const merge = [{ $merge: { into: 'things', ...options } }]
      await expect(db.collection('more').aggregate(merge).toArray()).rejects.toMatchObject({
        code: 11_000,
        keyPattern: { [key]: 1 },
        keyValue: { [key]: 'a' },
      })
    }
    const same = [{ $merge: { into: 'things', whenMatched } }]
    await expect(things.aggregate(same).toArray()).rejects.toMatchObject({
      code: 11_000,
      keyPattern: { _id: 1 },
    })
  })
})
