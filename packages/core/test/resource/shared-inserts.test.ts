import { setImmediate as nextTurn } from 'node:timers/promises'
import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import { type Connection, type Model, Mongoose, Schema, Types } from 'mongoose'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createDocument, unsharedCommands, versioned } from '../../src/resource.ts'
import { createRandom } from '../random.ts'

interface Note {
  title: string
  owner: string
  slug?: string
  extra?: unknown
}

const server = process.env['MONGODB_URI']
  ? { uri: process.env['MONGODB_URI'], stop: async () => {} }
  : await startEmbeddedMongo({ storage: { memory: true } })

// The variable makes Mongoose store every document.
const isShared = process.env['CREATE_API_READS'] !== 'mongoose'

const all = { scope: {} }
const clients: Mongoose[] = []
// How many documents each command inserted.
let sizes: number[] = []

const createSchema = (): Schema =>
  new Schema(
    { title: { type: String, required: true }, owner: String, slug: String, extra: {} },
    { collection: 'notes', timestamps: true },
  ).plugin(versioned)

async function createModel(schema = createSchema()): Promise<Model<Note>> {
  const client = new Mongoose()
  clients.push(client)
  client.set('transactionAsyncLocalStorage', true)
  const options = { dbName: 'shared_inserts', monitorCommands: true, autoIndex: false }
  await client.connect(server.uri, options)
  client.connection.getClient().on('commandStarted', ({ command, commandName }) => {
    if (commandName === 'insert') sizes.push(command['documents'].length)
  })
  return client.model<Note>('Note', schema)
}

// The fail points of MongoDB.
async function fail({ db }: Connection, data: object, times = 1): Promise<void> {
  await db?.admin().command({
    configureFailPoint: 'failCommand',
    mode: { times },
    data: { failCommands: ['insert'], ...data },
  })
}

let NoteModel: Model<Note>

beforeEach(async () => {
  NoteModel = await createModel()
  await NoteModel.db.dropDatabase()
  await NoteModel.createCollection()
  sizes = []
})

afterEach(async () => {
  for (const client of clients.splice(0)) await client.disconnect()
})

afterAll(() => server.stop())

const byNumber = (a: number, b: number): number => a - b

const inputs = (count: number): object[] =>
  Array.from({ length: count }, (_, at) => ({ title: `Note ${at}` }))

const createAll = (own: object[], model = NoteModel, scope = {}) =>
  Promise.allSettled(own.map((input) => createDocument(model, { ...input }, { scope })))

type Results = PromiseSettledResult<Note>[]

const toTitles = (results: Results): (string | number)[] =>
  results.map((result) =>
    result.status === 'fulfilled' ? result.value.title : (result.reason.code ?? result.reason.name),
  )

const findTitles = async (): Promise<string[]> =>
  (await NoteModel.find().lean()).map(({ title }) => title).toSorted()

const titles = inputs(20).map((_input, at) => `Note ${at}`)

describe('documents that are created together', () => {
  it.skipIf(!isShared)('are two commands: that of the first, and that of the others', async () => {
    const results = await createAll(inputs(20))
    expect(toTitles(results)).toEqual(titles)
    expect(sizes).toEqual([1, 19])
    const created = results.map((result) => (result.status === 'fulfilled' ? result.value : {}))
    expect(await NoteModel.find().sort({ _id: 1 }).lean()).toEqual(created)
  })

  it.skipIf(!isShared)('are a command each if each begins after the last', async () => {
    for (const input of inputs(3)) await createAll([input])
    expect(sizes).toEqual([1, 1, 1])
  })

  it.skipIf(!isShared)('are 100 in a command at most', async () => {
    await createAll(inputs(250))
    expect(sizes.toSorted(byNumber)).toEqual([1, 49, 100, 100])
    expect(await findTitles()).toHaveLength(250)
  })

  it('have their own errors of validation', async () => {
    const results = await createAll([{ title: 'a' }, {}, { title: 'b' }, {}, { title: 'c' }])
    expect(toTitles(results)).toEqual(['a', 'ValidationError', 'b', 'ValidationError', 'c'])
    expect(await findTitles()).toEqual(['a', 'b', 'c'])
  })

  it('have the values of their scopes', async () => {
    const owners = ['ann', 'bob', 'ann', 'bob']
    await Promise.all(owners.map((owner) => createAll(inputs(1), NoteModel, { owner })))
    const stored = await NoteModel.find().lean()
    expect(stored.map(({ owner }) => owner).toSorted()).toEqual(owners.toSorted())
  })

  // By an index that the schema does not have.
  it('get their own errors if the database refuses them', async () => {
    await NoteModel.collection.createIndex({ slug: 1 }, { unique: true, sparse: true })
    const slugs = ['a', 'b', undefined, 'b', 'c', 'a', 'b', undefined]
    const results = await createAll(slugs.map((slug, at) => ({ title: `Note ${at}`, slug })))
    expect(toTitles(results)).toEqual(
      slugs.map((_slug, at) => ([3, 5, 6].includes(at) ? 11_000 : `Note ${at}`)),
    )
    expect(results[3]).toMatchObject({
      reason: { keyPattern: { slug: 1 }, keyValue: { slug: 'b' } },
    })
    expect(await findTitles()).toEqual(['Note 0', 'Note 1', 'Note 2', 'Note 4', 'Note 7'])
  })

  it('are stored although one of them cannot be sent', async () => {
    const broken = { title: 'broken', extra: { 'a\0b': 1 } }
    const results = await createAll([...inputs(3), broken, { title: 'last' }])
    expect(toTitles(results)).toEqual(['Note 0', 'Note 1', 'Note 2', 'BSONError', 'last'])
    expect(await findTitles()).toEqual(['Note 0', 'Note 1', 'Note 2', 'last'])
  })

  it.each([
    ['is large', { title: 'x'.repeat(70_000) }, 'fulfilled'],
    ['is larger than the database allows', { title: 'x'.repeat(17_000_000) }, 'rejected'],
    ['has itself as a value', { title: 'loop', extra: makeLoop() }, 'rejected'],
  ])('do not wait for one that %s', async (_title, input, status) => {
    const results = await createAll([...inputs(3), input, { title: 'last' }])
    expect(results.map((result) => result.status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      status,
      'fulfilled',
    ])
    if (isShared) expect(sizes.toSorted(byNumber)).toEqual([1, 1, 3])
  })

  it('get the error of the database if it has a rule of the collection', async () => {
    await NoteModel.db.dropDatabase()
    await NoteModel.db.createCollection('notes', { validator: { slug: { $ne: 'bad' } } })
    const slugs = ['a', 'b', 'bad', 'c']
    const results = await createAll(slugs.map((slug, at) => ({ title: `Note ${at}`, slug })))
    expect(toTitles(results)).toEqual(['Note 0', 'Note 1', 121, 'Note 3'])
    expect(results[2]).toMatchObject({ reason: { name: 'MongoServerError' } })
    if (isShared) expect(sizes).toEqual([1, 3])
  })
})

function makeLoop(): object {
  const loop: { own?: object } = {}
  loop.own = loop
  return loop
}

// The first document is sent by itself, so the failure is that of the others.
async function createDuring(data: object, times?: number): Promise<Results> {
  await fail(NoteModel.db, { blockConnection: true, blockTimeMS: 100 })
  const [first, ...others] = inputs(4)
  const sent = createAll([first ?? {}])
  // By now the first command waits in the database.
  await NoteModel.db.db?.command({ ping: 1 })
  await fail(NoteModel.db, data, times)
  const results = await createAll(others)
  return [...(await sent), ...results]
}

describe('a command that fails', () => {
  it('is repeated by the driver after a fault of the network', async () => {
    expect(toTitles(await createDuring({ closeConnection: true }))).toEqual(titles.slice(0, 4))
    expect(await findTitles()).toEqual(titles.slice(0, 4))
  })

  it.skipIf(!isShared)('has the error of a single document, for all', async () => {
    const results = await createDuring({ closeConnection: true }, 2)
    expect(toTitles(results)).toEqual([
      'Note 0',
      ...Array.from({ length: 3 }, () => 'MongoNetworkError'),
    ])
    expect(sizes).toEqual([1, 3, 3])
    expect(await findTitles()).toEqual(['Note 0'])
  })

  it.skipIf(!isShared).each([50, 13])(
    'has the error of the database, for all (%i)',
    async (errorCode) => {
      const results = await createDuring({ errorCode })
      expect(toTitles(results)).toEqual(['Note 0', errorCode, errorCode, errorCode])
      expect(results[1]).toMatchObject({ reason: { name: 'MongoServerError' } })
      expect(sizes).toEqual([1, 3])
    },
  )

  it.skipIf(!isShared)('has the error of the write concern, for all', async () => {
    const writeConcernError = { code: 64, errmsg: 'waiting for replication timed out' }
    const results = await createDuring({ writeConcernError })
    expect(toTitles(results)).toEqual(['Note 0', 64, 64, 64])
    const reason = { name: 'MongoWriteConcernError', message: writeConcernError.errmsg }
    expect(results[1]).toMatchObject({ reason })
  })
})

describe('no command is shared', () => {
  const countCommands = async (own: Model<Note>): Promise<number> => {
    sizes = []
    await createAll(inputs(5), own)
    return sizes.length
  }

  it('for a model with the plugin unsharedCommands', async () => {
    const own = await createModel(createSchema().plugin(unsharedCommands))
    expect(await countCommands(own)).toBe(5)
  })

  it.each([
    ['a field', createSchema().add({ slug: { type: String, unique: true, sparse: true } })],
    ['an index', createSchema().index({ slug: 1, owner: 1 }, { unique: true })],
    [
      'a subdocument',
      createSchema().add({ part: new Schema({ code: { type: String, unique: true } }) }),
    ],
  ])('for a model with a unique key of %s', async (_title, schema) => {
    expect(await countCommands(await createModel(schema))).toBe(5)
  })

  it('for documents whose ids the input sets', async () => {
    const same = new Types.ObjectId()
    const ids = [same, new Types.ObjectId(), same]
    const results = await createAll(ids.map((_id, at) => ({ title: `Note ${at}`, _id })))
    expect(toTitles(results).filter((title) => title === 11_000)).toHaveLength(1)
    expect(sizes).toEqual([1, 1, 1])
  })

  it('where the commands are observed', async () => {
    const seen: unknown[] = []
    NoteModel.db.on('operation-start', ({ method }) => seen.push(method))
    expect(await countCommands(NoteModel)).toBe(5)
    expect(seen).toEqual(Array.from({ length: 5 }, () => 'insertOne'))
  })

  it('with client-side encryption', async () => {
    const own = await createModel()
    Reflect.set(own.db.getClient().options, 'autoEncryption', {})
    expect(await countCommands(own)).toBe(5)
  })

  it('in a transaction', async () => {
    await NoteModel.db
      .transaction(async () => {
        for (const input of inputs(2)) await createDocument(NoteModel, { ...input }, all)
        throw new Error('rolled back')
      })
      .catch((error: unknown) => expect(String(error)).toContain('rolled back'))
    expect(await findTitles()).toEqual([])
  })
})

it('stores each document of which it says so, and no other, whatever begins together', async () => {
  await NoteModel.collection.createIndex({ slug: 1 }, { unique: true, sparse: true })
  const random = createRandom(7)
  const created = new Set<string>()
  let next = 0
  async function create(): Promise<void> {
    while (next < 1000) {
      const title = `Note ${next++}`
      const slug = random.below(4) === 0 ? `slug ${random.below(150)}` : undefined
      const extra = random.below(50) === 0 ? 'x'.repeat(70_000) : { at: next }
      const [result] = await createAll([{ title, slug, extra }])
      if (result?.status === 'fulfilled') created.add(title)
      else expect(result?.reason).toMatchObject({ code: 11_000, keyValue: { slug } })
      for (let turns = random.below(3); turns > 0; turns--) await nextTurn()
    }
  }
  await Promise.all(Array.from({ length: 20 }, create))
  expect(await findTitles()).toEqual([...created].toSorted())
  expect(created.size).toBeGreaterThan(750)
  if (isShared) expect(sizes.length).toBeLessThan(750)
})
