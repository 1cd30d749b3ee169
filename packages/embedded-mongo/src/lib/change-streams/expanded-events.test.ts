import { type ChangeStreamOptions, type Db, type Document } from 'mongodb'
import { describe, expect, it } from 'vitest'
import { freshDatabase } from '../../../test/fresh-server.ts'

// What a stream of the database reports, the events of `run`.
async function record(
  db: Db,
  options: ChangeStreamOptions & { pipeline?: Document[]; count: number },
  run: () => Promise<unknown>,
): Promise<Document[]> {
  const { pipeline, count, ...others } = options
  const stream = db.watch(pipeline, { maxAwaitTimeMS: 20, ...others })
  try {
    await stream.tryNext()
    await run()
    const events: Document[] = []
    while (events.length < count) events.push(await stream.next())
    return events
  } finally {
    await stream.close()
  }
}

describe('a change stream with showExpandedEvents', () => {
  it('reports collections and indexes', async () => {
    const db = await freshDatabase()
    const options = { showExpandedEvents: true, count: 8 }
    const events = await record(db, options, async () => {
      await db.createCollection('things')
      await db.collection('things').createIndex({ a: 1 })
      await db.command({ collMod: 'things', index: { name: 'a_1', hidden: true } })
      await db.collection('things').dropIndex('a_1')
      await db.collection('others').insertOne({})
      await db.collection('things').rename('more')
      await db.collection('more').drop()
    })
    expect(events.map(({ operationType }) => operationType)).toEqual([
      'create',
      'createIndexes',
      'modify',
      'dropIndexes',
      'create',
      'insert',
      'rename',
      'drop',
    ])
    expect(events[1]).toMatchObject({
      ns: { db: 'app', coll: 'things' },
      operationDescription: { indexes: [{ v: 2, key: { a: 1 }, name: 'a_1' }] },
    })
    expect(events[1]?.['collectionUUID']).toEqual(events[0]?.['collectionUUID'])
    expect(events[6]).toMatchObject({ operationDescription: { to: { db: 'app', coll: 'more' } } })
  })

  it('reports a collMod that changes nothing', async () => {
    const db = await freshDatabase()
    await db.createCollection('things')
    const options = { showExpandedEvents: true, count: 1 }
    const [event] = await record(db, options, () => db.command({ collMod: 'things' }))
    expect(event).toMatchObject({ operationType: 'modify', ns: { coll: 'things' } })
  })

  it('distinguishes names from positions', async () => {
    const db = await freshDatabase()
    const things = db.collection('things')
    await things.insertOne({ a: [{ 1: 1 }], b: { 1: 1 }, c: [1] })
    const options = { showExpandedEvents: true, count: 1 }
    const [event] = await record(db, options, () =>
      things.updateOne({}, { $set: { 'a.0.1': 2, 'b.1': 2, 'c.0': 2 } }),
    )
    expect(event?.['updateDescription']).toEqual({
      updatedFields: { 'a.0.1': 2, 'b.1': 2, 'c.0': 2 },
      removedFields: [],
      truncatedArrays: [],
      disambiguatedPaths: { 'a.0.1': ['a', 0, '1'], 'b.1': ['b', '1'] },
    })
  })

  it('is not the default', async () => {
    const db = await freshDatabase()
    const [event] = await record(db, { count: 1 }, () => db.collection('things').insertOne({}))
    expect(event).toMatchObject({ operationType: 'insert' })
    expect(event).not.toHaveProperty('collectionUUID')
  })
})

describe('pre- and post-images', () => {
  const changeStreamPreAndPostImages = { enabled: true }
  const images = {
    fullDocument: 'required',
    fullDocumentBeforeChange: 'required',
  } as const

  it('are the documents before and after a change, whatever happens later', async () => {
    const db = await freshDatabase()
    const things = await db.createCollection('things', { changeStreamPreAndPostImages })
    const events = await record(db, { ...images, count: 4 }, async () => {
      await things.insertOne({ n: 1 })
      await things.updateOne({}, { $set: { n: 2 } })
      await things.replaceOne({}, { n: 3 })
      await things.deleteOne({})
    })
    expect(events).toMatchObject([
      { operationType: 'insert', fullDocument: { n: 1 } },
      { operationType: 'update', fullDocument: { n: 2 }, fullDocumentBeforeChange: { n: 1 } },
      { operationType: 'replace', fullDocument: { n: 3 }, fullDocumentBeforeChange: { n: 2 } },
      { operationType: 'delete', fullDocumentBeforeChange: { n: 3 } },
    ])
    expect(events[0]).not.toHaveProperty('fullDocumentBeforeChange')
  })

  it('are null or an error when the collection does not keep them', async () => {
    const db = await freshDatabase()
    const things = await db.createCollection('things', { changeStreamPreAndPostImages })
    await things.insertOne({ n: 1 })
    const disabled = { changeStreamPreAndPostImages: { enabled: false } }
    await db.command({ collMod: 'things', ...disabled })
    const set = (): Promise<unknown> => things.updateOne({}, { $inc: { n: 1 } })
    const available = {
      fullDocument: 'whenAvailable',
      fullDocumentBeforeChange: 'whenAvailable',
    } as const
    expect(await record(db, { ...available, count: 1 }, set)).toMatchObject([
      { fullDocument: null, fullDocumentBeforeChange: null },
    ])
    await expect(record(db, { ...images, count: 1 }, set)).rejects.toMatchObject({ code: 47 })
    await expect(record(db, { fullDocument: 'never', count: 1 }, set)).rejects.toMatchObject({
      code: 2,
    })
  })
})

describe('the pipeline of a change stream', () => {
  it.each([
    ['a projection without _id', [{ $project: { _id: 0 } }], 280],
    ['another _id', [{ $set: { _id: 1 } }], 280],
    ['a stage that does not exist', [{ $unsupported: 1 }], 40_324],
    ['a stage that is not permitted', [{ $group: { _id: 1 } }], 20],
  ])('fails with %s', async (_name, pipeline, code) => {
    const db = await freshDatabase()
    const watching = record(db, { pipeline, count: 1 }, () => db.collection('things').insertOne({}))
    await expect(watching).rejects.toMatchObject({ code })
  })

  it('begins with $changeStream and nothing else does', async () => {
    const things = (await freshDatabase()).collection('things')
    const pipeline = [{ $match: {} }, { $changeStream: {} }]
    await expect(things.aggregate(pipeline).toArray()).rejects.toMatchObject({ code: 40_602 })
  })
})
