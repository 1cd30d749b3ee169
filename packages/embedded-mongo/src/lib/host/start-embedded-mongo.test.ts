import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MongoClient } from 'mongodb'
import mongoose from 'mongoose'
import { afterEach, describe, expect, it } from 'vitest'
import { type EmbeddedMongo, type EmbeddedMongoOptions, startEmbeddedMongo } from '../../index.ts'
import { listCollections, toCountsValue } from '../catalog/catalog.ts'
import { openFileStore } from '../storage/file-store.ts'
import { countsKey } from '../storage/keys.ts'

const cleanups: (() => Promise<void> | void)[] = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'embedded-mongo-test-'))
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function start(
  storage: { memory: true } | { directory: string },
  more: { latencyMs?: number; port?: number; onMessage?: EmbeddedMongoOptions['onMessage'] } = {},
): Promise<EmbeddedMongo> {
  const mongo = await startEmbeddedMongo({ storage, onMessage: () => {}, ...more })
  cleanups.push(() => mongo.stop())
  return mongo
}

async function connect(uri: string): Promise<MongoClient> {
  const client = await new MongoClient(uri).connect()
  cleanups.push(() => client.close())
  return client
}

describe('startEmbeddedMongo', () => {
  it('serves a Mongoose model: create, find, update, delete, indexes', async () => {
    const mongo = await start({ memory: true })
    const connection = await mongoose.createConnection(mongo.uri).asPromise()
    cleanups.push(() => connection.close())
    const schema = new mongoose.Schema(
      { name: String, email: { type: String, unique: true }, tags: [String] },
      { timestamps: true },
    )
    const User = connection.model('User', schema)
    await User.init()
    const user = await User.create({ name: 'Ann', email: 'a@x', tags: ['p'] })
    await expect(User.create({ name: 'Bob', email: 'a@x' })).rejects.toMatchObject({
      code: 11000,
      keyPattern: { email: 1 },
      keyValue: { email: 'a@x' },
      message: expect.stringContaining('dup key: { email: "a@x" }'),
    })
    user.name = 'Anna'
    user.tags.push('q')
    await user.save()
    expect((await User.findById(user.id))?.tags).toEqual(['p', 'q'])
    await User.insertMany([
      { name: 'x', email: '1' },
      { name: 'y', email: '2' },
    ])
    const names = await User.find().sort({ name: -1 }).limit(2).select('name').lean()
    expect(names.map(({ name }) => name)).toEqual(['y', 'x'])
    expect(await User.distinct('name')).toEqual(['Anna', 'x', 'y'])
    expect(await User.estimatedDocumentCount()).toBe(3)
    expect(await User.countDocuments({ name: 'x' })).toBe(1)
    expect(await User.updateOne({ name: 'z' }, { email: '4' }, { upsert: true })).toMatchObject({
      upsertedCount: 1,
    })
    expect(await User.deleteOne({ name: 'x' })).toMatchObject({ deletedCount: 1 })
    await User.syncIndexes()
    expect((await User.collection.indexes()).map(({ name }) => name)).toEqual(['_id_', 'email_1'])
  })

  it('keeps a folder’s data over a restart, at the same address', async () => {
    const directory = temporaryFolder()
    const first = await start({ directory })
    const client = await connect(first.uri)
    await client
      .db()
      .collection('things')
      .insertMany([{ n: 1 }, { n: 2 }])
    await client.db().collection('things').createIndex({ n: 1 }, { unique: true })
    await first.stop()
    const second = await start({ directory })
    expect(second.uri).toBe(first.uri)
    const again = await connect(second.uri)
    expect(await again.db().collection('things').countDocuments()).toBe(2)
    await expect(again.db().collection('things').insertOne({ n: 2 })).rejects.toMatchObject({
      code: 11000,
    })
  })

  it('makes folder, files and socket accessible to the user only', async () => {
    const directory = join(temporaryFolder(), 'data')
    const { uri } = await start({ directory })
    expect(statSync(directory).mode & 0o777).toBe(0o700)
    const open = readdirSync(directory).filter(
      (file) => (statSync(join(directory, file)).mode & 0o077) !== 0,
    )
    expect(open).toEqual([])
    const socket = decodeURIComponent(/\/\/([^/]+)\//.exec(uri)?.[1] ?? '')
    expect(statSync(join(socket, '..')).mode & 0o777).toBe(0o700)
  })

  it('attaches a second start to the owner, and lets it take over', async () => {
    const directory = temporaryFolder()
    const owner = await start({ directory })
    const attached = await start({ directory })
    expect([owner.role, attached.role]).toEqual(['owner', 'attached'])
    const client = await connect(attached.uri)
    await client.db().collection('things').insertOne({ n: 1 })
    await owner.stop()
    await expect.poll(() => attached.role).toBe('owner')
    expect(await client.db().collection('things').countDocuments()).toBe(1)
  })

  it('reports which database serves, where, and that it is not MongoDB', async () => {
    const directory = temporaryFolder()
    const messages: unknown[] = []
    await start({ directory }, { onMessage: (...message) => messages.push(message) })
    expect(messages).toEqual([[`Embedded database (not MongoDB) serves ${directory}`, 'notice']])
  })

  it('listens on a port of the loopback address when asked', async () => {
    const { uri } = await start({ memory: true }, { port: 0 })
    expect(uri).toMatch(/^mongodb:\/\/127\.0\.0\.1:[1-9]\d*\/app\?directConnection=true$/)
    const client = await connect(uri)
    expect(await client.db('admin').command({ buildInfo: 1 })).toMatchObject({
      version: '8.0.0',
      modules: ['embedded'],
    })
  })

  it.each(['socket', 'port'])(
    'serves reads of a secondary to a client that discovers the replica set by %s',
    async (kind) => {
      const { uri } = await start({ memory: true }, kind === 'port' ? { port: 0 } : {})
      const [bare = ''] = uri.split('?')
      const options = 'replicaSet=rs0&readPreference=secondary&serverSelectionTimeoutMS=5000'
      const client = await connect(`${bare}?${options}`)
      const things = client.db().collection('things')
      await things.insertOne({ n: 1 })
      expect(await things.find().toArray()).toMatchObject([{ n: 1 }])
      expect(await things.countDocuments({}, { readPreference: 'secondaryPreferred' })).toBe(1)
      await client.withSession((session) =>
        session.withTransaction(() => things.insertOne({ n: 2 }, { session }), {
          readPreference: 'primary',
        }),
      )
      expect(await things.distinct('n')).toEqual([1, 2])
    },
  )

  it('reports a port that is in use, and leaves the folder to the next start', async () => {
    const { uri } = await start({ memory: true }, { port: 0 })
    const port = Number(new URL(uri).port)
    const directory = temporaryFolder()
    for (const storage of [{ memory: true } as const, { directory }]) {
      await expect(start(storage, { port })).rejects.toThrow(
        new RegExp(`cannot listen on port ${port}: .*Use another port`),
      )
    }
    expect((await start({ directory })).role).toBe('owner')
  })

  it('delays replies by latencyMs', async () => {
    const { uri } = await start({ memory: true }, { latencyMs: 40 })
    const client = await connect(uri)
    const before = performance.now()
    await client.db().command({ ping: 1 })
    expect(performance.now() - before).toBeGreaterThanOrEqual(39)
  })

  it('warns when a folder exceeds the recommended size', async () => {
    const directory = temporaryFolder()
    const first = await start({ directory })
    await (await connect(first.uri)).db().collection('things').insertOne({})
    await first.stop()
    const store = openFileStore({ directory, warn: () => {} })
    const [things] = listCollections(store)
    const counts = toCountsValue({ documents: 250_000, bytes: 300 * 1024 * 1024 })
    store.apply({ drops: [], puts: [[countsKey(things?.id ?? ''), counts]] })
    await store.close()
    const messages: unknown[] = []
    await start({ directory }, { onMessage: (...message) => messages.push(message) })
    expect(messages).toContainEqual([
      expect.stringMatching(/holds 250000 documents, 300 MB, all in memory.*set MONGODB_URI/),
      'warning',
    ])
  })

  it('reports how to fix a folder it cannot use', async () => {
    const file = join(temporaryFolder(), 'file')
    writeFileSync(file, '')
    for (const directory of [file, join(file, 'below')]) {
      await expect(start({ directory })).rejects.toThrow(
        /^The data folder .*file.* cannot be used: .*Use a folder that this user can write to\.$/,
      )
    }
  })

  it('stops during waiting commands and writes without losing acknowledged writes', async () => {
    const directory = temporaryFolder()
    const mongo = await start({ directory })
    const client = await connect(`${mongo.uri}&serverSelectionTimeoutMS=300`)
    const things = client.db().collection<{ _id: number }>('things')
    const stream = things.watch()
    const waiting = stream.next().catch((error: unknown) => error)
    const acknowledged: number[] = []
    const writers = Array.from({ length: 5 }, async (_, writer) => {
      for (let n = writer; ; n += 5) {
        await things.insertOne({ _id: n }, { writeConcern: { j: true } })
        acknowledged.push(n)
      }
    })
    const ended = Promise.allSettled(writers)
    await expect.poll(() => acknowledged.length).toBeGreaterThan(20)
    await mongo.stop()
    await ended
    await stream.close()
    await waiting
    const again = await start({ directory })
    const found = (await connect(again.uri)).db().collection<{ _id: number }>('things')
    const ids = new Set(await found.distinct('_id'))
    expect(acknowledged.filter((n) => !ids.has(n))).toEqual([])
  })

  it.each([
    [{ storage: { memory: true }, portt: 1 }, /unknown option 'portt'/],
    [{ storage: {} }, /'storage' must be/],
    [{ storage: { directory: '' } }, /'storage' must be/],
    [{ storage: { memory: true }, latencyMs: -1 }, /'latencyMs' must be a whole number/],
    [{ storage: { memory: true }, port: 70_000 }, /'port' must be a whole number/],
    [{ storage: { memory: true }, ttlIntervalMs: 0.5 }, /'ttlIntervalMs' must be/],
  ])('rejects %o', async (options, message) => {
    // @ts-expect-error -- what a caller without types may write
    await expect(startEmbeddedMongo(options)).rejects.toThrow(message)
  })
})
