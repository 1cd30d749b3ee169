import { type IncomingMessage, request } from 'node:http'
import mongoose, { model, Schema, Types } from 'mongoose'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  type ApiRequest,
  ApiError,
  createApi,
  createRegistry,
  createRouter,
  defineRule,
  get,
  role,
  type Rule,
  success,
} from '../../src/index.ts'
import { live, type LiveOptions } from '../../src/live.ts'
import {
  defineListQuery,
  defineView,
  deleteDocument,
  findPage,
  inScope,
  type ListQuery,
  listMeta,
  type ReadOptions,
  restrict,
  restoreDocument,
  softDelete,
  toOutputSchema,
  versioned,
} from '../../src/resource.ts'
import { createTenants, member } from '../../src/tenants.ts'
import { createTestClient, type TestClient, type TestUser } from '../../src/testing.ts'
import { type Changes, type ListChange, openChanges } from './read-changes.ts'

const createNote = z.strictObject({
  title: z.string(),
  state: z.enum(['open', 'done']).default('open'),
  secret: restrict(z.string().optional(), { readable: role('admin') }),
})
const note = toOutputSchema(createNote)
const view = defineView(note, { fields: ['title', 'state'] })
const listNotes = defineListQuery(note, {
  filters: { title: ['eq', 'startsWith'], state: ['eq', 'ne'], broken: () => ({ $broken: 1 }) },
  sort: ['title'],
  view,
})
const noteSchema = new Schema(
  {
    title: { type: String, required: true },
    state: { type: String, required: true, enum: ['open', 'done'] as const },
    secret: String,
    owner: Schema.Types.ObjectId,
    team: String,
    organization: Schema.Types.ObjectId,
    at: Date,
  },
  { timestamps: true },
)
  .plugin(versioned)
  .plugin(softDelete)
const NoteModel = model('LiveNote', noteSchema)

const listOf = (query: ListQuery, options: ReadOptions) => findPage(NoteModel, query, options)
let teams = ['red']
const ofTeams = defineRule('teams', () => ({ team: { $in: teams } }), { anonymous: true })
const due = defineRule('due', () => ({ at: { $lte: new Date() } }), { anonymous: true })
let shown = new Types.ObjectId()

// The times are far below those of the tests.
const often = { heartbeat: 50 }

function createNotes(
  access: Rule | 'owner' | 'optional',
  list = listOf,
  options: LiveOptions = {},
) {
  return createRouter(
    [
      get(
        '/',
        {
          query: listNotes,
          response: view.response.array(),
          meta: listMeta,
          live: live(list, { ...often, ...options }),
        },
        async (req, res) => {
          const { data, meta } = await findPage(NoteModel, req.valid.query, { scope: req.scope })
          success(res, data, meta)
        },
      ),
    ],
    { access, model: NoteModel },
  )
}

const others = new Schema({ title: { type: String, required: true } })
const OtherModel = model('LiveOther', others)

const routes = createRegistry()
  .use('/api/notes', createNotes('owner'))
  .use('/api/team-notes', createNotes(ofTeams))
  .use('/api/few-notes', createNotes('optional', listOf, { maxSubscribers: 1 }))
  .use('/api/slow-notes', createNotes('optional', listOf, { maxBuffered: 1000 }))
  .use('/api/due-notes', createNotes(due))
  .use('/api/shared-notes', createNotes(member))
  .use(
    '/api/foreign-notes',
    createNotes('owner', () => findPage(NoteModel, listAll, { scope: {} })),
  )
  .use(
    '/api/other-notes',
    createNotes('owner', async () => ({ data: [], meta: { limit: 1 } })),
  )
  .use(
    '/api/grouped-notes',
    createNotes('owner', (query) => findPage(NoteModel.aggregate([]), query)),
  )
  .use(
    '/api/shown-notes',
    createNotes('optional', listOf, {
      scope: (req: ApiRequest) => {
        if (shown.equals(gone)) throw new ApiError('not_found')
        return inScope(req.scope, { owner: shown })
      },
    }),
  )
  .use(
    '/api/unscoped-notes',
    createNotes('optional', listOf, { scope: () => ({ owner: undefined }) }),
  )
const gone = new Types.ObjectId()
const listAll = listNotes.parse({})

const errors: unknown[] = []
const api = createApi({
  environment: 'test',
  routes,
  auth: { secrets: ['a secret of at least thirty-two characters'], apiKeys: {} },
  database: { uri: 'embedded:memory' },
  tenants: createTenants({ from: 'header' }),
  rateLimit: false,
  log: { logger: { ...console, error: (fields: object) => errors.push(fields) } as never },
})
let client: TestClient
let mine: TestUser
let other: TestUser
beforeAll(async () => {
  client = await createTestClient(api)
  mine = await client.signUp()
  other = await client.signUp()
})
afterAll(() => client.stop())

const opened: Changes[] = []
beforeEach(async () => {
  teams = ['red']
  shown = new Types.ObjectId()
  await NoteModel.collection.deleteMany({})
  errors.length = 0
})
afterEach(async () => {
  for (const changes of opened.splice(0)) changes.close()
  // The change stream ends with the last of them.
  await sleep(20)
})

// Opens the changes of a list, after its first event.
async function open(path: string, user?: TestUser): Promise<Changes> {
  const changes = await reopen(path, user)
  expect(await changes.next()).toEqual({ type: 'reset' })
  return changes
}

async function reopen(path: string, user?: TestUser, lastEventId?: string): Promise<Changes> {
  const changes = await openChanges(client.url + path, user?.headers ?? {}, lastEventId)
  opened.push(changes)
  expect(changes.response.status).toBe(200)
  return changes
}

// Reads nothing until its result is called.
async function openSlowly(path: string): Promise<() => Promise<string>> {
  const response = await new Promise<IncomingMessage>((resolve) => {
    request(client.url + path, resolve).end()
  })
  response.pause()
  return async () => (await response.toArray()).join('')
}

function create(title: string, fields: object = {}) {
  return NoteModel.create({ title, state: 'open', owner: mine.user.id, ...fields })
}

// What has arrived until a new document does.
async function readUntilNow(changes: Changes, fields: object = {}): Promise<ListChange[]> {
  const { id } = await create('last', fields)
  const found: ListChange[] = []
  for (;;) {
    const change = await changes.next()
    if (change.data?.id === id) return found
    found.push(change)
  }
}

describe('the changes of a list', () => {
  it('are those of the documents that the caller can reach', async () => {
    const changes = await open('/api/notes/changes', mine)
    const owner = other.user.id
    await create('foreign', { owner })
    const { id } = await create('a')
    expect(await changes.next()).toMatchObject({ type: 'changed', data: { id, title: 'a' } })
    await NoteModel.updateOne({ _id: id }, { title: 'b' })
    expect(await changes.next()).toMatchObject({ type: 'changed', data: { id, title: 'b' } })
    await NoteModel.updateOne({ _id: id }, { owner })
    expect(await changes.next()).toEqual({ type: 'removed', id })
    await NoteModel.updateOne({ _id: id }, { title: 'c' })
    await NoteModel.deleteOne({ _id: id })
    expect(await readUntilNow(changes)).toEqual([])
  })

  it('follow filters and fields', async () => {
    const changes = await open('/api/notes/changes?state=open&fields=title', mine)
    const done = await create('done', { state: 'done' })
    const { id } = await create('a')
    expect(await changes.next()).toEqual({ type: 'changed', data: { id, title: 'a' } })
    await NoteModel.updateOne({ _id: id }, { state: 'done' })
    expect(await changes.next()).toEqual({ type: 'removed', id })
    await NoteModel.updateOne({ _id: done.id }, { state: 'open' })
    expect(await changes.next()).toEqual({
      type: 'changed',
      data: { id: done.id, title: 'done' },
    })
  })

  it('report a document that was deleted and is kept, and one that was restored', async () => {
    const changes = await open('/api/notes/changes', mine)
    const { id } = await create('a')
    await changes.next()
    await deleteDocument(NoteModel, { _id: id }, { scope: {}, match: {} })
    expect(await changes.next()).toEqual({ type: 'removed', id })
    await restoreDocument(NoteModel, { _id: id }, { scope: {} })
    expect(await changes.next()).toMatchObject({ type: 'changed', data: { id } })
    await NoteModel.collection.deleteOne({ _id: new Types.ObjectId(id) })
    expect(await changes.next()).toEqual({ type: 'removed', id })
  })

  it('leave out the fields that a caller may not read', async () => {
    const admin = await client.signUp({ roles: ['admin'] })
    teams = ['red']
    const [all, some] = [
      await open('/api/team-notes/changes', admin),
      await open('/api/team-notes/changes', mine),
    ]
    await create('a', { team: 'red', secret: 's' })
    expect((await all.next()).data).toHaveProperty('secret', 's')
    expect((await some.next()).data).not.toHaveProperty('secret')
  })

  it('reject what does not apply to them', async () => {
    for (const name of ['page=1', 'cursor=', 'limit=5', 'sort=title', 'unknown=1']) {
      const { body } = await client.request
        .get(`/api/notes/changes?${name}`)
        .set(mine.headers)
        .expect(400)
      expect(body.errors[0].pointer).toBe(`#/${name.replace(/=.*/, '')}`)
    }
    await client.request.get('/api/notes/changes').expect(401)
  })

  it('are shared: one change stream, and one read for all who see the same', async () => {
    const commands: string[] = []
    const onCommand = ({ commandName, command }: mongoose.mongo.CommandStartedEvent) => {
      const isStream = commandName === 'aggregate' && command['pipeline'][0].$changeStream
      commands.push(isStream ? 'watch' : commandName)
    }
    const driver = mongoose.connection.getClient()
    const all: Changes[] = []
    for (let n = 0; n < 10; n += 1) {
      all.push(await open('/api/team-notes/changes', n % 2 ? mine : undefined))
    }
    driver.on('commandStarted', onCommand)
    await create('a', { team: 'red' })
    for (const changes of all) expect(await changes.next()).toMatchObject({ type: 'changed' })
    driver.off('commandStarted', onCommand)
    expect(commands.filter((name) => name === 'watch')).toEqual([])
    expect(commands.filter((name) => name === 'find').length).toBeLessThanOrEqual(2)
  })
})

describe('a client that connects again', () => {
  it('receives what it has missed, also what is gone', async () => {
    const first = await open('/api/notes/changes', mine)
    const [a, b] = [await create('a'), await create('b')]
    await first.next()
    await first.next()
    first.close()
    await sleep(20)
    await NoteModel.updateOne({ _id: a.id }, { owner: other.user.id })
    await NoteModel.deleteOne({ _id: b.id })
    const c = await create('c')
    const second = await reopen('/api/notes/changes', mine, first.lastEventId())
    const missed = await readUntilNow(second)
    expect(missed.filter(({ data }) => data?.id !== b.id)).toMatchObject([
      { type: 'removed', id: a.id },
      { type: 'removed', id: b.id },
      { type: 'changed', data: { id: c.id } },
    ])
  })

  it('continues after a heartbeat without changes', async () => {
    const first = await open('/api/notes/changes', mine)
    const begin = first.lastEventId()
    for (const title of ['foreign', 'foreign too']) await create(title, { owner: other.user.id })
    while (first.lastEventId() === begin) await sleep(10)
    first.close()
    const second = await reopen('/api/notes/changes', mine, first.lastEventId())
    expect(await readUntilNow(second)).toEqual([])
  })

  it('continues while others are connected', async () => {
    const [first, stays] = [
      await open('/api/notes/changes', mine),
      await open('/api/notes/changes', mine),
    ]
    const id = first.lastEventId()
    first.close()
    const a = await create('a')
    await stays.next()
    const second = await reopen('/api/notes/changes', mine, id)
    expect(await second.next()).toMatchObject({ data: { id: a.id } })
    expect(await readUntilNow(second)).toEqual([])
  })

  it.each([
    ['a position that it has made up', 'AAAA'],
    ['the position of another list', '/api/team-notes/changes'],
  ])('begins again with %s', async (_name, id) => {
    const from = id.startsWith('/') ? (await open(id, mine)).lastEventId() : id
    const changes = await reopen('/api/notes/changes', mine, from)
    expect(await changes.next()).toEqual({ type: 'reset' })
    expect(await readUntilNow(changes)).toEqual([])
  })

  it('begins again when the database no longer has the changes', async () => {
    const first = await open('/api/notes/changes', mine)
    const id = first.lastEventId()
    first.close()
    await sleep(20)
    // The embedded database keeps 20,000 to 40,000 changes.
    for (const title of ['a', 'b']) {
      await OtherModel.collection.insertMany(Array.from({ length: 20_500 }, () => ({ title })))
    }
    const second = await reopen('/api/notes/changes', mine, id)
    expect(await second.next()).toEqual({ type: 'reset' })
  })

  it('begins again when there are too many changes', async () => {
    const first = await open('/api/notes/changes', mine)
    const id = first.lastEventId()
    first.close()
    await sleep(20)
    await NoteModel.collection.insertMany(
      Array.from({ length: 10_500 }, () => ({ owner: other.user.id })),
    )
    const second = await reopen('/api/notes/changes', mine, id)
    expect(await second.next()).toEqual({ type: 'reset' })
  })
})

describe('a stream begins again', () => {
  it('when the scope of its caller changes', async () => {
    const changes = await open('/api/team-notes/changes')
    const red = await create('r', { team: 'red' })
    expect(await changes.next()).toMatchObject({ data: { id: red.id } })
    teams = ['blue']
    expect(await changes.next()).toEqual({ type: 'reset' })
    await create('r2', { team: 'red' })
    const blue = await create('b', { team: 'blue' })
    expect(await changes.next()).toMatchObject({ data: { id: blue.id } })
  })

  it('but not when its scope compares with the current time', async () => {
    const changes = await open('/api/due-notes/changes')
    await sleep(400)
    const { id } = await create('a', { at: new Date(Date.now() - 200) })
    expect(await changes.next()).toMatchObject({ type: 'changed', data: { id } })
  })

  it('when its collection is dropped', async () => {
    const changes = await open('/api/notes/changes', mine)
    await create('a')
    await changes.next()
    await NoteModel.collection.drop()
    expect(await changes.next()).toEqual({ type: 'reset' })
    const { id } = await create('b')
    expect(await changes.next()).toMatchObject({ data: { id } })
  })

  it('when the document before a change was not kept', async () => {
    const { id } = await create('a')
    const changes = await open('/api/notes/changes', mine)
    const collMod = NoteModel.collection.name
    const set = (enabled: boolean) =>
      mongoose.connection.db?.command({ collMod, changeStreamPreAndPostImages: { enabled } })
    await set(false)
    await NoteModel.updateOne({ _id: id }, { owner: other.user.id })
    expect(await changes.next()).toEqual({ type: 'reset' })
    await set(true)
  })

  it.each([
    ['a filter fails', '/api/notes/changes?broken=1', /unknown operator|\$broken/],
    ['its function returns other documents', '/api/foreign-notes/changes', /other documents/],
    ['its function reads no list', '/api/other-notes/changes', /other documents/],
    [
      'its function reads an aggregation',
      '/api/grouped-notes/changes',
      /cannot read an aggregation/,
    ],
  ])('when %s, which is logged', async (_name, path, message) => {
    const changes = await open(path, mine)
    await create('a')
    expect(await changes.next()).toEqual({ type: 'reset' })
    expect(errors[0]).toHaveProperty('err.message', expect.stringMatching(message))
  })
})

// The driver repeats a read, too.
describe('a read that fails because the database is out of reach', () => {
  it.each([
    ['once is repeated', 2, { type: 'changed' }],
    ['again causes a reset', 4, { type: 'reset' }],
  ])('and %s', async (_name, times, expected) => {
    const changes = await open('/api/team-notes/changes')
    await mongoose.connection.db?.admin().command({
      configureFailPoint: 'failCommand',
      mode: { times },
      data: { failCommands: ['find'], errorCode: 6 },
    })
    await create('a', { team: 'red' })
    expect(await changes.next()).toMatchObject(expected)
  })
})

describe('a stream ends', () => {
  it('with the session', async () => {
    const user = await client.signUp()
    const changes = await open('/api/notes/changes', user)
    await client.request.post('/api/v1/auth/logout-all').set(user.headers).expect(204)
    await changes.ended
    await create('a', { owner: user.user.id })
    expect(changes.rest()).toEqual([])
  })

  it('with the API key', async () => {
    const key = await client.createKey(mine, ['user'])
    const changes = await openChanges(`${client.url}/api/notes/changes`, key.headers)
    opened.push(changes)
    expect(await changes.next()).toEqual({ type: 'reset' })
    await api.auth?.apiKeys.revoke({ id: key.id, userId: mine.user.id })
    await changes.ended
  })

  it('with the membership of the organization', async () => {
    const { headers, scope, user } = await client.createCaller('/api/shared-notes')
    const { organization = '' } = scope
    const changes = await openChanges(`${client.url}/api/shared-notes/changes`, headers)
    opened.push(changes)
    expect(await changes.next()).toEqual({ type: 'reset' })
    const { id } = await create('a', { organization })
    expect(await changes.next()).toMatchObject({ data: { id } })
    await api.tenants?.addMember({ organization, user: other.user.id }, ['admin'])
    await api.tenants?.removeMember({ organization, user: user?.id ?? '' })
    await changes.ended
    await create('b', { organization })
    expect(changes.rest()).toEqual([])
  })

  it('when its scope no longer exists', async () => {
    const changes = await open('/api/shown-notes/changes')
    const { id } = await create('a', { owner: shown })
    expect(await changes.next()).toMatchObject({ data: { id } })
    shown = gone
    await changes.ended
  })

  it('when its client reads too slowly, after a reset', async () => {
    const changes = await openSlowly('/api/slow-notes/changes')
    for (let n = 0; n < 40; n += 1) {
      await NoteModel.insertMany([{ title: 'x'.repeat(1_000_000), state: 'open' }])
    }
    await sleep(300)
    expect(await changes()).toMatch(/data: \{"type":"reset"\}\n\n$/)
  })
})

describe('a list', () => {
  it('has no subscribers without a value that its scope compares with', async () => {
    const response = await fetch(`${client.url}/api/unscoped-notes/changes`)
    expect(response.status).toBe(500)
    expect(errors[0]).toHaveProperty(
      'err.message',
      "The rule 'live({ scope })' returned a filter with undefined at 'owner'. Return false, or null to find documents without the field.",
    )
  })

  it('has a limited number of subscribers', async () => {
    const first = await open('/api/few-notes/changes')
    const response = await fetch(`${client.url}/api/few-notes/changes`)
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('5')
    expect(await response.json()).toMatchObject({ code: 'overloaded' })
    first.close()
    await sleep(50)
    await open('/api/few-notes/changes')
  })
})
