import { createServer } from 'node:http'
import { type AddressInfo } from 'node:net'
import express from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  createApi,
  createRegistry,
  createRouter,
  type Deprecation,
  get,
  post,
  success,
} from '../../src/index.ts'
import { resolveConfig } from '../../src/lib/settings/resolve-config.ts'
import { createTestClient, type TestClient } from '../../src/testing.ts'

const lines: Record<string, unknown>[] = []
const note = z.object({ text: z.string() })
const params = z.strictObject({ id: z.string().max(3) })
const deprecated = {
  since: '2026-01-31',
  sunset: '2999-12-31T12:00:00+02:00',
  successor: '/api/v2/notes',
  docs: 'https://example.com/changes#notes',
} as const
const notes = createRouter(
  (route) => [
    route.get('/', { response: note.array() }, (_req, res) => success(res, [])),
    route.get('/:id', { response: note }, (req, res) => {
      if (req.valid.params.id === 'bug') throw new Error('bug')
      success(res, { text: req.valid.params.id })
    }),
    route.post('/', { access: 'user', body: note, response: note }, (req, res) => {
      success(res, req.valid.body)
    }),
    route.get('/current', { deprecated: false, response: note }, (_req, res) => {
      success(res, { text: '' })
    }),
    route.get('/marked', { deprecated: true, response: note }, (_req, res) => {
      success(res, { text: '' })
    }),
    route.get('/soon', { deprecated: { since: new Date(0) }, response: note }, (_req, res) => {
      success(res, { text: '' })
    }),
  ],
  { access: 'public', params, deprecated },
)
const api = createApi({
  name: 'deprecation',
  environment: 'test',
  auth: { apiKeys: {}, limits: false },
  rateLimit: false,
  log: { level: 'silent' },
  accessLog: {
    format: 'json',
    stream: { write: (text: string) => void lines.push(JSON.parse(text)) },
  },
  cors: { origins: ['https://app.example.com'] },
  routes: createRegistry().use('/notes', notes),
})
let client: TestClient

beforeAll(async () => {
  client = await createTestClient(api)
})
afterAll(() => client.stop())

const expected = {
  deprecation: '@1769817600',
  sunset: 'Tue, 31 Dec 2999 10:00:00 GMT',
  link: '</api/v2/notes>; rel="successor-version", <https://example.com/changes#notes>; rel="deprecation", <https://example.com/changes#notes>; rel="sunset"',
}

describe('a deprecated route', () => {
  it.each([
    ['/notes', 200, {}],
    ['/notes/1', 200, {}],
    ['/notes/1234', 404, {}],
    ['/notes/bug', 500, {}],
    ['/notes?x=1', 400, {}],
    ['/notes', 406, { Accept: 'text/html' }],
  ])('announces itself in the response of GET %s, %d', async (path, status, headers) => {
    const response = await client.request.get(path).set(headers).expect(status)
    expect(response.headers).toMatchObject(expected)
  })

  it('announces itself to callers whom it refuses', async () => {
    const response = await client.request.post('/notes').send({ text: 'a' }).expect(401)
    expect(response.headers).toMatchObject(expected)
  })

  it('leaves other responses as they are', async () => {
    for (const path of ['/notes/current', '/notes/marked', '/other', '/health/live']) {
      const { headers } = await client.request.get(path)
      expect(Object.keys(headers)).not.toContain('deprecation')
      expect(Object.keys(headers)).not.toContain('link')
    }
    const refused = await client.request.put('/notes').expect(405)
    expect(Object.keys(refused.headers)).not.toContain('deprecation')
  })

  it('has no Sunset and no Link unless they are stated', async () => {
    const { headers } = await client.request.get('/notes/soon').expect(200)
    expect(headers['deprecation']).toBe('@0')
    expect(Object.keys(headers)).not.toContain('sunset')
    expect(Object.keys(headers)).not.toContain('link')
  })

  it('exposes its headers to scripts of the origins that CORS allows', async () => {
    const origin = { Origin: 'https://app.example.com' }
    const exposed = 'access-control-expose-headers'
    const { headers } = await client.request.get('/notes').set(origin)
    expect(headers[exposed]).toMatch(/X-Request-Id,Deprecation,Sunset,Link$/)
    const soon = await client.request.get('/notes/soon').set(origin)
    expect(soon.headers[exposed]).toMatch(/X-Request-Id,Deprecation$/)
    const current = await client.request.get('/notes/current').set(origin)
    expect(current.headers[exposed]).toMatch(/X-Request-Id$/)
  })

  it('is marked in the access log, with its caller', async () => {
    lines.length = 0
    await client.request.get('/notes')
    await client.request.get('/notes/marked')
    await client.request.get('/notes/current')
    const ada = await client.signUp()
    const key = await client.createKey(ada, ['user'])
    await client.request.post('/notes').set(ada.headers).send({ text: 'a' }).expect(200)
    await client.request.post('/notes').set(key.headers).send({ text: 'a' }).expect(200)
    const own = (): unknown[] => lines.filter(({ path }) => String(path).startsWith('/notes'))
    await expect.poll(own).toHaveLength(5)
    const { id } = ada.user
    expect(own()).toMatchObject([
      { route: '/notes', deprecated: true },
      { route: '/notes/marked', deprecated: true },
      { route: '/notes/current' },
      { route: '/notes', deprecated: true, userId: id },
      { route: '/notes', deprecated: true, userId: id, keyId: expect.any(String) },
    ])
    expect(own()[2]).not.toHaveProperty('deprecated')
  })

  it('is described in the document, with its dates', () => {
    const { paths } = Object(api.openapi)
    const description =
      'Deprecated since 2026-01-31. May stop working on 2999-12-31T10:00:00.000Z. Use /api/v2/notes instead. See https://example.com/changes#notes.'
    expect(paths['/notes'].get).toMatchObject({
      deprecated: true,
      description: `${description} Anyone can call this.`,
      'x-sunset': '2999-12-31T10:00:00.000Z',
      'x-deprecation': {
        description,
        since: '2026-01-31',
        successor: '/api/v2/notes',
        docs: 'https://example.com/changes#notes',
      },
    })
    expect(paths['/notes/marked'].get).toMatchObject({ deprecated: true })
    expect(paths['/notes/marked'].get).not.toHaveProperty('x-deprecation')
    expect(paths['/notes/current'].get).not.toHaveProperty('deprecated')
  })

  it('announces itself in an Express application, too', async () => {
    const server = createServer(express().use('/plain', notes)).listen(0)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on a port
    const { port } = server.address() as AddressInfo
    const { headers } = await fetch(`http://127.0.0.1:${port}/plain/1`)
    expect(headers.get('deprecation')).toBe(expected.deprecation)
    expect(headers.get('link')).toBe(expected.link)
    server.close()
  })
})

describe('a deprecated field', () => {
  it('is marked in the document', () => {
    const body = z.object({
      name: z.string(),
      title: z.string().optional().meta({ deprecated: true, description: 'Use name.' }),
    })
    const router = createRouter(
      [post('/', { body, response: body }, (req, res) => success(res, req.valid.body))],
      { access: 'public' },
    )
    const { openapi } = createApi({
      name: 'fields',
      environment: 'test',
      auth: false,
      database: false,
      routes: createRegistry().use('/things', router),
    })
    const marked = JSON.stringify(openapi).match(
      /"description":"Use name\.","deprecated":true|"deprecated":true,"description":"Use name\."/g,
    )
    expect(marked).toHaveLength(2)
  })
})

describe('the definition of a deprecation', () => {
  const define = (stated: unknown) => () =>
    createRouter([
      get(
        '/:id',
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- plain JavaScript has no types
        { access: 'public', deprecated: stated as Deprecation },
        (_req, res) => success(res),
      ),
    ])

  it.each([
    [{}, /deprecated\.since of GET \/:id is not a date\. Write a date such as '2026-12-31'/],
    [{ since: '2026-02-30' }, /since/],
    [{ since: '31 Jan 2026' }, /since/],
    [{ since: 1769817600 }, /since/],
    [{ since: new Date('x') }, /since/],
    [{ since: '2026-01-31T00:00:00' }, /since/],
    [{ since: '2026-01-31', sunset: 'soon' }, /deprecated\.sunset of GET \/:id is not a date/],
    [
      { since: '2026-01-31', sunset: '2026-01-30' },
      /The sunset of GET \/:id, 2026-01-30, is before 2026-01-31.*Set a later sunset/,
    ],
    [{ since: '2026-01-31', successor: 'v2' }, /deprecated\.successor .* is not a path or URL/],
    [{ since: '2026-01-31', successor: '//host/v2' }, /successor/],
    [{ since: '2026-01-31', successor: '/v2>; rel="x"' }, /successor/],
    [{ since: '2026-01-31', docs: 'javascript:alert(1)' }, /deprecated\.docs/],
    [{ since: '2026-01-31', docs: '/a\r\nSet-Cookie: a=b' }, /deprecated\.docs/],
    [{ since: '2026-01-31', docs: '' }, /deprecated\.docs/],
  ])('%j throws', (stated, message) => {
    expect(define(stated)).toThrow(TypeError)
    expect(define(stated)).toThrow(message)
  })

  it('accepts a sunset on the day of the deprecation', () => {
    expect(define({ since: '2026-01-31', sunset: '2026-01-31' })).not.toThrow()
  })
})

it('a route that is served after its sunset is a warning at the start', () => {
  const old = createRouter(
    [get('/', { response: note }, (_req, res) => success(res, { text: '' }))],
    {
      access: 'public',
      deprecated: { since: '2020-01-01', sunset: '2020-12-31' },
    },
  )
  const { warnings } = resolveConfig({
    environment: 'test',
    auth: false,
    database: false,
    routes: createRegistry().use('/old', old).use('/notes', notes),
  })
  expect(warnings.filter((warning) => warning.includes('sunset'))).toEqual([
    'GET /old is served after its sunset of 2020-12-31. Remove the route when clients no longer call it, or set a later sunset.',
  ])
})
