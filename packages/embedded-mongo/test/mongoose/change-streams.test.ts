// oxlint-disable no-underscore-dangle -- MongoDB's own name for the key
import { once } from 'node:events'
import mongoose, { Schema } from 'mongoose'
import { describe, expect, it } from 'vitest'
import { openTestServer } from '../server.ts'
import { useConnection } from './mongoose-test.ts'

const connection = useConnection()

interface Change {
  operationType: string
  fullDocument?: { name?: string } | null
  updateDescription?: unknown
  documentKey?: unknown
}

async function watched() {
  const Model = connection.model('Watched', new Schema({ name: String, n: Number }))
  await Model.createCollection()
  return Model
}

type Watched = Awaited<ReturnType<typeof watched>>

// A stream opens with its first read; only what comes after is seen.
async function collect(
  Model: Watched,
  pipeline: Record<string, unknown>[],
  act: () => Promise<unknown>,
  count: number,
): Promise<Change[]> {
  const stream = Model.collection.watch(pipeline, {
    fullDocument: 'updateLookup',
    maxAwaitTimeMS: 50,
  })
  await stream.tryNext()
  await act()
  const changes: Change[] = []
  while (changes.length < count) changes.push(await stream.next())
  await stream.close()
  return changes
}

describe('mongoose change streams', () => {
  // Without waiting, the client sends the insert before it opens the stream.
  it('reports what is written once a stream is open that was requested before the connection', async () => {
    const server = await openTestServer()
    const early = mongoose.createConnection()
    const Model = early.model('Early', new Schema({ name: String }))
    const stream = Model.watch()
    const changed = once(stream, 'change')
    const opened = once(stream, 'resumeTokenChanged')
    await early.openUri(server.uri, { dbName: `embedded_mongoose_early_${process.pid}` })
    await opened
    await Model.create({ name: 'a' })
    expect(await changed).toMatchObject([{ operationType: 'insert', fullDocument: { name: 'a' } }])
    await stream.close()
    await early.dropDatabase()
    await early.close()
    await server.stop()
  })

  it('reports inserts, updates, replacements and deletes', async () => {
    const Model = await watched()
    const changes = await collect(
      Model,
      [],
      async () => {
        const doc = await Model.create({ name: 'a' })
        await Model.updateOne({ _id: doc._id }, { $set: { n: 1 }, $unset: { name: 1 } })
        await Model.collection.replaceOne({ _id: doc._id }, { name: 'b' })
        await Model.deleteOne({ _id: doc._id })
      },
      4,
    )
    expect(changes.map(({ operationType }) => operationType)).toEqual([
      'insert',
      'update',
      'replace',
      'delete',
    ])
    expect(changes[1]?.updateDescription).toMatchObject({
      updatedFields: { n: 1 },
      removedFields: ['name'],
    })
  })

  it('looks up the full document', async () => {
    const Model = await watched()
    const { _id } = await Model.create({ name: 'a' })
    const [change] = await collect(Model, [], () => Model.updateOne({ _id }, { n: 5 }), 1)
    expect(change).toMatchObject({
      operationType: 'update',
      documentKey: { _id },
      fullDocument: { name: 'a', n: 5 },
    })
  })

  it('filters by its pipeline', async () => {
    const Model = await watched()
    const changes = await collect(
      Model,
      [{ $match: { operationType: 'insert', 'fullDocument.n': { $gt: 1 } } }],
      () =>
        Model.create([
          { name: 'small', n: 1 },
          { name: 'big', n: 2 },
        ]),
      1,
    )
    expect(changes[0]?.fullDocument?.name).toBe('big')
  })

  it('resumes after a token', async () => {
    const Model = await watched()
    const stream = Model.collection.watch([], { maxAwaitTimeMS: 50 })
    await stream.tryNext()
    await Model.create({ name: 'first' })
    const first = await stream.next()
    await Model.create({ name: 'second' })
    await stream.close()
    const resumed = Model.collection.watch([], { resumeAfter: first._id, maxAwaitTimeMS: 50 })
    expect(((await resumed.next()) as Change).fullDocument?.name).toBe('second')
    await resumed.close()
  })

  it('shows nothing of an aborted transaction, and all of a committed one', async () => {
    const Model = await watched()
    const changes = await collect(
      Model,
      [],
      async () => {
        await connection
          .transaction(async (session) => {
            await Model.create([{ name: 'aborted' }], { session })
            throw new Error('no')
          })
          .catch(() => undefined)
        await connection.transaction((session) =>
          Model.create([{ name: 'committed' }], { session }),
        )
      },
      1,
    )
    expect(changes[0]?.fullDocument?.name).toBe('committed')
  })
})
