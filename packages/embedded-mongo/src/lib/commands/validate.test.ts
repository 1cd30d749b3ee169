import { afterEach, describe, expect, it } from 'vitest'
import { connect, freshDatabase } from '../../../test/fresh-server.ts'
import { findCollection } from '../catalog/catalog.ts'
import { chooseAddress, toUri } from '../host/address.ts'
import { startServer } from '../host/create-server.ts'
import { documentRange, indexPrefix, prefixRange } from '../storage/keys.ts'
import { scan, type Store } from '../storage/store.ts'
import { createMemoryStore } from '../storage/tree.ts'

const cleanups: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

// A database with three items, and its store, to damage.
async function startOnStore() {
  const store = createMemoryStore()
  const listen = chooseAddress(undefined, undefined)
  const options = {
    latencyMs: 0,
    replicaSet: 'rs0',
    ttlIntervalMs: 60_000,
    isPersistent: false,
    onMessage: () => {},
  }
  const server = await startServer({ store, listen, ...options })
  cleanups.push(() => server.close())
  const db = (await connect(toUri(listen, server.port))).db()
  await db.collection('items').createIndex({ a: 1 })
  await db.collection('items').insertMany([{ a: 1 }, { a: [2, 3] }, {}])
  return { store, db }
}

function keysOf(store: Store) {
  const collection = findCollection(store, 'app.items')
  if (!collection) throw new Error('There is no collection')
  const keys = (range: Parameters<typeof scan>[1]) => [...scan(store, range)].map(([key]) => key)
  return {
    documents: keys(documentRange(collection.id)),
    entries: keys(prefixRange(indexPrefix(collection.indexes[1]?.id ?? ''))),
  }
}

describe('validate', () => {
  it('counts documents and keys', async () => {
    const { db } = await startOnStore()
    await db.collection('items').createIndex({ b: 1 }, { sparse: true })
    expect(await db.command({ validate: 'items', full: true })).toMatchObject({
      ns: 'app.items',
      nInvalidDocuments: 0,
      nrecords: 3,
      nIndexes: 3,
      keysPerIndex: { _id_: 3, a_1: 4, b_1: 0 },
      indexDetails: { _id_: { valid: true }, a_1: { valid: true }, b_1: { valid: true } },
      valid: true,
      warnings: [],
      errors: [],
    })
  })

  it('finds documents that the validator does not match', async () => {
    const { db } = await startOnStore()
    await db.command({ collMod: 'items', validator: { a: 1 } })
    expect(await db.command({ validate: 'items' })).toMatchObject({
      nNonCompliantDocuments: 2,
      valid: true,
      warnings: ['2 documents do not match the validator.'],
    })
  })

  it('finds a document that cannot be read', async () => {
    const { store, db } = await startOnStore()
    const [key = ''] = keysOf(store).documents
    store.apply({ drops: [], puts: [[key, Buffer.from([9, 0, 0, 0, 99, 65, 0, 1, 0])]] })
    expect(await db.command({ validate: 'items' })).toMatchObject({
      nInvalidDocuments: 1,
      nrecords: 3,
      valid: false,
      corruptRecords: [1],
      errors: expect.arrayContaining([expect.stringContaining('A document cannot be read: ')]),
    })
  })

  it('finds entries of an index that are missing or belong to no document', async () => {
    const { store, db } = await startOnStore()
    const [key = ''] = keysOf(store).entries
    store.apply({
      drops: [],
      puts: [
        [key, undefined],
        [`${key}x`, 'x'],
      ],
    })
    expect(await db.command({ validate: 'items' })).toMatchObject({
      indexDetails: { _id_: { valid: true }, a_1: { valid: false } },
      valid: false,
      errors: ['Index a_1: 1 missing and 1 extra entries'],
    })
  })

  it('finds wrong counts', async () => {
    const { store, db } = await startOnStore()
    const { documents, entries } = keysOf(store)
    const removed = [...documents, ...entries]
    store.apply({ drops: [], puts: removed.map((key) => [key, undefined]) })
    expect(await db.command({ validate: 'items' })).toMatchObject({
      valid: false,
      errors: expect.arrayContaining(['The counts of documents and bytes are wrong.']),
    })
  })

  it.each([
    [{ validate: 'absent' }, 26],
    [{ validate: 'items', repair: true }, 238],
    [{ validate: 'items', fixMultikey: true }, 238],
    [{ validate: 'items', other: true }, 40_415],
  ])('refuses %j', async (command, code) => {
    const db = await freshDatabase()
    await db.createCollection('items')
    await expect(db.command(command)).rejects.toMatchObject({ code })
  })
})
