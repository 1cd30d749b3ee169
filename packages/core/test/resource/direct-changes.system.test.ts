import { tracingChannel } from 'node:diagnostics_channel'
import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import { type Model, Mongoose, Schema, Types } from 'mongoose'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { deleteDocument, replaceDocument, versioned } from '../../src/resource.ts'
import { createRandom, type Random } from '../random.ts'

const cases = Number(process.env['CHANGE_CASES'] ?? 20_000)

const server = process.env['MONGODB_URI']
  ? { uri: process.env['MONGODB_URI'], stop: async () => {} }
  : await startEmbeddedMongo({ storage: { memory: true } })
const client = new Mongoose()
await client.connect(server.uri, { dbName: 'direct_changes', autoIndex: false, autoCreate: false })

afterAll(async () => {
  await client.connection.dropDatabase()
  await client.disconnect()
  await server.stop()
})

const part = (): Schema =>
  new Schema({ name: { type: String, required: true, trim: true }, at: Date }, { _id: false })

// A definition of a field, and values of which some are rejected.
type Field = readonly [definition: unknown, ...values: unknown[]]

const fields: Readonly<Record<string, Field>> = {
  title: [{ type: String, required: true, trim: true }, ' A title ', '', '   ', 5, null],
  slug: [{ type: String, lowercase: true, minlength: 2, maxlength: 5 }, 'ABC', 'a', 'abcdef', null],
  kind: [{ type: String, enum: ['a', 'b'] }, 'a', 'c', null],
  code: [{ type: String, match: /^[a-z]+$/ }, 'abc', 'A1'],
  views: [{ type: Number, min: 0, max: 10 }, 5, '7', -1, 11, 'many', Number.NaN],
  isOpen: [{ type: Boolean, required: true }, true, 'no', 0, 'maybe'],
  at: [{ type: Date, min: new Date(0) }, new Date(5), '2026-01-01', -1, 'never'],
  rating: [Schema.Types.Decimal128, '1.50', 2, Types.Decimal128.fromString('1E+3'), 'x'],
  big: [BigInt, 12_345_678_901_234n, '5', 'x'],
  ref: [Schema.Types.ObjectId, '65f0c0ffee0123456789abcd', new Types.ObjectId(), 'short'],
  key: [Schema.Types.UUID, '01234567-89ab-4cde-8123-456789abcdef', 'x'],
  file: [Buffer, Buffer.from('file'), 'text', {}],
  any: [Schema.Types.Mixed, { a: [1, { b: null }] }, {}, [], null, 'text'],
  fixed: [{ type: String, immutable: true }, 'new', 5],
  even: [{ type: Number, validate: (value: number) => value % 2 === 0 }, 2, 3],
  later: [{ type: Number, validate: async (value: number) => value > 2 }, 2, 3],
  needed: [{ type: String, required: () => false }, '', 'text', null],
  tags: [[String], ['a', 1], [], 'a', [null], [{}]],
  kinds: [[{ type: String, enum: ['a', 'b'] }], ['a'], ['c'], []],
  limited: [{ type: [Number], validate: (list: number[]) => list.length < 3 }, [1], [1, 2, 3]],
  table: [[[Number]], [[1], ['2']], [['x']]],
  labels: [{ type: Map, of: String }, { x: 'y', z: 1 }, {}, 'x'],
  scores: [{ type: Map, of: { type: Number, min: 0 } }, { x: 1 }, { x: -1 }],
  nested: [
    { deep: { type: Number, required: true }, other: { value: String } },
    { deep: '5' },
    { other: { value: 'x' } },
    { deep: 'x' },
  ],
  one: [part(), { name: ' one ', at: 5 }, { name: '' }, {}, null, { name: 'a', more: 1 }],
  parts: [[part()], [{ name: ' a ' }], [{ at: 5 }], [], [{ name: 'a', at: 'x' }]],
  gotten: [
    { type: String, get: () => 'gotten', set: (value: unknown) => `${String(value)}!` },
    'a',
  ],
}

const names = Object.keys(fields)

// A model with some of the fields, and other options than the next.
function createModel(random: Random, name: string): { NoteModel: Model<object>; own: string[] } {
  const own = names.filter(() => random.below(3) === 0)
  const definition = Object.fromEntries(own.map((field) => [field, fields[field]?.[0]]))
  const schema: Schema = new Schema(Object(definition), {
    collection: 'notes',
    suppressReservedKeysWarning: true,
    timestamps: random.below(3) > 0,
    minimize: random.below(2) === 0,
    strict: random.pick([true, true, true, false, 'throw']),
    ...(random.below(5) === 0 && { versionKey: false }),
    ...(random.below(8) === 0 && { versionKey: 'revision' }),
    ...(random.below(8) === 0 && { timestamps: { updatedAt: 'changedAt' } }),
  })
  if (random.below(2) === 0) schema.plugin(versioned)
  if (random.below(8) === 0) {
    schema.pre('findOneAndUpdate', function hook() {
      this.set({ slug: 'hooked' })
    })
  }
  return { NoteModel: client.model<object>(name, schema), own }
}

const { start } = tracingChannel('mongoose:query')
const listener = vi.fn<() => void>()

// While its queries are traced, Mongoose runs all of them.
async function runMongoose<T>(run: () => Promise<T>): Promise<T> {
  start.subscribe(listener)
  try {
    return await run()
  } finally {
    start.unsubscribe(listener)
  }
}

// What comes of it, without what no two changes have in common.
async function attempt(run: () => Promise<unknown>): Promise<string> {
  const now = Date.now()
  const write = (value: unknown): string =>
    JSON.stringify(value, (key, own: unknown) => {
      if (typeof own === 'bigint') return `${own}n`
      const isNow = typeof own === 'string' && Math.abs(Date.parse(own) - now) < 60_000
      return isNow && key.endsWith('At') ? 'now' : own
    })
  try {
    return write(await run())
  } catch (error) {
    const { name, message, errors, code } = Object(error)
    return write({ name, message, errors: Object.keys(errors ?? {}), code })
  }
}

const schemas = 200

describe('a change without a query of Mongoose', () => {
  it(`stores, returns and rejects as one with it, in ${cases} random cases`, async () => {
    let direct = 0
    let failed = 0
    for (let seed = 1; seed <= Math.min(schemas, cases); seed++) {
      const random = createRandom(seed)
      const { NoteModel, own } = createModel(random, `Note${seed}`)
      const { collection } = NoteModel
      const update = vi.spyOn(collection, 'findOneAndUpdate')
      for (let each = 0; each < Math.max(1, cases / schemas); each++) {
        const _id = new Types.ObjectId()
        const version = random.below(3)
        const stored = {
          _id,
          __v: version,
          title: 'stored',
          fixed: 'stored',
          tags: ['stored'],
          any: { stored: true },
          updatedAt: new Date(5),
        }
        const chosen = own.filter(() => random.below(3) === 0)
        const input = Object.fromEntries(
          chosen.map((field) => {
            const [, first, ...others] = fields[field] ?? []
            return [field, random.pick([first, first, first, undefined, ...others])]
          }),
        )
        if (random.below(20) === 0) Object.assign(input, { createdAt: new Date(7) })
        if (random.below(20) === 0) Object.assign(input, { unknown: 'field' })
        const shape = Object.fromEntries(Object.keys(input).map((key) => [key, z.unknown()]))
        const match = random.below(3) === 0 ? { __v: random.below(3) } : {}
        const change = async (): Promise<unknown> =>
          replaceDocument(
            NoteModel,
            { _id },
            { scope: {}, match, schema: z.object(shape), input: { ...input } },
          )
        const outcomes: string[][] = []
        for (const run of [change, () => runMongoose(change)]) {
          await collection.insertOne({ ...stored })
          listener.mockClear()
          update.mockClear()
          const outcome = await attempt(run)
          if (update.mock.calls.length > 0 && listener.mock.calls.length === 0) direct++
          const left = await attempt(() => collection.findOne({ _id }))
          outcomes.push([outcome, left])
          await collection.deleteOne({ _id })
        }
        expect([seed, each, input, outcomes[0]]).toEqual([seed, each, input, outcomes[1]])
        if (outcomes[0]?.[0]?.includes('"message"')) failed++
      }
      client.deleteModel(`Note${seed}`)
    }
    // Neither way is rare.
    expect(direct).toBeGreaterThan(cases / 10)
    expect(failed).toBeGreaterThan(cases / 10)
    expect(failed).toBeLessThan((cases * 4) / 5)
  }, 600_000)
})

describe('a deletion without a query of Mongoose', () => {
  const createSchema = (): Schema => new Schema({ title: String }).plugin(versioned)
  const create = async (name: string, schema = createSchema()) => {
    client.deleteModel(/^Deleted/)
    const DeletedModel = client.model<{ title: string }>(name, schema)
    const { _id } = await DeletedModel.create({ title: 'a' })
    return { DeletedModel, _id, find: vi.spyOn(DeletedModel.collection, 'findOneAndDelete') }
  }

  it('deletes one document, in the scope and the version that it must have', async () => {
    const { DeletedModel, _id, find } = await create('Deleted1')
    const remove = (scope: Record<string, unknown>, match: { __v?: number } = {}): Promise<void> =>
      deleteDocument(DeletedModel, { _id }, { scope, match })
    await expect(remove({ title: 'b' })).rejects.toMatchObject({ code: 'not_found' })
    await expect(remove({}, { __v: 5 })).rejects.toMatchObject({ code: 'precondition_failed' })
    expect(await DeletedModel.countDocuments()).toBe(1)
    await remove({ title: 'a' }, { __v: 0 })
    expect(await DeletedModel.countDocuments()).toBe(0)
    await expect(remove({})).rejects.toMatchObject({ code: 'not_found' })
    expect(find.mock.calls.length > 0).toBe(process.env['CREATE_API_READS'] === 'mongoose')
  })

  it('is left to Mongoose with a hook of deletions', async () => {
    const hook = vi.fn<() => void>()
    const schema = createSchema().post('findOneAndDelete', hook)
    const { DeletedModel, _id } = await create('Deleted2', schema)
    await deleteDocument(DeletedModel, { _id }, { scope: {}, match: {} })
    expect(hook).toHaveBeenCalledTimes(1)
    expect(await DeletedModel.countDocuments()).toBe(0)
  })
})
