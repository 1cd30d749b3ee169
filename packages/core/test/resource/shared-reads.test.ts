import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import mongoose, {
  type Connection,
  type mongo,
  type Model,
  Mongoose,
  Schema,
  type SchemaOptions,
  Types,
} from 'mongoose'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createApi, createRegistry, type Scope } from '../../src/index.ts'
import {
  defineListQuery,
  findDocument,
  findPage,
  toOutputSchema,
  unsharedCommands,
  versioned,
} from '../../src/resource.ts'

interface Note {
  title: string
  owner: string
  parts: { text: string }[]
}

const note = toOutputSchema(
  z.strictObject({
    title: z.string(),
    owner: z.string(),
    parts: z.array(z.object({ text: z.string() })),
  }),
)
const listNotes = defineListQuery(note, { filters: ['owner'], sort: ['title'] })
const listUncounted = defineListQuery(note, { sort: ['title'], total: 'onRequest' })

const server = process.env['MONGODB_URI']
  ? { uri: process.env['MONGODB_URI'], stop: async () => {} }
  : await startEmbeddedMongo({ storage: { memory: true } })

const ids = Array.from(
  { length: 20 },
  (_, index) => new Types.ObjectId((index + 1).toString(16).padStart(24, '0')),
)
const owners = ['ann', 'bob'] as const
const all = { scope: {} }

const clients: Mongoose[] = []
let sent: mongo.Document[] = []

const createSchema = (options: SchemaOptions = {}): Schema =>
  new Schema(
    { title: String, owner: String, parts: [{ text: String }] },
    { collection: 'notes', ...options },
  ).plugin(versioned)

async function createModel(schema: Schema = createSchema()): Promise<Model<Note>> {
  const client = new Mongoose()
  clients.push(client)
  await client.connect(server.uri, { dbName: 'shared_reads', monitorCommands: true })
  client.connection.getClient().on('commandStarted', ({ command, commandName }) => {
    if (/^(?:find|aggregate)$/.test(commandName)) sent.push(command)
  })
  return client.model<Note>('Note', schema)
}

// The fail points of MongoDB.
async function fail({ db }: Connection, data: object, mode: object = { times: 1 }): Promise<void> {
  await db?.admin().command({
    configureFailPoint: 'failCommand',
    mode,
    data: { failCommands: ['find', 'aggregate'], ...data },
  })
}

let NoteModel: Model<Note>

beforeEach(async () => {
  NoteModel = await createModel()
  await NoteModel.deleteMany({})
  await NoteModel.collection.insertMany(
    ids.map((_id, index) => ({
      _id,
      title: `Note ${index}`,
      owner: owners[index % 2],
      parts: [{ text: 'one' }],
    })),
  )
  sent = []
})

afterEach(async () => {
  for (const client of clients.splice(0)) await client.disconnect()
})

afterAll(() => server.stop())

const findAll = (own = ids, scope = {}) =>
  Promise.allSettled(own.map((_id) => findDocument(NoteModel, { _id }, { scope })))

const toTitles = (results: PromiseSettledResult<{ title: string }>[]): (string | number)[] =>
  results.map((result) =>
    result.status === 'fulfilled' ? result.value.title : (result.reason.code ?? result.reason.name),
  )

const titles = ids.map((_id, index) => `Note ${index}`)

// The variable makes Mongoose run every query.
const isDirect = process.env['CREATE_API_READS'] !== 'mongoose'
const describeDirect = isDirect ? describe : describe.skip

describe.each([true, false])('with ignoreUndefined: %s', (ignoreUndefined) => {
  it('a condition that is undefined or null is not taken for another one', async () => {
    const client = new Mongoose()
    clients.push(client)
    await client.connect(server.uri, { dbName: 'shared_reads', ignoreUndefined })
    const model = client.model<Note>('Note', createSchema().add({ extra: String }))
    const scopes = [{ extra: undefined }, { owner: undefined }, { owner: null }]
    const read = async (scope: Scope): Promise<number[]> => {
      const found = ids.map((_id) => findDocument(model, { _id }, { scope }).catch(() => null))
      const documents = await Promise.all(found)
      const { data } = await findPage(model, listNotes.parse({}), { scope })
      return [documents.filter(Boolean).length, data.length]
    }
    const apart = []
    for (const scope of scopes) apart.push(await read(scope))
    expect(await Promise.all(scopes.map(read))).toEqual(apart)
    expect(apart).toEqual([[20, 20], ignoreUndefined ? [20, 20] : [0, 0], [0, 0]])
  })
})

describeDirect('reads of documents that begin together', () => {
  it('are two queries: that of the first, and that of the others', async () => {
    expect(toTitles(await findAll())).toEqual(titles)
    expect(sent.map(({ filter, limit }) => [Object.keys(filter._id).at(0), limit])).toEqual([
      [expect.anything(), 1],
      ['$in', 19],
    ])
  })

  it('are one query if each begins at once', async () => {
    for (const _id of ids.slice(0, 3)) await findDocument(NoteModel, { _id }, all)
    expect(sent.map(({ filter, limit }) => [filter, limit])).toEqual(
      ids.slice(0, 3).map((_id) => [{ _id }, 1]),
    )
  })

  it('find each its own document, or none', async () => {
    const none = new Types.ObjectId()
    const results = await findAll([ids[1], none, ids[0], none, ids[1]].map((id) => id ?? none))
    expect(toTitles(results)).toEqual(['Note 1', 'not_found', 'Note 0', 'not_found', 'Note 1'])
    expect(sent).toHaveLength(2)
  })

  it('are not shared by different scopes, views and models', async () => {
    const mine = owners.map((owner) => findAll(ids, { owner }))
    const viewed = ids.map((_id) =>
      findDocument(NoteModel, { _id }, { ...all, query: { fields: ['title'] } }),
    )
    const [ann, bob] = await Promise.all(mine)
    const expected = (at: number) =>
      titles.map((title, index) => (index % 2 === at ? title : 'not_found'))
    expect([toTitles(ann ?? []), toTitles(bob ?? [])]).toEqual([expected(0), expected(1)])
    expect(await Promise.all(viewed)).toEqual(
      ids.map((_id, index) => ({ _id, title: titles[index] })),
    )
    const filters = sent.map(({ filter }) => JSON.stringify(filter))
    expect(filters.filter((text) => text.includes('ann') && text.includes('bob'))).toEqual([])
    expect(sent.length).toBe(4)
  })

  it('have filters of any kind', async () => {
    const found = await Promise.all(titles.map((title) => findDocument(NoteModel, { title }, all)))
    expect(found.map(({ title }) => title)).toEqual(titles)
    const mine = await Promise.allSettled(
      ids.map((_id) =>
        findDocument(NoteModel, { _id, title: 'Note 3' }, { scope: { _id: ids[3] } }),
      ),
    )
    expect(toTitles(mine)).toEqual(
      titles.map((title) => (title === 'Note 3' ? title : 'not_found')),
    )
  })

  it('can have ids of other types', async () => {
    const schema = createSchema({ collection: 'named' }).add({ _id: String })
    const Named = await createModel(schema)
    await Named.create(['a', 'b'].map((_id) => ({ _id, title: _id })))
    sent = []
    const found = await Promise.all(
      ['a', 'b', 'b', 'a'].map((_id) => findDocument(Named, { _id }, all)),
    )
    await Named.deleteMany({})
    expect(found.map(({ title }) => title)).toEqual(['a', 'b', 'b', 'a'])
    expect(sent).toHaveLength(3)
  })

  it('return documents that can be changed without the others', async () => {
    const [, one, same] = await Promise.all(
      [0, 1, 1].map((at) => findDocument(NoteModel, { _id: ids[at] }, all)),
    )
    if (!one || !same) throw new Error('they were found')
    one.title = 'changed'
    one.parts[0] = { text: 'changed' }
    expect(same).toMatchObject({ title: 'Note 1', parts: [{ text: 'one' }] })
  })

  it('see what was written before they began', async () => {
    const slow = findAll(ids)
    await NoteModel.updateOne({ _id: ids[5] }, { title: 'written' })
    await NoteModel.deleteOne({ _id: ids[6] })
    const after = await findAll(ids.slice(4, 8))
    await slow
    expect(toTitles(after)).toEqual(['Note 4', 'written', 'not_found', 'Note 7'])
  })

  it('do not wait for a large document a second time', async () => {
    const text = 'x'.repeat(70_000)
    await NoteModel.updateOne({ _id: ids[2] }, { parts: [{ text }] })
    expect(toTitles(await findAll())).toEqual(titles)
    sent = []
    expect(toTitles(await findAll())).toEqual(titles)
    expect(sent.map(({ limit }) => limit)).toEqual(expect.arrayContaining([1, 1, 18]))
    expect(sent).toHaveLength(3)
  })

  it('can find more than one reply can hold', async () => {
    const text = 'x'.repeat(4_000_000)
    await NoteModel.updateMany({ _id: { $in: ids.slice(0, 6) } }, { parts: [{ text }] })
    expect(toTitles(await findAll())).toEqual(titles)
  })

  // The embedded database has no views.
  it.skipIf(!process.env['MONGODB_URI'])(
    'can find documents of a view that have the same id',
    async () => {
      await NoteModel.updateOne({ _id: ids[1] }, { parts: [{ text: 'a' }, { text: 'b' }] })
      await NoteModel.db.createCollection('parts', {
        viewOn: 'notes',
        pipeline: [{ $unwind: '$parts' }],
      })
      const PartModel = await createModel(createSchema({ collection: 'parts' }))
      const found = await Promise.all(ids.map((_id) => findDocument(PartModel, { _id }, all)))
      await NoteModel.db.dropCollection('parts')
      expect(found.map(({ title }) => title)).toEqual(titles)
    },
  )
})

describeDirect('a read that fails', () => {
  it('does not harm those that began with it', async () => {
    await fail(NoteModel.db, { errorCode: 50 })
    expect(toTitles(await findAll())).toEqual([50, ...titles.slice(1)])
  })

  it.each([
    ['takes too long', { errorCode: 50 }],
    ['breaks the connection', { closeConnection: true }],
    ['is not allowed', { errorCode: 13 }],
  ])('is repeated by each if the query for all %s', async (_title, data) => {
    await fail(NoteModel.db, { blockConnection: true, blockTimeMS: 100 })
    const first = findAll(ids.slice(0, 1))
    // By now the first query waits in the database.
    await NoteModel.db.db?.command({ ping: 1 })
    await fail(NoteModel.db, data)
    const others = await findAll(ids.slice(1))
    expect([...toTitles(await first), ...toTitles(others)]).toEqual(titles)
    expect(sent.map(({ limit }) => limit)).toEqual([1, 19, ...Array.from({ length: 19 }, () => 1)])
  })

  it('has its own error for a value that cannot be cast', async () => {
    const results = await Promise.allSettled(
      ['no id', ids[0], ids[1], 'none'].map((_id) => findDocument(NoteModel, { _id }, all)),
    )
    expect(toTitles(results)).toEqual(['CastError', 'Note 0', 'Note 1', 'CastError'])
  })
})

describeDirect('equal lists that begin together', () => {
  const page = (query: object = {}) => findPage(NoteModel, listNotes.parse(query), all)

  it('are two queries and two counts', async () => {
    const pages = await Promise.all(Array.from({ length: 9 }, () => page({ limit: '3' })))
    expect(pages.map(({ data, meta }) => [data.map(({ title }) => title), meta])).toEqual(
      pages.map(() => [titles.slice(0, 3), { page: 1, limit: 3, total: 20, pages: 7 }]),
    )
    const names = sent.map((command) => Object.keys(command)[0])
    expect(names).toHaveLength(4)
    expect(names).toEqual(expect.arrayContaining(['find', 'find', 'aggregate', 'aggregate']))
  })

  it('are others with another filter, order, page or scope', async () => {
    const query = { limit: '2' }
    const pages = await Promise.all([
      page(query),
      page(query),
      page({ ...query, page: '2' }),
      page({ ...query, owner: 'bob' }),
      page({ ...query, sort: '-title' }),
      findPage(NoteModel, listNotes.parse(query), { scope: { owner: 'ann' } }),
    ])
    expect(pages.map(({ data }) => data.map(({ title }) => Number(title.slice(5))))).toEqual([
      [0, 1],
      [0, 1],
      [2, 3],
      [1, 3],
      [9, 8],
      [0, 2],
    ])
    expect(pages.map(({ meta }) => Reflect.get(meta, 'total'))).toEqual([20, 20, 20, 10, 20, 10])
  })

  it('have lists that can be changed without the others', async () => {
    const [, one, same] = await Promise.all([page(), page(), page()])
    if (!one?.data[0] || !same?.data[0]) throw new Error('they were found')
    one.data[0].title = 'changed'
    one.data.reverse()
    expect(same.data.map(({ title }) => title)).toEqual(titles)
  })

  it.each([{ limit: '3' }, { limit: '3', offset: '4' }, { limit: '3', cursor: '' }])(
    'say each whether another page follows (%o)',
    async (query) => {
      const pages = await Promise.all(
        Array.from({ length: 5 }, () => findPage(NoteModel, listUncounted.parse(query), all)),
      )
      for (const { data, meta } of pages) {
        expect(data).toHaveLength(3)
        expect(Object.keys(meta)).toEqual(Object.keys(pages[0]?.meta ?? {}))
        expect('nextCursor' in meta || Reflect.get(meta, 'hasNextPage')).toBe(true)
      }
    },
  )
})

describe('no query is shared', () => {
  const countQueries = async (own: Model<Note>): Promise<number> => {
    sent = []
    await Promise.all(ids.map((_id) => findDocument(own, { _id }, all)))
    return sent.length
  }

  it('for a model with the plugin unsharedCommands', async () => {
    const own = await createModel(createSchema().plugin(unsharedCommands))
    expect(await countQueries(own)).toBe(20)
  })

  it('with the option database.shareCommands: false', async () => {
    const api = createApi({
      name: 'unshared',
      environment: 'test',
      routes: createRegistry(),
      database: { uri: server.uri, name: 'shared_reads', shareCommands: false },
      log: { level: 'silent' },
    })
    await api.start({ port: 0, signals: false })
    const own = mongoose.model<Note>('UnsharedNote', createSchema())
    try {
      const { db } = own.db
      if (!db) throw new Error('it is connected')
      const command = vi.spyOn(db, 'command')
      const found = await Promise.all(ids.map((_id) => findDocument(own, { _id }, all)))
      expect(found.map(({ title }) => title)).toEqual(titles)
      expect(command).toHaveBeenCalledTimes(isDirect ? 20 : 0)
    } finally {
      await api.stop()
      mongoose.deleteModel('UnsharedNote')
    }
  })

  it('in a transaction', async () => {
    const client = new Mongoose()
    clients.push(client)
    client.set('transactionAsyncLocalStorage', true)
    await client.connect(server.uri, { dbName: 'shared_reads' })
    const own = client.model<Note>('Note', createSchema())
    await client.connection
      .transaction(async () => {
        await own.updateOne({ _id: ids[0] }, { title: 'uncommitted' })
        const inside = ids.map((_id) => findDocument(own, { _id }, all))
        const outside = findAll()
        expect((await Promise.all(inside))[0]?.title).toBe('uncommitted')
        expect(toTitles(await outside)).toEqual(titles)
        throw new Error('rolled back')
      })
      .catch((error: unknown) => expect(String(error)).toContain('rolled back'))
  })
})
