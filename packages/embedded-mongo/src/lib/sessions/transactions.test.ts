import { setTimeout } from 'node:timers/promises'
import { type ClientSession, type Collection, Long, type MongoClient } from 'mongodb'
import { describe, expect, it } from 'vitest'
import { connect, start } from '../../../test/fresh-server.ts'

interface Account {
  _id: string
  balance: number
}

async function setUp(): Promise<{ client: MongoClient; accounts: Collection<Account> }> {
  const { uri } = await start()
  const client = await connect(uri, { maxPoolSize: 60 })
  const accounts = client.db().collection<Account>('accounts')
  await accounts.insertMany([
    { _id: 'a', balance: 1000 },
    { _id: 'b', balance: 1000 },
  ])
  return { client, accounts }
}

async function inSession<T>(
  client: MongoClient,
  run: (session: ClientSession) => Promise<T>,
): Promise<T> {
  return client.withSession(run)
}

describe('a transaction', () => {
  it('keeps the sum under 40 concurrent transfers', async () => {
    const { client, accounts } = await setUp()
    const transfer = (amount: number): Promise<unknown> =>
      inSession(client, (session) =>
        session.withTransaction(async () => {
          await accounts.updateOne({ _id: 'a' }, { $inc: { balance: -amount } }, { session })
          await accounts.updateOne({ _id: 'b' }, { $inc: { balance: amount } }, { session })
        }),
      )
    await Promise.all(Array.from({ length: 40 }, (_, i) => transfer(i + 1)))
    expect(await accounts.find().sort({ _id: 1 }).toArray()).toEqual([
      { _id: 'a', balance: 1000 - 820 },
      { _id: 'b', balance: 1000 + 820 },
    ])
  })

  it('changes documents of a large collection', async () => {
    const { client, accounts } = await setUp()
    // So many writes are merged into pages.
    const many = Array.from({ length: 40_000 }, (_, index) => ({ _id: `n${index}`, balance: 1 }))
    await accounts.insertMany(many)
    await inSession(client, async (session) => {
      session.startTransaction()
      const change = { $inc: { balance: 1 } }
      const { modifiedCount } = await accounts.updateMany({ _id: /^n100/ }, change, { session })
      expect(modifiedCount).toBe(111)
      await accounts.deleteOne({ _id: 'n7' }, { session })
      await session.commitTransaction()
    })
    expect(await accounts.countDocuments({ balance: 2 })).toBe(111)

    await inSession(client, async (session) => {
      session.startTransaction()
      await accounts.findOne({ _id: 'n9' }, { session })
      await accounts.updateOne({ _id: 'n9' }, { $set: { balance: 5 } })
      const conflict = accounts.updateOne({ _id: 'n9' }, { $inc: { balance: 1 } }, { session })
      await expect(conflict).rejects.toThrow('Write conflict')
    })
  })

  it('reads its own writes, which are invisible to others before the commit', async () => {
    const { client, accounts } = await setUp()
    await inSession(client, async (session) => {
      session.startTransaction()
      await accounts.insertOne({ _id: 'c', balance: 1 }, { session })
      await accounts.deleteOne({ _id: 'a' }, { session })
      expect(await accounts.distinct('_id', {}, { session })).toEqual(['b', 'c'])
      expect(await accounts.countDocuments({}, { session })).toBe(2)
      expect(await accounts.distinct('_id')).toEqual(['a', 'b'])
      expect(await accounts.estimatedDocumentCount()).toBe(2)
      await session.commitTransaction()
    })
    expect(await accounts.distinct('_id')).toEqual(['b', 'c'])
  })

  it('reads the state at its start, whatever others write', async () => {
    const { client, accounts } = await setUp()
    await inSession(client, async (session) => {
      session.startTransaction()
      expect(await accounts.findOne({ _id: 'a' }, { session })).toMatchObject({ balance: 1000 })
      await accounts.updateOne({ _id: 'a' }, { $set: { balance: 1 } })
      await accounts.insertOne({ _id: 'z', balance: 5 })
      await accounts.createIndex({ balance: 1 })
      expect(await accounts.findOne({ _id: 'a' }, { session })).toMatchObject({ balance: 1000 })
      expect(await accounts.countDocuments({ balance: { $gt: 0 } }, { session })).toBe(2)
      await session.commitTransaction()
    })
    expect(await accounts.countDocuments({})).toBe(3)
  })

  it('leaves nothing when it is aborted: no document, no collection, no count', async () => {
    const { client, accounts } = await setUp()
    await inSession(client, async (session) => {
      session.startTransaction()
      await accounts.insertOne({ _id: 'c', balance: 1 }, { session })
      await client.db().collection('fresh').insertOne({ n: 1 }, { session })
      await accounts.updateMany({}, { $set: { balance: 0 } }, { session })
      await session.abortTransaction()
    })
    expect(await accounts.find().sort({ _id: 1 }).toArray()).toEqual([
      { _id: 'a', balance: 1000 },
      { _id: 'b', balance: 1000 },
    ])
    expect(await accounts.estimatedDocumentCount()).toBe(2)
    expect(await client.db().listCollections().toArray()).toHaveLength(1)
  })

  it('gets 112 for a document another transaction has written', async () => {
    const { client, accounts } = await setUp()
    await inSession(client, (one) =>
      inSession(client, async (two) => {
        one.startTransaction()
        two.startTransaction()
        await accounts.updateOne({ _id: 'a' }, { $set: { balance: 1 } }, { session: one })
        await expect(
          accounts.updateOne({ _id: 'a' }, { $set: { balance: 2 } }, { session: two }),
        ).rejects.toMatchObject({
          code: 112,
          codeName: 'WriteConflict',
          errorLabels: ['TransientTransactionError'],
        })
        await one.commitTransaction()
        await two.abortTransaction()
      }),
    )
    expect(await accounts.findOne({ _id: 'a' })).toMatchObject({ balance: 1 })
  })

  it('gets 112 for a document written by others since its start', async () => {
    const { client, accounts } = await setUp()
    await inSession(client, async (session) => {
      session.startTransaction()
      await accounts.findOne({ _id: 'b' }, { session })
      await accounts.updateOne({ _id: 'a' }, { $set: { balance: 1 } })
      await expect(accounts.deleteOne({ _id: 'a' }, { session })).rejects.toMatchObject({
        code: 112,
      })
      await session.abortTransaction()
    })
    expect(await accounts.findOne({ _id: 'a' })).toMatchObject({ balance: 1 })
  })

  it('gets 112 at the commit when an index was built meanwhile', async () => {
    const { client, accounts } = await setUp()
    await inSession(client, async (session) => {
      session.startTransaction()
      await accounts.insertOne({ _id: 'c', balance: 7 }, { session })
      await accounts.createIndex({ balance: 1 })
      await expect(session.commitTransaction()).rejects.toMatchObject({ code: 112 })
    })
    expect(await accounts.countDocuments({ balance: 7 })).toBe(0)
  })

  it('lets one of two use a unique key; the other gets 11000 when it retries', async () => {
    const { client, accounts } = await setUp()
    await accounts.createIndex({ balance: 1 }, { unique: true, sparse: true }).catch(() => {})
    const things = client.db().collection<{ email: string }>('things')
    await things.createIndex({ email: 1 }, { unique: true })
    const insert = (): Promise<unknown> =>
      inSession(client, (session) =>
        session.withTransaction(() => things.insertOne({ email: 'a@x' }, { session })),
      )
    const results = await Promise.allSettled([insert(), insert()])
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const failed = results.find((result) => result.status === 'rejected')
    expect(failed?.reason).toMatchObject({ code: 11000, keyPattern: { email: 1 } })
  })

  it('ends with a failing write', async () => {
    const { client, accounts } = await setUp()
    await inSession(client, async (session) => {
      session.startTransaction()
      await accounts.insertOne({ _id: 'c', balance: 1 }, { session })
      await expect(accounts.insertOne({ _id: 'a', balance: 1 }, { session })).rejects.toMatchObject(
        { code: 11000 },
      )
      await expect(accounts.findOne({}, { session })).rejects.toMatchObject({ code: 251 })
      await session.abortTransaction()
    })
    expect(await accounts.countDocuments()).toBe(2)
  })

  it('may be committed twice, and is unknown afterwards', async () => {
    const { client, accounts } = await setUp()
    await inSession(client, async (session) => {
      session.startTransaction()
      await accounts.insertOne({ _id: 'c', balance: 1 }, { session })
      await session.commitTransaction()
      await session.commitTransaction()
    })
    expect(await accounts.countDocuments()).toBe(3)
  })

  it('reads through a cursor in its own snapshot, which ends with it', async () => {
    const { client, accounts } = await setUp()
    await accounts.insertMany(Array.from({ length: 10 }, (_, i) => ({ _id: `n${i}`, balance: i })))
    await inSession(client, async (session) => {
      session.startTransaction()
      const cursor = accounts.find({}, { session, batchSize: 3 })
      await cursor.next()
      await accounts.deleteMany({})
      expect(await cursor.toArray()).toHaveLength(11)
      await session.commitTransaction()
    })
    expect(await accounts.countDocuments()).toBe(0)
  })

  it('rejects commands that cannot be part of one', async () => {
    const { client } = await setUp()
    await inSession(client, async (session) => {
      session.startTransaction()
      await expect(client.db().command({ count: 'accounts' }, { session })).rejects.toMatchObject({
        code: 263,
      })
      await session.abortTransaction()
    })
  })
})

describe('a write outside a transaction', () => {
  interface Held {
    client: MongoClient
    accounts: Collection<Account>
    session: ClientSession
  }

  // Of the document `a`, by a transaction that adds 1.
  async function hold(): Promise<Held> {
    const { client, accounts } = await setUp()
    const session = client.startSession()
    session.startTransaction()
    await accounts.updateOne({ _id: 'a' }, { $inc: { balance: 1 } }, { session })
    return { client, accounts, session }
  }

  async function isPending(promise: Promise<unknown>): Promise<boolean> {
    const waited = setTimeout(100, 'pending')
    return (await Promise.race([promise.catch(() => {}), waited])) === 'pending'
  }

  const writes: [string, (accounts: Collection<Account>) => Promise<unknown>][] = [
    ['update', (accounts) => accounts.updateOne({ _id: 'a' }, { $mul: { balance: 2 } })],
    ['updateMany', (accounts) => accounts.updateMany({}, { $mul: { balance: 2 } })],
    [
      'findAndModify',
      (accounts) => accounts.findOneAndUpdate({ _id: 'a' }, { $mul: { balance: 2 } }),
    ],
    [
      'bulkWrite',
      (accounts) =>
        accounts.bulkWrite([
          { updateOne: { filter: { _id: 'a' }, update: { $mul: { balance: 2 } } } },
        ]),
    ],
    [
      '$merge',
      (accounts) =>
        accounts
          .aggregate([
            { $match: { _id: 'a' } },
            { $set: { balance: { $multiply: ['$balance', 2] } } },
            { $merge: 'accounts' },
          ])
          .toArray(),
    ],
  ]

  it.each(writes)('waits until the transaction commits: %s', async (_name, write) => {
    const { accounts, session } = await hold()
    const waiting = write(accounts)
    expect(await isPending(waiting)).toBe(true)
    expect(await accounts.findOne({ _id: 'a' })).toMatchObject({ balance: 1000 })
    await session.commitTransaction()
    await waiting
    expect(await accounts.findOne({ _id: 'a' })).toMatchObject({ balance: 2002 })
    await session.endSession()
  })

  it('waits until the transaction aborts', async () => {
    const { accounts, session } = await hold()
    const waiting = accounts.deleteOne({ _id: 'a' })
    expect(await isPending(waiting)).toBe(true)
    await session.abortTransaction()
    expect(await waiting).toMatchObject({ deletedCount: 1 })
    await session.endSession()
  })

  it('waits for a key of a unique index', async () => {
    const { accounts, session } = await hold()
    await accounts.insertOne({ _id: 'c', balance: 1 }, { session })
    const waiting = accounts.insertOne({ _id: 'c', balance: 2 })
    expect(await isPending(waiting)).toBe(true)
    await session.commitTransaction()
    await expect(waiting).rejects.toMatchObject({ code: 11000 })
    await session.endSession()
  })

  it('does not wait for other documents', async () => {
    const { accounts, session } = await hold()
    await accounts.updateOne({ _id: 'b' }, { $inc: { balance: 1 } })
    await accounts.insertOne({ _id: 'c', balance: 2 })
    await session.commitTransaction()
    await session.endSession()
    expect(await accounts.countDocuments()).toBe(3)
  })

  it('waits no longer than maxTimeMS', async () => {
    const { accounts, session } = await hold()
    const write = accounts.updateOne({ _id: 'a' }, { $set: { balance: 2 } }, { maxTimeMS: 100 })
    await expect(write).rejects.toMatchObject({ code: 50 })
    await session.commitTransaction()
    await session.endSession()
    expect(await accounts.findOne({ _id: 'a' })).toMatchObject({ balance: 1001 })
  })

  it('waits no longer than the lifetime of the transaction', async () => {
    const { client, accounts, session } = await hold()
    await client.db('admin').command({ setParameter: 1, transactionLifetimeLimitSeconds: 1 })
    await accounts.updateOne({ _id: 'a' }, { $mul: { balance: 2 } })
    await expect(session.commitTransaction()).rejects.toMatchObject({ code: 251 })
    await session.endSession()
    expect(await accounts.findOne({ _id: 'a' })).toMatchObject({ balance: 2000 })
  })

  it('is listed by currentOp while it waits', async () => {
    const { client, accounts, session } = await hold()
    const waiting = accounts.updateOne({ _id: 'a' }, { $mul: { balance: 2 } })
    const list = () => client.db('admin').command({ currentOp: 1, op: 'update' })
    await expect.poll(list).toMatchObject({ inprog: [{ ns: 'app.accounts' }] })
    await session.commitTransaction()
    await waiting
    await session.endSession()
  })

  it('runs once when it is sent again while it waits', async () => {
    const { client, accounts, session } = await hold()
    const other = client.startSession()
    const command = {
      update: 'accounts',
      updates: [{ q: { _id: 'a' }, u: { $inc: { balance: 10 } } }],
      txnNumber: Long.fromNumber(1),
    }
    const send = () => client.db().command(command, { session: other })
    const both = [send(), send()]
    expect(await isPending(Promise.all(both))).toBe(true)
    await session.commitTransaction()
    expect(await Promise.all(both)).toMatchObject([{ nModified: 1 }, { nModified: 1 }])
    expect(await accounts.findOne({ _id: 'a' })).toMatchObject({ balance: 1011 })
    await session.endSession()
    await other.endSession()
  })
})

describe('a retryable write', () => {
  it('runs once, however often it is sent, also under the next owner of the folder', async () => {
    const { client } = await setUp()
    const things = client.db()
    await inSession(client, async (session) => {
      const command = {
        update: 'accounts',
        updates: [{ q: { _id: 'a' }, u: { $inc: { balance: 1 } } }],
        lsid: session.id,
        txnNumber: 7,
      }
      const send = (): Promise<object> =>
        things.command({ ...command, txnNumber: Long.fromNumber(7) })
      const first = await send()
      expect(first).toMatchObject({ n: 1, nModified: 1 })
      expect(await send()).toMatchObject({ n: 1, nModified: 1 })
      await expect(
        things.command({ ...command, txnNumber: Long.fromNumber(6) }),
      ).rejects.toMatchObject({ code: 225 })
    })
    expect(await things.collection<Account>('accounts').findOne({ _id: 'a' })).toMatchObject({
      balance: 1001,
    })
  })
})
