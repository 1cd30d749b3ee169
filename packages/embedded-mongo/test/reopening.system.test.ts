import { type Document, EJSON } from 'bson'
import { describe, expect, it } from 'vitest'
import { listThemes, readTheme } from './corpus/read-corpus.ts'
import { runCorpusCase } from './corpus/run-corpus.ts'
import { connectWire } from './differential/wire.ts'
import { connect, start, temporaryFolder } from './fresh-server.ts'

// Commands that change nothing, alone and in combinations with a write before them.
const idle: readonly Document[] = [
  { dropDatabase: 1 },
  { drop: 'absent' },
  { create: 'known' },
  { create: 'other' },
  { createIndexes: 'known', indexes: [{ key: { a: 1 }, name: 'a_1' }] },
  { createIndexes: 'known', indexes: [{ key: { _id: 1 }, name: '_id_' }] },
  { dropIndexes: 'known', index: '*' },
  { collMod: 'known', index: { name: 'a_1', hidden: false } },
  { collMod: 'known' },
  { collMod: 'known', validator: {} },
  { insert: 'known', documents: [] },
  { update: 'known', updates: [{ q: { absent: 1 }, u: { $set: { a: 1 } } }] },
  { update: 'known', updates: [{ q: {}, u: { $set: { a: 1 } }, multi: true }] },
  { update: 'known', updates: [{ q: {}, u: { $unset: { none: 1 } }, multi: true }] },
  { delete: 'known', deletes: [{ q: { absent: 1 }, limit: 0 }] },
  { findAndModify: 'known', query: { absent: 1 }, remove: true },
  { findAndModify: 'known', query: {}, update: { $set: { a: 1 } } },
  { aggregate: 'absent', pipeline: [{ $out: 'empty' }], cursor: {} },
  { aggregate: 'absent', pipeline: [{ $merge: 'merged' }], cursor: {} },
  { compact: 'known' },
  { validate: 'known' },
  { endSessions: [] },
]

describe('a folder opens again with the same content', () => {
  it.each(idle.map((command) => [EJSON.stringify(command), command] as const))(
    'after %s',
    async (_text, command) => {
      const directory = temporaryFolder()
      for (const isPrepared of [false, true]) {
        const [before, after] = await reopen(directory, async (uri) => {
          const client = await connect(uri)
          const db = client.db('app')
          if (isPrepared) {
            await db.collection('known').updateOne({}, { $set: { a: 1 } }, { upsert: true })
            await db.collection('known').createIndex({ a: 1 })
          }
          await db.command(command).catch(() => {})
          await client.close()
        })
        expect(after).toEqual(before)
      }
    },
  )

  it.each(listThemes())('after the cases of %s', async (theme) => {
    const directory = temporaryFolder()
    const cases = readTheme(theme)
    for (let from = 0; from < cases.length; from += 20) {
      const [before, after] = await reopen(directory, async (uri) => {
        const wire = await connectWire(uri)
        for (const item of cases.slice(from, from + 20)) {
          await runCorpusCase({ wire, isEmbedded: true }, item)
        }
        wire.close()
      })
      expect(after).toEqual(before)
    }
  })
})

type Content = readonly string[]

// The content of the folder before the restart, and after it.
async function reopen(
  directory: string,
  work: (uri: string) => Promise<void>,
): Promise<readonly [before: Content, after: Content]> {
  const options = { port: 0, storage: { directory } }
  const first = await start(options)
  await work(first.uri)
  const before = await readAll(first.uri)
  await first.stop()
  const second = await start(options)
  const after = await readAll(second.uri)
  await second.stop()
  return [before, after]
}

async function readAll(uri: string): Promise<Content> {
  const client = await connect(uri)
  const { databases } = await client.db().admin().listDatabases()
  const found: string[] = []
  for (const { name } of databases) {
    for (const info of await client.db(name).listCollections().toArray()) {
      const collection = client.db(name).collection(info.name)
      const isView = info.type === 'view'
      const indexes = isView ? [] : await collection.indexes()
      const documents = isView ? [] : await collection.find().toArray()
      found.push(EJSON.stringify({ name, info, indexes, documents }, { relaxed: false }))
    }
  }
  await client.close()
  return found.toSorted()
}
