import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import {
  createApi,
  createRegistry,
  createRouter,
  createServer,
  defineRoute,
  requireAccess,
  success,
} from '@create-api/core'
import { createAuth } from '@create-api/core/auth'
import {
  accessLog,
  bodyParser,
  cors,
  errorHandler,
  framing,
  health,
  rateLimit,
  requestId,
  securityHeaders,
} from '@create-api/core/pipeline'
import type express from 'express'
// @ts-expect-error -- an alias of Express 4, without types
import express4 from 'express4'
import mongoose from 'mongoose'
import request from 'supertest'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'

// An application that has Express 4 installed.
// @ts-expect-error -- as above
vi.mock('express', async () => ({ default: (await import('express4')).default }))
const create: typeof express = express4
const logger = { error() {}, warn() {} }

const notes = createRouter([
  defineRoute({
    method: 'get',
    path: '/:id',
    access: 'public',
    params: z.object({ id: z.string().max(3) }),
    query: z.object({ size: z.coerce.number().int().optional() }),
    response: z.object({ id: z.string(), size: z.number().optional() }),
    handler: (req, res) => success(res, { id: req.valid.params.id, size: req.valid.query.size }),
  }),
  defineRoute({
    method: 'patch',
    path: '/:id',
    access: 'user',
    body: z.strictObject({ text: z.string().min(1).optional() }),
    response: z.object({ text: z.string().optional(), by: z.string() }),
    handler: (req, res) => success(res, { ...req.valid.body, by: req.user.email }),
  }),
])

describe('createApi with Express 4', () => {
  it('says which version it needs, and what works', () => {
    expect(() => createApi({ routes: createRegistry(), auth: false, database: false })).toThrow(
      'createApi needs Express 5, and Express 4 is installed: npm install express@5. The stages, createRouter and createAuth work with Express 4 as well.',
    )
  })
})

describe('an app of Express 4', () => {
  const lines: string[] = []
  const app = create()
  let stop: () => Promise<void>

  beforeAll(async () => {
    const database = await startEmbeddedMongo({ storage: { memory: true } })
    const connection = await mongoose.createConnection(database.uri).asPromise()
    const secrets = [randomBytes(32).toString('base64')]
    const auth = createAuth({ secrets, connection })
    await auth.init()
    app.use(
      requestId(),
      accessLog({ stream: { write: (line) => void lines.push(line) } }),
      securityHeaders(),
      framing(),
      cors({ origins: ['https://app.example.com'] }),
      health(),
      rateLimit({ name: 'test', limit: 50, window: '60s' }),
    )
    app.use(create.json())
    app.use('/api/v1/auth', auth.router)
    app.use('/api/notes', auth.authentication(), notes)
    app.get('/me', auth.authentication(), requireAccess('user'), (_req, res) => res.json('me'))
    app.post('/echo', bodyParser(), (req, res) => res.json(req.body))
    app.use(errorHandler({ logger }))
    stop = async () => {
      await connection.close()
      await database.stop()
    }
  })

  afterAll(() => stop())

  it('has the headers of the stages on its responses', async () => {
    const response = await request(app).get('/api/notes/7?size=2').set('X-Request-Id', 'mine')
    expect(response.body).toEqual({ data: { id: '7', size: 2 } })
    expect(response.headers).toMatchObject({
      'x-request-id': 'mine',
      'x-content-type-options': 'nosniff',
      'ratelimit-policy': expect.stringContaining('"test"'),
      vary: expect.stringContaining('Origin'),
    })
    expect(lines.join('')).toContain('"requestId":"mine"')
  })

  it('responds to preflight requests and health checks', async () => {
    const preflight = await request(app)
      .options('/api/notes/7')
      .set({ Origin: 'https://app.example.com', 'Access-Control-Request-Method': 'PATCH' })
    expect(preflight.headers['access-control-allow-origin']).toBe('https://app.example.com')
    await request(app).get('/health/ready').expect(200)
  })

  it('returns problems for what the routes reject', async () => {
    const agent = request(app)
    const long = await agent.get('/api/notes/1234').expect(404)
    expect(long.headers['content-type']).toContain('application/problem+json')
    await agent.get('/api/notes/7?size=x').expect(400)
    await agent.delete('/api/notes/7').expect(405).expect('Allow', 'GET, HEAD, OPTIONS, PATCH')
    await agent.patch('/api/notes/7').send({ text: 'a' }).expect(401)
    await agent.post('/echo').type('text').send('a').expect(415)
  })

  it('registers users, knows them again and reads what they send', async () => {
    const agent = request(app)
    const body = { email: 'ada@example.org', password: 'correct horse battery staple' }
    await agent.post('/api/v1/auth/register').send(body).expect(201)
    const { data } = (await agent.post('/api/v1/auth/login').send(body).expect(200)).body
    const caller = { Authorization: `Bearer ${data.accessToken}` }
    await agent.get('/api/v1/auth/me').set(caller).expect(200)
    await agent.get('/me').set(caller).expect(200, '"me"')
    await agent.get('/me').expect(401)
    const { refreshToken } = data
    await agent.post('/api/v1/auth/refresh-token').send({ refreshToken }).expect(200)
    const patch = agent.patch('/api/notes/7').set(caller)
    const saved = { data: { text: 'new', by: 'ada@example.org' } }
    await patch.send({ text: 'new' }).expect(200, saved)
    const merge = agent.patch('/api/notes/7').set(caller).type('application/merge-patch+json')
    await merge.send('{"text":"new"}').expect(200, saved)
    await agent.patch('/api/notes/7').set(caller).send({ text: '' }).expect(422)
  })

  it('can be served by createServer', async () => {
    const server = createServer(app).listen(0)
    await once(server, 'listening')
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on TCP
    const { port } = server.address() as AddressInfo
    const response = await fetch(`http://127.0.0.1:${port}/api/notes/7`)
    expect(await response.json()).toEqual({ data: { id: '7' } })
    server.closeAllConnections()
    server.close()
  })
})

describe('bodyParser behind the parsers of Express 4', () => {
  it('reads a body for which another parser has only set an empty object', async () => {
    const host = create().use(create.json(), create.urlencoded({ extended: true }))
    const types = ['application/json', 'application/merge-patch+json']
    host.all('/', bodyParser({ types }), (req, res) => {
      res.json({ type: typeof req.body, body: req.body })
    })
    host.use(errorHandler({ logger }))
    const send = async (
      body: string | Buffer,
      headers: Record<string, string>,
    ): Promise<unknown> => {
      const pending = request(host).post('/').set(headers)
      // Without this superagent would encode a text by itself.
      const unchanged = pending.serialize((value: unknown) => value as string)
      return (await unchanged.send(body as unknown as string)).body.body
    }
    const type = { 'Content-Type': 'application/merge-patch+json' }
    expect(await send('{"title":"new"}', type)).toEqual({ title: 'new' })
    const zipped = { ...type, 'Content-Encoding': 'gzip' }
    expect(await send(gzipSync('{"title":"new"}'), zipped)).toEqual({ title: 'new' })
    const json = { 'Content-Type': 'application/json' }
    expect(await send('{"title":"old"}', json)).toEqual({ title: 'old' })
    expect(await send('{}', json)).toEqual({})
    await request(host).patch('/').expect(200, { type: 'undefined' })
  })
})
