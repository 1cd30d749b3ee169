const { MongoClient } = require('mongodb')
const { MongoMemoryReplSet } = require('mongodb-memory-server')

let replset
let client

beforeAll(async () => {
  replset = await MongoMemoryReplSet.create({ replSet: { count: 3, storageEngine: 'wiredTiger' } })
  client = new MongoClient(replset.getUri())
  await client.connect()
})

afterAll(async () => {
  await client.close()
  await replset.stop()
})

test('aborts a transaction', async () => {
  const loans = client.db('library').collection('loans')
  const session = client.startSession()
  await expect(
    session.withTransaction(async () => {
      await loans.insertOne({ book: 1 }, { session })
      throw new Error('no')
    }),
  ).rejects.toThrow('no')
  await session.endSession()
  expect(await loans.countDocuments()).toBe(0)
})
