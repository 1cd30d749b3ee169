import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { connect, start } from '../../../test/fresh-server.ts'

const minute = 60_000

// The server's clock and intervals are ours; sockets and the driver's time-outs go on.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] })
})

afterEach(() => {
  vi.useRealTimers()
})

describe('what expires', () => {
  it('is a cursor not read for ten minutes', async () => {
    const client = await connect((await start()).uri)
    const numbers = client.db().collection('numbers')
    await numbers.insertMany(Array.from({ length: 10 }, (_, n) => ({ n })))
    const [kept, left] = [numbers.find().batchSize(2), numbers.find().batchSize(2)]
    await kept.next()
    await left.next()
    for (let minutes = 0; minutes < 11; minutes += 1) {
      vi.advanceTimersByTime(minute)
      if (minutes % 4 === 0) for (let n = 0; n < 2; n += 1) await kept.next()
    }
    await left.next()
    await expect(left.next()).rejects.toMatchObject({ code: 43 })
    expect(await kept.next()).toMatchObject({ n: 7 })
    const status = await client.db().admin().serverStatus()
    expect(status['metrics'].cursor.open.total).toBe(1)
  })

  it('is a transaction after a minute: its keys are free, its commit fails with 251', async () => {
    const client = await connect((await start()).uri)
    const accounts = client.db().collection<{ _id: string; n: number }>('accounts')
    await accounts.insertOne({ _id: 'a', n: 1 })
    const session = client.startSession()
    session.startTransaction()
    await accounts.updateOne({ _id: 'a' }, { $inc: { n: 10 } }, { session })
    vi.advanceTimersByTime(1.5 * minute + 1)
    await expect(session.commitTransaction()).rejects.toMatchObject({
      code: 251,
      errorLabels: expect.arrayContaining(['TransientTransactionError']),
    })
    await session.endSession()
    const other = client.startSession()
    await other.withTransaction(async () => {
      await accounts.updateOne({ _id: 'a' }, { $inc: { n: 1 } }, { session: other })
    })
    await other.endSession()
    expect(await accounts.findOne()).toMatchObject({ n: 2 })
  })

  it('is a document past its TTL', async () => {
    const mongo = await start({ ttlIntervalMs: 5000 })
    const client = await connect(mongo.uri)
    const tokens = client.db().collection('tokens')
    await tokens.createIndex({ at: 1 }, { expireAfterSeconds: 60 })
    await tokens.insertMany([{ at: new Date() }, { at: new Date(Date.now() + minute) }, {}])
    vi.advanceTimersByTime(minute + 5000)
    await wait(0)
    expect(await tokens.countDocuments()).toBe(2)
  })

  it('is not a document that an open transaction has written', async () => {
    const { uri } = await start({ ttlIntervalMs: 5000 })
    const client = await connect(uri)
    const tokens = client.db().collection<{ _id: number; at: Date; n?: number }>('tokens')
    await tokens.createIndex({ at: 1 }, { expireAfterSeconds: 10 })
    await tokens.insertMany([1, 2].map((id) => ({ _id: id, at: new Date() })))
    const session = client.startSession()
    session.startTransaction()
    await tokens.updateOne({ _id: 1 }, { $set: { n: 1 } }, { session })
    vi.advanceTimersByTime(15_000)
    await wait(0)
    expect(await tokens.distinct('_id')).toEqual([1])
    await session.commitTransaction()
    await session.endSession()
    expect(await tokens.find().toArray()).toMatchObject([{ _id: 1, n: 1 }])
    vi.advanceTimersByTime(5000)
    await wait(0)
    expect(await tokens.countDocuments()).toBe(0)
  })
})
