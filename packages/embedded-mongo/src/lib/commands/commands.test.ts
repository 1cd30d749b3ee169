import { type Db, type Document, Double, Long, MongoServerError, UUID } from 'mongodb'
import { describe, expect, it } from 'vitest'
import { type Doc } from '../bson/document.ts'
import { probe, request } from '../host/request.ts'
import { connect, freshDatabase, start, temporaryFolder } from '../../../test/fresh-server.ts'

async function failure(run: Promise<unknown>): Promise<MongoServerError> {
  try {
    await run
  } catch (error) {
    if (error instanceof MongoServerError) return error
    throw error
  }
  throw new Error('It did not fail')
}

function stages(plan: Document): string[] {
  const inner = plan['inputStage'] ? stages(plan['inputStage']) : []
  return [
    plan['stage'],
    ...(plan['inputStages'] ?? []).map(({ stage }: Document) => stage),
    ...inner,
  ]
}

async function planOf(db: Db, filter: Document, sort: Document = {}): Promise<Document> {
  return db.collection('things').find(filter, { sort }).explain('executionStats')
}

describe('explain', () => {
  it('reports which index was used, and how much was examined', async () => {
    const db = await freshDatabase()
    const things = db.collection('things')
    await things.insertMany(
      Array.from({ length: 200 }, (_, n) => ({ n, status: n % 4, at: new Date(n), tags: [n, -n] })),
    )
    await things.createIndex({ status: 1, at: -1 })
    await things.createIndex({ tags: 1 })
    const found = await planOf(db, { status: 2 }, { at: -1 })
    expect(stages(found['queryPlanner'].winningPlan)).toEqual(['FETCH', 'IXSCAN'])
    expect(found['queryPlanner'].winningPlan.inputStage).toMatchObject({
      indexName: 'status_1_at_-1',
      keyPattern: { status: 1, at: -1 },
      isMultiKey: false,
      direction: 'forward',
    })
    expect(found['executionStats']).toMatchObject({
      nReturned: 50,
      totalKeysExamined: 50,
      totalDocsExamined: 50,
    })
    const scanned = await planOf(db, { n: { $ne: 3 } }, { n: 1 })
    expect(stages(scanned['queryPlanner'].winningPlan)).toEqual(['SORT', 'COLLSCAN'])
    const union = await planOf(db, { $or: [{ tags: 5 }, { _id: 'x' as never }] })
    expect(stages(union['queryPlanner'].winningPlan)).toEqual(['FETCH', 'OR', 'IXSCAN', 'IXSCAN'])
    const order = { status: 1, at: -1 } as const
    const page = { $or: [{ status: { $gt: 1 } }, { status: 1, at: { $lt: new Date(100) } }] }
    const merged = await planOf(db, page, order)
    expect(stages(merged['queryPlanner'].winningPlan)).toEqual([
      'FETCH',
      'SORT_MERGE',
      'IXSCAN',
      'IXSCAN',
    ])
    expect(merged['executionStats']).toMatchObject({ nReturned: 125, totalKeysExamined: 125 })
    const backward = await planOf(db, { status: 2 }, { status: -1, at: 1 })
    expect(backward['queryPlanner'].winningPlan.inputStage.direction).toBe('backward')
  })

  it('shows that a race found the order’s index better than the filter’s', async () => {
    const db = await freshDatabase()
    const things = db.collection('things')
    await things.insertMany(Array.from({ length: 3000 }, (_, n) => ({ n, status: n % 2 })))
    await things.createIndex({ status: 1 })
    const explained = await things
      .find({ status: 1 })
      .sort({ _id: -1 })
      .limit(20)
      .explain('executionStats')
    expect(stages(explained['queryPlanner'].winningPlan)).toEqual(['LIMIT', 'FETCH', 'IXSCAN'])
    expect(explained['queryPlanner'].winningPlan.inputStage.inputStage.indexName).toBe('_id_')
    expect(explained['queryPlanner'].rejectedPlans).toHaveLength(1)
    expect(explained['executionStats'].totalDocsExamined).toBeLessThan(200)
  })

  it('explains updates, deletes, counts and pipelines, and collections that do not exist', async () => {
    const db = await freshDatabase()
    await db.collection('things').insertOne({ n: 1 })
    for (const command of [
      { update: 'things', updates: [{ q: { _id: 1 }, u: { $set: { a: 1 } } }] },
      { delete: 'things', deletes: [{ q: { _id: 1 }, limit: 1 }] },
      { count: 'things', query: { _id: 1 } },
      { distinct: 'things', key: 'n', query: { _id: 1 } },
      { findAndModify: 'things', query: { _id: 1 }, remove: true },
      { aggregate: 'things', pipeline: [{ $match: { _id: 1 } }], cursor: {} },
    ]) {
      const explained = await db.command({ explain: command, verbosity: 'queryPlanner' })
      expect(stages(explained['queryPlanner'].winningPlan)).toContain('IXSCAN')
    }
    const missing = await db.collection('missing').find().explain()
    expect(missing['queryPlanner'].winningPlan).toEqual({ stage: 'EOF' })
    expect(await failure(db.command({ explain: { ping: 1 } }))).toMatchObject({ code: 59 })
    expect(
      await failure(db.command({ explain: { find: 'things' }, verbosity: 'all' })),
    ).toMatchObject({ code: 2 })
  })
})

describe('createIndexes', () => {
  it('rejects a unique index over duplicates, and leaves nothing behind', async () => {
    const db = await freshDatabase()
    await db.collection('things').insertMany([{ a: { b: 1 } }, { a: { b: 1 } }])
    expect(
      await failure(db.collection('things').createIndex({ 'a.b': 1 }, { unique: true })),
    ).toMatchObject({
      code: 11000,
      keyPattern: { 'a.b': 1 },
      keyValue: { 'a.b': 1 },
      message: 'E11000 duplicate key error collection: app.things index: a.b_1 dup key: { a.b: 1 }',
    })
    expect(await db.collection('things').indexes()).toHaveLength(1)
  })

  it('treats null and missing as one value of a unique index, unless sparse or partial', async () => {
    const db = await freshDatabase()
    const things = db.collection('things')
    await things.createIndex({ a: 1 }, { unique: true })
    await things.insertOne({ a: null })
    expect(await failure(things.insertOne({}))).toMatchObject({ keyValue: { a: null } })
    await things.dropIndex('a_1')
    await things.createIndex({ a: 1 }, { unique: true, partialFilterExpression: { a: { $gt: 0 } } })
    await things.insertMany([{}, {}, { a: 1 }])
    expect(await failure(things.insertOne({ a: 1 }))).toMatchObject({ code: 11000 })
    // Twice the same value inside one document is allowed.
    await things.insertOne({ a: [7, 7] })
    expect(await failure(things.insertOne({ a: 7 }))).toMatchObject({ keyValue: { a: 7 } })
  })

  it('uses an index that is partial by null for documents without the value', async () => {
    const db = await freshDatabase()
    const things = db.collection<{ _id: number; a: number; gone?: number | null | null[] }>(
      'things',
    )
    await things.createIndex({ a: 1 }, { unique: true, partialFilterExpression: { gone: null } })
    await things.insertMany([
      { _id: 1, a: 1 },
      { _id: 2, a: 1, gone: 1 },
      { _id: 3, a: 2, gone: null },
      { _id: 4, a: 2, gone: 2 },
      { _id: 5, a: 3, gone: [null] },
    ])
    const found = things.find({ a: { $gt: 0 }, gone: null }).sort({ a: 1 })
    expect(JSON.stringify(await found.clone().explain())).toContain('IXSCAN')
    expect((await found.toArray()).map(({ _id }) => _id)).toEqual([1, 3, 5])
    const others = things.find({ a: { $gt: 0 }, gone: { $in: [null, 1] } })
    expect(await others.toArray()).toHaveLength(4)
    await things.updateOne({ _id: 1 }, { $set: { gone: 3 } })
    await things.updateOne({ _id: 2 }, { $unset: { gone: true } })
    const restored = things.updateOne({ _id: 1 }, { $unset: { gone: true } })
    expect(await failure(restored)).toMatchObject({ code: 11000, keyValue: { a: 1 } })
  })

  it.each([
    [{ key: { '$**': 1 }, name: 'x' }, 238],
    [{ key: { a: 1 }, name: 'x', wildcardProjection: {} }, 238],
    [{ key: { a: 1 }, name: 'x', uniq: true }, 197],
    [{ key: {}, name: 'x' }, 67],
    [{ key: { a: 0 }, name: 'x' }, 67],
    [{ key: { 'a..b': 1 }, name: 'x' }, 67],
    [{ key: { $a: 1 }, name: 'x' }, 67],
    [{ key: { a: 1 } }, 9],
    [{ name: 'x' }, 9],
    [{ key: { a: 1, b: 1 }, name: 'x', expireAfterSeconds: 1 }, 67],
    [{ key: { a: 1 }, name: 'x', expireAfterSeconds: -1 }, 67],
    [{ key: { a: 1 }, name: 'x', sparse: true, partialFilterExpression: { a: 1 } }, 67],
    [{ key: { a: 1 }, name: 'x', partialFilterExpression: { a: { $ne: 1 } } }, 67],
    [{ key: { a: 1 }, name: 'x', partialFilterExpression: 1 }, 14],
  ])('rejects %j', async (index, code) => {
    const db = await freshDatabase()
    const run = db.command({ createIndexes: 'things', indexes: [index] })
    expect(await failure(run)).toMatchObject({ code })
  })

  it('accepts the same index again, and reports a conflicting one', async () => {
    const db = await freshDatabase()
    const things = db.collection('things')
    await things.createIndex({ a: 1 }, { name: 'one' })
    expect(await things.createIndex({ a: 1 }, { name: 'one' })).toBe('one')
    await things.createIndex({ _id: 1 })
    expect(await failure(things.createIndex({ b: 1 }, { name: 'one' }))).toMatchObject({ code: 86 })
    expect(await failure(things.createIndex({ a: 1 }, { name: 'two' }))).toMatchObject({ code: 85 })
    expect(
      await failure(things.createIndex({ a: 1 }, { name: 'one', unique: true })),
    ).toMatchObject({ code: 86 })
    await things.createIndex({ a: 1 }, { name: 'folded', collation: { locale: 'en', strength: 2 } })
    expect(await things.indexes()).toHaveLength(3)
  })

  it('rejects documents with two arrays in one index', async () => {
    const db = await freshDatabase()
    await db.collection('things').createIndex({ a: 1, b: 1 })
    expect(
      await failure(db.collection('things').insertOne({ a: [1, 2], b: [3, 4] })),
    ).toMatchObject({ code: 171 })
    expect(await db.collection('things').countDocuments()).toBe(0)
  })
})

describe('TTL indexes', () => {
  it('expire documents whose earliest date has passed, and only those the index holds', async () => {
    const db = await freshDatabase({ ttlIntervalMs: 10 })
    const things = db.collection<{ _id: string; at?: unknown; kind?: string }>('things')
    await things.createIndex(
      { at: -1 },
      { expireAfterSeconds: 60, partialFilterExpression: { kind: 'session' } },
    )
    const [old, fresh] = [new Date(Date.now() - 61_000), new Date()]
    await things.insertMany([
      { _id: 'old', at: old, kind: 'session' },
      { _id: 'old in an array', at: [fresh, old], kind: 'session' },
      { _id: 'fresh', at: fresh, kind: 'session' },
      { _id: 'no date', at: 5, kind: 'session' },
      { _id: 'missing', kind: 'session' },
      { _id: 'not in the index', at: old },
    ])
    await expect
      .poll(() => things.distinct('_id'))
      .toEqual(['fresh', 'no date', 'missing', 'not in the index'])
  })

  it('can be changed by collMod', async () => {
    const db = await freshDatabase({ ttlIntervalMs: 10 })
    const things = db.collection('things')
    await things.createIndex({ at: 1 }, { expireAfterSeconds: 3600 })
    await things.insertOne({ at: new Date(Date.now() - 1000) })
    const change = { keyPattern: { at: 1 }, expireAfterSeconds: 0 }
    expect(await db.command({ collMod: 'things', index: change })).toMatchObject({
      expireAfterSeconds_old: 3600,
      expireAfterSeconds_new: 0,
    })
    await expect.poll(() => things.countDocuments()).toBe(0)
    await db.command({ collMod: 'things', index: { name: 'at_1', hidden: true } })
    const plan = await things.find({ at: new Date() }).explain()
    expect(stages(plan['queryPlanner'].winningPlan)).toEqual(['COLLSCAN'])
    expect(
      await failure(db.command({ collMod: 'things', index: { name: 'x', hidden: true } })),
    ).toMatchObject({ code: 27 })
    expect(await failure(db.command({ collMod: 'missing' }))).toMatchObject({ code: 26 })
    expect(await failure(db.command({ collMod: 'things', cappedSize: 1 }))).toMatchObject({
      code: 238,
    })
  })
})

describe('bulkWrite', () => {
  it('writes to several collections and returns each result', async () => {
    const db = await freshDatabase()
    const result = await db.client.bulkWrite(
      [
        { namespace: 'app.a', name: 'insertOne', document: { _id: 1 as never } },
        { namespace: 'other.b', name: 'insertOne', document: { _id: 1 as never, n: 1 } },
        { namespace: 'other.b', name: 'updateOne', filter: { n: 1 }, update: { $inc: { n: 1 } } },
        {
          namespace: 'app.a',
          name: 'updateOne',
          filter: { x: 9 },
          update: { $set: { y: 1 } },
          upsert: true,
        },
        {
          namespace: 'app.a',
          name: 'replaceOne',
          filter: { _id: 1 as never },
          replacement: { z: 1 },
        },
        { namespace: 'app.a', name: 'deleteMany', filter: { x: 9 } },
      ],
      { verboseResults: true },
    )
    expect(result).toMatchObject({
      insertedCount: 2,
      matchedCount: 2,
      modifiedCount: 2,
      upsertedCount: 1,
      deletedCount: 1,
    })
    expect(result.updateResults?.get(3)?.upsertedId).toBeDefined()
    expect(await db.collection('a').find().toArray()).toEqual([{ _id: 1, z: 1 }])
    expect(await db.client.db('other').collection('b').findOne()).toEqual({ _id: 1, n: 2 })
  })

  it('stops at the first error when ordered, and goes on when not', async () => {
    const db = await freshDatabase()
    const models = [1, 1, 2].map((id) => ({
      namespace: 'app.a',
      name: 'insertOne' as const,
      document: { _id: id as never },
    }))
    await expect(db.client.bulkWrite(models)).rejects.toMatchObject({
      writeErrors: new Map([[1, expect.objectContaining({ code: 11000 })]]),
      partialResult: { insertedCount: 1 },
    })
    await db.collection('a').deleteMany({})
    await expect(db.client.bulkWrite(models, { ordered: false })).rejects.toMatchObject({
      partialResult: { insertedCount: 2 },
    })
  })
})

describe('cursors', () => {
  it('go on in batches while others write, and are killed', async () => {
    const db = await freshDatabase()
    const things = db.collection<{ _id: number }>('things')
    await things.insertMany(Array.from({ length: 500 }, (_, i) => ({ _id: i })))
    const cursor = things.find({}, { batchSize: 50 })
    await cursor.next()
    await things.deleteMany({ _id: { $gte: 400 } })
    await things.insertOne({ _id: 1000 })
    const rest = await cursor.toArray()
    expect(rest).toHaveLength(400)
    expect(rest.at(-1)).toEqual({ _id: 1000 })
    const killed = await db.command({ find: 'things', batchSize: 2 })
    const { id } = killed['cursor']
    expect(await db.command({ killCursors: 'things', cursors: [id] })).toMatchObject({
      cursorsKilled: [id],
    })
    expect(await failure(db.command({ getMore: id, collection: 'things' }))).toMatchObject({
      code: 43,
      codeName: 'CursorNotFound',
    })
  })

  it('send more than 16 MB in several batches', async () => {
    const db = await freshDatabase()
    const text = 'x'.repeat(4 * 1024 * 1024)
    for (let n = 0; n < 6; n += 1) await db.collection('big').insertOne({ n, text })
    const found = await db.collection('big').find().toArray()
    expect(found.map(({ n }) => n)).toEqual([0, 1, 2, 3, 4, 5])
  })

  it('end a query that takes longer than maxTimeMS with 50', async () => {
    const db = await freshDatabase()
    await db.collection('a').insertMany(Array.from({ length: 3000 }, (_, n) => ({ n })))
    const slow = { $or: Array.from({ length: 300 }, (_, i) => ({ n: -1 - i })) }
    expect(await failure(db.collection('a').find(slow).maxTimeMS(1).toArray())).toMatchObject({
      code: 50,
      codeName: 'MaxTimeMSExpired',
    })
  })
})

describe('collections', () => {
  it('are created, listed, renamed and dropped', async () => {
    const db = await freshDatabase()
    await db.createCollection('a')
    await db.createCollection('a')
    expect(await failure(db.createCollection('a', { collation: { locale: 'en' } }))).toMatchObject({
      code: 48,
    })
    await db.collection('a').insertOne({ n: 1 })
    await db.collection('a').rename('b')
    expect(await failure(db.collection('a').rename('c'))).toMatchObject({ code: 26 })
    await db.createCollection('c')
    expect(await failure(db.collection('b').rename('c'))).toMatchObject({ code: 48 })
    expect(await failure(db.collection('b').rename('b'))).toMatchObject({
      originalError: { code: 20 },
    })
    await db.collection('b').rename('c', { dropTarget: true })
    expect(await db.collection('c').countDocuments()).toBe(1)
    expect((await db.listCollections().toArray()).map(({ name }) => name)).toEqual(['c'])
    expect(await db.admin().listDatabases()).toMatchObject({ databases: [{ name: 'app' }] })
    expect(await db.collection('c').drop()).toBe(true)
    expect(await failure(db.collection('c').indexes())).toMatchObject({ code: 26 })
  })

  it('reject invalid names', async () => {
    const db = await freshDatabase()
    for (const name of ['', 'a$b', '.a']) {
      expect(await failure(db.command({ create: name }))).toMatchObject({ code: 73 })
    }
    expect(await failure(db.command({ insert: 5, documents: [{}] }))).toMatchObject({ code: 73 })
  })

  it('lose indexes by name, key or all at once', async () => {
    const db = await freshDatabase()
    const things = db.collection('things')
    await things.createIndexes([{ key: { a: 1 } }, { key: { b: 1 } }, { key: { c: 1 } }])
    await things.dropIndex('a_1')
    await db.command({ dropIndexes: 'things', index: { b: 1 } })
    expect(await failure(things.dropIndex('nope'))).toMatchObject({ code: 27 })
    expect(await failure(things.dropIndex('_id_'))).toMatchObject({ code: 72 })
    await things.dropIndexes()
    expect(await things.indexes()).toEqual([{ v: 2, key: { _id: 1 }, name: '_id_' }])
    expect(await failure(db.command({ dropIndexes: 'x', index: '*' }))).toMatchObject({ code: 26 })
  })

  it.each(['timeseries', 'viewOn', 'clusteredIndex'])(
    'refuse the option %s by name',
    async (option) => {
      const db = await freshDatabase()
      const error = await failure(db.command({ create: 'a', [option]: { a: 1 } }))
      expect(error).toMatchObject({ code: 238, message: expect.stringContaining(option) })
      expect(error.message).toContain('MONGODB_URI')
    },
  )
})

describe('a command', () => {
  it('that does not exist gets 59, an unknown option 40415', async () => {
    const db = await freshDatabase()
    expect(await failure(db.command({ shrink: 1 }))).toMatchObject({
      code: 59,
      message: "no such command: 'shrink'",
    })
    expect(await failure(db.command({ mapReduce: 'a' }))).toMatchObject({
      code: 238,
      message: expect.stringContaining('command mapReduce'),
    })
    expect(await failure(db.command({ find: 'a', filtre: {} }))).toMatchObject({
      code: 40415,
      message: "BSON field 'find.filtre' is an unknown field.",
    })
    const update = { q: {}, u: { $set: { a: 1 } }, multy: true }
    expect(
      await failure(db.command({ update: 'a', updates: [update] }).then(throwFirst)),
    ).toMatchObject({
      code: 40415,
    })
  })

  it.each([
    [{ find: 'a', filter: 5 }, 14],
    [{ find: 'a', skip: -1 }, 51024],
    [{ find: 'a', limit: 'x' }, 14],
    [{ find: 'a', hint: 'nope' }, 2],
    [{ find: 'a', tailable: true }, 238],
    [{ find: 'a', min: { a: 1 } }, 238],
    [{ count: 'a', readConcern: { level: 'snapshot' } }, 72],
    [{ insert: 'a' }, 40414],
    [{ insert: 'a', documents: [5] }, 14],
    [{ distinct: 'a', key: '' }, 14],
    [{ createIndexes: 'a', indexes: [] }, 2],
    [{ createIndexes: 'a', indexes: [1] }, 14],
    [{ findAndModify: 'a' }, 9],
    [{ findAndModify: 'a', remove: true, update: {} }, 9],
    [{ findAndModify: 'a', remove: true, new: true }, 9],
    [{ update: 'a', updates: [{ q: {}, u: { a: 1 }, multi: true }] }, 9],
    [{ update: 'a', updates: [{ q: {}, u: { $set: { a: 1 } }, multi: true, sort: { a: 1 } }] }, 9],
    [{ getMore: 'x', collection: 'a' }, 14],
    [{ aggregate: 'a', pipeline: [{ $listSearchIndexes: {} }], cursor: {} }, 31_082],
    [{ aggregate: 'a', pipeline: [{ $vectorSearch: {} }], cursor: {} }, 31_082],
    [{ createSearchIndexes: 'a', indexes: [] }, 31_082],
  ])('is rejected: %j', async (command, code) => {
    const db = await freshDatabase()
    await db.createCollection('a')
    const { writeErrors, cursor, ...reply }: Document = await db
      .command(command)
      .catch(({ code: thrown }: MongoServerError) => ({ code: thrown }))
    const [first] = writeErrors ?? cursor?.firstBatch ?? []
    expect({ code: first?.code ?? reply.code }).toEqual({ code })
  })

  it('of the database admin is rejected', async () => {
    const admin = (await freshDatabase()).admin()
    await expect(admin.command({ getParameter: 1 })).rejects.toMatchObject({ code: 72 })
  })

  it.each<[object, number]>([
    [{ upsert: 0 }, 9],
    [{ insert: 4, document: {} }, 2],
  ])('bulkWrite rejects %j', async (operation, code) => {
    const admin = (await freshDatabase()).admin()
    const command = { bulkWrite: 1, ops: [operation], nsInfo: [{ ns: 'app.a' }] }
    expect((await admin.command(command))['cursor'].firstBatch).toMatchObject([{ code }])
  })

  it('reports the status of the server', async () => {
    const db = await freshDatabase()
    await db.collection('a').insertOne({ n: 1 })
    const bytes = expect.any(Number)
    expect(await db.stats()).toMatchObject({ collections: 1, objects: 1, dataSize: bytes })
    expect(await db.command({ collStats: 'a' })).toMatchObject({ count: 1, nindexes: 1 })
    expect(await db.admin().serverStatus()).toMatchObject({ storageEngine: { persistent: false } })
    expect(await db.admin().command({ getParameter: '*' })).toHaveProperty(
      'featureCompatibilityVersion',
    )
    expect(await db.admin().command({ compact: 'a' })).toMatchObject({ ok: 1 })
  })

  it('reports the sizes of indexes', async () => {
    const db = await freshDatabase()
    const items = db.collection('items')
    await items.createIndex({ name: 1 })
    await items.insertMany([{ name: 'x'.repeat(1000) }, { name: 'y'.repeat(2000) }])
    const { size, indexSizes, totalIndexSize, totalSize } = await db.command({ collStats: 'items' })
    expect(indexSizes.name_1).toBeGreaterThan(3000)
    expect(indexSizes.name_1).toBeLessThan(3100)
    expect(indexSizes['_id_']).toBeLessThan(100)
    expect(totalIndexSize).toBe(indexSizes['_id_'] + indexSizes.name_1)
    expect(totalSize).toBe(size + totalIndexSize)
    expect(await db.stats()).toMatchObject({ indexSize: totalIndexSize, totalSize })
    expect((await db.command({ collStats: 'items', scale: 2 }))['totalSize']).toBe(totalSize / 2)
  })

  it('stores nothing larger than 16 MB, and no _id that cannot be one', async () => {
    const db = await freshDatabase()
    const large = { text: 'x'.repeat(16 * 1024 * 1024) }
    const things = db.collection('things')
    expect(
      await failure(db.command({ insert: 'things', documents: [large] }).then(throwFirst)),
    ).toMatchObject({ code: 10334 })
    expect(await failure(things.insertOne({ _id: [1] as never }))).toMatchObject({ code: 53 })
    expect(await failure(things.insertOne({ _id: { $x: 1 } as never }))).toMatchObject({ code: 52 })
  })

  it('with a retried txnNumber gets the same reply from the next owner', async () => {
    const directory = temporaryFolder()
    // Drivers choose lsid themselves, so the command is sent as bytes.
    const command = {
      update: 'a',
      updates: [{ q: { _id: 'x' }, u: { $inc: { n: 1 } }, upsert: true }],
      lsid: { id: new UUID().toBinary() },
      txnNumber: Long.fromNumber(3),
      $db: 'app',
    }
    const replies: object[] = []
    for (let owner = 0; owner < 3; owner += 1) {
      const mongo = await start({ storage: { directory } })
      const {
        operationTime: _time,
        $clusterTime: _cluster,
        ...reply
      } = await send(mongo.uri, command)
      replies.push(reply)
      await mongo.stop()
    }
    expect(replies[0]).toMatchObject({
      n: 1,
      upserted: [{ index: 0, _id: 'x' }],
      ok: new Double(1),
    })
    expect(replies).toEqual([replies[0], replies[0], replies[0]])
    const { uri } = await start({ storage: { directory } })
    const client = await connect(uri)
    expect(await client.db().collection('a').findOne()).toEqual({ _id: 'x', n: 1 })
    const { code } = await send(uri, { ...command, txnNumber: Long.fromNumber(2) })
    expect(code).toBe(225)
  })

  it('requires a valid session, and a transaction to end', async () => {
    const { uri } = await start()
    expect(await send(uri, { ping: 1, lsid: { id: 5 }, $db: 'app' })).toMatchObject({ code: 14 })
    expect(await send(uri, { commitTransaction: 1, $db: 'admin' })).toMatchObject({ code: 125 })
    const transaction = {
      lsid: { id: new UUID().toBinary() },
      txnNumber: Long.fromNumber(1),
      autocommit: false,
      $db: 'admin',
    }
    expect(await send(uri, { commitTransaction: 1, ...transaction })).toMatchObject({ code: 251 })
    const begun = { find: 'a', startTransaction: true, ...transaction, $db: 'app' }
    expect(await send(uri, begun)).toMatchObject({ ok: new Double(1) })
    expect(await send(uri, { commitTransaction: 1, ...transaction })).toMatchObject({
      ok: new Double(1),
    })
    const late = { find: 'a', ...transaction, $db: 'app' }
    expect(await send(uri, late)).toMatchObject({ code: 256, codeName: 'TransactionCommitted' })
    const wrong = { ...begun, txnNumber: 'one' }
    expect(await send(uri, wrong)).toMatchObject({ code: 14 })
    const foreign = await send(uri, { getMore: Long.ONE, collection: 'a', $db: 'app' })
    expect(foreign).toMatchObject({ code: 43 })
  })

  it('with j: true gets its reply after the sync', async () => {
    const { uri } = await start({ storage: { directory: temporaryFolder() } })
    const client = await connect(uri)
    const writes = Array.from({ length: 20 }, (_, n) =>
      client
        .db()
        .collection('a')
        .insertOne({ n }, { writeConcern: { w: 1, j: true } }),
    )
    expect(await Promise.all(writes)).toHaveLength(20)
  })
})

async function send(uri: string, command: Doc): Promise<Doc> {
  const socket = await probe(uri)
  if (!socket) throw new Error('There is no reply')
  try {
    return await request(socket, command)
  } finally {
    socket.destroy()
  }
}

function throwFirst({ writeErrors }: Document): void {
  const [first] = writeErrors
  throw new MongoServerError({ ...first, message: first.errmsg })
}
