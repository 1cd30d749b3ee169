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

  it('use let, collation and one time in a find', async () => {
    const db = await freshDatabase()
    await db.collection('things').insertMany([{ a: 'X' }, { a: 'X' }])
    const reply = await db.command({ find: 'things', projection: fields, ...scope })
    const [one, other] = reply['cursor'].firstBatch
    expect(one).toMatchObject({ given: 7, same: true, first: other.first })
  })

  it('use let and collation in a findAndModify, and the time of its update', async () => {
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
  ])('rejects %s', async (_name, pipeline, code) => {
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
    expect(await things.countDocuments({}, { skip: 5 })).toBe(0)
  })

  it('counts what the index of a hint holds', async () => {
    const things = (await freshDatabase()).collection('things')
    await things.insertMany([{ a: 1 }, {}, {}])
    const hint = await things.createIndex({ a: 1 }, { sparse: true })
    expect(await things.countDocuments({}, { hint })).toBe(1)
    expect(await things.countDocuments({}, { hint: '_id_' })).toBe(3)
    expect(await things.countDocuments()).toBe(3)
    await expect(things.countDocuments({}, { hint: 'none' })).rejects.toMatchObject({ code: 2 })
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
  ])('join the same documents with %s index', async (_name, options) => {
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

describe('an incomplete or inexact command', () => {
  const things = 'things'
  const change = { $set: { a: 2 } }

  it.each<[string, Document, number]>([
    ['a delete without limit', { delete: things, deletes: [{ q: {} }] }, 40414],
    ['a delete without filter', { delete: things, deletes: [{ limit: 0 }] }, 40414],
    ['a delete of five', { delete: things, deletes: [{ q: {}, limit: 5 }] }, 9],
    ['an update without filter', { update: things, updates: [{ u: change }] }, 40414],
    ['an update without change', { update: things, updates: [{ q: {} }] }, 40414],
    ['multi: 1', { update: things, updates: [{ q: {}, u: change, multi: 1 }] }, 14],
    ['upsert: 1', { update: things, updates: [{ q: { a: 9 }, u: change, upsert: 1 }] }, 14],
    ['new: 1', { findAndModify: things, update: change, new: 1 }, 14],
    ['remove: 1', { findAndModify: things, remove: 1 }, 14],
    ['a write of nothing', { insert: things, documents: [] }, 16],
    ['a pipeline without cursor', { aggregate: things, pipeline: [] }, 9],
    ['an unknown read concern', { find: things, readConcern: { level: 'nope' } }, 2],
    ['a time below 0', { find: things, maxTimeMS: -1 }, 2],
    ['a time that is not a number', { find: things, maxTimeMS: 'x' }, 2],
    ['tailable: 1', { find: things, tailable: 1 }, 14],
  ])('is rejected: %s', async (_name, command, code) => {
    const db = await freshDatabase()
    await db.collection(things).insertOne({ a: 1 })
    const failure: unknown = await db.command(command).then(
      (reply) => reply['writeErrors']?.[0],
      (error: unknown) => error,
    )
    expect(failure).toMatchObject({ code })
    expect(
      await db
        .collection(things)
        .find({}, { projection: { _id: 0 } })
        .toArray(),
    ).toEqual([{ a: 1 }])
  })

  it.each<[string, Document]>([
    ['an insert without document', { insert: 0 }],
    ['an update without filter', { update: 0, updateMods: change }],
    ['an update without change', { update: 0, filter: {} }],
    ['a delete without filter', { delete: 0 }],
  ])('is rejected in a bulkWrite: %s', async (_name, op) => {
    const db = await freshDatabase()
    const nsInfo = [{ ns: `${db.databaseName}.things` }]
    const reply = await db.admin().command({ bulkWrite: 1, ops: [op], nsInfo })
    expect(reply['cursor'].firstBatch).toMatchObject([{ ok: 0, code: 40414 }])
  })

  it('returns the plan of a pipeline on request', async () => {
    const db = await freshDatabase()
    await db.collection(things).insertOne({ a: 1 })
    const command = { aggregate: things, pipeline: [{ $match: { a: 1 } }], explain: true }
    expect(await db.command(command)).toMatchObject({
      queryPlanner: { winningPlan: { stage: 'COLLSCAN' } },
    })
  })
})

describe('the API version of a command', () => {
  const strict = { apiVersion: '1', apiStrict: true }

  it.each<[string, Document, number]>([
    ['another version', { ping: 1, apiVersion: '2' }, 322],
    ['strictness without a version', { ping: 1, apiStrict: true }, 4_886_600],
    ['a command outside the version', { distinct: 'things', key: 'a', ...strict }, 323],
  ])('refuses %s', async (_case, command, code) => {
    const db = await freshDatabase()
    await expect(db.command(command)).rejects.toMatchObject({ code })
  })

  it('permits its commands, and others unless it is strict', async () => {
    const db = await freshDatabase()
    expect(await db.command({ find: 'things', ...strict })).toMatchObject({ ok: 1 })
    const distinct = { distinct: 'things', key: 'a', apiVersion: '1' }
    expect(await db.command(distinct)).toMatchObject({ ok: 1 })
  })
})

describe('the read concern linearizable', () => {
  it.each<[string, Document]>([
    ['$out', { $out: 'others' }],
    ['$merge', { $merge: 'others' }],
  ])('does not go with %s', async (_name, stage) => {
    const things = (await freshDatabase()).collection('things')
    const written = things.aggregate([stage], { readConcern: { level: 'linearizable' } }).toArray()
    await expect(written).rejects.toMatchObject({ code: 72, codeName: 'InvalidOptions' })
  })
})
