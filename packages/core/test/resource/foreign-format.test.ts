import { model, Schema } from 'mongoose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createApi, createRegistry, createRouter, defineRoute, success } from '../../src/index.ts'
import {
  defineListQuery,
  findPage,
  listMeta,
  requireFound,
  toOutputSchema,
  toPatchSchema,
  versioned,
} from '../../src/resource.ts'
import { createTestClient, findAccessFaults, type TestClient } from '../../src/testing.ts'

// The API that the RealWorld project designed: one member around everything, `Token` instead of
// `Bearer`, and errors as lists of texts. Nothing of it is ours.
const createArticle = z.strictObject({
  slug: z.string().regex(/^[a-z-]{1,40}$/),
  title: z.string().min(1).max(100),
})
const article = toOutputSchema(createArticle).omit({ id: true })
const list = defineListQuery(toOutputSchema(createArticle), { sort: ['createdAt'] })
const articleSchema = new Schema(
  {
    slug: { type: String, required: true, unique: true },
    title: { type: String, required: true },
  },
  { timestamps: true },
)
const ArticleModel = model('ForeignArticle', articleSchema.plugin(versioned))
const params = createArticle.pick({ slug: true })
const toArticle = (data: unknown): unknown => ({ article: data })

const articles = createRouter([
  defineRoute({
    method: 'get',
    path: '/',
    access: 'public',
    query: list,
    response: article.array(),
    meta: listMeta,
    envelope: (data, meta) => ({ articles: data, articlesCount: meta.total }),
    async handler(req, res) {
      const { data, meta } = await findPage(ArticleModel, req.valid.query, { scope: {} })
      success(res, data, meta)
    },
  }),
  defineRoute({
    method: 'post',
    path: '/',
    access: 'user',
    body: z.strictObject({ article: createArticle }),
    response: article,
    status: 201,
    errors: ['duplicate'],
    envelope: toArticle,
    async handler(req, res) {
      success(res.status(201), await ArticleModel.create(req.valid.body.article))
    },
  }),
  defineRoute({
    method: 'get',
    path: '/:slug',
    access: 'public',
    params,
    response: article,
    envelope: toArticle,
    async handler(req, res) {
      success(res, requireFound(await ArticleModel.findOne(req.valid.params).lean()))
    },
  }),
  defineRoute({
    method: 'put',
    path: '/:slug',
    access: 'user',
    params,
    body: z.strictObject({ article: toPatchSchema(createArticle) }),
    response: article,
    envelope: toArticle,
    async handler(req, res) {
      const { params: filter, body } = req.valid
      const options = { returnDocument: 'after' } as const
      const changed = ArticleModel.findOneAndUpdate(filter, { $set: body.article }, options)
      success(res, requireFound(await changed.lean()))
    },
  }),
])

// A second one: JSON:API wants its own media type both ways.
const jsonApi = 'application/vnd.api+json'
const resource = z.strictObject({
  type: z.literal('people'),
  attributes: z.strictObject({ name: z.string().min(1) }),
})
const people = createRouter([
  defineRoute({
    method: 'post',
    path: '/',
    access: 'public',
    consumes: [jsonApi],
    produces: jsonApi,
    body: z.strictObject({ data: resource }),
    response: resource.extend({ id: z.string() }).loose(),
    status: 201,
    envelope: (data) => ({ jsonapi: { version: '1.1' }, data }),
    handler(req, res) {
      success(res.status(201).location('/api/people/1'), { id: '1', ...req.valid.body.data })
    },
  }),
])

const api = createApi({
  name: 'foreign',
  routes: createRegistry().use('/api/articles', articles).use('/api/people', people),
  auth: { scheme: 'Token' },
  errors: {
    format: (error) => ({
      contentType: 'application/json; charset=utf-8',
      body: {
        errors: {
          body: error.errors?.map(({ pointer, detail }) => `${pointer} ${detail}`) ?? [
            error.message,
          ],
        },
      },
    }),
  },
  openapi: {
    license: { name: 'MIT', identifier: 'MIT' },
    problem: {
      contentType: 'application/json',
      schema: z.object({ errors: z.object({ body: z.array(z.string()) }) }),
    },
  },
  rateLimit: false,
})

let client: TestClient
let headers: { readonly Authorization: string }

beforeAll(async () => {
  client = await createTestClient(api)
  headers = (await client.signUp()).headers
})

afterAll(() => client.stop())

function create(slug: string) {
  return client.request
    .post('/api/articles')
    .set(headers)
    .send({ article: { slug, title: 'Title' } })
}

describe('an API format that somebody else designed', () => {
  it('is spoken exactly: bodies, tokens and errors', async () => {
    expect(headers.Authorization).toMatch(/^Token ey/)
    const created = await create('exact').expect(201)
    const times = { createdAt: expect.any(String), updatedAt: expect.any(String) }
    expect(created.body).toEqual({ article: { slug: 'exact', title: 'Title', ...times } })
    expect((await client.request.get('/api/articles/exact').expect(200)).body).toEqual(created.body)
    const listed = await client.request.get('/api/articles').expect(200)
    expect(listed.body).toEqual({ articles: [created.body.article], articlesCount: 1 })
    const changed = await client.request
      .put('/api/articles/exact')
      .set(headers)
      .send({ article: { title: 'Other' } })
      .expect(200)
    expect(changed.body.article.title).toBe('Other')
  })

  it('sends every error in that format', async () => {
    await create('taken').expect(201)
    for (const [pending, status, texts] of [
      [client.request.get('/api/articles/absent'), 404, ['Not found.']],
      [client.request.get('/api/articles?nope=1'), 400, ['#/nope is not allowed']],
      [create('taken'), 409, ['#/slug is already in use']],
      [
        client.request
          .post('/api/articles')
          .set(headers)
          .send({ article: { slug: 'a' } }),
        422,
        ['#/article/title is required'],
      ],
      [client.request.get('/nope'), 404, ['Not found.']],
    ] as const) {
      const response = await pending
      expect(response.status).toBe(status)
      expect(response.body).toEqual({ errors: { body: texts } })
      expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
    }
  })

  it('knows only its own word before a token', async () => {
    const token = headers.Authorization.replace('Token ', '')
    const send = (value: string) =>
      client.request.post('/api/articles').set('Authorization', value).send({})
    for (const value of [`Bearer ${token}`, token, `Tokens ${token}`, `xToken ${token}`]) {
      const response = await send(value).expect(401)
      expect(response.headers['www-authenticate']).toBe('Token realm="api"')
    }
    await send('Token forged').expect(401).expect('www-authenticate', 'Token realm="api"')
    await send(`token ${token}`).expect(422)
    expect(await findAccessFaults(api, client)).toEqual([])
    const login = await client.request.post('/api/v1/auth/register').send({
      email: 'new@example.org',
      password: 'a good long password',
    })
    expect(login.body.data.tokenType).toBe('Token')
  })

  it('is described in the document', () => {
    expect(api.openapi).toMatchObject({
      info: { license: { name: 'MIT', identifier: 'MIT' } },
      components: {
        securitySchemes: {
          bearer: { type: 'apiKey', in: 'header', name: 'Authorization' },
        },
        schemas: { Error: { properties: { errors: { type: 'object' } } } },
        responses: {
          NotFound: {
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
          },
        },
      },
      paths: {
        '/api/articles/{slug}': {
          get: {
            responses: {
              200: {
                content: {
                  'application/json': {
                    schema: { properties: { article: { $ref: '#/components/schemas/Article' } } },
                  },
                },
              },
            },
          },
        },
      },
    })
    expect(JSON.stringify(api.openapi)).not.toContain('problem+json')
    expect(api.openapi?.components).not.toHaveProperty('schemas.Problem')
  })

  it('may have its own media type', async () => {
    const data = { type: 'people', attributes: { name: 'Ada' } }
    const send = (accept: string, type = jsonApi) =>
      client.request
        .post('/api/people')
        .set({ Accept: accept, 'Content-Type': type })
        .send(JSON.stringify({ data }))
    const response = await send(jsonApi).expect(201)
    expect(response.headers['content-type']).toBe(jsonApi)
    expect(response.body).toEqual({
      jsonapi: { version: '1.1' },
      data: { id: '1', ...data },
    })
    await send('*/*').expect(201)
    await send('application/json').expect(406)
    await send(jsonApi, 'application/json').expect(415)
    expect(api.openapi).toMatchObject({
      paths: {
        '/api/people': { post: { responses: { 201: { content: { [jsonApi]: {} } } } } },
      },
      components: { requestBodies: { CreatePeople: { content: { [jsonApi]: {} } } } },
    })
  })

  it('cannot be given a word with spaces', () => {
    const routes = createRegistry()
    expect(() => createApi({ routes, auth: { scheme: 'My Token' } })).toThrow(/auth.scheme/)
  })
})
