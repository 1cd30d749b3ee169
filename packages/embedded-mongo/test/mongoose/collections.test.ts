import mongoose, { Schema, Types } from 'mongoose'
import { describe, expect, it } from 'vitest'
import { useConnection } from './mongoose-test.ts'

const connection = useConnection()

describe('collections of models', () => {
  it.each([
    ['a size', 1000, { capped: true, size: 1024 }],
    ['a size and a number', { size: 8192, max: 2 }, { capped: true, size: 8192, max: 2 }],
  ])('are capped by %s', async (_name, capped, options) => {
    const Log = connection.model('Log', new Schema({ key: String }, { capped } as object))
    await Log.init()
    expect(await Log.collection.isCapped()).toBe(true)
    expect(await Log.collection.options()).toEqual(options)
    await Log.init()
    await Log.create([{ key: 'a' }, { key: 'b' }, { key: 'c' }])
    expect(await Log.distinct('key')).toHaveLength('max' in options ? 2 : 3)
  })

  it('are capped by a call of the application', async () => {
    const options = { capped: { size: 1024 }, autoCreate: false, bufferCommands: false }
    const Log = connection.model('Log', new Schema({ key: String }, options))
    await Log.createCollection({ capped: true, size: 1024 })
    await Log.create({ key: 'a' })
    await connection.createCollection('other', { capped: true, size: 1024 })
    expect(await connection.collection('other').isCapped()).toBe(true)
  })

  it('keep an existing collection', async () => {
    await connection.createCollection('logs')
    const Log = connection.model('Log', new Schema({ key: String }, { capped: { size: 1024 } }))
    await Log.init()
    expect(await Log.collection.isCapped()).toBe(false)
    await Log.createCollection()
  })

  it('are created for all models at once', async () => {
    for (const name of ['A', 'B', 'C']) connection.model(name, new Schema({ name: String }))
    await connection.createCollections()
    const created = await connection.listCollections()
    expect(created.map(({ name }) => name).toSorted()).toEqual(['as', 'bs', 'cs'])
  })

  it('sort by the collation of the schema', async () => {
    const collation = { locale: 'en_US', strength: 1 as const }
    const User = connection.model('User', new Schema({ name: String }, { collation }))
    await User.createCollection()
    await User.create([{ name: 'Zeta' }, { name: 'alpha' }])
    const found = await User.collection.find().sort({ name: 1 }).toArray()
    expect(found.map(({ name }) => name)).toEqual(['alpha', 'Zeta'])
  })

  it.each([
    ['time series', 'timeseries', { timeseries: { timeField: 'at' } }],
    ['a clustered index', 'clusteredIndex', { clusteredIndex: { key: { _id: 1 }, name: 'ids' } }],
  ])('with %s are refused by name', async (_name, option, options) => {
    const schema = new Schema({ at: Date }, { ...options, autoCreate: false } as object)
    const attempt = connection.model('Series', schema).createCollection()
    await expect(attempt).rejects.toMatchObject({
      code: 238,
      message: expect.stringContaining(option),
    })
  })
})

describe('a validator made of a schema', () => {
  const id = () => new Types.ObjectId()
  const named = new Schema({ name: { type: String, required: true } })
  const people = new Schema({
    name: { type: String, required: true },
    age: Number,
    source: { type: String, enum: ['document', 'self-reported'] },
    level: { type: Number, enum: [1, 2] },
  })
  const places = new Schema({
    address: { street: String, zip: { type: String, required: true } },
    tags: [String],
    grid: [[Number]],
    parts: [new Schema({ at: Date }, { _id: false })],
    only: new Schema({ n: Number }, { _id: false }),
  })
  const types = new Schema({
    b: Boolean,
    d: Date,
    buffer: Buffer,
    decimal: 'Decimal128',
    uuid: 'UUID',
    big: BigInt,
    double: 'Double',
    int: 'Int32',
    any: {},
    ref: Schema.Types.ObjectId,
  })
  const maps = new Schema({ props: { type: Map, of: String }, docs: { type: Map, of: named } })
  const unions = new Schema({
    either: { type: 'Union', of: [Number, String] },
    both: { type: 'Union', of: ['Int32', Number], required: true },
  })
  const everyType = {
    b: true,
    d: new Date(),
    buffer: Buffer.from('x'),
    decimal: new Types.Decimal128('1.5'),
    uuid: new mongoose.mongo.UUID(),
    big: 5n,
    double: new mongoose.mongo.Double(2),
    int: 7,
    any: ['x'],
    ref: id(),
  }
  const nulls = Object.fromEntries(Object.keys(everyType).map((name) => [name, null]))

  it.each<[string, Schema, object[], object[]]>([
    [
      'fields, required ones and lists of values',
      people as Schema,
      [
        { name: 'a' },
        { name: 'a', age: null, source: null, level: null },
        { name: 'a', age: 30, source: 'document', level: 2 },
      ],
      [
        {},
        { name: null },
        { name: 5 },
        { name: 'a', age: '30' },
        { name: 'a', source: 'x' },
        { name: 'a', level: 3 },
      ],
    ],
    [
      'nested paths, lists and subdocuments',
      places as Schema,
      [
        { address: { zip: '1' } },
        { address: null, tags: null, grid: null, parts: null, only: null },
        { tags: ['a', null], grid: [[1, null], null], parts: [{ at: new Date() }], only: { n: 1 } },
      ],
      [
        { address: {} },
        { address: { zip: '1', street: 5 } },
        { tags: [1] },
        { tags: 'a' },
        { grid: [['1']] },
        { parts: [{ at: 'now' }] },
        { only: { n: '1' } },
      ],
    ],
    [
      'all types',
      types as Schema,
      [{}, nulls, everyType],
      Object.keys(everyType)
        .filter((name) => name !== 'any')
        .map((name) => ({ [name]: 'text' })),
    ],
    [
      'maps',
      maps as Schema,
      [{}, { props: { a: 'b', c: null } }, { docs: { a: { _id: id(), name: 'x' } } }],
      [{ props: { a: 1 } }, { props: 'a' }, { docs: { a: { _id: id() } } }],
    ],
    [
      'unions',
      unions as Schema,
      [{ both: 1 }, { both: 1.5, either: 'a' }, { both: 1, either: null }],
      [{}, { both: 'a' }, { both: 1, either: {} }],
    ],
  ])('knows %s', async (_name, schema, valid, invalid) => {
    const validator = { $jsonSchema: schema.toJSONSchema({ useBsonType: true }) }
    const things = await connection.createCollection('things', { validator })
    const accepted = await Promise.allSettled(
      valid.map((document) => things.insertOne({ ...document })),
    )
    expect(accepted.filter(({ status }) => status === 'rejected')).toEqual([])
    const error = { name: 'MongoServerError', code: 121, errmsg: 'Document failed validation' }
    for (const document of invalid) {
      await expect(things.insertOne({ ...document })).rejects.toMatchObject(error)
    }
    expect(await things.countDocuments()).toBe(valid.length)
  })

  it('is an option of the model, and its error names the rule in every write', async () => {
    const validator = { $jsonSchema: people.toJSONSchema({ useBsonType: true }) }
    const schema = new Schema({ name: {} }, {
      collectionOptions: { validator },
    } as object)
    const Person = connection.model('Person', schema)
    await Person.init()
    const person = await Person.create({ name: 'ada' })
    const rejected = { code: 121, errInfo: { details: { operatorName: '$jsonSchema' } } }
    await expect(Person.create({ name: 5 })).rejects.toMatchObject(rejected)
    await expect(Person.updateOne({}, { name: 5 })).rejects.toMatchObject(rejected)
    await expect(Person.findOneAndUpdate({}, { name: 5 })).rejects.toMatchObject(rejected)
    await expect(person.set({ name: 5 }).save()).rejects.toMatchObject(rejected)
    await expect(Person.insertMany([{ name: 'bob' }, { name: 5 }])).rejects.toMatchObject({
      code: 121,
      insertedDocs: [{ name: 'bob' }],
      writeErrors: [{ err: { code: 121, index: 1 } }],
    })
    expect(await Person.distinct('name')).toEqual(['ada', 'bob'])
  })
})

describe('indexes of models', () => {
  it.each([
    ['a hashed index', { t: { type: String, index: 'hashed' } }, { t: 'hashed' }],
    [
      'a sparse one',
      { t: { type: String, index: { type: 'hashed', sparse: true } } },
      { t: 'hashed' },
    ],
    ['descending ones', { t: { type: String, index: '-1' } }, { t: -1 }],
  ])('hold %s', async (_name, paths, key) => {
    const Thing = connection.model('Thing', new Schema(paths as object))
    await Thing.init()
    expect((await Thing.listIndexes()).map((index) => index['key'])).toContainEqual(key)
    await Thing.create([{ t: 'x' }, {}])
    expect(await Thing.countDocuments({ t: 'x' })).toBe(1)
    expect(await Thing.syncIndexes()).toEqual([])
  })

  it('compare compound text indexes by their fields', async () => {
    const schema = new Schema({ title: String, body: String, age: Number }, { autoIndex: false })
    schema.index({ title: 'text', body: 'text', age: 1 })
    const Post = connection.model('Post', schema)
    await Post.init()
    const { toCreate, toDrop } = await Post.diffIndexes()
    expect([toCreate.length, toDrop.length]).toEqual([1, 0])
    expect(await Post.syncIndexes()).toEqual([])
    expect(await Post.syncIndexes()).toEqual([])
    expect(await Post.diffIndexes()).toEqual({ toCreate: [], toDrop: [] })
    expect(await Post.listIndexes()).toHaveLength(2)
  })

  it('of text ignore the collation of the schema', async () => {
    const collation = { locale: 'en', strength: 2 as const }
    const schema = new Schema({ name: String }, { collation, autoCreate: false })
    schema.index({ name: 'text' })
    const User = connection.model('User', schema)
    await User.init()
    const [, index] = await User.listIndexes()
    expect(index).toMatchObject({ key: { _fts: 'text' }, weights: { name: 1 } })
    expect(index).not.toHaveProperty('collation')
  })

  it('remove expired documents as often as a parameter says', async () => {
    const admin = connection.getClient().db('admin')
    const set = (seconds: number) =>
      admin.command({ setParameter: 1, ttlMonitorSleepSecs: seconds })
    const { was } = await set(1)
    try {
      const schema = new Schema({ at: { type: Date, expires: '1 hour' } })
      const Token = connection.model('Token', schema)
      await Token.init()
      await Token.create([{ at: new Date(0) }, { at: new Date() }])
      await expect.poll(() => Token.countDocuments()).toBe(1)
    } finally {
      await set(Number(was))
    }
  })
})
