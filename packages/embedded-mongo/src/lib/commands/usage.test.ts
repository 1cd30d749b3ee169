import { type Collection, type Db, type Document, type Long } from 'mongodb'
import { describe, expect, it } from 'vitest'
import { connect, freshDatabase, start } from '../../../test/fresh-server.ts'

async function indexUses<T extends Document>(
  items: Collection<T>,
): Promise<Record<string, number>> {
  const stats = await items.aggregate([{ $indexStats: {} }]).toArray()
  return Object.fromEntries(stats.map(({ name, accesses }) => [name, Number(accesses.ops)]))
}

describe('$indexStats', () => {
  it('counts the operations that use an index', async () => {
    const db = await freshDatabase()
    const items = db.collection<{ _id: number }>('items')
    await items.createIndexes([{ key: { a: 1 } }, { key: { b: 1 } }])
    await items.insertMany([1, 2, 3].map((i) => ({ _id: i, a: i, b: i, c: i })))
    expect(await indexUses(items)).toEqual({ _id_: 0, a_1: 0, b_1: 0 })
    await items.findOne({ _id: 1 })
    await items.find({ a: { $gt: 1 } }, { batchSize: 1 }).toArray()
    await items.updateOne({ a: 1 }, { $set: { c: 2 } })
    await items.findOneAndUpdate({ a: 1 }, { $set: { c: 3 } })
    await items.distinct('c', { a: 1 })
    await items.countDocuments({ a: 1 })
    await items.aggregate([{ $match: { a: 1 } }]).toArray()
    await items.deleteMany({ b: 7 })
    await items.findOne({ $or: [{ a: 1 }, { b: 2 }, { a: 3 }] })
    await items.findOne({ c: 1 })
    await items.find({ a: 1 }).explain()
    expect(await indexUses(items)).toEqual({ _id_: 1, a_1: 7, b_1: 2 })
  })

  it('describes each index, from its creation on', async () => {
    const db = await freshDatabase()
    const items = db.collection('items')
    await items.insertOne({})
    const before = new Date()
    await items.createIndex({ a: 1 }, { sparse: true })
    const [id, own] = await items.aggregate([{ $indexStats: {} }]).toArray()
    expect(id).toMatchObject({ name: '_id_', key: { _id: 1 } })
    expect(own).toMatchObject({ key: { a: 1 }, spec: { v: 2, name: 'a_1', sparse: true } })
    expect(own?.['accesses']['since'].getTime()).toBeGreaterThanOrEqual(before.getTime())
  })

  it('starts again with a dropped collection', async () => {
    const items = (await freshDatabase()).collection('items')
    await items.insertOne({ a: 1 })
    await items.findOne({ _id: 1 as never })
    await items.drop()
    await items.insertOne({ a: 1 })
    expect(await indexUses(items)).toEqual({ _id_: 0 })
  })

  it('lists nothing for a missing collection', async () => {
    expect(await indexUses((await freshDatabase()).collection('missing'))).toEqual({})
  })

  it.each([[1], [{ other: 1 }]])('refuses the operand %j', async (operand) => {
    const items = (await freshDatabase()).collection('items')
    const read = items.aggregate([{ $indexStats: operand }]).toArray()
    await expect(read).rejects.toMatchObject({ code: 28_803 })
  })

  it('has to be the first stage', async () => {
    const items = (await freshDatabase()).collection('items')
    const read = items.aggregate([{ $match: {} }, { $indexStats: {} }]).toArray()
    await expect(read).rejects.toMatchObject({ code: 40_602 })
  })
})

async function timesOf(db: Db, collection: string) {
  const { totals } = await db.admin().command({ top: 1 })
  return totals[`${db.databaseName}.${collection}`]
}

describe('top', () => {
  it('adds up the time of each collection', async () => {
    const db = await freshDatabase()
    const items = db.collection('items')
    await items.insertMany([{ a: 1 }, { a: 2 }, { a: 3 }])
    await items.find({}, { batchSize: 2 }).toArray()
    await items.updateMany({}, { $inc: { a: 1 } })
    await items.deleteOne({ a: 2 })
    await items.countDocuments()
    const counts = {
      insert: 1,
      queries: 1,
      getmore: 1,
      update: 1,
      remove: 1,
      commands: 1,
      readLock: 3,
      writeLock: 3,
      total: 6,
    }
    const times = await timesOf(db, 'items')
    const found = Object.entries<{ count: Long }>(times).map(([event, { count }]) => [event, count])
    expect(Object.fromEntries(found)).toEqual(counts)
    expect(times.total.time).toBeGreaterThan(0)
    expect(times.total.time).toBeLessThan(5_000_000)
  })

  it('lists the collections that exist', async () => {
    const db = await freshDatabase()
    await db.collection('items').insertOne({})
    await db.collection('old').insertOne({})
    await db.collection('old').drop()
    await db.collection('missing').findOne({})
    const { totals } = await db.admin().command({ top: 1 })
    expect(Object.keys(totals)).toEqual(['note', 'app.items'])
  })

  it('is a command of the database admin', async () => {
    const db = await freshDatabase()
    await expect(db.command({ top: 1 })).rejects.toMatchObject({ code: 13 })
  })
})

describe('serverStatus', () => {
  it('counts documents and statements', async () => {
    const db = await freshDatabase()
    const items = db.collection('items')
    const read = async () => (await db.admin().serverStatus())['opcounters']
    const before = await read()
    await items.insertMany([{ a: 1 }, { a: 2 }, { a: 3 }])
    await items.find({}, { batchSize: 2 }).toArray()
    await items.bulkWrite([
      { updateOne: { filter: { a: 1 }, update: { $set: { b: 1 } } } },
      { updateOne: { filter: { a: 2 }, update: { $set: { b: 1 } } } },
      { deleteOne: { filter: { a: 3 } } },
    ])
    const after = await read()
    const names = Object.keys(before)
    expect(Object.fromEntries(names.map((name) => [name, after[name] - before[name]]))).toEqual({
      insert: 3,
      query: 1,
      update: 2,
      delete: 1,
      getmore: 1,
      // The first serverStatus.
      command: 1,
    })
  })

  it('counts connections and open transactions', async () => {
    const { uri } = await start()
    const client = await connect(uri)
    const items = client.db().collection('items')
    const read = async () => client.db('admin').command({ serverStatus: 1 })
    expect(await read()).toMatchObject({ repl: { setName: 'rs0', isWritablePrimary: true } })
    await client.withSession((session) =>
      session.withTransaction(async () => {
        await items.insertOne({}, { session })
        expect(await read()).toMatchObject({ transactions: { currentOpen: 1 } })
      }),
    )
    const second = await connect(uri)
    await second.db().command({ ping: 1 })
    const { connections, transactions } = await read()
    expect(transactions).toEqual({ currentOpen: 0 })
    expect(connections.totalCreated).toBeGreaterThanOrEqual(connections.current)
    await second.close()
    const current = async () => (await read())['connections'].current
    await expect.poll(current).toBeLessThan(connections.current)
  })
})
