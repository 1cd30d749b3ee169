import { type IncomingMessage } from 'node:http'
import express, { type ErrorRequestHandler, type Express } from 'express'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  type ApiConfig,
  createApi,
  createRegistry,
  createRouter,
  defineRoute,
  success,
} from '../../src/index.ts'
import { cors, requestId, securityHeaders } from '../../src/pipeline.ts'

const origin = 'https://app.example.com'
const route = defineRoute({
  method: 'get',
  path: '/',
  access: 'public',
  response: z.string(),
  handler: (_req, res) => success(res, 'text'),
})

function createApp(options: Partial<ApiConfig> = {}): Express {
  return createApi({
    routes: createRegistry().use('/api/posts', createRouter([route])),
    environment: 'test',
    database: false,
    auth: false,
    log: { level: 'silent' },
    cors: { origins: [origin] },
    ...options,
  }).app
}

// Every header line as it was sent, by its name in lower case.
async function linesOf(app: Express, url: string): Promise<Record<string, string[]>> {
  let raw: readonly string[] = []
  const sent = request(app).get(url).set('Origin', origin).buffer(true)
  sent.parse((response, done) => {
    const message = response as unknown as IncomingMessage
    raw = message.rawHeaders
    message.resume().on('end', () => done(null, ''))
  })
  await sent
  const lines: Record<string, string[]> = {}
  for (let index = 0; index < raw.length; index += 2) {
    const name = String(raw[index]).toLowerCase()
    lines[name] = [...(lines[name] ?? []), String(raw[index + 1])]
  }
  return lines
}

describe.each([
  ['with', true],
  ['without', false],
])('an API %s fast paths', (_way, fast) => {
  const server = { fast }

  it('sends each header once when a stage is used a second time; the later one replaces', async () => {
    const app = createApp({ server })
    app.use(
      cors({ origins: [origin], credentials: true }),
      securityHeaders({ resourcePolicy: 'same-site', helmet: { xFrameOptions: false } }),
      requestId({ trust: false, generate: () => 'second' }),
    )
    app.get('/own', (_req, res) => void res.json({}))
    const lines = await linesOf(app, '/own')
    expect(lines['access-control-allow-origin']).toEqual([origin])
    expect(lines['access-control-allow-credentials']).toEqual(['true'])
    expect(lines['cross-origin-resource-policy']).toEqual(['same-site'])
    expect(lines['x-request-id']).toEqual(['second'])
    expect(Object.values(lines).filter((values) => values.length > 1)).toEqual([])
  })

  it('mounted in an API sends each header once', async () => {
    const inner = createApp({ server, cors: { origins: [origin], credentials: true } })
    const outer = createApp({ server, health: false })
    outer.use('/inner', inner)
    const lines = await linesOf(outer, '/inner/api/posts')
    expect(lines['access-control-allow-credentials']).toEqual(['true'])
    expect(Object.values(lines).filter((values) => values.length > 1)).toEqual([])
  })

  it('leaves no header on requests that it passes on to the host', async () => {
    const host = express()
    host.use((_req, res, next) => {
      res.set({ 'X-Frame-Options': 'SAMEORIGIN', 'X-Host': '1', Vary: 'Accept' })
      next()
    })
    const app = createApp({ server })
    app.use((_req, res, next) => {
      res.set('X-Later', 'stays')
      next()
    })
    host.use(app)
    host.get('/own', (_req, res) => void res.send('own'))
    const { date, connection, etag, 'keep-alive': _, ...lines } = await linesOf(host, '/own')
    expect(lines).toEqual({
      'x-powered-by': ['Express'],
      'x-frame-options': ['SAMEORIGIN'],
      'x-host': ['1'],
      vary: ['Accept'],
      'x-later': ['stays'],
      'content-type': ['text/html; charset=utf-8'],
      'content-length': ['3'],
    })
    expect([date, connection, etag]).not.toContain(undefined)
    expect(await linesOf(host, '/api/posts')).toMatchObject({ 'cache-control': ['no-store'] })
  })

  it.each([
    ['that has set some', { 'X-Frame-Options': 'SAMEORIGIN', 'X-Host': '1' }],
    ['that has set none', {}],
  ])('leaves no header where nothing follows the pipeline, for a host %s', async (_title, own) => {
    for (const isExtended of [false, true]) {
      const app = createApp({ server })
      // Express then changes the prototypes for it.
      if (isExtended) Reflect.set(app.request, 'added', 'yes')
      const host = express().disable('x-powered-by')
      host.use((_req, res, next) => {
        res.set(own)
        next()
      })
      host.use(app)
      host.get('/own', (_req, res) => void res.send('own'))
      const { date, connection, etag, 'keep-alive': _, ...lines } = await linesOf(host, '/own')
      expect(lines).toEqual({
        ...Object.fromEntries(
          Object.entries(own).map(([name, value]) => [name.toLowerCase(), [value]]),
        ),
        'content-type': ['text/html; charset=utf-8'],
        'content-length': ['3'],
      })
      expect([date, connection, etag]).not.toContain(undefined)
    }
  })

  it('gives a request that it passes on back to an API around it', async () => {
    const outer = createApp({ server, requestId: { generate: () => 'outer' } })
    outer.use(createApp({ server, requestId: { generate: () => 'inner' }, health: false }))
    outer.get('/own', (req, res) => void res.json({ id: req.id }))
    const response = await request(outer).get('/own').expect(200, { id: 'outer' })
    expect(response.headers).toMatchObject({
      'x-request-id': 'outer',
      'x-frame-options': 'DENY',
      'cache-control': 'no-store',
    })
  })

  it("passes errors to the host's error handler with errors: 'pass'", async () => {
    const handleError: ErrorRequestHandler = (error, _req, res, _next) => {
      res.status(error.status ?? 500).json({ host: error.message })
    }
    const app = createApp({ server, errors: 'pass' })
    app.get('/fails', () => {
      throw new Error('own')
    })
    const host = express().use(app, handleError)
    const own = await request(host).get('/fails').expect(500, { host: 'own' })
    expect(own.headers).not.toHaveProperty('content-security-policy')
    await request(host).delete('/api/posts').expect(405, { host: 'The method is not allowed.' })
    // Without a host, and without the option, errors are problems.
    await request(app)
      .get('/fails')
      .expect('content-type', /problem/)
    await request(express().use(createApp({ server }), handleError))
      .delete('/api/posts')
      .expect('content-type', /problem/)
  })

  it('honours strict and case sensitive routing', async () => {
    const app = createApp({ server })
    app.get('/loose', (_req, res) => void res.send())
    await request(app).get('/loose/').expect(200)
    await request(app).get('/LOOSE').expect(200)
    await request(app).get('/api/posts/').expect(200)
    app.enable('strict routing')
    app.enable('case sensitive routing')
    app.get('/strict', (_req, res) => void res.send())
    await request(app).get('/strict').expect(200)
    await request(app).get('/strict/').expect(404)
    await request(app).get('/STRICT').expect(404)
    await request(app).get('/api/posts/').expect(404)
    await request(app).get('/api/Posts').expect(404)
    await request(app).get('/api/posts').expect(200)
    await request(app).get('/').expect(200)
  })
})

describe('errors', () => {
  it("rejects other words than 'pass'", () => {
    // @ts-expect-error -- not a word that it has
    expect(() => createApp({ errors: 'host' })).toThrow(/errors\b.*must be an object/)
  })
})
