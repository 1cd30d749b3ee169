import { model, Schema } from 'mongoose'
import supertest from 'supertest'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import mongoose from 'mongoose'
import { z } from 'zod'
import {
  type ApiRequest,
  createApi,
  createRegistry,
  createRouter,
  defineRoute,
  defineRule,
  success,
} from '../../src/index.ts'
import {
  defineListQuery,
  defineView,
  findPage,
  idParams as params,
  includeReferences,
  listMeta,
  objectId,
  requireFound,
  toOutputSchema,
  toProjection,
  versioned,
} from '../../src/resource.ts'
import { createTestClient, type TestClient, type TestUser } from '../../src/testing.ts'

const absent = '000000000000000000000000'

// Notes are everybody's own; a team says who its members are; topics are public.
const topic = toOutputSchema(z.strictObject({ name: z.string() }))
const team = toOutputSchema(z.strictObject({ name: z.string() }))
const note = toOutputSchema(z.strictObject({ text: z.string() }))
const TopicModel = model('ViewTopic', new Schema({ name: String }, { timestamps: true }))
const teamSchema = new Schema({ name: String, members: [String] }, { timestamps: true })
const TeamModel = model('ViewTeam', teamSchema)
const noteSchema = new Schema({ text: String, owner: Schema.Types.ObjectId }, { timestamps: true })
const NoteModel = model('ViewNote', noteSchema)

const task = toOutputSchema(
  z.strictObject({
    title: z.string(),
    rank: z.int(),
    topics: z.array(objectId),
    note: objectId.optional(),
    team: objectId.optional(),
    audit: objectId.optional(),
    broken: objectId.optional(),
  }),
)
const taskView = defineView(task, {
  fields: ['title', 'rank', 'createdAt'],
  include: {
    topics: { response: topic, access: 'public' },
    note: { response: note, access: 'owner' },
    team: {
      response: team,
      access: defineRule('members', (user) => ({ members: user.id })),
    },
    audit: { response: note, access: 'admin' },
    broken: { response: note, access: 'user' },
  },
})
const listTasks = defineListQuery(task, { filters: ['title'], sort: ['rank'], view: taskView })
const taskSchema = new Schema(
  {
    title: String,
    rank: Number,
    topics: [{ type: Schema.Types.ObjectId, ref: 'ViewTopic' }],
    note: { type: Schema.Types.ObjectId, ref: 'ViewNote' },
    team: { type: Schema.Types.ObjectId, ref: 'ViewTeam' },
    audit: { type: Schema.Types.ObjectId, ref: 'ViewNote' },
    broken: Schema.Types.ObjectId,
    secret: String,
  },
  { timestamps: true },
)
const TaskModel = model('ViewTask', taskSchema.plugin(versioned))

type ListRequest = ApiRequest<{ query: z.output<typeof listTasks> }>

async function list(req: ListRequest, res: Parameters<typeof success>[0]): Promise<void> {
  const { query } = req.valid
  const { data, meta } = await findPage(TaskModel, query, { scope: {} })
  success(res, await includeReferences(TaskModel, data, { query }), meta)
}

const shown = { query: listTasks, response: taskView.response.array(), meta: listMeta }
const tasks = createRouter([
  defineRoute({ method: 'get', path: '/', access: 'user', ...shown, handler: list }),
  defineRoute({ method: 'get', path: '/open', access: 'public', ...shown, handler: list }),
  defineRoute({
    method: 'get',
    path: '/:id',
    access: 'user',
    params,
    query: taskView.query,
    response: taskView.response,
    etag: true,
    async handler(req, res) {
      const { query } = req.valid
      const { id } = req.valid.params
      const found = requireFound(await TaskModel.findById(id, toProjection(query)).lean())
      const seen = await includeReferences(TaskModel, found, { query })
      success(res, seen)
    },
  }),
])

const api = createApi({
  name: 'views',
  routes: createRegistry().use('/api/tasks', tasks),
  rateLimit: false,
  log: { level: 'silent' },
})

let client: TestClient
let ada: TestUser
let bob: TestUser
let taskId: string
const ids = { topics: ['', ''], note: '', team: '', audit: '' }

beforeAll(async () => {
  client = await createTestClient(api)
  ada = await client.signUp()
  bob = await client.signUp()
  const topics = await TopicModel.create([{ name: 'a' }, { name: 'b' }])
  ids.topics = topics.map(({ id }) => id)
  ids.note = (await NoteModel.create({ text: 'of Ada', owner: ada.user.id })).id
  ids.team = (await TeamModel.create({ name: 'team', members: [ada.user.id] })).id
  ids.audit = (await NoteModel.create({ text: 'audit', owner: ada.user.id })).id
  const created = await TaskModel.create(
    Array.from({ length: 5 }, (_, rank) => ({
      title: `task ${rank}`,
      rank,
      topics: rank === 0 ? [...ids.topics, absent] : ids.topics,
      note: ids.note,
      team: ids.team,
      audit: ids.audit,
      secret: 'secret',
    })),
  )
  taskId = String(created[0]?.id)
})

afterAll(() => client.stop())

afterEach(() => mongoose.set('debug', false))

function as({ headers }: TestUser) {
  return supertest.agent(client.url).set(headers)
}

describe('sparse fields', () => {
  it('returns the chosen fields and the id, and reads no others', async () => {
    const projections: unknown[] = []
    mongoose.set('debug', (collection: string, method: string, ...args: unknown[]) => {
      if (collection === TaskModel.collection.name && method === 'find') projections.push(args[1])
    })
    const { body } = await as(ada).get('/api/tasks?fields=title&sort=rank&limit=2').expect(200)
    expect(body.data).toEqual([
      { id: taskId, title: 'task 0' },
      { id: expect.any(String), title: 'task 1' },
    ])
    expect(projections).toMatchObject([{ projection: { _id: 1, title: 1 } }])
    const one = await as(ada).get(`/api/tasks/${taskId}?fields=rank,title,rank`).expect(200)
    expect(one.body.data).toEqual({ id: taskId, rank: 0, title: 'task 0' })
  })

  it('does not return the sort fields of a cursor', async () => {
    const seen: object[] = []
    let cursor = ''
    do {
      const query = { cursor, limit: 2, sort: '-rank', fields: 'title' }
      const { body } = await as(ada).get('/api/tasks').query(query).expect(200)
      seen.push(...body.data)
      cursor = String(body.meta.nextCursor ?? '')
    } while (cursor !== '')
    expect(seen.map((document) => Object.keys(document).toSorted().join())).toEqual(
      Array.from({ length: 5 }, () => 'id,title'),
    )
  })

  it.each(['nope', 'secret', 'id', 'title,', '', '__v', 'topics', '-title', '$title'])(
    'VAL-08 refuses fields=%s and names the parameter',
    async (fields) => {
      for (const path of ['/api/tasks', `/api/tasks/${taskId}`]) {
        const { body } = await as(ada).get(path).query({ fields }).expect(400)
        expect(body).toMatchObject({ code: 'invalid_query', errors: [{ pointer: '#/fields' }] })
      }
    },
  )

  it('gives no ETag for less or more than the document, so that no write can build on it', async () => {
    const whole = await as(ada).get(`/api/tasks/${taskId}`).expect(200)
    expect(whole.headers['etag']).toBe('"0"')
    for (const query of ['fields=title', 'include=note', 'fields=title&include=note']) {
      const response = await as(ada)
        .get(`/api/tasks/${taskId}?${query}`)
        .set('If-None-Match', '"0"')
      expect([query, response.status, response.headers['etag']]).toEqual([query, 200, undefined])
    }
  })
})

describe('includes', () => {
  it('adds referenced documents in their own schema', async () => {
    const { body } = await as(ada).get(`/api/tasks/${taskId}?include=topics,note,team`).expect(200)
    expect(body.data.note).toBe(ids.note)
    expect(body.data.included).toEqual({
      topics: [
        expect.objectContaining({ id: ids.topics[0], name: 'a' }),
        expect.objectContaining({ id: ids.topics[1], name: 'b' }),
      ],
      note: expect.objectContaining({ id: ids.note, text: 'of Ada' }),
      team: expect.objectContaining({ id: ids.team, name: 'team' }),
    })
    expect(JSON.stringify(body)).not.toMatch(/members|owner|secret|_id|__v/)
  })

  it("AUZ-03 omits documents the caller may not see, independent of the task's access", async () => {
    const query = '?include=topics,note,team,audit'
    const { body } = await as(bob).get(`/api/tasks/${taskId}${query}`).expect(200)
    expect(body.data.included).toMatchObject({ note: null, team: null, audit: null })
    expect(body.data.included.topics).toHaveLength(2)
    const open = await client.request.get(`/api/tasks/open${query}&limit=1`).expect(200)
    expect(open.body.data[0].included).toMatchObject({ note: null, team: null, audit: null })
    const admin = await client.signUp({ roles: ['admin'] })
    const seen = await as(admin).get(`/api/tasks/${taskId}${query}`).expect(200)
    expect(seen.body.data.included).toMatchObject({ note: null, audit: { text: 'audit' } })
  })

  it('uses one query for each include, for lists of any length', async () => {
    const queries: string[] = []
    mongoose.set('debug', (collection: string, method: string) => {
      queries.push(`${collection}.${method}`)
    })
    const { body } = await as(ada).get('/api/tasks?include=topics,note,team').expect(200)
    mongoose.set('debug', false)
    expect(body.data).toHaveLength(5)
    const asked = queries.filter((query) => query.startsWith('view'))
    expect(asked.toSorted()).toEqual([
      'viewnotes.find',
      'viewtasks.countDocuments',
      'viewtasks.find',
      'viewteams.find',
      'viewtopics.find',
    ])
  })

  it('works with fields and cursors', async () => {
    const query = { fields: 'title', include: 'note', cursor: '', limit: 1 }
    const { body } = await as(ada).get('/api/tasks').query(query).expect(200)
    expect(body.data).toEqual([
      {
        id: taskId,
        title: 'task 0',
        note: ids.note,
        included: { note: expect.objectContaining({ text: 'of Ada' }) },
      },
    ])
    expect(body.meta.nextCursor).toBeTypeOf('string')
  })

  it.each(['title', 'nope', 'note.owner', 'topics,', '', 'topics,nope', '$note'])(
    'VAL-08 refuses include=%s and names the parameter',
    async (include) => {
      const { body } = await as(ada).get('/api/tasks').query({ include }).expect(400)
      expect(body).toMatchObject({ code: 'invalid_query', errors: [{ pointer: '#/include' }] })
    },
  )

  it('rejects a request for more than 1000 documents', async () => {
    const many = Array.from({ length: 1001 }, () => new mongoose.Types.ObjectId())
    const { id } = await TaskModel.create({ title: 'many', rank: 9, topics: many })
    const { body } = await as(ada).get(`/api/tasks/${id}?include=topics`).expect(400)
    expect(body.errors).toMatchObject([{ pointer: '#/include', code: 'too_big' }])
    await TaskModel.deleteOne({ _id: id })
  })

  it('reports what the model lacks', async () => {
    const pending = includeReferences(TaskModel, [{ broken: ids.note }], {
      query: taskView.toQuery({ include: ['broken'] }),
    })
    await expect(pending).rejects.toThrow(/ViewTask.broken cannot be included.*Add ref/)
    const { query } = defineView(task, {
      include: { topics: { response: topic, access: 'owner' } },
    })
    const documents = await TaskModel.find().limit(1).lean()
    const parsed = query.parse({ include: 'topics' })
    await expect(includeReferences(TaskModel, documents, { query: parsed })).rejects.toThrow(
      /ViewTopic cannot be included: the query was not parsed by the route/,
    )
    const include = parsed.include?.map((one) => ({ ...one, scope: { owner: ada.user.id } }))
    await expect(
      includeReferences(TaskModel, documents, { query: { ...parsed, include } }),
    ).rejects.toThrow(/The scope filters by 'owner', a field that ViewTopic does not have/)
  })
})

describe('defineView', () => {
  it('takes fields of the output only, and few includes', () => {
    // @ts-expect-error no such field
    expect(() => defineView(task, { fields: ['secret'] })).toThrow(/no such field/)
    const include = { response: note, access: 'public' } as const
    // @ts-expect-error no such field
    expect(() => defineView(task, { include: { secret: include } })).toThrow(/no such field/)
    const wide = z.object({
      a: objectId,
      b: objectId,
      c: objectId,
      d: objectId,
      e: objectId,
      f: objectId,
    })
    const all = { a: include, b: include, c: include, d: include, e: include, f: include }
    expect(() => defineView(wide, { include: all })).toThrow(/at most 5 includes/)
  })

  it('is documented: parameters, partial documents and includes', () => {
    const { paths = {}, components } = api.openapi ?? {}
    expect(paths['/api/tasks/{id}']).toMatchObject({
      get: {
        parameters: [
          { name: 'id' },
          { name: 'fields', in: 'query', schema: { pattern: expect.stringContaining('title') } },
          { name: 'include', in: 'query' },
          { name: 'If-None-Match' },
        ],
      },
    })
    expect(components?.['schemas']).toMatchObject({
      TaskView: {
        required: ['id'],
        properties: {
          title: { type: 'string' },
          included: {
            properties: {
              note: { anyOf: [{ type: 'object' }, { type: 'null' }] },
              topics: { type: 'array' },
            },
          },
        },
      },
    })
  })
})
