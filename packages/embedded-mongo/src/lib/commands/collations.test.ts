import { type Db } from 'mongodb'
import { describe, expect, it } from 'vitest'
import { freshDatabase } from '../../../test/fresh-server.ts'

const collation = { locale: 'en', strength: 2 }

// A collection whose own collation does not tell upper from lower case.
async function withWords(): Promise<Db> {
  const db = await freshDatabase()
  const words = await db.createCollection<{ _id: string; word: string }>('words', { collation })
  await words.insertMany([
    { _id: 'a', word: 'One' },
    { _id: 'b', word: 'ONE' },
    { _id: 'c', word: 'two' },
  ])
  return db
}

describe('the collation of a collection', () => {
  it('applies to distinct, unless the command has its own', async () => {
    const db = await withWords()
    const words = db.collection('words')
    expect(await words.distinct('word')).toEqual(['One', 'two'])
    expect(await words.distinct('word', { word: 'one' })).toEqual(['One'])
    const simple = { collation: { locale: 'simple' } }
    expect(await words.distinct('word', {}, simple)).toEqual(['One', 'ONE', 'two'])
  })

  it('applies to _id: equal values exist once', async () => {
    const words = (await withWords()).collection<{ _id: string }>('words')
    await expect(words.insertOne({ _id: 'A' })).rejects.toMatchObject({
      code: 11000,
      keyPattern: { _id: 1 },
    })
    expect(await words.findOne({ _id: 'A' })).toMatchObject({ _id: 'a' })
    expect(await words.findOne({ _id: 'A' }, { collation: { locale: 'simple' } })).toBe(null)
    expect(await words.indexes()).toMatchObject([{ name: '_id_', collation: { strength: 2 } }])
  })

  it('of the target is ignored by $merge, which uses the one of the pipeline', async () => {
    const db = await withWords()
    const words = db.collection('words')
    await words.createIndex({ word: 1 }, { unique: true, partialFilterExpression: { word: 'two' } })
    const source = db.collection<{ _id: string; word: string }>('source')
    await source.insertOne({ _id: 'x', word: 'TWO' })
    const merge = [{ $merge: { into: 'words', on: 'word', whenMatched: 'merge' as const } }]
    // A partial index does not make all documents unique, nor does one of another collation.
    const run = (options = {}): Promise<unknown> => source.aggregate(merge, options).toArray()
    await expect(run({ collation })).rejects.toMatchObject({ code: 51183 })
    await words.deleteOne({ _id: 'b' as never })
    await words.dropIndexes()
    await words.createIndex({ word: 1 }, { unique: true })
    await expect(run()).rejects.toMatchObject({ code: 51183 })
    await source.aggregate([{ $unset: '_id' }, ...merge], { collation }).toArray()
    expect(await words.find({ word: 'two' }).toArray()).toEqual([{ _id: 'c', word: 'TWO' }])
  })
})

describe('$out and $merge', () => {
  it.each([{ $out: 'other' }, { $merge: 'other' }])(
    'are refused in a transaction: %j',
    async (stage) => {
      const db = await withWords()
      const session = db.client.startSession()
      session.startTransaction()
      const run = db.collection('words').aggregate([stage], { session }).toArray()
      await expect(run).rejects.toMatchObject({ code: 263 })
      await session.abortTransaction()
      await session.endSession()
    },
  )
})
