import { type Collection, type Db, Timestamp } from 'mongodb'
import { describe, expect, it } from 'vitest'
import { freshDatabase } from '../../../test/fresh-server.ts'

interface Item {
  _id: number | Timestamp
  [field: string]: unknown
}

const zero = new Timestamp({ t: 0, i: 0 })

function itemsOf(db: Db): Collection<Item> {
  return db.collection<Item>('items')
}

function toNumbers(values: readonly unknown[]): bigint[] {
  return values.map((value) => (value instanceof Timestamp ? value.toBigInt() : 0n))
}

describe('an empty timestamp', () => {
  it('is the time of the insert, in fields of the document itself', async () => {
    const items = itemsOf(await freshDatabase())
    const before = Math.floor(Date.now() / 1000)
    const inside = { at: zero }
    const other = new Timestamp({ t: 1, i: 0 })
    await items.insertOne({ _id: 1, first: zero, inside, list: [zero], other, second: zero })
    const found = await items.findOne({ _id: 1 })
    expect(Object.keys(found ?? {})).toEqual(['_id', 'first', 'inside', 'list', 'other', 'second'])
    expect(found).toMatchObject({ inside, list: [zero], other })
    const times = toNumbers([found?.['first'], found?.['second']])
    expect(times[0]).toBeGreaterThanOrEqual(BigInt(before) << 32n)
    expect(times[1]).toBeGreaterThan(times[0] ?? 0n)
  })

  it('is kept as an _id', async () => {
    const items = itemsOf(await freshDatabase())
    await items.insertOne({ _id: zero })
    expect(await items.findOne()).toEqual({ _id: zero })
  })

  it('is different in each document of a batch', async () => {
    const items = itemsOf(await freshDatabase())
    await items.insertMany([1, 2, 3].map((id) => ({ _id: id, at: zero })))
    const found = await items.find().sort({ at: 1 }).toArray()
    expect(found.map((item) => item._id)).toEqual([1, 2, 3])
    expect(new Set(toNumbers(found.map((item) => item['at']))).size).toBe(3)
  })

  const replacements: [string, (db: Db) => Promise<unknown>][] = [
    ['replaceOne', (db) => itemsOf(db).replaceOne({ _id: 1 }, { at: zero })],
    ['an upsert', (db) => itemsOf(db).replaceOne({ _id: 2 }, { at: zero }, { upsert: true })],
    ['findOneAndReplace', (db) => itemsOf(db).findOneAndReplace({ _id: 1 }, { at: zero })],
    [
      'bulkWrite',
      (db) =>
        db.client.bulkWrite([
          { name: 'insertOne', namespace: 'app.items', document: { at: zero } },
          {
            name: 'replaceOne',
            namespace: 'app.items',
            filter: { n: 1 },
            replacement: { at: zero },
          },
        ]),
    ],
  ]

  it.each(replacements)('is the time of a replacement: %s', async (_name, write) => {
    const db = await freshDatabase()
    await itemsOf(db).insertOne({ _id: 1, n: 1 })
    await write(db)
    expect(await itemsOf(db).countDocuments({ at: { $gt: zero } })).toBeGreaterThan(0)
    expect(await itemsOf(db).countDocuments({ at: zero })).toBe(0)
  })

  it('is kept by operators', async () => {
    const items = itemsOf(await freshDatabase())
    await items.updateOne({ _id: 1 }, { $set: { at: zero } }, { upsert: true })
    expect(await items.findOne()).toEqual({ _id: 1, at: zero })
  })
})

it('$currentDate sets a new timestamp each time', async () => {
  const db = await freshDatabase()
  const items = itemsOf(db)
  await items.insertMany([{ _id: 1 }, { _id: 2 }])
  const fields = Object.fromEntries(['a', 'b'].map((name) => [name, { $type: 'timestamp' }]))
  await db.command({
    update: 'items',
    updates: [{ q: {}, u: { $currentDate: fields }, multi: true }],
  })
  const times = toNumbers((await items.find().toArray()).flatMap(({ a, b }) => [a, b]))
  expect(new Set(times).size).toBe(4)
})
