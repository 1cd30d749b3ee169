import { randomBytes } from 'node:crypto'
import { tracingChannel } from 'node:diagnostics_channel'
import { isDeepStrictEqual, inspect } from 'node:util'
import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import mongoose, {
  type Connection,
  type ConnectOptions,
  type Model,
  Mongoose,
  Schema,
  type SchemaOptions,
  Types,
} from 'mongoose'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import {
  type Api,
  type ApiRequest,
  createApi,
  createRegistry,
  createRouter,
  get,
  success,
} from '../../src/index.ts'
import { toBson } from '../../src/lib/json/stored-value.ts'
import {
  defineListQuery,
  defineView,
  findDocument,
  findPage,
  idParams,
  listMeta,
  restrict,
  toOutputSchema,
  versioned,
} from '../../src/resource.ts'

interface Note {
  title: string
  tags: string[]
  views: number
  createdAt: Date
  updatedAt: Date
}

const noteInput = z.strictObject({
  title: z.string(),
  tags: z.array(z.string()),
  views: z.int(),
  rating: z.string().optional(),
  at: z.object({ place: z.string().nullable(), time: z.iso.datetime().optional() }).optional(),
  secret: restrict(z.string().optional(), { readable: 'admin' }),
})
const note = toOutputSchema(noteInput)
const plainNote = note.omit({ secret: true })
const view = defineView(note, { fields: ['title', 'tags'] })
const listNotes = defineListQuery(note, { filters: ['views', 'title'], sort: ['views', 'title'] })
const listViews = defineListQuery(note, { sort: ['views'], view, total: 'onRequest' })
const all = { scope: {} }

const fields = {
  title: String,
  tags: [String],
  views: Number,
  rating: Schema.Types.Decimal128,
  at: { place: String, time: Date },
  secret: String,
}

const server = process.env['MONGODB_URI']
  ? { uri: process.env['MONGODB_URI'], stop: async () => {} }
  : await startEmbeddedMongo({ storage: { memory: true } })

const createSchema = (options: SchemaOptions = {}): Schema =>
  new Schema(fields, { collection: 'notes', timestamps: true, ...options })

const clients: Mongoose[] = []

async function connect(options: ConnectOptions = {}): Promise<Mongoose> {
  const client = new Mongoose()
  clients.push(client)
  await client.connect(server.uri, { dbName: 'direct_reads', ...options })
  return client
}

async function createModel(schema: Schema = createSchema(), options?: ConnectOptions) {
  const client = await connect(options)
  return { client, NoteModel: client.model<Note>('Note', schema.plugin(versioned)) }
}

const ids = Array.from(
  { length: 7 },
  (_, index) => new Types.ObjectId(index.toString(16).padStart(24, '0')),
)

const known = String(ids[3])

beforeAll(async () => {
  const { NoteModel } = await createModel()
  await NoteModel.collection.insertMany(
    ids.map((_id, index) => ({
      _id,
      __v: index,
      title: `Note ${index} “ü” "${index}"`,
      tags: ['a', 'b\n'].slice(index % 3),
      views: index % 4,
      rating: Types.Decimal128.fromString(`${index}.50`),
      at: { place: null, ...(index % 2 && { time: new Date(1_700_000_000_000 + index) }) },
      hidden: { not: 'sent' },
      secret: 'only for administrators',
      createdAt: new Date(1_600_000_000_000),
      updatedAt: new Date(1_600_000_000_000 + index),
    })),
  )
})

afterEach(async () => {
  for (const client of clients.splice(0)) await client.disconnect()
})

afterAll(() => server.stop())

// Whether a read was one command, whose documents nothing has decoded.
async function isDirect(NoteModel: Model<Note>): Promise<boolean> {
  const { data } = await findPage(NoteModel, listNotes.parse({}), all)
  const one = await findDocument(NoteModel, { _id: ids[0] }, all)
  const found = [toBson(data), toBson(one)].map((bson) => bson !== undefined)
  expect(found[0]).toBe(found[1])
  expect([data.length, one.title]).toEqual([7, 'Note 0 “ü” "0"'])
  return found[0] ?? false
}

// The variable makes Mongoose run every query.
const describeDirect = process.env['CREATE_API_READS'] === 'mongoose' ? describe.skip : describe

describeDirect('documents that are read', () => {
  const decoded = { title: 'Note 1 “ü” "1"', tags: ['b\n'], views: 1 }

  it('are the lean documents of Mongoose once they are used', async () => {
    const { NoteModel } = await createModel()
    const expected = await NoteModel.find({}).sort({ _id: 1 }).lean()
    const { data, meta } = await findPage(NoteModel, listNotes.parse({}), all)
    expect(meta).toEqual({ page: 1, limit: 20, total: 7, pages: 1 })
    expect(isDeepStrictEqual(data, expected)).toBe(true)
    expect(data).toStrictEqual(expected)
    const one = await findDocument(NoteModel, { _id: ids[1] }, all)
    expect(one).toStrictEqual(expected[1])
    expect(Object.keys(one)).toEqual(Object.keys(expected[1] ?? {}))
  })

  it.each<[string, (one: object, list: object[]) => unknown, unknown]>([
    [
      'read',
      (one, [first]) => [Reflect.get(one, 'title'), Reflect.get(Object(first), 'views')],
      [decoded.title, 0],
    ],
    [
      'tested',
      (one, list) => ['title' in one, 'none' in one, Array.isArray(list)],
      [true, false, true],
    ],
    [
      'listed',
      (one, list) => [Object.keys(one).includes('tags'), Object.keys(list).length],
      [true, 7],
    ],
    [
      'copied',
      (one, list) => [{ ...one }, [...list].length],
      [expect.objectContaining(decoded), 7],
    ],
    ['written as JSON', (one) => JSON.parse(JSON.stringify(one)), expect.objectContaining(decoded)],
    [
      'printed',
      (one, list) => [
        inspect(one).includes('views: 1'),
        inspect({ list }).split('ObjectId').length,
      ],
      [true, 8],
    ],
    [
      'compared',
      (one, list) => [one.constructor, Object.getPrototypeOf(list)],
      [Object, Array.prototype],
    ],
    [
      'frozen',
      (one, list) => [Object.isFrozen(Object.freeze(one)), Object.isExtensible(list)],
      [true, true],
    ],
    ['sealed', (one) => Object.isSealed(Object.seal(one)), true],
    [
      'cloned',
      (one) => structuredClone({ ...one, _id: 0, rating: 0 }),
      expect.objectContaining(decoded),
    ],
  ])('can be %s', async (_use, use, expected) => {
    const { NoteModel } = await createModel()
    const one = await findDocument(NoteModel, { _id: ids[1] }, all)
    const { data } = await findPage(NoteModel, listNotes.parse({}), all)
    expect([toBson(one), toBson(data)]).not.toContain(undefined)
    expect(use(one, data)).toEqual(expected)
  })

  it('can be changed in every way', async () => {
    const { NoteModel } = await createModel()
    const one: Record<string, unknown> = Object(await findDocument(NoteModel, { _id: ids[1] }, all))
    one['title'] = 'changed'
    expect(one).toMatchObject({ title: 'changed', views: 1 })
    const other: object = await findDocument(NoteModel, { _id: ids[1] }, all)
    Reflect.deleteProperty(other, 'title')
    expect(other).toMatchObject({ views: 1 })
    expect(other).not.toHaveProperty('title')
    const third: object = await findDocument(NoteModel, { _id: ids[1] }, all)
    Object.defineProperty(third, 'title', { value: 'defined' })
    Object.setPrototypeOf(third, null)
    expect(third).toMatchObject({ title: 'defined', views: 1 })
    const { data } = await findPage(NoteModel, listNotes.parse({}), all)
    data.unshift(...data.splice(3))
    data.pop()
    expect(data.map(({ views }) => views)).toEqual([3, 0, 1, 2, 0, 1])
  })

  it('may have a field that promises have', async () => {
    const name = ['th', 'en'].join('')
    const { NoteModel } = await createModel(
      createSchema().add(Object.fromEntries([[name, String]])),
    )
    const _id = new Types.ObjectId()
    await NoteModel.collection.insertOne({ _id, [name]: 'later' })
    const one = await findDocument(NoteModel, { _id }, all)
    await NoteModel.deleteOne({ _id })
    expect(Reflect.get(one, name)).toBe('later')
  })

  it('can be larger than one response of the database', async () => {
    const { NoteModel } = await createModel(createSchema({ collection: 'large' }))
    const title = 'x'.repeat(9_000_000)
    for (const views of [1, 2, 3]) await NoteModel.collection.insertOne({ title, tags: [], views })
    const { data, meta } = await findPage(NoteModel, listNotes.parse({}), all)
    expect([data.map(({ views }) => views), Reflect.get(meta, 'total')]).toEqual([[1, 2, 3], 3])
  })
})

describeDirect('a read is one command of the driver', () => {
  it('for a model with timestamps, methods, virtuals, getters and hooks of other operations', async () => {
    const schema = createSchema({ toJSON: { virtuals: true } })
    schema.virtual('short').get(() => 'short')
    schema.path('title').get(() => 'gotten')
    schema.pre('save', () => {})
    schema.post('findOneAndUpdate', () => {})
    const { NoteModel } = await createModel(schema)
    expect(await isDirect(NoteModel)).toBe(true)
  })

  it('for a schema that contains itself', async () => {
    const reply = new Schema({ text: String })
    reply.add({ replies: [reply] })
    const { NoteModel } = await createModel(createSchema().add({ replies: [reply] }))
    expect(await isDirect(NoteModel)).toBe(true)
  })

  it.each<[string, (schema: Schema) => unknown, SchemaOptions?]>([
    ['a hook before', (schema) => schema.pre('find', () => {})],
    ['a hook after', (schema) => schema.post(/^find/, () => {})],
    ['a hook of counts', (schema) => schema.pre('countDocuments', () => {})],
    [
      'a plugin with hooks',
      (schema) => schema.plugin((own) => void own.pre(['find', 'findOne'], () => {})),
    ],
    [
      'a static method of the name',
      (schema) =>
        schema.static('find', function find(this: Model<Note>, filter) {
          return mongoose.Model.find.call(this, filter)
        }),
    ],
    [
      'a field that is not selected',
      (schema) => schema.add({ hash: { type: String, select: false } }),
    ],
    [
      'a nested one',
      (schema) => schema.add({ parts: [new Schema({ hash: { type: String, select: false } })] }),
    ],
    [
      'a list whose items are not selected',
      (schema) => schema.add({ hashes: [{ type: String, select: false }] }),
    ],
    ['a collation', () => {}, { collation: { locale: 'en' } }],
    ['a read preference', () => {}, { read: 'secondaryPreferred' }],
    ['a read concern', () => {}, { readConcern: { level: 'majority' } }],
  ])('but not with %s', async (_title, change, options) => {
    const schema = createSchema(options)
    change(schema)
    const { NoteModel } = await createModel(schema)
    expect(await isDirect(NoteModel)).toBe(false)
  })

  it.each<[string, (client: Mongoose) => unknown]>([
    ['the option debug', (client) => client.set('debug', () => {})],
    ['the option debug of the connection', ({ connection }) => connection.set('debug', () => {})],
    ['the option sanitizeFilter', (client) => client.set('sanitizeFilter', true)],
    ['the option translateAliases', (client) => client.set('translateAliases', true)],
    ['the option allowDiskUse', (client) => client.set('allowDiskUse', true)],
    ['a listener of operations', ({ connection }) => connection.on('operation-start', () => {})],
  ])('but not with %s', async (_title, change) => {
    const { client, NoteModel } = await createModel()
    expect(await isDirect(NoteModel)).toBe(true)
    change(client)
    expect(await isDirect(NoteModel)).toBe(false)
  })

  it.each<[string, ConnectOptions]>([
    ['long integers as objects', { promoteLongs: false }],
    ['long integers as bigint', { useBigInt64: true }],
    ['binary data as buffers', { promoteBuffers: true }],
    ['text that is not checked', { enableUtf8Validation: false }],
    ['a read concern', { readConcernLevel: 'local' }],
  ])('but not with %s of the connection', async (_title, options) => {
    const { NoteModel } = await createModel(createSchema(), options)
    expect(await isDirect(NoteModel)).toBe(false)
  })

  it('but not for the models of a discriminator', async () => {
    const { NoteModel } = await createModel()
    const Long = NoteModel.discriminator<Note>('Long', new Schema({ pages: Number }))
    expect(await isDirect(NoteModel)).toBe(false)
    const { data } = await findPage(Long, listNotes.parse({}), all)
    expect([toBson(data), data.length]).toEqual([undefined, 0])
  })

  it('but not while what runs queries is replaced', async () => {
    const { NoteModel } = await createModel()
    // oxlint-disable-next-line typescript/unbound-method -- it is called with its query below
    const { exec } = mongoose.Query.prototype
    mongoose.Query.prototype.exec = function observed() {
      return exec.call(this)
    }
    try {
      expect(await isDirect(NoteModel)).toBe(false)
    } finally {
      mongoose.Query.prototype.exec = exec
    }
  })

  it('but not while queries are traced', async () => {
    const { NoteModel } = await createModel()
    const { start: channel } = tracingChannel('mongoose:query')
    const listener = vi.fn<() => void>()
    channel.subscribe(listener)
    try {
      expect(await isDirect(NoteModel)).toBe(false)
    } finally {
      channel.unsubscribe(listener)
    }
    expect(listener).toHaveBeenCalled()
    expect(await isDirect(NoteModel)).toBe(true)
  })

  it('but not in a transaction', async () => {
    const client = await connect()
    client.set('transactionAsyncLocalStorage', true)
    const NoteModel = client.model<Note>('Note', createSchema())
    expect(await isDirect(NoteModel)).toBe(true)
    const _id = new Types.ObjectId()
    await client.connection
      .transaction(async () => {
        await NoteModel.create({ _id, title: 'new', tags: [], views: 9 })
        expect(await findDocument(NoteModel, { _id }, all)).toMatchObject({ title: 'new' })
        expect((await findPage(NoteModel, listNotes.parse({}), all)).data).toHaveLength(8)
        throw new Error('rolled back')
      })
      .catch((error: unknown) => expect(String(error)).toContain('rolled back'))
    await expect(findDocument(NoteModel, { _id }, all)).rejects.toMatchObject({ code: 'not_found' })
  })
})

// The fail points of MongoDB.
async function fail({ db }: Connection, data: object): Promise<void> {
  const failPoint = { configureFailPoint: 'failCommand', mode: { times: 1 } }
  await db
    ?.admin()
    .command({ ...failPoint, data: { failCommands: ['find', 'aggregate'], ...data } })
}

describeDirect('a read that fails', () => {
  it.each([
    ['the connection breaks', { closeConnection: true }],
    ['the server is no longer the primary', { errorCode: 10_107 }],
  ])('is repeated once if %s', async (_title, data) => {
    const { client, NoteModel } = await createModel()
    await fail(client.connection, data)
    expect(await findDocument(NoteModel, { _id: ids[2] }, all)).toMatchObject({ views: 2 })
    await fail(client.connection, data)
    expect((await findPage(NoteModel, listNotes.parse({}), all)).data).toHaveLength(7)
  })

  it('is not repeated if it took too long', async () => {
    const { client, NoteModel } = await createModel()
    await fail(client.connection, { errorCode: 50 })
    const found = findDocument(NoteModel, { _id: ids[2] }, all)
    await expect(found).rejects.toMatchObject({ code: 50 })
  })

  it('has the time of the connection', async () => {
    const { client, NoteModel } = await createModel(createSchema(), { monitorCommands: true })
    const times: unknown[] = []
    client.connection.set('maxTimeMS', 1234)
    client.connection.getClient().on('commandStarted', ({ command, commandName }) => {
      if (/^(?:find|aggregate)$/.test(commandName)) times.push(command.maxTimeMS)
    })
    await findPage(NoteModel, listNotes.parse({}), all)
    expect(times).toEqual([1234, 1234])
  })

  it('has the error of Mongoose for a value that cannot be cast', async () => {
    const { NoteModel } = await createModel()
    const found = findDocument(NoteModel, { _id: 'no id' }, all)
    await expect(found).rejects.toMatchObject({ name: 'CastError', path: '_id' })
  })
})

const paths = [
  '/notes',
  '/notes?page=2&limit=3',
  '/notes?offset=5&limit=3',
  '/notes?cursor=&limit=3&sort=-views',
  '/notes?views=1&sort=title',
  '/notes?views[gt]=1&limit=2',
  '/notes?title=none',
  '/notes?page=0',
  '/views?limit=3',
  '/views?limit=3&total=true&fields=title',
  '/views?cursor=&limit=3&fields=title&sort=views',
  `/notes/${known}`,
  `/notes/${'f'.repeat(24)}`,
  `/plain/${known}`,
  `/touched/${known}`,
  '/touched',
]

describe('a response', () => {
  let api: Api
  let url: string
  let NoteModel: Model<Note>

  const routes = createRouter([
    get(
      '/notes',
      { access: 'optional', query: listNotes, response: note.array(), meta: listMeta },
      async (req, res) => {
        const { data, meta } = await findPage(NoteModel, req.valid.query, {
          scope: req.scope,
        })
        success(res, data, meta)
      },
    ),
    get(
      '/views',
      { access: 'optional', query: listViews, response: view.response.array() },
      async (req, res) => {
        const { data, meta } = await findPage(NoteModel, req.valid.query, {
          scope: req.scope,
        })
        success(res, data, meta)
      },
    ),
    get(
      '/notes/:id',
      { access: 'optional', params: idParams, response: note, etag: true },
      async (req, res) => {
        success(res, await findNote(req))
      },
    ),
    get(
      '/plain/:id',
      { access: 'public', params: idParams, response: plainNote, etag: true },
      async (req, res) => success(res, await findNote(req)),
    ),
    get(
      '/touched/:id',
      { access: 'optional', params: idParams, response: note, etag: true },
      async (req, res) => {
        const found = await findNote(req)
        found.title = found.title.toUpperCase()
        found.views += 1
        success(res, found)
      },
    ),
    get('/touched', { access: 'optional', response: note.array() }, async (req, res) => {
      const { data } = await findPage(NoteModel, listNotes.parse({}), {
        scope: req.scope,
      })
      for (const found of data) found.title = 'changed'
      success(res, data.slice(2))
    }),
  ])

  function findNote(req: ApiRequest<{ params: z.output<typeof idParams> }>) {
    return findDocument(NoteModel, { _id: req.valid.params.id }, { scope: req.scope })
  }

  async function start(environment: 'production' | 'test'): Promise<void> {
    NoteModel = mongoose.model<Note>('Note', createSchema().plugin(versioned))
    api = createApi({
      name: 'reads',
      environment,
      routes: createRegistry().use('/api', routes),
      database: { uri: server.uri, name: 'direct_reads' },
      auth: { secrets: [randomBytes(32).toString('base64')] },
      server: { drainDelay: 0, host: '127.0.0.1' },
      log: { level: 'silent' },
      accessLog: { format: false },
    })
    const started = await api.start({ port: 0, signals: false })
    url = started.url
  }

  async function send(path: string, headers: Record<string, string> = {}): Promise<unknown> {
    const response = await fetch(`${url}/api${path}`, { headers })
    const named = ['content-type', 'content-length', 'etag'].map((name) =>
      response.headers.get(name),
    )
    return [
      response.status,
      ...named,
      (await response.text()).replace(/"(requestId|instance|nextCursor)":"[^"]*"/g, ''),
    ]
  }

  afterEach(async () => {
    await api.stop()
    mongoose.deleteModel('Note')
    mongoose.set('debug', false)
  })

  it.each(['production', 'test'] as const)(
    'is the same from bytes and from documents in %s',
    async (environment) => {
      await start(environment)
      const direct = await Promise.all(paths.map((path) => send(path)))
      mongoose.set('debug', () => {})
      for (const [index, path] of paths.entries()) {
        expect([path, await send(path)]).toEqual([path, direct[index]])
      }
      expect(direct[0]).toMatchObject([200, /json/, /\d/, null, /“ü” \\"1\\".*"rating":"1.50"/])
      expect(JSON.stringify(direct)).not.toContain('administrators')
    },
  )

  it('has the ETag of its document, and no body if the client has it', async () => {
    await start('production')
    expect(await send(`/plain/${known}`)).toMatchObject([200, /json/, /\d/, '"3"', /Note 3/])
    const headers = { 'if-none-match': '"3"' }
    expect(await send(`/plain/${known}`, headers)).toEqual([304, null, null, '"3"', ''])
  })
})
