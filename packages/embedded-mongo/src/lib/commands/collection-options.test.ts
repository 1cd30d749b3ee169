import { type Collection, type Db, type Document, Long } from 'mongodb'
import { describe, expect, it } from 'vitest'
import { freshDatabase } from '../../../test/fresh-server.ts'

const schema = {
  bsonType: 'object',
  required: ['name'],
  properties: { name: { bsonType: 'string', minLength: 2 }, tags: { items: { bsonType: 'int' } } },
}

async function validated(options: Document = {}): Promise<Collection> {
  const db = await freshDatabase()
  return db.createCollection('things', { validator: { $jsonSchema: schema }, ...options })
}

const invalid = { code: 121, errmsg: 'Document failed validation' }

describe('a validator', () => {
  it('rejects every way to write an invalid document', async () => {
    const things = await validated()
    await things.insertOne({ name: 'ada', n: 1 })
    const set = { $set: { name: 5 } }
    const bulk = [{ updateOne: { filter: {}, update: set } }]
    for (const write of [
      () => things.insertOne({}),
      () => things.insertMany([{ name: 'bob' }, { name: 'x' }]),
      () => things.updateOne({ n: 1 }, set),
      () => things.updateMany({}, set),
      () => things.updateOne({ n: 9 }, set, { upsert: true }),
      () => things.replaceOne({ n: 1 }, { a: 1 }),
      () => things.bulkWrite(bulk),
      () => things.aggregate([{ $set: { name: 5 } }, { $merge: 'things' }]).toArray(),
      () => things.aggregate([{ $unset: 'name' }, { $out: 'things' }]).toArray(),
      () => things.findOneAndUpdate({ n: 1 }, set),
    ]) {
      await expect(write()).rejects.toMatchObject({ code: 121 })
    }
    expect(await things.distinct('name')).toEqual(['ada', 'bob'])
  })

  it('rejects a document in a bulkWrite of the client', async () => {
    const things = await validated()
    const ops = [{ insert: 0, document: { _id: 1 } }]
    const nsInfo = [{ ns: things.namespace }]
    const reply = await things.db.admin().command({ bulkWrite: 1, ops, nsInfo })
    expect(reply['cursor'].firstBatch).toMatchObject([
      { ok: 0, ...invalid, errInfo: { failingDocumentId: 1 } },
    ])
  })

  it.each<[string, Document, Document, unknown]>([
    [
      'a schema',
      { $jsonSchema: schema },
      { tags: [1, 'x'] },
      {
        operatorName: '$jsonSchema',
        schemaRulesNotSatisfied: [
          {
            operatorName: 'required',
            specifiedAs: { required: ['name'] },
            missingProperties: ['name'],
          },
          {
            operatorName: 'properties',
            propertiesNotSatisfied: [
              {
                propertyName: 'tags',
                details: [
                  {
                    operatorName: 'items',
                    reason: 'At least one item did not match the sub-schema',
                    itemIndex: 1,
                    details: [
                      {
                        operatorName: 'bsonType',
                        specifiedAs: { bsonType: 'int' },
                        reason: 'type did not match',
                        consideredValue: 'x',
                        consideredType: 'string',
                      },
                    ],
                  },
                ],
              },
            ],
          },
        ],
      },
    ],
    [
      'a type',
      { a: { $type: 'string' } },
      { a: 1 },
      {
        operatorName: '$type',
        specifiedAs: { a: { $type: 'string' } },
        reason: 'type did not match',
        consideredValue: 1,
        consideredType: 'int',
      },
    ],
    [
      'two fields',
      { a: { $gt: 5 }, b: { $exists: true } },
      { a: 1 },
      {
        operatorName: '$and',
        clausesNotSatisfied: [
          {
            index: 0,
            details: {
              operatorName: '$gt',
              specifiedAs: { a: { $gt: 5 } },
              reason: 'comparison failed',
              consideredValue: 1,
            },
          },
          {
            index: 1,
            details: {
              operatorName: '$exists',
              specifiedAs: { b: { $exists: true } },
              reason: 'path does not exist',
            },
          },
        ],
      },
    ],
  ])('names what does not match: %s', async (_name, validator, document, details) => {
    const things = await validated({ validator })
    const failure: unknown = await things
      .insertOne({ _id: 1, ...document } as Document)
      .catch((error: unknown) => error)
    expect(failure).toMatchObject({ ...invalid, errInfo: { failingDocumentId: 1, details } })
  })

  it('is not applied on request, with the level off, or with the action warn', async () => {
    for (const [options, bypass] of [
      [{}, true],
      [{ validationLevel: 'off' }, false],
      [{ validationAction: 'warn' }, false],
    ] as const) {
      const things = await validated(options)
      await things.insertOne({ n: 1 }, { bypassDocumentValidation: bypass })
      expect(await things.countDocuments()).toBe(1)
    }
  })

  it('lets documents that were invalid before be updated with the level moderate', async () => {
    const things = await validated({ validationLevel: 'moderate' })
    await things.insertOne({ n: 1 }, { bypassDocumentValidation: true })
    await things.insertOne({ n: 2, name: 'bob' })
    await things.updateOne({ n: 1 }, { $set: { m: 1 } })
    const unset = { $unset: { name: 1 } }
    await expect(things.updateOne({ n: 2 }, unset)).rejects.toMatchObject(invalid)
    await expect(things.insertOne({ n: 3 })).rejects.toMatchObject(invalid)
  })

  it('is set, shown and removed by collMod and listCollections', async () => {
    const db = await freshDatabase()
    const things = await db.createCollection('things')
    const validator = { n: { $gt: 0 } }
    await db.command({ collMod: 'things', validator, validationLevel: 'strict' })
    const [shown] = await db.listCollections().toArray()
    expect(shown).toMatchObject({ options: { validator, validationLevel: 'strict' } })
    await expect(things.insertOne({ n: 0 })).rejects.toMatchObject(invalid)
    await db.command({ collMod: 'things', validator: {} })
    await things.insertOne({ n: 0 })
  })

  it.each<[Document, number]>([
    [{ validator: { $near: 1 } }, 2],
    [{ validator: { $and: [{ a: { $nearSphere: [1, 1] } }] } }, 2],
    [{ validator: { $unknown: 1 } }, 2],
    [{ validator: 1 }, 14],
    [{ validationLevel: 'x' }, 2],
    [{ validationAction: 'x' }, 2],
  ])('is checked itself: %j', async (options, code) => {
    const db = await freshDatabase()
    await expect(db.command({ create: 'things', ...options })).rejects.toMatchObject({ code })
  })
})

describe('a capped collection', () => {
  it('keeps the newest documents up to its count', async () => {
    const db = await freshDatabase()
    const logs = await db.createCollection('logs', { capped: true, size: 10_000, max: 3 })
    const stream = db.watch()
    await stream.tryNext()
    await logs.insertMany([{ n: 1 }, { n: 2 }])
    await logs.insertMany([{ n: 3 }, { n: 4 }, { n: 5 }])
    expect(
      await logs
        .find()
        .map(({ n }) => n as number)
        .toArray(),
    ).toEqual([3, 4, 5])
    expect(await logs.find().sort({ $natural: -1 }).limit(1).toArray()).toMatchObject([{ n: 5 }])
    expect(await logs.countDocuments()).toBe(3)
    expect(await logs.isCapped()).toBe(true)
    expect(await db.command({ collStats: 'logs' })).toMatchObject({
      capped: true,
      max: 3,
      maxSize: 10_240,
      count: 3,
    })
    // What it drops by itself is not reported.
    const kinds: string[] = []
    for (let events = 0; events < 5; events += 1) kinds.push((await stream.next()).operationType)
    expect(new Set(kinds)).toEqual(new Set(['insert']))
    expect(await stream.tryNext()).toBeNull()
    await stream.close()
  })

  it('keeps the newest documents up to its size', async () => {
    const db = await freshDatabase()
    const logs = await db.createCollection('logs', { capped: true, size: 4096 })
    const text = 'x'.repeat(1000)
    for (let n = 0; n < 10; n += 1) await logs.insertOne({ n, text })
    expect(await logs.distinct('n')).toEqual([7, 8, 9])
    await expect(logs.insertOne({ text: text.repeat(5) })).rejects.toMatchObject({ code: 2 })
    expect(await logs.updateOne({ n: 9 }, { $set: { text: 'y' } })).toMatchObject({
      modifiedCount: 1,
    })
    await logs.updateOne({ n: 9 }, { $set: { text: text.repeat(2) } })
    expect(await logs.distinct('n')).toEqual([8, 9])
    expect(await logs.deleteOne({ n: 8 })).toMatchObject({ deletedCount: 1 })
  })

  it('is not written in a transaction, nor by $out', async () => {
    const db = await freshDatabase()
    const logs = await db.createCollection('logs', { capped: true, size: 4096 })
    const inTransaction = db.client.withSession((session) =>
      session.withTransaction(() => logs.insertOne({}, { session })),
    )
    await expect(inTransaction).rejects.toMatchObject({ code: 263 })
    await expect(logs.aggregate([{ $out: 'logs' }]).toArray()).rejects.toMatchObject({
      code: 17_152,
    })
  })

  it.each<[Document, number]>([
    [{ capped: true }, 72],
    [{ capped: true, size: 0 }, 72],
    [{ capped: true, size: 4096, max: -1 }, 72],
  ])('needs a size: %j', async (options, code) => {
    const db = await freshDatabase()
    await expect(db.command({ create: 'logs', ...options })).rejects.toMatchObject({ code })
  })

  it('is the same when it is created twice', async () => {
    const db = await freshDatabase()
    await db.command({ create: 'logs', capped: true, size: Long.fromNumber(5000) })
    await db.command({ create: 'logs', capped: true, size: 5000 })
    const other = db.command({ create: 'logs', capped: true, size: 9000 })
    await expect(other).rejects.toMatchObject({ code: 48 })
  })
})

describe('a hashed index', () => {
  it('finds equal values', async () => {
    const things = (await freshDatabase()).collection('things')
    await things.insertMany([{ a: 1 }, { a: 2 }, { a: 'x' }, {}])
    expect(await things.createIndex({ a: 'hashed' })).toBe('a_hashed')
    expect(await things.indexes()).toMatchObject([{}, { key: { a: 'hashed' }, name: 'a_hashed' }])
    expect(await things.countDocuments({ a: 2 }, { hint: 'a_hashed' })).toBe(1)
    expect(await things.countDocuments({ a: null }, { hint: { a: 'hashed' } })).toBe(1)
    const plan = await things.find({ a: 'x' }).explain('queryPlanner')
    expect(plan['queryPlanner'].winningPlan.inputStage).toMatchObject({ indexName: 'a_hashed' })
    await things.dropIndex('a_hashed')
  })

  it('takes no arrays, is not unique and hashes one field', async () => {
    const things = (await freshDatabase()).collection('things')
    await things.createIndex({ a: 'hashed', b: 1 })
    await expect(things.insertOne({ a: [1] })).rejects.toMatchObject({ code: 16_766 })
    await expect(things.createIndex({ c: 'hashed' }, { unique: true })).rejects.toMatchObject({
      code: 16_764,
    })
    await expect(things.createIndex({ c: 'hashed', d: 'hashed' })).rejects.toMatchObject({
      code: 31_303,
    })
  })
})

describe('setParameter', () => {
  it('sets how often expired documents are removed', async () => {
    const db = await freshDatabase()
    const things = db.collection('things')
    await things.createIndex({ at: 1 }, { expireAfterSeconds: 0 })
    await things.insertOne({ at: new Date(0) })
    const admin = db.admin()
    expect(await admin.command({ setParameter: 1, ttlMonitorSleepSecs: 1 })).toMatchObject({
      was: 60,
      ok: 1,
    })
    await expect.poll(() => things.countDocuments()).toBe(0)
    expect(await admin.command({ getParameter: 1, ttlMonitorSleepSecs: 1 })).toMatchObject({
      ttlMonitorSleepSecs: 1,
    })
  })

  it('suspends and resumes the removal', async () => {
    const db = await freshDatabase({ ttlIntervalMs: 10 })
    const things = db.collection('things')
    await things.createIndex({ at: 1 }, { expireAfterSeconds: 0 })
    const enable = (value: boolean): Promise<Document> =>
      db.admin().command({ setParameter: 1, ttlMonitorEnabled: value })
    expect(await enable(false)).toMatchObject({ was: true })
    await things.insertOne({ at: new Date(0) })
    await new Promise((resolve) => {
      setTimeout(resolve, 100)
    })
    expect(await things.countDocuments()).toBe(1)
    expect(await enable(true)).toMatchObject({ was: false })
    await expect.poll(() => things.countDocuments()).toBe(0)
  })

  it.each<[Document, number]>([
    [{ ttlMonitorSleepSecs: 0 }, 2],
    [{ ttlMonitorSleepSecs: 'x' }, 2],
    [{ ttlMonitorEnabled: 1 }, 14],
    [{}, 72],
    [{ logLevel: 1 }, 72],
  ])('rejects %j', async (parameter, code) => {
    const admin = (await freshDatabase()).admin()
    await expect(admin.command({ setParameter: 1, ...parameter })).rejects.toMatchObject({ code })
  })
})

describe('an index that collMod makes unique', () => {
  const index = { keyPattern: { x: 1 } }

  interface Thing {
    _id: number
    x: number
    other?: number
  }

  async function prepare(): Promise<Db> {
    const db = await freshDatabase()
    await db.collection('things').createIndex({ x: 1 })
    await db.collection<Thing>('things').insertMany([
      { _id: 1, x: 1 },
      { _id: 2, x: 1 },
      { _id: 3, x: 2 },
    ])
    const change = { collMod: 'things', index: { ...index, prepareUnique: true } }
    expect(await db.command(change)).toMatchObject({
      prepareUnique_old: false,
      prepareUnique_new: true,
    })
    return db
  }

  it('first accepts no more duplicates', async () => {
    const things = (await prepare()).collection<Thing>('things')
    expect(await things.indexes()).toMatchObject([{}, { prepareUnique: true }])
    for (const write of [
      () => things.insertOne({ _id: 4, x: 1 }),
      () => things.updateOne({ _id: 3 }, { $set: { x: 1 } }),
    ]) {
      await expect(write()).rejects.toMatchObject({ code: 11000, keyValue: { x: 1 } })
    }
    await things.updateOne({ _id: 1 }, { $set: { other: 1 } })
    await things.insertOne({ _id: 4, x: 10 })
  })

  it('stays as it is while there are duplicates, which the error lists', async () => {
    const db = await prepare()
    const change = db.command({ collMod: 'things', index: { ...index, unique: true } })
    await expect(change).rejects.toMatchObject({
      code: 359,
      codeName: 'CannotConvertIndexToUnique',
      errorResponse: { violations: [{ ids: [1, 2] }] },
    })
    expect(await db.collection('things').indexes()).toMatchObject([{}, { prepareUnique: true }])
  })

  it('is a unique index then', async () => {
    const db = await prepare()
    const things = db.collection<Thing>('things')
    await things.deleteOne({ _id: 2 })
    const change = { collMod: 'things', index: { ...index, unique: true } }
    expect(await db.command({ ...change, dryRun: true })).toMatchObject({ ok: 1 })
    expect(await things.indexes()).toMatchObject([{}, { prepareUnique: true }])
    expect(await db.command(change)).toMatchObject({ unique_new: true })
    const [, changed] = await things.indexes()
    expect(changed).toEqual({ v: 2, key: { x: 1 }, name: 'x_1', unique: true })
    await expect(things.insertOne({ _id: 5, x: 2 })).rejects.toMatchObject({ code: 11000 })
    expect(await things.find({ x: 1 }).hint({ x: 1 }).toArray()).toEqual([{ _id: 1, x: 1 }])
    expect(await db.command(change)).toMatchObject({ ok: 1 })
  })

  it('has to be prepared', async () => {
    const db = await freshDatabase()
    await db.collection('things').createIndex({ x: 1 })
    const change = db.command({ collMod: 'things', index: { ...index, unique: true } })
    await expect(change).rejects.toMatchObject({ code: 72 })
  })
})

describe('$collStats', () => {
  it('returns the size of the collection and its number of documents', async () => {
    const db = await freshDatabase()
    const logs = await db.createCollection('logs', { capped: true, size: 4096 })
    await logs.insertOne({ _id: 1 as never })
    const pipeline = [{ $collStats: { storageStats: {}, count: {} } }, { $set: { more: 1 } }]
    expect(await logs.aggregate(pipeline).toArray()).toMatchObject([
      {
        ns: 'app.logs',
        localTime: expect.any(Date),
        storageStats: { capped: true, maxSize: 4096, count: 1, nindexes: 1 },
        count: 1,
        more: 1,
      },
    ])
  })

  it.each<[string, Document[], number]>([
    ['after another stage', [{ $match: {} }, { $collStats: { count: {} } }], 40_602],
    ['with figures that are not kept', [{ $collStats: { latencyStats: {} } }], 238],
    ['with an unknown field', [{ $collStats: { other: {} } }], 40_415],
  ])('is refused %s', async (_case, pipeline, code) => {
    const logs = (await freshDatabase()).collection('logs')
    await expect(logs.aggregate(pipeline).toArray()).rejects.toMatchObject({ code })
  })

  it('needs a collection', async () => {
    const db = await freshDatabase()
    const stats = [{ $collStats: { count: {} } }]
    await expect(db.collection('none').aggregate(stats).toArray()).rejects.toMatchObject({
      code: 26,
    })
    await expect(db.aggregate(stats).toArray()).rejects.toMatchObject({ code: 73 })
  })
})
