import { setImmediate as nextTurn } from 'node:timers/promises'
import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import { Mongoose, Schema, Types } from 'mongoose'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { defineListQuery, findDocument, findPage, toOutputSchema } from '../../src/resource.ts'
import { createRandom } from '../random.ts'

// With another seed: SHARED_SEED=2 FULL_TESTS=1 npx vitest run packages/core/test/resource/shared-reads.system
const seed = Number(process.env['SHARED_SEED'] ?? 1)
const reads = Number(process.env['SHARED_READS'] ?? 100_000)

interface Item {
  group: string
  n: number
}

const groups = ['a', 'b'] as const
const ids = Array.from({ length: 6 }, () => new Types.ObjectId())
const listItems = defineListQuery(
  toOutputSchema(z.strictObject({ group: z.string(), n: z.int() })),
  {
    sort: ['n'],
  },
)

// The states of a document, in order. Undefined: it does not exist.
interface History {
  readonly states: (Item | undefined)[]
  /** The last state whose write was acknowledged. */
  written: number
}

const none: History = { states: [], written: 0 }

type Window = readonly [from: number, history: History]

// Whether a document had the value in the scope at some moment from the beginning of a read until now.
function wasSeen([from, { states }]: Window, group: string, n: number | undefined): boolean {
  return states.slice(from).some((state) => (state?.group === group ? state.n : undefined) === n)
}

it('no read sees a state older than its beginning, in any order of reads and writes', async () => {
  const server = await startEmbeddedMongo({ storage: { memory: true } })
  const client = new Mongoose()
  await client.connect(server.uri, { dbName: 'races', monitorCommands: true })
  const ItemModel = client.model<Item>('Item', new Schema({ group: String, n: Number }))
  let queries = 0
  client.connection.getClient().on('commandStarted', ({ commandName }) => {
    if (commandName === 'find') queries++
  })
  const random = createRandom(seed)
  const histories = ids.map((): History => ({ states: [undefined], written: 0 }))
  let version = 0
  let left = reads
  const isDone = (): boolean => left <= 0

  // One after the other for each document: changes, moves to another scope, deletions and creations.
  async function write(_id: Types.ObjectId, history: History): Promise<void> {
    while (!isDone()) {
      const state = random.below(4) === 0 ? undefined : { group: random.pick(groups), n: ++version }
      history.states.push(state)
      if (state) await ItemModel.collection.replaceOne({ _id }, state, { upsert: true })
      else await ItemModel.collection.deleteOne({ _id })
      history.written = history.states.length - 1
      for (let turns = random.below(3); turns > 0; turns--) await nextTurn()
    }
  }

  const toWindow = (history: History): Window => [history.written, history]

  async function readOne(): Promise<void> {
    const [at, group] = [random.below(ids.length), random.pick(groups)]
    const window = toWindow(histories[at] ?? none)
    const found = await findDocument(ItemModel, { _id: ids[at] }, { scope: { group } }).catch(
      (error: unknown) => {
        expect(error).toMatchObject({ code: 'not_found' })
      },
    )
    expect([seed, group, found?.n, wasSeen(window, group, found?.n)]).toEqual([
      seed,
      group,
      found?.n,
      true,
    ])
  }

  async function readList(): Promise<void> {
    const group = random.pick(groups)
    const windows = histories.map(toWindow)
    const { data, meta } = await findPage(ItemModel, listItems.parse({}), { scope: { group } })
    expect(meta).toMatchObject({ page: 1, limit: 20 })
    for (const [at, window] of windows.entries()) {
      const found = data.find(({ _id }) => ids[at]?.equals(_id))
      expect([seed, at, group, wasSeen(window, group, found?.n)]).toEqual([seed, at, group, true])
    }
  }

  async function read(): Promise<void> {
    while (!isDone()) {
      left--
      await (random.below(5) === 0 ? readList() : readOne())
      for (let turns = random.below(3); turns > 0; turns--) await nextTurn()
    }
  }

  await Promise.all([
    ...ids.map((_id, at) => write(_id, histories[at] ?? none)),
    ...Array.from({ length: 20 }, read),
  ])
  await client.disconnect()
  await server.stop()
  if (process.env['CREATE_API_READS'] !== 'mongoose') expect(queries).toBeLessThan(reads * 0.8)
}, 600_000)
