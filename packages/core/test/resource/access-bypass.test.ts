import { model, Schema, Types } from 'mongoose'
import supertest from 'supertest'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createApi, createRegistry, createRouter, defineRule, success } from '../../src/index.ts'
import { createTenants } from '../../src/tenants.ts'
import {
  createDocument,
  defineListQuery,
  defineView,
  findPage,
  idParams as params,
  includeReferences,
  inScope,
  listMeta,
  objectId,
  parseIfMatch,
  patchDocument,
  replaceDocument,
  requireFound,
  requireReferences,
  restoreDocument,
  softDelete,
  deleteDocument,
  toOutputSchema,
  toPatchSchema,
  toProjection,
  versioned,
  findDocument,
} from '../../src/resource.ts'
import { createTestClient, type TestClient, type TestUser } from '../../src/testing.ts'
import { createPapersRouter, definePaperModel } from '../tenants/papers.ts'

// Ways around a rule that a caller may try. The resource trusts its callers as little as its developer does:
// clients may write every field, the owner and the members of a project included.
const absent = '000000000000000000000000'
const createProject = z.strictObject({
  title: z.string().max(100),
  members: z.array(z.string().max(50)).max(20).optional(),
  owner: objectId.optional(),
  parent: objectId.optional(),
})
const patchProject = toPatchSchema(createProject)
const project = toOutputSchema(createProject)
const members = defineRule('members', (user) => ({
  $or: [{ members: user.id }, { owner: user.id }],
}))
const view = defineView(project, {
  fields: ['title'],
  include: { parent: { response: project, access: members } },
})
const listProjects = defineListQuery(project, {
  filters: {
    title: {},
    members: {},
    owner: {},
    // A filter function that returns a condition of the same name as the rule.
    any: (title) => ({ $or: [{ title }, { title: { $exists: true } }] }),
  },
  sort: ['title'],
  view,
})
const { ObjectId } = Schema.Types
const ProjectModel = model(
  'BypassProject',
  new Schema(
    {
      title: { type: String, required: true },
      members: [String],
      owner: ObjectId,
      parent: { type: ObjectId, ref: 'BypassProject' },
    },
    { timestamps: true },
  ).plugin(versioned),
)
const PaperModel = definePaperModel()

const projects = createRouter(
  (route) => [
    route.get(
      '/',
      { query: listProjects, response: view.response.array(), meta: listMeta },
      async (req, res) => {
        const { query } = req.valid
        const { data, meta } = await findPage(ProjectModel, query, { scope: req.scope })
        success(res, await includeReferences(ProjectModel, data, { query }), meta)
      },
    ),
    route.get(
      '/:id',
      { params, query: view.query, response: view.response, etag: true },
      async (req, res) => {
        const { query } = req.valid
        const filter = inScope(req.scope, { _id: req.valid.params.id })
        const found = requireFound(await ProjectModel.findOne(filter, toProjection(query)).lean())
        const seen = await includeReferences(ProjectModel, found, { query })
        success(res, seen)
      },
    ),
    route.post(
      '/',
      { body: createProject, response: project, status: 201, idempotent: true },
      async (req, res) => {
        const { body } = req.valid
        await requireReferences(ProjectModel, body, { references: req.references })
        success(res.status(201), await createDocument(ProjectModel, body, { scope: req.scope }))
      },
    ),
    route.put('/:id', { params, body: createProject, response: project }, async (req, res) => {
      const { body: input, params: key } = req.valid
      await requireReferences(ProjectModel, input, { references: req.references })
      const options = { scope: req.scope, match: parseIfMatch(req), schema: createProject, input }
      success(res, await replaceDocument(ProjectModel, { _id: key.id }, options))
    }),
    route.patch('/:id', { params, body: patchProject, response: project }, async (req, res) => {
      const { body: patch, params: key } = req.valid
      await requireReferences(ProjectModel, patch, { references: req.references })
      const options = {
        scope: req.scope,
        match: parseIfMatch(req),
        schema: patchProject,
        input: patch,
      }
      success(res, await patchDocument(ProjectModel, { _id: key.id }, options))
    }),
    route.del('/:id', { params }, async (req, res) => {
      const options = { scope: req.scope, match: parseIfMatch(req) }
      await deleteDocument(ProjectModel, { _id: req.valid.params.id }, options)
      success(res)
    }),
  ],
  { access: members, references: { parent: members } },
)

// Documents that are kept when they are deleted.
const MemoModel = model(
  'BypassMemo',
  new Schema(
    { title: { type: String, required: true }, members: [String], owner: ObjectId },
    { timestamps: true },
  )
    .plugin(versioned)
    .plugin(softDelete),
)
const memos = createRouter(
  (route) => [
    route.get('/:id', { params, response: project }, async (req, res) => {
      success(
        res,
        await findDocument(MemoModel, { _id: req.valid.params.id }, { scope: req.scope }),
      )
    }),
    route.del('/:id', { params }, async (req, res) => {
      const options = { match: parseIfMatch(req), scope: req.scope }
      await deleteDocument(MemoModel, { _id: req.valid.params.id }, options)
      success(res)
    }),
    route.post('/:id/restore', { params, response: project }, async (req, res) => {
      const { scope, valid } = req
      success(res, await restoreDocument(MemoModel, { _id: valid.params.id }, { scope }))
    }),
  ],
  { access: members },
)

const api = createApi({
  name: 'bypass',
  routes: createRegistry()
    .use('/api/projects', projects)
    .use('/api/memos', memos)
    .use('/api/orgs/:org/papers', createPapersRouter(true)),
  tenants: createTenants({ roles: ['editor'] }),
  rateLimit: false,
  log: { level: 'silent' },
  auth: { apiKeys: {} },
})

let client: TestClient
let ada: TestUser
let bob: TestUser
let asAda: TestClient['request']
let asBob: TestClient['request']
let foreign: string

beforeAll(async () => {
  client = await createTestClient(api)
  ada = await client.signUp()
  bob = await client.signUp()
  asAda = supertest.agent(client.url).set(ada.headers)
  asBob = supertest.agent(client.url).set(bob.headers)
})

afterAll(() => client.stop())

beforeEach(async () => {
  await ProjectModel.deleteMany({})
  foreign = (await ProjectModel.create({ title: 'secret', members: [ada.user.id] })).id
})

async function createOf(user: TestUser, fields: object = {}): Promise<string> {
  return (await ProjectModel.create({ title: 'own', members: [user.user.id], ...fields })).id
}

/** Creates an organization of a user, and a paper in it. */
async function createOrganization({ user }: TestUser): Promise<{ path: string; paper: string }> {
  const { id: organization = '' } = (await api.tenants?.create('Test', user.id)) ?? {}
  const paper = await PaperModel.create({ organization, owner: user.id, title: 'secret' })
  return { path: `/api/orgs/${organization}/papers`, paper: paper.id }
}

describe('a rule is not bypassed by', () => {
  it('1. mass assignment: members, an owner or an organization in the body', async () => {
    for (const body of [
      { title: 'a', members: [ada.user.id] },
      { title: 'a', owner: ada.user.id },
      { title: 'a', members: [] },
    ]) {
      await asBob.post('/api/projects').send(body).expect(403)
    }
    const own = await createOf(bob)
    for (const body of [{ members: [ada.user.id] }, { members: null }, { members: [] }]) {
      await asBob.patch(`/api/projects/${own}`).send(body).expect(403)
    }
    await asBob.put(`/api/projects/${own}`).send({ title: 'a', owner: ada.user.id }).expect(403)
    expect(await ProjectModel.countDocuments({ members: ada.user.id })).toBe(1)
    // Leaving is possible only while the caller remains the owner.
    await asBob.patch(`/api/projects/${own}`).send({ owner: bob.user.id }).expect(200)
    await asBob.patch(`/api/projects/${own}`).send({ members: null }).expect(200)

    const [{ path }, other] = [await createOrganization(bob), await createOrganization(ada)]
    const organization = other.path.split('/')[3]
    const created = await asBob.post(path).send({ title: 'mine' }).expect(201)
    for (const field of [{ organization }, { owner: ada.user.id }]) {
      await asBob
        .post(path)
        .send({ title: 'a', ...field })
        .expect(422)
      await asBob
        .put(`${path}/${created.body.data.id}`)
        .send({ title: 'a', ...field })
        .expect(422)
      await asBob.patch(`${path}/${created.body.data.id}`).send(field).expect(422)
    }
    expect(await PaperModel.countDocuments({ organization })).toBe(1)
  })

  it('2. $or, or another condition of the same name, in the filters of a list', async () => {
    const own = await createOf(bob)
    for (const query of [
      '',
      'any=x',
      'any=x&title=secret',
      `members=${ada.user.id}`,
      `owner[ne]=${absent}`,
      'title[in]=secret,own',
      `members[in]=${ada.user.id},${bob.user.id}`,
      'any=x&cursor=',
      'any=x&offset=0',
      'any=x&sort=-title&fields=title',
    ]) {
      const { body } = await asBob.get(`/api/projects?${query}`).expect(200)
      const ids = body.data.map(({ id }: { id: string }) => id)
      expect([query, ids.filter((id: string) => id !== own)]).toEqual([query, []])
      expect(body.meta.total ?? 0).toBeLessThan(2)
    }
    for (const query of ['$or=x', 'title[$ne]=x', '$where=1', '_id=1', 'members[$exists]=true']) {
      await asBob.get(`/api/projects?${query}`).expect(400)
    }
  })

  it("3. another caller's cursor", async () => {
    for (const title of ['a', 'b', 'c']) await createOf(ada, { title })
    await createOf(bob, { title: 'd' })
    const { body } = await asAda.get('/api/projects?sort=title&cursor=&limit=1').expect(200)
    const url = `/api/projects?sort=title&limit=1&cursor=${body.meta.nextCursor}`
    await asAda.get(url).expect(200)
    await asBob.get(url).expect(400)
  })

  it('4. include of a document that the caller cannot reach, such as one of another organization', async () => {
    const own = await createOf(bob, { parent: foreign })
    const { body } = await asBob.get(`/api/projects/${own}?include=parent`).expect(200)
    expect(body.data.included).toEqual({ parent: null })
    const list = await asBob.get('/api/projects?include=parent&fields=title').expect(200)
    expect(JSON.stringify(list.body)).not.toContain('secret')

    const [{ path }, other] = [await createOrganization(bob), await createOrganization(ada)]
    const fields = { organization: path.split('/')[3], owner: bob.user.id, follows: other.paper }
    const follower = await PaperModel.create({ ...fields, title: 'own' })
    const one = await asBob.get(`${path}/${follower.id}?include=follows`).expect(200)
    expect(one.body.data.included).toEqual({ follows: null })
    const papers = await asBob.get(`${path}?include=follows&title=own`).expect(200)
    expect(JSON.stringify(papers.body)).not.toContain('secret')
    await asBob.get(`${other.path}?include=follows`).expect(404)
  })

  it("5. another caller's idempotency key", async () => {
    const send = (request: TestClient['request']) =>
      request.post('/api/projects').set('Idempotency-Key', '"same"').send({ title: 'once' })
    const mine = await send(asAda)
      .send({ title: 'once', members: [ada.user.id] })
      .expect(201)
    const replayed = await send(asBob)
      .send({ title: 'once', members: [bob.user.id] })
      .expect(201)
    expect(replayed.body.data.id).not.toBe(mine.body.data.id)
    expect(replayed.text).not.toContain(ada.user.id)
  })

  it('6. ETags: a document outside the rule is like none, whatever the preconditions', async () => {
    for (const [name, value] of [
      ['If-Match', '"0"'],
      ['If-Match', '"9"'],
      ['If-Match', '*'],
      ['If-Match', `"0-${foreign}"`],
      ['If-None-Match', '"0"'],
      ['If-None-Match', '*'],
      ['If-None-Match', 'W/"0"'],
    ] as const) {
      for (const method of ['get', 'put', 'patch', 'delete'] as const) {
        const body = method === 'put' || method === 'patch' ? { title: 'x' } : undefined
        const send = (id: string) =>
          asBob[method](`/api/projects/${id}`).set(name, value).send(body)
        const [outside, none] = [await send(foreign), await send(absent)]
        expect(outside.status).toBe(404)
        expect(outside.body.code).toBe(none.body.code)
        expect(outside.headers['etag']).toBe(none.headers['etag'])
      }
    }
    expect(await ProjectModel.findById(foreign).lean()).toMatchObject({ title: 'secret', __v: 0 })
  })

  it('7. a reference to a document that the caller cannot reach', async () => {
    const own = await createOf(bob)
    const send = async (parent: string) => [
      await asBob.post('/api/projects').send({ title: 'a', members: [bob.user.id], parent }),
      await asBob.patch(`/api/projects/${own}`).send({ parent }),
      await asBob.put(`/api/projects/${own}`).send({ title: 'a', members: [bob.user.id], parent }),
    ]
    const [outside, none] = [await send(foreign), await send(absent)]
    for (const [index, { status, body }] of outside.entries()) {
      expect(status).toBe(422)
      expect(body.errors).toEqual(none[index]?.body.errors)
    }
    expect((await send(own)).map(({ status }) => status)).toEqual([201, 200, 200])
  })

  it('8. changes of lists that contain the callers of a scope', async () => {
    const shared = await createOf(bob, { members: [ada.user.id, bob.user.id] })
    const patch = (change: object) => asBob.patch(`/api/projects/${shared}`).send(change)
    await patch({ members: [ada.user.id] }).expect(403)
    await patch({ members: [[bob.user.id]] }).expect(422)
    await patch({ 'members.0': ada.user.id }).expect(422)
    await patch({ members: { $each: [bob.user.id] } }).expect(422)
    await patch({ members: [bob.user.id] }).expect(200)
    // The other member was removed and no longer reaches it.
    await asAda.get(`/api/projects/${shared}`).expect(404)
  })

  it('9. restored documents: only callers who reach a document restore it, into what they reach', async () => {
    const memo = await MemoModel.create({ title: 'memo', members: [ada.user.id, bob.user.id] })
    const path = `/api/memos/${memo.id}`
    await asBob.post(`${path}/restore`).expect(404)
    await asAda.delete(path).expect(204)
    for (const call of [asAda.get(path), asBob.get(path), asBob.delete(path)])
      await call.expect(404)
    // Who is removed while a document is deleted does not get it back.
    await MemoModel.collection.updateOne({ _id: memo._id }, { $set: { members: [ada.user.id] } })
    for (const query of ['', '?withDeleted=true', '?deletedAt=null']) {
      const { status } = await asBob.post(`${path}/restore${query}`)
      expect([400, 404]).toContain(status)
    }
    await asBob
      .post(`${path}/restore`)
      .send({ members: [bob.user.id] })
      .expect(404)
    await asAda
      .post(`${path}/restore`)
      .send({ members: [bob.user.id] })
      .expect(200)
    await asBob.get(path).expect(404)
    const { body } = await asAda.get(path).expect(200)
    expect(body.data.members).toEqual([ada.user.id])
  })

  it('10. an API key with a widened scope', async () => {
    const keys = '/api/v1/auth/keys'
    const admin = await client.signUp({ roles: ['admin'] })
    const own = await createOf(admin)
    const narrow = await client.createKey(admin, ['admin'])
    const asKey = supertest.agent(client.url).set(narrow.headers)
    const wide = { name: 'wide', scopes: ['user', 'admin'] }
    // A key creates, rotates and changes no key.
    await asKey.post(keys).send(wide).expect(403)
    await asKey.post(`${keys}/${narrow.id}/rotate`).expect(403)
    await asKey.patch(`${keys}/${narrow.id}`).send(wide).expect(405)
    // Its owner grants what the owner has, in these words and no others.
    for (const scopes of [['admin'], ['user', 'posts:write'], ['User'], ['user '], ['owner']]) {
      await asBob.post(keys).send({ name: 'wide', scopes }).expect(422)
    }
    for (const field of ['userId', 'owner', 'hash', 'key', 'lastFour', 'createdAt', 'revokedAt']) {
      const body = { name: 'wide', scopes: ['user'], [field]: ada.user.id }
      await asBob.post(keys).send(body).expect(422)
    }
    // Without the scope for the rule, it reaches not even what its owner reaches.
    const path = `/api/projects/${own}`
    for (const [method, url] of [
      ['get', '/api/projects?include=parent'],
      ['get', path],
      ['put', path],
      ['patch', path],
      ['delete', path],
      ['post', '/api/projects'],
    ] as const) {
      const call = asKey[method](url).set({ 'If-Match': '*', 'Idempotency-Key': 'wide' })
      await (method === 'get' ? call : call.send({ title: 'taken' })).expect(403)
    }
    // With it, it reaches what its owner reaches and nothing else.
    const { headers } = await client.createKey(bob, ['user'])
    const asScript = supertest.agent(client.url).set(headers)
    await asScript.get(`/api/projects/${foreign}`).expect(404)
    await asScript.get(`/api/projects/${await createOf(bob)}`).expect(200)
    expect((await asScript.get('/api/projects').expect(200)).body.meta.total).toBe(1)
    expect(await ProjectModel.countDocuments({ title: 'taken' })).toBe(0)
  })

  it('a change between the check and the write', async () => {
    const shared = await createOf(bob, { members: [ada.user.id, bob.user.id] })
    const changes = Array.from({ length: 10 }, (_, index) => [
      asBob.patch(`/api/projects/${shared}`).send({ members: [bob.user.id, `guest ${index}`] }),
      asAda.patch(`/api/projects/${shared}`).send({ members: [ada.user.id, `guest ${index}`] }),
    ])
    const statuses = (await Promise.all(changes.flat())).map(({ status }) => status)
    expect(statuses.filter((status) => ![200, 404, 409].includes(status))).toEqual([])
    // The first one removed the other, who could then change nothing.
    const { members: left } = requireFound(await ProjectModel.findById(shared).lean())
    expect([ada.user.id, bob.user.id].filter((id) => left.includes(id))).toHaveLength(1)
  })

  it('a document of another collection, or an id of another type', async () => {
    for (const id of [
      ada.user.id,
      String(new Types.ObjectId()),
      'x',
      '%24ne',
      '[object%20Object]',
    ]) {
      await asBob.get(`/api/projects/${id}`).expect(404)
      await asBob.delete(`/api/projects/${id}`).expect(404)
    }
  })
})
