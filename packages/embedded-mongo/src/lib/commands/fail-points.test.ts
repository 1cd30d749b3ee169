import {
  type ClientSession,
  type Collection,
  type Document,
  type MongoClient,
  MongoError,
  MongoNetworkError,
  MongoWriteConcernError,
} from 'mongodb'
import { describe, expect, it } from 'vitest'
import { connect, start } from '../../../test/fresh-server.ts'

interface Item {
  _id: number
}

interface Setting {
  uri: string
  client: MongoClient
  items: Collection<Item>
  fail: (point: Document) => Promise<Document>
}

async function setUp(options: { retries?: boolean } = {}): Promise<Setting> {
  const { retries = true } = options
  const { uri } = await start()
  const client = await connect(uri, { retryReads: retries, retryWrites: retries })
  return {
    uri,
    client,
    items: client.db().collection<Item>('items'),
    fail: ({ name = 'failCommand', mode = { times: 1 }, ...data }) =>
      client.db('admin').command({ configureFailPoint: name, mode, data }),
  }
}

const errorOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )

describe('the fail point failCommand', () => {
  it('fails the commands it names, as often as its mode says', async () => {
    const { client, items, fail } = await setUp({ retries: false })
    await fail({ mode: { times: 2 }, failCommands: ['insert'], errorCode: 112 })
    expect(await errorOf(items.insertOne({ _id: 1 }))).toMatchObject({
      code: 112,
      codeName: 'WriteConflict',
      message: "Failing command via 'failCommand' failpoint",
    })
    expect(await items.countDocuments()).toBe(0)
    await expect(items.insertOne({ _id: 1 })).rejects.toMatchObject({ code: 112 })
    await items.insertOne({ _id: 1 })
    await fail({ mode: 'alwaysOn', failCommands: ['find'], errorCode: 2 })
    await expect(items.findOne()).rejects.toMatchObject({ code: 2 })
    const off = { configureFailPoint: 'failCommand', mode: 'off' }
    expect(await client.db('admin').command(off)).toMatchObject({ count: 1 })
    expect(await items.findOne()).toEqual({ _id: 1 })
  })

  it('lets commands pass first', async () => {
    const { items, fail } = await setUp()
    await fail({ mode: { skip: 1 }, failCommands: ['insert'], errorCode: 2 })
    await items.insertOne({ _id: 1 })
    await expect(items.insertOne({ _id: 2 })).rejects.toMatchObject({ code: 2 })
  })

  it('closes the connection, after which the driver repeats reads and writes', async () => {
    const { items, fail } = await setUp()
    for (const failCommands of [['insert'], ['find']]) {
      await fail({ failCommands, closeConnection: true })
      if (failCommands[0] === 'insert') await items.insertOne({ _id: 1 })
      else expect(await items.findOne()).toEqual({ _id: 1 })
    }
    const other = await setUp({ retries: false })
    await other.fail({ failCommands: ['find'], closeConnection: true })
    expect(await errorOf(other.items.findOne())).toBeInstanceOf(MongoNetworkError)
  })

  it('labels errors as MongoDB does, or as the fail point says', async () => {
    const { client, items, fail } = await setUp()
    const labelsOf = async (point: Document, session?: ClientSession): Promise<unknown> => {
      await fail({ mode: { times: 2 }, failCommands: ['insert'], ...point })
      const error = await errorOf(items.insertOne({ _id: 1 }, session ? { session } : {}))
      // The driver adds its own.
      return error instanceof MongoError && error.errorLabels.filter((one) => one !== 'ResetPool')
    }
    expect(await labelsOf({ errorCode: 91 })).toEqual(['RetryableWriteError'])
    expect(await labelsOf({ errorCode: 2 })).toEqual([])
    expect(await labelsOf({ errorCode: 2, errorLabels: ['Own'] })).toEqual(['Own'])
    await client.withSession(async (session) => {
      session.startTransaction()
      expect(await labelsOf({ errorCode: 91 }, session)).toEqual(['TransientTransactionError'])
      await session.abortTransaction()
    })
  })

  it('adds the error of a write concern to a write that was applied', async () => {
    const { items, fail } = await setUp({ retries: false })
    const writeConcernError = { code: 64, errmsg: 'waiting timed out' }
    await fail({ failCommands: ['insert'], writeConcernError })
    const error = await errorOf(items.insertOne({ _id: 1 }))
    expect(error).toBeInstanceOf(MongoWriteConcernError)
    expect(error).toMatchObject({ code: 64, message: 'waiting timed out' })
    expect(await items.countDocuments()).toBe(1)
  })

  it('delays the command', async () => {
    const { items, fail } = await setUp()
    await fail({ failCommands: ['find'], blockConnection: true, blockTimeMS: 50 })
    const before = performance.now()
    await items.findOne()
    expect(performance.now() - before).toBeGreaterThan(48)
  })
})

describe('the fail point onPrimaryTransactionalWrite', () => {
  it('loses the reply of a write, which the driver repeats and which is applied once', async () => {
    const { uri, items, fail } = await setUp()
    let sent = 0
    const observed = await connect(uri, { monitorCommands: true })
    observed.on('commandStarted', ({ commandName }) => {
      if (commandName === 'insert') sent += 1
    })
    await fail({ name: 'onPrimaryTransactionalWrite' })
    await observed
      .db()
      .collection<Item>('items')
      .insertMany([{ _id: 1 }, { _id: 2 }])
    expect(sent).toBe(2)
    expect(await items.countDocuments()).toBe(2)
  })

  it('fails a write before it is applied', async () => {
    const { items, fail } = await setUp()
    const point = { name: 'onPrimaryTransactionalWrite', failBeforeCommitExceptionCode: 1 }
    await fail(point)
    // The connection closes as well, and the driver repeats the write.
    await items.insertOne({ _id: 0 })
    await fail({ ...point, closeConnection: false })
    await expect(items.insertOne({ _id: 1 })).rejects.toMatchObject({ code: 1 })
    expect(await items.distinct('_id')).toEqual([0])
  })
})

describe('the fail point failGetMoreAfterCursorCheckout', () => {
  it('ends a change stream, which the driver resumes', async () => {
    const { items, fail } = await setUp()
    const stream = items.watch([], { maxAwaitTimeMS: 20 })
    await stream.tryNext()
    await fail({ name: 'failGetMoreAfterCursorCheckout', errorCode: 63 })
    await items.insertOne({ _id: 1 })
    expect(await stream.next()).toMatchObject({ documentKey: { _id: 1 } })
    await stream.close()
  })
})

describe('configureFailPoint', () => {
  const failCommands = ['find']

  it.each<[string, Document, number]>([
    ['an unknown fail point', { name: 'unknown' }, 96],
    ['no command', {}, 2],
    ['an unknown mode', { failCommands, mode: 'sometimes' }, 2],
    ['a mode that is not supported', { failCommands, mode: { activationProbability: 1 } }, 238],
    ['data that are not supported', { failCommands, namespace: 'a.b' }, 238],
  ])('refuses %s', async (_case, point, code) => {
    const { fail } = await setUp()
    await expect(fail(point)).rejects.toMatchObject({ code })
  })

  it('refuses another database than admin', async () => {
    const { client } = await setUp()
    const command = { configureFailPoint: 'failCommand', mode: 'off' }
    await expect(client.db().command(command)).rejects.toMatchObject({ code: 13 })
  })
})
