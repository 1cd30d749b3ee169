import express, { type Request } from 'express'
import mongoose, { model, Schema } from 'mongoose'
import request from 'supertest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createApi, createRegistry, createRouter, defineRoute, success } from '../../src/index.ts'
import { bodyParser, errorHandler } from '../../src/pipeline.ts'
import { createTestClient, type TestClient } from '../../src/testing.ts'

const secretSchema = new Schema({ title: { type: String, required: true }, views: Number })
const SecretModel = model('InjectionSecret', secretSchema)
const found = z.object({ title: z.string() }).array()
const anyBody = z.object({ title: z.any(), rest: z.record(z.string(), z.unknown()).optional() })

const silent = { debug() {}, info() {}, warn() {}, error() {}, fatal() {} }
const log: unknown[] = []
const api = createApi({
  name: 'injection',
  environment: 'test',
  rateLimit: false,
  auth: { limits: false },
  log: { logger: { ...silent, error: (fields: unknown) => void log.push(fields) } },
  routes: createRegistry().use(
    '/api',
    createRouter([
      defineRoute({
        method: 'post',
        path: '/search',
        access: 'public',
        body: anyBody,
        response: found,
        handler: async (req, res) => {
          const { title, rest = {} } = req.valid.body
          success(res, await SecretModel.find({ title, ...rest }).lean())
        },
      }),
      defineRoute({
        method: 'get',
        path: '/open/:id',
        access: 'public',
        response: found,
        handler: async (req, res) => {
          success(res, await SecretModel.find({ _id: req.params['id'] }).lean())
        },
      }),
      defineRoute({
        method: 'get',
        path: '/some',
        access: 'public',
        query: z.strictObject({ titles: z.string() }),
        response: found,
        handler: async (req, res) => {
          const { titles } = req.valid.query
          success(res, await SecretModel.find({ title: { $in: titles.split(',') } }).lean())
        },
      }),
      defineRoute({
        method: 'get',
        path: '/broken/:id',
        access: 'public',
        params: z.object({ id: z.string() }),
        response: found,
        handler: async (req, res) => {
          success(res, await SecretModel.find({ _id: req.valid.params.id }).lean())
        },
      }),
    ]),
  ),
})

let client: TestClient

beforeAll(async () => {
  api.app.post('/own', bodyParser(), (req: Request, res, next) => {
    const { title } = req.body
    SecretModel.find({ title }).then((documents) => res.json(documents), next)
  })
  client = await createTestClient(api)
  await SecretModel.create({ title: 'secret' })
})

afterAll(() => client.stop())

const operators = [
  { $gt: '' },
  { $ne: null },
  { $regex: '.*' },
  { $in: ['secret'] },
  { $not: { $eq: 1 } },
  { $where: 'sleep(5000)' },
  { $exists: true },
]

describe('operators of a client', () => {
  it.each(operators)(
    'VAL-02 VAL-03 %j is refused by a schema that allows anything',
    async (value) => {
      for (const body of [{ title: value }, { title: 'x', rest: { title: value } }]) {
        const response = await client.request.post('/api/search').send(body).expect(422)
        expect(response.body.errors).toMatchObject([{ code: 'unrecognized_key' }])
      }
      const rest = { $or: [{ title: value }], $where: '1' }
      await client.request.post('/api/search').send({ title: 'x', rest }).expect(422)
      await client.request.post('/own').send({ title: value }).expect(422)
    },
  )

  it.each(operators)(
    'VAL-02 VAL-03 %j is refused in each field of authentication',
    async (value) => {
      const paths = [
        ['register', ['email', 'password']],
        ['login', ['email', 'password']],
        ['refresh-token', ['refreshToken']],
        ['logout', ['refreshToken']],
        ['forgot-password', ['email']],
        ['reset-password', ['token', 'password']],
        ['verify-email', ['token']],
      ] as const
      const caller = await client.signUp()
      for (const [path, fields] of paths) {
        for (const field of fields) {
          const others = { email: caller.user['email'], password: 'a long passphrase' }
          const body = {
            ...Object.fromEntries(fields.map((name) => [name, Reflect.get(others, name)])),
            [field]: value,
          }
          const response = await client.request.post(`/api/v1/auth/${path}`).send(body)
          expect([path, field, response.status]).toEqual([path, field, 422])
        }
      }
      const change = { currentPassword: value, newPassword: 'a longer passphrase' }
      const changed = await client.request
        .post('/api/v1/auth/change-password')
        .set(caller.headers)
        .send(change)
      expect(changed.status).toBe(422)
    },
  )

  it('VAL-02 in a path, a query or a header are text', async () => {
    for (const id of ['{"$gt":""}', '$ne', '[object Object]']) {
      await client.request.get(`/api/open/${encodeURIComponent(id)}`).expect(404)
    }
    await client.request.get('/api/some?titles[$ne]=x').expect(400)
    const { body } = await client.request
      .get('/api/some')
      .query({ titles: '{"$ne":1}' })
      .expect(200)
    expect(body.data).toEqual([])
    const caller = await client.signUp()
    const session = encodeURIComponent('{"$gt":""}')
    await client.request.delete(`/api/v1/auth/sessions/${session}`).set(caller.headers).expect(404)
  })
})

describe("the application's own queries", () => {
  it('use any operator', async () => {
    const { body } = await client.request.get('/api/some?titles=secret,other').expect(200)
    expect(body.data).toEqual([{ title: 'secret' }])
  })

  it('that fail are a 500, and the log has the stack', async () => {
    const { body } = await client.request.get('/api/broken/x').expect(500)
    expect(body.code).toBe('internal_error')
    expect(log.at(-1)).toMatchObject({ err: { stack: expect.stringContaining('CastError') } })
    await client.request
      .post('/api/search')
      .send({ title: { a: 1 } })
      .expect(500)
  })

  it('return 404 for a path parameter that no schema has checked', async () => {
    const host = express()
    host.get('/:id', (req, res, next) => {
      SecretModel.findById(req.params.id).then((document) => res.json(document), next)
    })
    host.use(errorHandler({ logger: { warn() {}, error() {} } }))
    await request(host).get('/x').expect(404)
  })
})

describe('an application that turns on sanitizeFilter and strict queries', () => {
  beforeAll(() => void mongoose.set({ sanitizeFilter: true, strictQuery: 'throw' }))
  afterAll(() => void mongoose.set({ sanitizeFilter: false, strictQuery: false }))

  it('can use authentication', async () => {
    const caller = await client.signUp()
    await client.request.get('/api/v1/auth/sessions').set(caller.headers).expect(200)
    await client.request.post('/api/v1/auth/logout-all').set(caller.headers).expect(204)
    await client.request.get('/api/v1/auth/me').set(caller.headers).expect(401)
  })
})
