import { Schema } from 'mongoose'
import { describe, expect, it } from 'vitest'
import { useConnection } from './mongoose-test.ts'

const connection = useConnection()

async function accounts() {
  const Account = connection.model(
    'Account',
    new Schema({ name: { type: String, unique: true }, balance: Number }),
  )
  await Account.init()
  await Account.create([
    { name: 'a', balance: 100 },
    { name: 'b', balance: 0 },
  ])
  return Account
}

describe('mongoose transactions', () => {
  it('commits', async () => {
    const Account = await accounts()
    await connection.transaction(async (session) => {
      await Account.updateOne({ name: 'a' }, { $inc: { balance: -30 } }, { session })
      await Account.updateOne({ name: 'b' }, { $inc: { balance: 30 } }, { session })
    })
    expect(await Account.find().sort('name').select('-_id balance').lean()).toEqual([
      { balance: 70 },
      { balance: 30 },
    ])
  })

  it('leaves nothing behind when it aborts', async () => {
    const Account = await accounts()
    const attempt = connection.transaction(async (session) => {
      await Account.create([{ name: 'c', balance: 1 }], { session })
      await Account.updateMany({}, { balance: 0 }, { session })
      throw new Error('changed my mind')
    })
    await expect(attempt).rejects.toThrow('changed my mind')
    expect(await Account.countDocuments()).toBe(2)
    expect(await Account.countDocuments({ balance: 100 })).toBe(1)
  })

  it('resets documents that an aborted transaction saved', async () => {
    const Account = await accounts()
    const doc = new Account({ name: 'd' })
    await connection
      .transaction(async (session) => {
        await doc.save({ session })
        throw new Error('no')
      })
      .catch(() => undefined)
    expect(doc.isNew).toBe(true)
    expect(await Account.countDocuments()).toBe(2)
  })

  it('reads its own writes, which are invisible to others', async () => {
    const Account = await accounts()
    const session = await connection.startSession()
    session.startTransaction()
    await Account.create([{ name: 'c' }], { session })
    expect(await Account.countDocuments().session(session)).toBe(3)
    expect(await Account.countDocuments()).toBe(2)
    await session.commitTransaction()
    expect(await Account.countDocuments()).toBe(3)
    await session.endSession()
  })

  it('keeps its snapshot while others write', async () => {
    const Account = await accounts()
    const session = await connection.startSession()
    session.startTransaction()
    expect(await Account.countDocuments().session(session)).toBe(2)
    await Account.create({ name: 'late' })
    expect(await Account.countDocuments().session(session)).toBe(2)
    await session.abortTransaction()
    await session.endSession()
  })

  it('ends with a write conflict when two change one document', async () => {
    const Account = await accounts()
    const [one, two] = [await connection.startSession(), await connection.startSession()]
    one.startTransaction()
    two.startTransaction()
    await Account.updateOne({ name: 'a' }, { balance: 1 }, { session: one })
    await expect(
      Account.updateOne({ name: 'a' }, { balance: 2 }, { session: two }),
    ).rejects.toMatchObject({ code: 112 })
    await one.commitTransaction()
    await two.abortTransaction().catch(() => undefined)
    await Promise.all([one.endSession(), two.endSession()])
    expect(await Account.findOne({ name: 'a' }).lean()).toMatchObject({ balance: 1 })
  })

  it('keeps the sum over concurrent transfers', async () => {
    const Account = await accounts()
    const transfer = () =>
      connection.transaction(async (session) => {
        await Account.updateOne({ name: 'a' }, { $inc: { balance: -1 } }, { session })
        await Account.updateOne({ name: 'b' }, { $inc: { balance: 1 } }, { session })
      })
    await Promise.all(Array.from({ length: 10 }, transfer))
    expect(await Account.find().sort('name').select('-_id balance').lean()).toEqual([
      { balance: 90 },
      { balance: 10 },
    ])
  })

  it('aborts at a duplicate key', async () => {
    const Account = await accounts()
    const attempt = connection.transaction(async (session) => {
      await Account.create([{ name: 'z' }], { session })
      await Account.create([{ name: 'a' }], { session })
    })
    await expect(attempt).rejects.toMatchObject({ code: 11000 })
    expect(await Account.exists({ name: 'z' })).toBeNull()
  })

  it('works with withTransaction and aggregates inside', async () => {
    const Account = await accounts()
    const session = await connection.startSession()
    const sums: unknown[] = []
    await session.withTransaction(async () => {
      await Account.updateOne({ name: 'b' }, { balance: 50 }, { session })
      sums.push(
        ...(await Account.aggregate([{ $group: { _id: null, sum: { $sum: '$balance' } } }]).session(
          session,
        )),
      )
    })
    await session.endSession()
    expect(sums).toEqual([{ _id: null, sum: 150 }])
  })
})
