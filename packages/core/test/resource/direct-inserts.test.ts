import { tracingChannel } from 'node:diagnostics_channel'
import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import { type Model, Mongoose, Schema, type SchemaOptions, Types } from 'mongoose'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { createDocument, findDocument, integerIds, versioned } from '../../src/resource.ts'

interface Note {
  title: string
}

const all = { scope: {} }

const server = process.env['MONGODB_URI']
  ? { uri: process.env['MONGODB_URI'], stop: async () => {} }
  : await startEmbeddedMongo({ storage: { memory: true } })

const part = (): Schema =>
  new Schema({ name: { type: String, trim: true }, at: Date }, { _id: false })

const createSchema = (options: SchemaOptions = {}): Schema =>
  new Schema(
    {
      title: { type: String, required: true, maxlength: 20, trim: true },
      slug: { type: String, default: () => 'computed' },
      kind: { type: String, enum: ['a', 'b'], default: 'a' },
      rating: Schema.Types.Decimal128,
      file: Buffer,
      key: Schema.Types.UUID,
      big: BigInt,
      any: Schema.Types.Mixed,
      empty: {},
      ref: { type: Schema.Types.ObjectId, ref: 'Other' },
      labels: { type: Map, of: String },
      tags: [String],
      nested: { deep: { value: Number, other: { type: Number, default: 7 } } },
      one: part(),
      parts: [new Schema({ name: String })],
      only: { type: String, get: () => 'gotten' },
    },
    { timestamps: true, ...options },
  )

const clients: Mongoose[] = []

async function createModel(schema: Schema = createSchema()) {
  const client = new Mongoose()
  clients.push(client)
  await client.connect(server.uri, { dbName: 'direct_inserts' })
  const NoteModel = client.model<Note>('Note', schema)
  const save = vi.spyOn(NoteModel.prototype, '$__save')
  return { client, NoteModel, save }
}

afterEach(async () => {
  for (const client of clients.splice(0)) {
    await client.connection.dropDatabase()
    await client.disconnect()
  }
})

afterAll(() => server.stop())

const input = {
  title: '  A title ',
  rating: '1.50',
  file: Buffer.from('file'),
  key: '01234567-89ab-4cde-8123-456789abcdef',
  big: 12_345_678_901_234n,
  any: { a: [1, { b: null }], date: new Date(5) },
  empty: {},
  ref: '65f0c0ffee0123456789abcd',
  labels: { x: 'y' },
  tags: ['a', 'b'],
  nested: { deep: { value: '5' } },
  one: { name: ' one ', at: '2026-01-01' },
  parts: [{ _id: '65f0c0ffee0123456789abce', name: 'part' }],
  only: 'stored',
  unknown: 'dropped',
}

const readStored = (NoteModel: Model<Note>, _id: Types.ObjectId) =>
  NoteModel.collection.findOne({ _id })

// As JSON, which keeps the order of the fields, without what differs from one document to the next.
function show(value: unknown): string {
  const text = JSON.stringify(value, (_key, own: unknown) =>
    typeof own === 'bigint' ? `${own}n` : own,
  )
  return text.replaceAll(/"(_?id|createdAt|updatedAt)":"[^"]*"/g, '"$1":""')
}

// As a lean query returns it.
const asRead = { flattenMaps: true, getters: false, transform: false, virtuals: false }

// Creates the same document twice: as the framework does, and by `save()` itself.
async function createTwice(schema: Schema, own: object = input) {
  const { NoteModel, save } = await createModel(schema)
  const created = await createDocument(NoteModel, { ...own }, all)
  const isDirect = save.mock.calls.length === 0
  const saved = await new NoteModel(own).save()
  return {
    isDirect,
    returned: [created, saved.toObject(asRead)].map(show),
    stored: [await readStored(NoteModel, created._id), await readStored(NoteModel, saved._id)].map(
      show,
    ),
    created,
  }
}

// For fields that Mongoose warns of.
const quiet = { suppressReservedKeysWarning: true, timestamps: true }

const isOn = process.env['CREATE_API_READS'] !== 'mongoose'

describe('a new document', () => {
  it.each<[string, SchemaOptions]>([
    ['timestamps', {}],
    ['no timestamps', { timestamps: false }],
    ['no version', { versionKey: false }],
    ['another name of the version', { versionKey: 'revision' }],
    ['empty objects', { minimize: false }],
    ['fields that the schema does not have', { strict: false }],
    [
      'a transform and virtuals of objects',
      {
        toObject: {
          virtuals: true,
          getters: true,
          transform: (_one, plain) => ({ ...plain, more: 1 }),
        },
      },
    ],
  ])('is stored and returned as by save(), with %s', async (_title, options) => {
    const { isDirect, returned, stored } = await createTwice(
      createSchema(options).plugin(versioned),
    )
    expect(isDirect).toBe(isOn)
    expect(returned[0]).toBe(returned[1])
    expect(stored[0]).toBe(stored[1])
  })

  it('has one time in createdAt and updatedAt', async () => {
    const before = Date.now()
    const { created } = await createTwice(createSchema())
    const [createdAt, updatedAt]: unknown[] = ['createdAt', 'updatedAt'].map((name) =>
      Reflect.get(created, name),
    )
    expect(createdAt).toEqual(updatedAt)
    expect(Number(createdAt)).toBeGreaterThanOrEqual(before)
  })

  it('is validated, with the hooks of validation', async () => {
    const schema = createSchema()
    schema.pre('validate', function hook() {
      this.set('slug', 'from the hook')
    })
    const { NoteModel, save } = await createModel(schema)
    await expect(
      createDocument(NoteModel, { title: 'x'.repeat(21), kind: 'c' }, all),
    ).rejects.toMatchObject({
      name: 'ValidationError',
      errors: { title: { kind: 'maxlength' }, kind: { kind: 'enum' } },
    })
    expect(await NoteModel.countDocuments()).toBe(0)
    expect(await createDocument(NoteModel, { title: 'x' }, all)).toMatchObject({
      slug: 'from the hook',
    })
    expect(save.mock.calls.length === 0).toBe(isOn)
  })

  it('may have a schema that contains itself', async () => {
    const reply = new Schema({ text: String })
    reply.add({ replies: [reply] })
    const { isDirect, stored } = await createTwice(createSchema().add({ replies: [reply] }), {
      ...input,
      replies: [{ text: 'a', replies: [{ text: 'b' }] }],
    })
    expect(isDirect).toBe(isOn)
    expect(stored[0]).toBe(stored[1])
  })

  it('may have fields with the names of methods', async () => {
    const own = { validate: 1, set: 2, toBSON: 3 }
    const schema = new Schema({ validate: Number, set: Number, toBSON: Number }, quiet)
    const { isDirect, stored } = await createTwice(schema, own)
    expect(isDirect).toBe(isOn)
    expect(stored[0]).toBe(stored[1])
    expect(stored[0]).toContain('"validate":1,"set":2,"toBSON":3')
    const scoped = new Schema({ ...schema.obj, rank: Number }, quiet)
    const { NoteModel } = await createModel(scoped)
    const rank = { $in: [1, 2] }
    const made = createDocument(NoteModel, { set: 2 }, { scope: { validate: 1, rank } })
    await expect(made).rejects.toMatchObject({ code: 'forbidden' })
  })

  it('needs an id', async () => {
    const { NoteModel } = await createModel(createSchema().add({ _id: String }))
    const created = createDocument(NoteModel, { title: 'new' }, all)
    await expect(created).rejects.toThrow('must have an _id')
    expect(await NoteModel.countDocuments()).toBe(0)
  })

  it('has the error of the database if it exists', async () => {
    const schema = createSchema()
    schema.index({ title: 1 }, { unique: true })
    const { NoteModel } = await createModel(schema)
    await NoteModel.init()
    await createDocument(NoteModel, { title: 'once' }, all)
    const again = createDocument(NoteModel, { title: 'once' }, all)
    await expect(again).rejects.toMatchObject({ code: 11_000, keyValue: { title: 'once' } })
  })
})

describe('save() stores it', () => {
  it.each<[string, (schema: Schema) => unknown, SchemaOptions?]>([
    [
      'with a hook before it',
      (schema) =>
        schema.pre('save', function hook() {
          this.set('slug', 'hooked')
        }),
    ],
    ['with a hook after it', (schema) => schema.post('save', () => {})],
    [
      'with a hook of a subdocument',
      (schema) => {
        const inner = part()
        inner.pre('save', () => {})
        schema.add({ hooked: inner })
      },
    ],
    [
      'with a hook of one kind of subdocument',
      (schema) => {
        const event = new Schema({}, { discriminatorKey: 'kind' })
        schema.add({ events: [event] })
        const list = schema.path<Schema.Types.DocumentArray>('events')
        list.discriminator(
          'click',
          part().pre('save', () => {}),
        )
      },
    ],
    [
      'with a hook of a subdocument in nested lists',
      (schema) => schema.add({ table: [[part().pre('save', () => {})]] }),
    ],
    [
      'with timestamps of subdocuments',
      (schema) => schema.add({ list: [new Schema({ a: String }, { timestamps: true })] }),
    ],
    ['with other names of the timestamps', () => {}, { timestamps: { createdAt: 'made' } }],
    ['without validation', () => {}, { validateBeforeSave: false }],
    ['with a write concern', () => {}, { writeConcern: { w: 1 } }],
    [
      'with a message for duplicates',
      (schema) => schema.add({ code: { type: String, unique: [true, 'is taken'], sparse: true } }),
    ],
    [
      'with the plugin integerIds',
      (schema) => schema.add({ number: Number }).plugin(integerIds, { field: 'number' }),
    ],
  ])('%s', async (_title, change, options) => {
    const schema = createSchema(options)
    change(schema)
    const { isDirect, returned } = await createTwice(schema)
    expect([isDirect, returned[0]?.length]).toEqual([false, returned[1]?.length])
  })

  it('with a time in the input', async () => {
    const { isDirect, stored } = await createTwice(createSchema(), {
      ...input,
      createdAt: '2020-01-01',
    })
    expect([isDirect, stored[0]]).toEqual([false, stored[1]])
  })

  it('in a transaction', async () => {
    const { client, NoteModel } = await createModel()
    client.set('transactionAsyncLocalStorage', true)
    await NoteModel.createCollection()
    const _id = new Types.ObjectId()
    const failed = client.connection.transaction(async () => {
      await createDocument(NoteModel, { _id, title: 'new' }, all)
      throw new Error('rolled back')
    })
    await expect(failed).rejects.toThrow('rolled back')
    await expect(findDocument(NoteModel, { _id }, all)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('for the model of a discriminator', async () => {
    const { NoteModel } = await createModel()
    const Long = NoteModel.discriminator<Note>('Long', new Schema({ pages: Number }))
    expect(await createDocument(Long, { title: 'long', pages: 3 }, all)).toMatchObject({
      __t: 'Long',
      pages: 3,
    })
  })

  it('for a model with discriminators, whose hooks run', async () => {
    const { NoteModel } = await createModel()
    const hook = vi.fn<() => void>()
    NoteModel.discriminator('Long', new Schema({ pages: Number }).pre('save', hook))
    await createDocument(NoteModel, { __t: 'Long', title: 'long', pages: 3 }, all)
    expect(hook).toHaveBeenCalledTimes(1)
  })

  it.each(['save', 'error'])('for a model with a listener of %s', async (event) => {
    const { NoteModel } = await createModel()
    const listener = vi.fn<() => void>()
    NoteModel.on(event, listener)
    await createDocument(NoteModel, { title: 'new' }, all)
    await createDocument(NoteModel, {}, all).catch(() => {})
    expect(listener).toHaveBeenCalledTimes(1)
  })

  it('while saves are traced', async () => {
    const { NoteModel, save } = await createModel()
    const { start: channel } = tracingChannel('mongoose:model:save')
    const listener = vi.fn<() => void>()
    channel.subscribe(listener)
    try {
      await createDocument(NoteModel, { title: 'new' }, all)
    } finally {
      channel.unsubscribe(listener)
    }
    expect(save).toHaveBeenCalledTimes(1)
    expect(listener).toHaveBeenCalledTimes(1)
  })

  it('while it is replaced', async () => {
    const { NoteModel } = await createModel()
    const { save } = NoteModel.prototype
    const observed = vi.fn<typeof save>(save)
    NoteModel.prototype.save = observed
    await createDocument(NoteModel, { title: 'seen' }, all)
    expect(observed).toHaveBeenCalledTimes(1)
  })
})
