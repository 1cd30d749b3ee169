import { model, Schema } from 'mongoose'
import supertest from 'supertest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  all,
  any,
  createApi,
  createRegistry,
  createRouter,
  defineRule,
  get,
  role,
  success,
} from '../../src/index.ts'
import {
  createDocument,
  defineListQuery,
  findPage,
  idParams as params,
  listMeta,
  parseIfMatch,
  patchDocument,
  replaceDocument,
  toOutputSchema,
  toPatchSchema,
  versioned,
  findDocument,
  deleteDocument,
} from '../../src/resource.ts'
import { createTestClient, findAccessFaults, type TestClient } from '../../src/testing.ts'

const absent = '000000000000000000000000'
const createPage = z.strictObject({
  text: z.string().min(1).max(100),
  status: z.enum(['draft', 'live']).optional(),
  editors: z.array(z.string()).optional(),
})
const patchPage = toPatchSchema(createPage)
const page = toOutputSchema(createPage)
const listPages = defineListQuery(page, { filters: ['text', 'status'] })
const pageSchema = new Schema(
  {
    text: { type: String, required: true },
    status: String,
    editors: [String],
    owner: Schema.Types.ObjectId,
  },
  { timestamps: true },
)
const PageModel = model('RuledPage', pageSchema.plugin(versioned))

const editors = defineRule('editors', (user) => ({ editors: user.id }))
const live = defineRule('live', () => ({ status: 'live' }), { anonymous: true })
const readers = any(live, editors, 'admin')

const pages = createRouter(
  (route) => [
    route.get(
      '/',
      { access: readers, query: listPages, response: page.array(), meta: listMeta },
      async (req, res) => {
        const { data, meta } = await findPage(PageModel, req.valid.query, { scope: req.scope })
        success(res, data, meta)
      },
    ),
    route.get('/:id', { access: readers, params, response: page, etag: true }, async (req, res) => {
      const { id: _id } = req.valid.params
      const found = await findDocument(PageModel, { _id }, { scope: req.scope })
      success(res, found)
    }),
    route.post('/', { body: createPage, response: page, status: 201 }, async (req, res) => {
      success(
        res.status(201),
        await createDocument(PageModel, req.valid.body, { scope: req.scope }),
      )
    }),
    route.put('/:id', { params, body: createPage, response: page }, async (req, res) => {
      const {
        body: input,
        params: { id: _id },
      } = req.valid
      const options = { scope: req.scope, match: parseIfMatch(req), schema: createPage, input }
      success(res, await replaceDocument(PageModel, { _id }, options))
    }),
    route.patch('/:id', { params, body: patchPage, response: page }, async (req, res) => {
      const {
        body: patch,
        params: { id: _id },
      } = req.valid
      const options = {
        scope: req.scope,
        match: parseIfMatch(req),
        schema: patchPage,
        input: patch,
      }
      success(res, await patchDocument(PageModel, { _id }, options))
    }),
    route.del('/:id', { params }, async (req, res) => {
      const options = { scope: req.scope, match: parseIfMatch(req) }
      await deleteDocument(PageModel, { _id: req.valid.params.id }, options)
      success(res)
    }),
    route.get(
      '/:id/draft',
      { params, load: ({ id }) => PageModel.findById(id).lean(), response: page },
      (req, res) => success(res, req.document),
    ),
  ],
  { access: editors },
)

const forgotten = defineRule('forgotten', () => undefined as never)
const empty = defineRule('empty', async () => ({}))
const asQuery = defineRule('query', () => PageModel.findOne() as never)

const faulty = createRouter([
  get('/in-all', { access: all('user', forgotten) }, (_req, res) => success(res)),
  get('/in-any', { access: any('owner', empty) }, (_req, res) => success(res)),
  get('/no-parts', { access: defineRule('no-parts', () => ({ $or: [] })) }, (_req, res) =>
    success(res),
  ),
  get(
    '/empty-part',
    { access: defineRule('empty-part', ({ id }) => ({ $and: [{ editors: id }, {}] })) },
    (_req, res) => success(res),
  ),
  get('/query', { access: any(asQuery, 'owner') }, (_req, res) => success(res)),
  get('/unread', { access: 'owner' }, (_req, res) => success(res)),
  get('/nothing', { access: defineRule('nothing', () => ({})) }, (_req, res) => success(res)),
  get('/text', { access: defineRule('text', () => 'yes' as never) }, (_req, res) => success(res)),
  get(
    '/undefined',
    { access: defineRule('undefined', ({ email }) => ({ $or: [{ email }, { org: undefined }] })) },
    (_req, res) => success(res),
  ),
  get(
    '/loaded',
    { access: 'owner', params: z.strictObject({}), load: () => Promise.resolve({ owner: '1' }) },
    (_req, res) => success(res),
  ),
  get(
    '/refused',
    {
      access: all(
        'user',
        defineRule('no', async () => false),
      ),
    },
    (_req, res) => success(res),
  ),
  get('/closed', { access: defineRule('no', () => false, { anonymous: true }) }, (_req, res) =>
    success(res),
  ),
])

const messages: string[] = []
const api = createApi({
  name: 'rules',
  routes: createRegistry().use('/api/pages', pages).use('/api/faulty', faulty),
  rateLimit: false,
  log: { level: 'error', stream: { write: (line) => void messages.push(line) } },
})

let client: TestClient
let ada: TestClient['request']
let bob: TestClient['request']
let adaId: string

async function createPageOf(fields: object): Promise<string> {
  return (await PageModel.create({ text: 'a', status: 'draft', ...fields })).id
}

beforeAll(async () => {
  client = await createTestClient(api)
  const user = await client.signUp()
  adaId = user.user.id
  ada = supertest.agent(client.url).set(user.headers)
  bob = supertest.agent(client.url).set((await client.signUp()).headers)
})

afterAll(() => client.stop())

describe('a rule that returns a filter', () => {
  it('returns 401 without a caller, and 404 outside the filter', async () => {
    const id = await createPageOf({ editors: [adaId] })
    const url = `/api/pages/${id}`
    await client.request.patch(url).send({ text: 'b' }).expect(401)
    for (const target of [url, `/api/pages/${absent}`]) {
      const before = await PageModel.findById(id).lean()
      await bob.get(target).expect(404)
      await bob.put(target).send({ text: 'b' }).expect(404)
      await bob.patch(target).send({ text: 'b' }).expect(404)
      await bob
        .patch(target)
        .send({ editors: ['x'] })
        .expect(404)
      await bob.delete(target).set('If-Match', '"9"').expect(404)
      expect(await PageModel.findById(id).lean()).toEqual(before)
    }
    await ada.patch(url).send({ text: 'b' }).expect(200)
    await ada.delete(url).set('If-Match', '"9"').expect(412)
    await ada.delete(url).expect(204)
  })

  it('combines with any: the union of what the rules allow, also without a caller', async () => {
    await PageModel.deleteMany({})
    const draft = await createPageOf({ editors: [adaId] })
    const shown = await createPageOf({ status: 'live' })
    const read = async (request: TestClient['request'], query = '') => {
      const { body } = await request.get(`/api/pages${query}`).expect(200)
      expect(body.meta.total).toBe(body.data.length)
      return body.data.map(({ id }: { id: string }) => id)
    }
    expect(await read(client.request)).toEqual([shown])
    expect(await read(bob)).toEqual([shown])
    expect(await read(ada)).toEqual([draft, shown])
    expect(await read(client.request, '?status=draft')).toEqual([])
    await client.request.get(`/api/pages/${draft}`).expect(404)
    await client.request.get(`/api/pages/${shown}`).expect(200)
    const admin = await client.signUp({ roles: ['admin'] })
    expect(await read(supertest.agent(client.url).set(admin.headers))).toEqual([draft, shown])
  })

  it('keeps writes inside', async () => {
    const body = { text: 'new' }
    const { body: created } = await ada.post('/api/pages').send(body).expect(201)
    expect(created.data.editors).toEqual([adaId])
    const url = `/api/pages/${created.data.id}`
    const { body: refused } = await ada.post('/api/pages').send({ ...body, editors: ['x'] })
    expect(refused).toMatchObject({ status: 403, code: 'forbidden' })
    await ada
      .post('/api/pages')
      .send({ ...body, editors: ['x', adaId] })
      .expect(201)
    await ada
      .patch(url)
      .send({ editors: ['x'] })
      .expect(403)
    await ada.patch(url).send({ editors: null }).expect(403)
    await ada.put(url).send(body).expect(403)
    await ada
      .patch(url)
      .send({ editors: ['x', adaId] })
      .expect(200)
    await ada
      .put(url)
      .send({ ...body, editors: [adaId] })
      .expect(200)
  })

  it('is judged with the collation of the collection', async () => {
    const options = { collation: { locale: 'en', strength: 2 }, timestamps: true }
    const schema = new Schema({ text: String, status: String }, options)
    const CollatedModel = model('CollatedPage', schema.plugin(versioned))
    await CollatedModel.init()
    const scope = { status: { $ne: 'live' } }
    const input = { text: 'a', status: 'LIVE' }
    await expect(createDocument(CollatedModel, input, { scope })).rejects.toThrow(/yours to reach/)
    const { _id } = await createDocument(CollatedModel, { ...input, status: 'draft' }, { scope })
    const change = { scope, match: {}, schema: patchPage, input: { status: 'Live' } }
    await expect(patchDocument(CollatedModel, { _id }, change)).rejects.toThrow(/yours to reach/)
  })

  it('does not count defaults that a stored document does not have', async () => {
    const fields = { text: String, status: { type: String, default: 'draft' }, editors: [String] }
    const schema = new Schema(fields, { timestamps: true })
    const DefaultModel = model('DefaultPage', schema.plugin(versioned))
    const { _id } = await DefaultModel.create({ text: 'a', editors: ['ada'] })
    await DefaultModel.collection.updateOne({ _id }, { $unset: { status: 1 } })
    const scope = { $or: [{ status: 'draft' }, { editors: 'ada' }] }
    const change = { scope, match: {}, schema: patchPage, input: { editors: ['bob'] } }
    await expect(patchDocument(DefaultModel, { _id }, change)).rejects.toThrow(/yours to reach/)
  })

  it('decides about a document that the route has loaded: 404 without one, 403 outside', async () => {
    const id = await createPageOf({ editors: [adaId] })
    await ada.get(`/api/pages/${absent}/draft`).expect(404)
    await ada.get('/api/pages/nope/draft').expect(404)
    await client.request.get(`/api/pages/${id}/draft`).expect(401)
    await bob.get(`/api/pages/${id}/draft`).expect(403)
    await ada.get(`/api/pages/${id}/draft`).expect(200)
  })

  it.each([
    ['unread', /'owner' of GET \/api\/faulty\/unread is a filter.*has not read req\.scope/],
    ['nothing', /The rule 'nothing' returned \{\}\. Return true/],
    [
      'no-parts',
      /The rule 'no-parts' returned a filter whose '\$or' is empty or has an empty part/,
    ],
    ['empty-part', /The rule 'empty-part' returned a filter whose '\$and' is empty or has an/],
    ['in-all', /The rule 'forgotten' returned undefined\. Return true/],
    ['in-any', /The rule 'empty' returned \{\}\. Return true/],
    ['query', /The rule 'query' returned an instance of Query\. Return true/],
    ['text', /The rule 'text' returned .*yes.*\. Return true/],
    ['undefined', /The rule 'undefined' returned a filter with undefined at 'org'/],
    ['loaded', /GET \/loaded is a filter, so load must return a Mongoose query/],
  ])('is a 500 that says what to do if something is wrong: %s', async (name, message) => {
    messages.length = 0
    await ada.get(`/api/faulty/${name}`).expect(500)
    expect(messages.join('')).toMatch(message)
  })

  it('refuses with 403, without a caller with 401', async () => {
    await ada.get('/api/faulty/refused').expect(403)
    await client.request.get('/api/faulty/refused').expect(401)
    await ada.get('/api/faulty/closed').expect(403)
    await client.request.get('/api/faulty/closed').expect(401)
  })
})

describe('rules', () => {
  it('have names, which the document states', () => {
    expect(readers.name).toBe('live or editors or admin')
    expect(all(any('owner', role('admin')), editors).name).toBe('(owner or role admin) and editors')
    expect(api.openapi?.paths['/api/pages']).toMatchObject({
      get: { security: [{}, { bearer: [] }], 'x-access': 'live or editors or admin' },
      post: { security: [{ bearer: [] }], 'x-access': 'editors', responses: { 401: {}, 403: {} } },
    })
    expect(all(role('admin'), 'owner').scopes).toEqual(['admin'])
  })

  it('need a part, and a decision', () => {
    expect(() => any()).toThrow(/at least one rule/)
    const route = { method: 'get', path: '/', access: () => true, handler: () => {} } as const
    // @ts-expect-error a function has no name
    expect(() => createRouter([route])).toThrow(/GET \/ is not a word or a rule.*defineRule/)
  })

  it('AUZ-07 are walked by the check of every route', async () => {
    const sound = api.routes.filter(({ path }) => !path.startsWith('/api/faulty'))
    const path = `/api/pages/${await createPageOf({ editors: [adaId] })}`
    const foreign = { '/api/pages/:id': path, '/api/pages/:id/draft': `${path}/draft` }
    const options = { foreign }
    expect(await findAccessFaults({ app: api.app, routes: sound }, client, options)).toEqual([])
  })

  it('AUZ-07 are reported if the handler does not read the filter', async () => {
    const routes = api.routes.filter((endpoint) => endpoint.path === '/api/faulty/unread')
    const faults = await findAccessFaults({ app: api.app, routes }, client)
    expect(faults).toEqual([{ route: 'GET /api/faulty/unread', problem: 'returns 500 for a user' }])
  })
})
