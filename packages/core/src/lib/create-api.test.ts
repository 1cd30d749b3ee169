import express, { type ErrorRequestHandler } from 'express'
import request from 'supertest'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type ApiConfig } from './settings/api-options.ts'
import { type Api, createApi } from './create-api.ts'
import { createRouter } from './routing/create-router.ts'
import { defineRoute } from './route/define-route.ts'
import { createRegistry } from './routing/registry.ts'
import { success } from './response/success.ts'

const greet = defineRoute({
  method: 'get',
  path: '/:name',
  access: 'public',
  params: z.object({ name: z.string().max(20) }),
  response: z.object({ greeting: z.string() }),
  handler: (req, res) => {
    success(res, { greeting: `Hello, ${req.valid.params.name}!` })
  },
})
const create = defineRoute({
  method: 'post',
  path: '/',
  access: 'public',
  body: z.strictObject({ name: z.string() }),
  response: z.object({ name: z.string() }),
  status: 201,
  handler: (req, res) => {
    success(res.status(201), req.valid.body)
  },
})
const fail = defineRoute({
  method: 'get',
  path: '/fail/now',
  access: 'public',
  handler: async () => {
    throw new Error('mongodb://u:p@h')
  },
})
const apis: Api[] = []

function make(config: Partial<ApiConfig> = {}): Api {
  const routes = createRegistry().use('/api/hello', createRouter([greet, create, fail]))
  const log = { level: 'silent' } as const
  const api = createApi({ routes, log, auth: false, database: false, ...config })
  apis.push(api)
  return api
}

afterEach(async () => {
  await Promise.all(apis.splice(0).map((api) => api.stop()))
})

describe('createApi', () => {
  it('is a real Express app', async () => {
    const { app } = make()
    app.set('setting', 42)
    app.get('/own', (req, res) => void res.json({ setting: req.app.get('setting'), id: req.id }))
    const response = await request(app).get('/own').set('X-Request-Id', 'mine').expect(200)
    expect(response.body).toEqual({ setting: 42, id: 'mine' })
  })

  it('serves the routes of the registry, with the headers of every stage', async () => {
    const response = await request(make().app).get('/api/hello/world').expect(200)
    expect(response.body).toEqual({ data: { greeting: 'Hello, world!' } })
    expect(response.headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'ratelimit-policy': expect.stringContaining('"global"'),
      'x-request-id': expect.any(String),
    })
    expect(response.headers).not.toHaveProperty('x-powered-by')
    expect(response.headers).not.toHaveProperty('etag')
  })

  it('serves health before the limit, and 405 there too', async () => {
    const agent = request(make({ rateLimit: { limit: 1 } }).app)
    await agent.get('/api/hello/a').expect(200)
    await agent.get('/api/hello/a').expect(429)
    for (const path of ['/', '/health/live', '/health/ready']) await agent.get(path).expect(200)
    const refused = await agent.delete('/').expect(405)
    expect(refused.headers.allow).toContain('GET')
  })

  it('sends not found and errors last, whatever is mounted later', async () => {
    const { app } = make()
    const agent = request(app)
    const missing = await agent.get('/later').expect(404)
    expect(missing.body).toMatchObject({
      code: 'not_found',
      requestId: missing.headers['x-request-id'],
    })
    app.get('/later', (_req, res) => void res.send('now'))
    await agent.get('/later').expect(200, 'now')
    const failed = await agent.get('/api/hello/fail/now').expect(500)
    expect(failed.body).toMatchObject({ code: 'internal_error' })
    expect(failed.text).not.toContain('mongodb')
  })

  it('lets an error handler of the app respond first', async () => {
    const { app } = make()
    const own: ErrorRequestHandler = (_error, _req, res, _next) => void res.status(599).send('own')
    app.use(own)
    await request(app).get('/api/hello/fail/now').expect(599, 'own')
  })

  it('leaves unknown paths to the app it is mounted in, and responds to its own errors', async () => {
    const host = express()
    host.use('/v2', make({ health: false }).app)
    host.use((_req, res) => void res.status(299).send('host'))
    const agent = request(host)
    await agent.get('/v2/api/hello/you').expect(200, { data: { greeting: 'Hello, you!' } })
    await agent.get('/v2/nope').expect(299, 'host')
    await agent.get('/v2').expect(299, 'host')
    const failed = await agent.get('/v2/api/hello/fail/now').expect(500)
    expect(failed.body.code).toBe('internal_error')
  })

  it('speaks another format when configured to', async () => {
    const api = make({
      envelope: (data) => ({ ok: true, result: data }),
      errors: {
        format: (error) => ({
          contentType: 'application/json',
          body: { ok: false, why: error.code },
        }),
      },
    })
    const agent = request(api.app)
    await agent.get('/api/hello/a').expect(200, { ok: true, result: { greeting: 'Hello, a!' } })
    await agent.get('/nope').expect(404, { ok: false, why: 'not_found' })
  })

  it('lists its routes', () => {
    const routes = make().routes.map(({ method, path }) => `${method} ${path}`)
    expect(routes.filter((route) => route.includes(' /api/'))).toEqual([
      'GET /api/hello/:name',
      'POST /api/hello',
      'GET /api/hello/fail/now',
    ])
    expect(routes).toContain('GET /openapi.json')
  })

  it('refuses a path and method that are mounted twice', () => {
    const router = createRouter([create])
    const routes = createRegistry().use('/api/a', router).use('/api/a', router)
    expect(() => make({ routes })).toThrow('The route POST /api/a is defined twice.')
  })

  it('rejects a router mounted after it has read the registry', () => {
    const routes = createRegistry()
    make({ routes })
    const router = createRouter([create])
    expect(() => routes.use('/api/late', router)).toThrow(
      "The router at /api/late is mounted too late: createApi has read this registry already. Move routes.use('/api/late', …) before createApi, or mount the router in the Express app: api.app.use('/api/late', …).",
    )
    expect(routes.mounts).toEqual([])
  })

  it('starts on a free port and stops', async () => {
    const api = make()
    expect(api.server).toBeUndefined()
    const { url } = await api.start({ port: 0, signals: false })
    expect(api.server?.listening).toBe(true)
    expect((await fetch(`${url}/api/hello/x`)).status).toBe(200)
    await api.stop()
    await expect(fetch(url)).rejects.toThrow()
  })

  it('AVL-07 is ready while its database responds, and persists users in it', async () => {
    const api = make({ auth: {}, database: { uri: 'embedded:memory' } })
    const { url } = await api.start({ port: 0, signals: false })
    const ready = await (await fetch(`${url}/health/ready`)).json()
    expect(ready).toMatchObject({
      status: 'pass',
      checks: { 'mongodb:connection': [{ status: 'pass', componentType: 'datastore' }] },
    })
    const register = await request(url)
      .post('/api/v1/auth/register')
      .send({ email: 'a@example.org', password: 'correct horse battery staple' })
      .expect(201)
    const me = await request(url)
      .get('/api/v1/auth/me')
      .set('Authorization', `Bearer ${register.body.data.accessToken}`)
      .expect(200)
    expect(me.body.data.email).toBe('a@example.org')
    await request(url).get('/.well-known/jwks.json').expect(200, { keys: [] })
  })

  it('builds the indexes of every API that one process starts, one after another', async () => {
    for (const round of [1, 2]) {
      const api = make({ auth: {}, database: { uri: 'embedded:memory' } })
      const { database } = await api.start({ port: 0, signals: false })
      const indexes = await database?.connection.collection('users').indexes()
      expect({ round, names: indexes?.map(({ name }) => name) }).toEqual({
        round,
        names: ['_id_', 'email_1'],
      })
      await api.stop()
    }
  })
})
