// oxlint-disable no-underscore-dangle -- MongoDB's own name for the key
import { Schema, Types } from 'mongoose'
import { describe, expect, it } from 'vitest'
import { useConnection } from './mongoose-test.ts'

const connection = useConnection()

describe('mongoose schemas', () => {
  it('keeps every schema type over a round trip', async () => {
    const schema = new Schema({
      text: String,
      number: Number,
      date: Date,
      buffer: Buffer,
      flag: Boolean,
      mixed: Schema.Types.Mixed,
      ref: Schema.Types.ObjectId,
      list: [String],
      decimal: Schema.Types.Decimal128,
      map: { type: Map, of: Number },
      uuid: Schema.Types.UUID,
      big: Schema.Types.BigInt,
      nested: { inner: { deep: Number } },
      double: Schema.Types.Double,
      int: Schema.Types.Int32,
    })
    const Model = connection.model('Everything', schema)
    const ref = new Types.ObjectId()
    const values = {
      text: 'x',
      number: 1.5,
      date: new Date(1000),
      flag: true,
      mixed: { any: [1, 'two'] },
      ref,
      list: ['a', 'b'],
      decimal: Types.Decimal128.fromString('1.10'),
      uuid: '1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed',
      big: 9007199254740993n,
      nested: { inner: { deep: 5 } },
      double: 2,
      int: 7,
    }
    const { _id } = await Model.create({
      ...values,
      buffer: Buffer.from('abc'),
      map: { a: 1, b: 2 },
    })
    const found = await Model.findById(_id).orFail()
    expect(found.toObject({ flattenMaps: true })).toMatchObject({
      text: 'x',
      number: 1.5,
      date: new Date(1000),
      flag: true,
      mixed: { any: [1, 'two'] },
      list: ['a', 'b'],
      big: 9007199254740993n,
      nested: { inner: { deep: 5 } },
      map: { a: 1, b: 2 },
      int: 7,
    })
    expect(found.buffer?.toString()).toBe('abc')
    expect(String(found.decimal)).toBe('1.10')
    expect(String(found.uuid)).toBe(values.uuid)
    expect(String(found.ref)).toBe(String(ref))
  })

  it('stores the BSON types of the schema', async () => {
    const Model = connection.model(
      'Typed',
      new Schema({ d: Schema.Types.Double, i: Schema.Types.Int32, b: Schema.Types.BigInt }),
    )
    await Model.create({ d: 2, i: 2, b: 2n })
    const [types] = await Model.aggregate<Record<string, string>>([
      { $project: { _id: 0, d: { $type: '$d' }, i: { $type: '$i' }, b: { $type: '$b' } } },
    ])
    expect(types).toEqual({ d: 'double', i: 'int', b: 'long' })
  })

  it('applies defaults, also computed ones', async () => {
    const schema = new Schema({
      status: { type: String, default: 'new' },
      at: { type: Date, default: () => new Date(5) },
      tags: [String],
    })
    const doc = await connection.model('Defaulted', schema).create({})
    const found = await connection.model('Defaulted').findById(doc._id).lean()
    expect(found).toMatchObject({ status: 'new', at: new Date(5), tags: [] })
  })

  it('runs setters, getters, lowercase and trim', async () => {
    const schema = new Schema({
      email: { type: String, lowercase: true, trim: true },
      price: {
        type: Number,
        get: (value: number) => value / 100,
        set: (value: number) => value * 100,
      },
    })
    const Model = connection.model('Shaped', schema)
    const doc = await Model.create({ email: '  A@X.ORG ', price: 2 })
    expect(doc.price).toBe(2)
    expect(await Model.findById(doc._id).lean()).toMatchObject({ email: 'a@x.org', price: 200 })
  })

  it('has virtuals, methods, statics and query helpers', async () => {
    const schema = new Schema(
      { first: String, last: String },
      {
        virtuals: {
          full: {
            get(): string {
              return `${this.first} ${this.last}`
            },
          },
        },
        methods: {
          greet(): string {
            return `I am ${this.first}`
          },
        },
        statics: {
          byLast(last: string) {
            return this.findOne({ last })
          },
        },
      },
    )
    const Model = connection.model('Person', schema)
    await Model.create({ first: 'Ada', last: 'Lovelace' })
    const found = await Model.byLast('Lovelace').orFail()
    expect(found.get('full')).toBe('Ada Lovelace')
    expect((found as unknown as { greet(): string }).greet()).toBe('I am Ada')
  })

  it('uses aliases', async () => {
    const Model = connection.model('Aliased', new Schema({ n: { type: String, alias: 'name' } }))
    await new Model({ name: 'x' }).save()
    expect(await Model.collection.findOne({}, { projection: { _id: 0, n: 1 } })).toEqual({ n: 'x' })
  })

  it('creates indexes: single, compound, unique, sparse, partial, TTL', async () => {
    const schema = new Schema({
      a: { type: Number, index: true },
      b: { type: String, unique: true },
      c: { type: Number, sparse: true, index: true },
      d: Date,
      e: Number,
    })
    schema.index({ a: 1, e: -1 })
    schema.index({ d: 1 }, { expireAfterSeconds: 60 })
    schema.index({ e: 1 }, { partialFilterExpression: { e: { $gt: 5 } }, name: 'big_e' })
    const Model = connection.model('Indexed', schema)
    await Model.init()
    const indexes = await Model.listIndexes()
    expect(indexes.map(({ name }) => String(name)).toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
      '_id_',
      'a_1',
      'a_1_e_-1',
      'b_1',
      'big_e',
      'c_1',
      'd_1',
    ])
    expect(indexes.find(({ name }) => name === 'd_1')).toMatchObject({ expireAfterSeconds: 60 })
    expect(indexes.find(({ name }) => name === 'big_e')).toMatchObject({
      partialFilterExpression: { e: { $gt: 5 } },
    })
    expect(indexes.find(({ name }) => name === 'b_1')).toMatchObject({ unique: true })
  })

  it('brings indexes in line with syncIndexes()', async () => {
    const Old = connection.model(
      'Synced',
      new Schema({ a: { type: Number, index: true }, b: Number }),
    )
    await Old.init()
    connection.deleteModel('Synced')
    const New = connection.model(
      'Synced',
      new Schema({ a: Number, b: { type: Number, index: true } }, { autoIndex: false }),
    )
    expect(await New.syncIndexes()).toEqual(['a_1'])
    expect(Object.keys(await New.collection.indexInformation())).toEqual(['_id_', 'b_1'])
    expect(await New.diffIndexes()).toEqual({ toDrop: [], toCreate: [] })
  })

  it('works without an _id', async () => {
    const Model = connection.model('Keyed', new Schema({ _id: String, n: Number }))
    await Model.create({ _id: 'k', n: 1 })
    expect(await Model.findById('k').lean()).toEqual({ _id: 'k', n: 1, __v: 0 })
  })

  it('drops fields that the schema does not name, unless configured otherwise', async () => {
    const Strict = connection.model('Strict', new Schema({ a: Number }))
    const Loose = connection.model('Loose', new Schema({ a: Number }, { strict: false }))
    const strict = await new Strict({ a: 1, extra: 2 }).save()
    const loose = await new Loose({ a: 1, extra: 2 }).save()
    expect(await Strict.findById(strict._id).lean()).not.toHaveProperty('extra')
    expect(await Loose.findById(loose._id).lean()).toHaveProperty('extra', 2)
  })

  it('keeps empty objects when minimize is off', async () => {
    const Small = connection.model('Small', new Schema({ o: Schema.Types.Mixed }))
    const Full = connection.model(
      'Full',
      new Schema({ o: Schema.Types.Mixed }, { minimize: false }),
    )
    const [small, full] = [await new Small({ o: {} }).save(), await new Full({ o: {} }).save()]
    expect(await Small.findById(small._id).lean()).not.toHaveProperty('o')
    expect(await Full.findById(full._id).lean()).toHaveProperty('o', {})
  })
})
