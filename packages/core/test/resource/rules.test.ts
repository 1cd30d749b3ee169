import { model, Schema } from 'mongoose'
import supertest from 'supertest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  ApiError,
  createApi,
  createRegistry,
  createRouter,
  defineRoute,
  success,
} from '../../src/index.ts'
import { idParams as params, setEtag, toOutputSchema, versioned } from '../../src/resource.ts'
import { createTestClient, findAccessFaults, type TestClient } from '../../src/testing.ts'

const absent = '000000000000000000000000'
const createPage = z.strictObject({ text: z.string().min(1).max(100) })
const page = toOutputSchema(createPage)
const pageSchema = new Schema(
  { text: String, editors: [String], hidden: Boolean },
  { timestamps: true },
)
const PageModel = model('RuledPage', pageSchema.plugin(versioned))

const pages = createRouter([
  defineRoute({
    method: 'get',
    path: '/:id',
    params,
    load: ({ id }) => PageModel.findById(id).lean(),
    access: (user, { editors, hidden }) => {
      if (hidden) throw new ApiError('not_found')
      return editors.includes(user.id)
    },
    response: page,
    etag: true,
    handler: (req, res) => success(setEtag(res, req.document), req.document),
  }),
  defineRoute({
    method: 'put',
    path: '/:id',
    params,
    body: createPage,
    load: ({ id }) => PageModel.findById(id).lean(),
    access: (user, { editors }) => editors.includes(user.id),
    response: page,
    async handler(req, res) {
      const { _id, __v } = req.document
      const changed = await PageModel.findOneAndUpdate({ _id, __v }, req.valid.body, {
        returnDocument: 'after',
      })
      if (!changed) throw new ApiError('conflict')
      success(res, changed)
    },
  }),
])
const api = createApi({
  name: 'rules',
  routes: createRegistry().use('/api/pages', pages),
  rateLimit: false,
})

let client: TestClient
let id: string
let editor: TestClient['request']
let other: TestClient['request']

beforeAll(async () => {
  client = await createTestClient(api)
  const ada = await client.signUp()
  editor = supertest.agent(client.url).set(ada.headers)
  other = supertest.agent(client.url).set((await client.signUp()).headers)
  id = (await PageModel.create({ text: 'a', editors: [ada.user.id] })).id
})

afterAll(() => client.stop())

describe('a rule as access', () => {
  it('returns 401 without a caller, 404 without a document, 403 when it denies access', async () => {
    await client.request.get(`/api/pages/${id}`).expect(401)
    await other.get(`/api/pages/${absent}`).expect(404)
    await other.get('/api/pages/nope').expect(404)
    const { body } = await other.get(`/api/pages/${id}`).expect(403)
    expect(body.code).toBe('forbidden')
    const response = await editor.get(`/api/pages/${id}`).expect(200)
    expect([response.body.data.text, response.headers['etag']]).toEqual(['a', '"0"'])
  })

  it('decides before the body is read', async () => {
    await other.put(`/api/pages/${id}`).type('json').send('{"text":').expect(403)
    await other.put(`/api/pages/${absent}`).type('text').send('x').expect(404)
    await editor.put(`/api/pages/${id}`).send({ text: '' }).expect(422)
    await editor.put(`/api/pages/${id}`).send({ text: 'b' }).expect(200)
  })

  it('may hide that there is a document', async () => {
    const hidden = await PageModel.create({ text: 'x', editors: [], hidden: true })
    const { body } = await other.get(`/api/pages/${hidden.id}`).expect(404)
    expect(body.code).toBe('not_found')
  })

  it('AUZ-07 is walked by the check of every route', async () => {
    const foreign = { '/api/pages/:id': `/api/pages/${id}` }
    expect(await findAccessFaults(api, client, { foreign })).toEqual([])
    const open = api.routes.map((endpoint) => ({ ...endpoint, path: '/health/live' }))
    const faults = await findAccessFaults({ app: api.app, routes: open }, client, {
      foreign: { '/health/live': '/health/live' },
    })
    expect(faults).toContainEqual({
      route: 'GET /health/live',
      problem: "returns 200 for another user's document, not 403 or 404",
    })
  })

  it('is described by security, 401, 403 and 404', () => {
    expect(api.openapi?.paths['/api/pages/{id}']).toMatchObject({
      get: {
        security: [{ bearer: [] }],
        'x-access': 'rule',
        responses: { 401: {}, 403: {}, 404: {} },
      },
    })
  })

  it('needs something to decide about', () => {
    const route = { method: 'get', path: '/', access: () => true, handler: () => {} } as const
    expect(() => createRouter([route])).toThrow(/GET \/ is a rule.*Add load/)
    // @ts-expect-error load is missing
    defineRoute({
      method: 'get',
      path: '/',
      access: (user: object) => user !== null,
      handler: () => {},
    })
  })
})
