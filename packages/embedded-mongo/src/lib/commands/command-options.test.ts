import { Decimal128, type Document, Double, MongoServerError } from 'mongodb'
import { describe, expect, it } from 'vitest'
import { freshDatabase } from '../../../test/fresh-server.ts'

const collation = { locale: 'en', strength: 2 }
const count = { $group: { _id: 1, n: { $sum: 1 } } }

describe('the collation of an update', () => {
  it.each<[string, Document, unknown, Document]>([
    ['$pull', { $pull: { a: 'x' } }, ['y'], {}],
    ['$addToSet', { $addToSet: { a: 'x' } }, ['X', 'y'], {}],
    ['arrayFilters', { $set: { 'a.$[e]': 1 } }, [1, 'y'], { arrayFilters: [{ e: 'x' }] }],
  ])('reaches %s', async (_name, update, expected, options) => {
    const things = (await freshDatabase()).collection('things')
    await things.insertOne({ a: ['X', 'y'] })
    await things.updateOne({}, update, { collation, ...options })
    expect(await things.findOne()).toMatchObject({ a: expected })
  })

  it('reaches $min, and is the collection’s by default', async () => {
    const things = await (await freshDatabase()).createCollection('things', { collation })
    await things.insertOne({ a: 'b' })
    await things.updateOne({}, { $min: { a: 'C' } })
    expect(await things.findOne()).toMatchObject({ a: 'b' })
  })
})

describe('the constants of an update', () => {
  it('are values, not expressions', async () => {
    const db = await freshDatabase()
    await db.collection('things').insertOne({ a: 1 })
    const updates = [{ q: {}, u: [{ $set: { b: '$$text' } }], c: { text: '$a' } }]
    expect(await db.command({ update: 'things', updates })).toMatchObject({ nModified: 1 })
    expect(await db.collection('things').findOne()).toMatchObject({ b: '$a' })
  })
})

describe('the expressions of a projection', () => {
  const fields = {
    given: '$$given',
    same: { $eq: ['$a', 'x'] },
    first: '$$NOW',
  }
  const scope = { let: { given: 7 }, collation }

  it('see let, collation and one time in a find', async () => {
    const db = await freshDatabase()
    await db.collection('things').insertMany([{ a: 'X' }, { a: 'X' }])
    const reply = await db.command({ find: 'things', projection: fields, ...scope })
    const [one, other] = reply['cursor'].firstBatch
    expect(one).toMatchObject({ given: 7, same: true, first: other.first })
  })

  it('see let and collation in a findAndModify, and the time its update saw', async () => {
    const db = await freshDatabase()
    await db.collection('things').insertOne({ a: 'X' })
    const update = [{ $set: { at: '$$NOW' } }]
    const projection = { ...fields, isSameTime: { $eq: ['$at', '$$NOW'] } }
    const command = { findAndModify: 'things', update, new: true, fields: projection, ...scope }
    const { value } = await db.command(command)
    expect(value).toMatchObject({ given: 7, same: true, isSameTime: true })
  })
})

describe('a pipeline that only counts', () => {
  it.each<[string, Document[], number]>([
    ['a limit of 0', [{ $limit: 0 }, count], 15958],
    ['a skip below 0', [{ $skip: -1 }, count], 5107200],
    ['a stage with two keys', [{ $match: {}, $skip: 1 }, count], 40323],
  ])('refuses %s', async (_name, pipeline, code) => {
    const things = (await freshDatabase()).collection('things')
    await things.insertOne({})
    const error: unknown = await things
      .aggregate(pipeline)
      .toArray()
      .catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(MongoServerError)
    expect(error).toMatchObject({ code })
  })

  it('skips and limits', async () => {
    const things = (await freshDatabase()).collection('things')
    await things.insertMany([{}, {}, {}, {}])
    expect(await things.countDocuments({}, { skip: 1, limit: 2 })).toBe(2)
    expect(await things.countDocuments({}, { skip: 3 })).toBe(1)
  })
})

describe('a partial index', () => {
  it.each([
    ['a decimal NaN', Decimal128.fromString('NaN')],
    ['a double NaN', new Double(Number.NaN)],
  ])('is not used for %s outside its range', async (_name, value) => {
    const things = (await freshDatabase()).collection('things')
    await things.insertOne({ a: value })
    await things.createIndex({ a: 1 }, { partialFilterExpression: { a: { $lte: 5 } } })
    expect(await things.countDocuments({ a: value })).toBe(1)
    expect(await things.countDocuments({ a: { $lte: value } })).toBe(1)
  })
})

describe('the stages of a pipeline', () => {
  it('follow the collation of the collection, in other collections too', async () => {
    const db = await freshDatabase()
    const things = await db.createCollection('things', { collation })
    await things.insertMany([{ a: 'x' }, { a: 'X' }])
    await db.collection('others').insertOne({ k: 'X', n: 1 })
    await db.collection('others').createIndex({ k: 1 })
    const lookup = { from: 'others', localField: '_id', foreignField: 'k', as: 'found' }
    const pipeline = [{ $group: { _id: '$a' } }, { $lookup: lookup }]
    const groups = await things.aggregate(pipeline).toArray()
    expect(groups).toMatchObject([{ _id: 'x', found: [{ n: 1 }] }])
  })

  it.each<[string, Document]>([
    ['a sparse', { sparse: true }],
    ['a partial', { partialFilterExpression: { n: { $gt: 1 } } }],
    ['a hidden', { hidden: true }],
    ['a collated', { collation }],
  ])('join the same documents beside %s index', async (_name, options) => {
    const db = await freshDatabase()
    await db.collection('things').insertOne({ a: null })
    const others = db.collection('others')
    await others.insertOne({ n: 1 })
    await others.createIndex({ k: 1 }, options)
    const lookup = { from: 'others', localField: 'a', foreignField: 'k', as: 'found' }
    const [found] = await db
      .collection('things')
      .aggregate([{ $lookup: lookup }])
      .toArray()
    expect(found).toMatchObject({ found: [{ n: 1 }] })
  })
})
