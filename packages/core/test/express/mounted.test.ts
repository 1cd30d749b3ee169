import { randomBytes } from 'node:crypto'
import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import {
  type Api,
  type ApiConfig,
  createApi,
  createRegistry,
  createRouter,
  defineRoute,
  success,
} from '@create-api/core'
import express, { type Express, Router } from 'express'
import mongoose from 'mongoose'
import request from 'supertest'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'

const secrets = [randomBytes(32).toString('base64')]
const password = 'correct horse battery staple'
let database: Awaited<ReturnType<typeof startEmbeddedMongo>>
let log = ''

beforeAll(async () => {
  database = await startEmbeddedMongo({ storage: { memory: true } })
})

afterEach(async () => {
  await mongoose.disconnect()
  log = ''
})

afterAll(() => database.stop())

const echo = createRouter([
  defineRoute({
    method: 'get',
    path: '/:id',
    access: 'public',
    params: z.object({ id: z.string() }),
    response: z.object({ ip: z.string().optional() }),
    handler: (req, res) => {
      success(res, { ip: req.ip })
    },
  }),
])

function create(config: Partial<ApiConfig> = {}): Api {
  return createApi({
    routes: createRegistry().use('/api/echo', echo),
    environment: 'test',
    auth: { secrets },
    database: false,
    accessLog: { format: 'json', stream: { write: (text) => void (log += text) } },
    ...config,
  })
}

const mounts: Readonly<Record<string, (host: Express, api: Api) => void>> = {
  'with app.use': (host, api) => void host.use('/v2', api.app),
  'in a router': (host, api) => void host.use('/v2', Router().use(api.app)),
  'in a function': (host, api) => {
    host.use('/v2', (req, res, next) => {
      api.app(req, res, next)
    })
  },
}

describe.each(Object.entries(mounts))('an API mounted %s', (_way, mount) => {
  it('sees the clients that its host sees behind a proxy', async () => {
    await mongoose.connect(database.uri, { dbName: `mounted_${randomBytes(4).toString('hex')}` })
    const api = create({ rateLimit: { limit: 3 } })
    await api.auth?.init()
    const host = express().set('trust proxy', 1)
    mount(host, api)
    const from = (ip: string) => ({ 'X-Forwarded-For': ip })
    const agent = request(host)

    const response = await agent.get('/v2/api/echo/1').set(from('203.0.113.1')).expect(200)
    expect(response.body).toEqual({ data: { ip: '203.0.113.1' } })
    const { body } = await agent
      .post('/v2/api/v1/auth/register')
      .set(from('203.0.113.1'))
      .send({ email: 'ada@example.org', password })
      .expect(201)
    const sessions = await agent
      .get('/v2/api/v1/auth/sessions')
      .set({ ...from('203.0.113.1'), Authorization: `Bearer ${body.data.accessToken}` })
      .expect(200)
    expect(sessions.body.data).toMatchObject([{ address: '203.0.113.1' }])
    expect(log.match(/"ip":"203\.0\.113\.1"/g)).toHaveLength(3)

    await agent.get('/v2/api/echo/1').set(from('203.0.113.1')).expect(429)
    await agent.get('/v2/api/echo/1').set(from('203.0.113.2')).expect(200)
  })

  it('trusts what its own option states, whatever its host trusts', async () => {
    const api = create({ auth: false, trustProxy: false })
    const host = express().set('trust proxy', 1)
    mount(host, api)
    const response = await request(host).get('/v2/api/echo/1').set('X-Forwarded-For', '203.0.113.1')
    expect(response.body.data.ip).toMatch(/127\.0\.0\.1$/)
  })
})

describe('a mounted API', () => {
  it('names the path that it is mounted at as the server of its document', async () => {
    const { app } = create({ auth: false })
    const agent = request(express().use('/v2', app).use('/:tenant/v3', app))
    const serversAt = async (mount: string): Promise<unknown> =>
      (await agent.get(`${mount}/openapi.json`).expect(200)).body.servers
    expect(await serversAt('/v2')).toEqual([{ url: '/v2' }])
    expect(await serversAt('/acme/v3')).toEqual([{ url: '/acme/v3' }])
    const alone = await request(create({ auth: false }).app).get('/openapi.json')
    expect(alone.body.servers).toEqual([{ url: '/' }])
    const servers = ['https://api.example.com']
    const named = express().use('/v2', create({ auth: false, openapi: { servers } }).app)
    const { body } = await request(named).get('/v2/openapi.json')
    expect(body.servers).toEqual([{ url: 'https://api.example.com' }])
  })

  it('is not ready before the application has connected Mongoose, and is then', async () => {
    const host = express().use('/v2', create().app)
    const agent = request(host)
    const early = await agent.get('/v2/health/ready').expect(503)
    expect(early.body.checks['mongodb:connection']).toMatchObject([{ status: 'fail' }])
    await mongoose.connect(database.uri)
    await expect.poll(async () => (await agent.get('/v2/health/ready')).status).toBe(200)
  })

  it('checks the connection that authentication uses', async () => {
    const connection = mongoose.createConnection()
    const agent = request(express().use('/v2', create({ auth: { secrets, connection } }).app))
    await mongoose.connect(database.uri)
    await agent.get('/v2/health/ready').expect(503)
    await connection.openUri(database.uri)
    await expect.poll(async () => (await agent.get('/v2/health/ready')).status).toBe(200)
    await connection.close()
  })

  it('returns 503 when no database is connected, as early as for a server that is gone', async () => {
    const stream = { write: (text: string) => void (log += text) }
    const auth = { secrets, connection: mongoose.createConnection() }
    const agent = request(express().use('/v2', create({ auth, log: { stream } }).app))
    const refused = await agent
      .post('/v2/api/v1/auth/login')
      .send({ email: 'ada@example.org', password })
      .expect(503)
    expect(refused.body.code).toBe('service_unavailable')
    expect(log).toContain('buffering timed out after 1800ms')
  })
})

describe('an API with database: false', () => {
  it('serves authentication on the connection of the application', async () => {
    await mongoose.connect(database.uri, { dbName: `started_${randomBytes(4).toString('hex')}` })
    const api = create()
    const { url } = await api.start({ port: 0, signals: false })
    const body = { email: 'ada@example.org', password }
    await request(url).post('/api/v1/auth/register').send(body).expect(201)
    await request(url).post('/api/v1/auth/register').send(body).expect(409)
    const names = await mongoose.connection.collection('users').indexes()
    expect(names.map(({ name }) => name)).toContain('email_1')
    await api.stop()
    await mongoose.connection.db?.command({ ping: 1 })
  })

  it('does not start with authentication when nothing is connected', async () => {
    await expect(create().start({ port: 0, signals: false })).rejects.toThrow(
      'Authentication needs a database, and Mongoose is not connected.',
    )
  })
})
