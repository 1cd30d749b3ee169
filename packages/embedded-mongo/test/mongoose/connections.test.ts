// oxlint-disable no-underscore-dangle -- MongoDB's own name for the key
import mongoose, { Schema } from 'mongoose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestServer, type TestServer } from '../server.ts'

let server: TestServer

beforeAll(async () => {
  server = await openTestServer()
})

afterAll(() => server.stop())

describe('mongoose connections', () => {
  it('connects and disconnects', async () => {
    const connection = await mongoose.createConnection(server.uri).asPromise()
    expect(connection.readyState).toBe(1)
    await connection.close()
    expect(connection.readyState).toBe(0)
  })

  it('buffers operations until it is connected', async () => {
    const connection = mongoose.createConnection(server.uri, { dbName: 'conn_buffer' })
    const Model = connection.model('Early', new Schema({ name: String }))
    const doc = await Model.create({ name: 'early' })
    expect(await Model.countDocuments({ _id: doc._id })).toBe(1)
    await connection.dropDatabase()
    await connection.close()
  })

  it('uses the database of the options', async () => {
    const connection = await mongoose
      .createConnection(server.uri, { dbName: 'conn_named' })
      .asPromise()
    expect(connection.db?.databaseName).toBe('conn_named')
    await connection.close()
  })

  it('keeps two connections apart', async () => {
    const a = await mongoose.createConnection(server.uri, { dbName: 'conn_a' }).asPromise()
    const b = await mongoose.createConnection(server.uri, { dbName: 'conn_b' }).asPromise()
    const schema = new Schema({ n: Number })
    await a.model('Thing', schema).create({ n: 1 })
    expect(await a.model('Thing').countDocuments()).toBe(1)
    expect(await b.model('Thing', schema).countDocuments()).toBe(0)
    await a.dropDatabase()
    await Promise.all([a.close(), b.close()])
  })

  it('reaches another database over the same client', async () => {
    const connection = await mongoose
      .createConnection(server.uri, { dbName: 'conn_one' })
      .asPromise()
    const other = connection.useDb('conn_two')
    await other.model('Note', new Schema({ text: String })).create({ text: 'x' })
    expect(await other.db?.collection('notes').countDocuments()).toBe(1)
    expect(await connection.db?.collection('notes').countDocuments()).toBe(0)
    await other.dropDatabase()
    await connection.close()
  })

  it('emits its events', async () => {
    const connection = mongoose.createConnection()
    const events: string[] = []
    for (const event of ['connecting', 'connected', 'open', 'disconnected', 'close']) {
      connection.on(event, () => events.push(event))
    }
    await connection.openUri(server.uri)
    await connection.close()
    expect(events).toEqual(['connecting', 'connected', 'open', 'disconnected', 'close'])
  })

  it('lists, creates and drops collections', async () => {
    const connection = await mongoose
      .createConnection(server.uri, { dbName: 'conn_collections' })
      .asPromise()
    await connection.createCollection('plain')
    const names = async () => (await connection.listCollections()).map(({ name }) => name)
    expect(await names()).toEqual(['plain'])
    await connection.dropCollection('plain')
    expect(await names()).toEqual([])
    await connection.close()
  })

  it('runs commands through the driver', async () => {
    const connection = await mongoose.createConnection(server.uri).asPromise()
    expect(await connection.db?.admin().ping()).toMatchObject({ ok: 1 })
    expect((await connection.db?.admin().buildInfo())?.['version']).toMatch(/^\d+\.\d+\.\d+/)
    expect(connection.getClient().db('x').databaseName).toBe('x')
    await connection.close()
  })

  it('fails fast when nothing listens', async () => {
    const connection = mongoose.createConnection()
    const attempt = connection.openUri('mongodb://127.0.0.1:1/x', { serverSelectionTimeoutMS: 100 })
    await expect(attempt).rejects.toThrow(/ECONNREFUSED/)
    await connection.close()
  })

  it('sets up collections and indexes in init()', async () => {
    const connection = mongoose.createConnection(server.uri, { dbName: 'conn_init' })
    const Model = connection.model('Ready', new Schema({ key: { type: String, unique: true } }))
    await Model.init()
    expect(Object.keys(await Model.collection.indexInformation())).toEqual(['_id_', 'key_1'])
    await connection.dropDatabase()
    await connection.close()
  })
})

describe('reads of a secondary', () => {
  // A direct connection, and two that discover the replica set.
  const addresses: [string, (uri: string) => string][] = [
    ['the address as it is', (uri) => uri],
    ['an address without options', (uri) => uri.replace(/\?.*/, '')],
    ['the name of the replica set', (uri) => uri.replace(/\?.*/, '?replicaSet=rs0')],
  ]

  it.each(addresses)('are served with %s', async (_name, toAddress) => {
    const address = toAddress(server.uri)
    const options = { dbName: 'conn_secondary', serverSelectionTimeoutMS: 3000 }
    const writer = await mongoose.createConnection(address, options).asPromise()
    const schema = new Schema({
      name: { type: String, index: true },
      friend: Schema.Types.ObjectId,
    })
    const { _id } = await writer.model('Person', schema).create({ name: 'ada' })
    for (const readPreference of ['secondary', 'secondaryPreferred'] as const) {
      const reader = await mongoose
        .createConnection(address, { ...options, readPreference })
        .asPromise()
      expect([reader.get('autoIndex'), reader.get('autoCreate')]).toEqual([false, false])
      const Person = reader.model('Person', schema)
      expect(await Person.findById(_id).lean()).toMatchObject({ name: 'ada' })
      expect(await Person.aggregate([{ $match: { _id } }])).toHaveLength(1)
      await Person.create({ name: readPreference })
      expect(await Person.countDocuments({ name: readPreference })).toBe(1)
      await reader.close()
    }
    await writer.dropDatabase()
    await writer.close()
  })

  it('can be asked for by a schema, a query, a cursor and an aggregation', async () => {
    const connection = await mongoose
      .createConnection(server.uri.replace(/\?.*/, ''), {
        dbName: 'conn_read',
        serverSelectionTimeoutMS: 3000,
      })
      .asPromise()
    const friend = { type: Schema.Types.ObjectId, ref: 'Person' }
    const schema = new Schema({ name: String, friend }, { read: 'secondaryPreferred' })
    const Person = connection.model('Person', schema)
    const ada = await Person.create({ name: 'ada' })
    await Person.create({ name: 'bob', friend: ada._id })
    expect(await Person.find().read('secondary')).toHaveLength(2)
    expect(await Person.aggregate([{ $match: {} }]).read('nearest')).toHaveLength(2)
    const names: (string | null | undefined)[] = []
    for await (const { name } of Person.find().sort('name').cursor()) names.push(name)
    expect(names).toEqual(['ada', 'bob'])
    const bob = await Person.findOne({ name: 'bob' }).read('secondary').populate('friend').orFail()
    expect(bob.friend).toMatchObject({ name: 'ada' })
    await connection.dropDatabase()
    await connection.close()
  })

  it.each([
    { autoIndex: true },
    { autoCreate: true },
    { autoIndex: false, config: { autoIndex: true } },
  ])('exclude %j', async (options) => {
    const connection = mongoose.createConnection()
    const attempt = connection.openUri(server.uri, {
      readPreference: 'secondary',
      ...options,
    } as object)
    await expect(attempt).rejects.toThrow(/prohibits index creation/)
    await connection.close()
  })
})
