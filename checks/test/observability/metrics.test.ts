import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import {
  type Api,
  type ApiConfig,
  createApi,
  createRegistry,
  createRouter,
  defineRoute,
  success,
} from '@create-api/core'
import { createAuth } from '@create-api/core/auth'
import { createMetrics, type MetricsConfig } from '@create-api/core/metrics'
import { createTestClient, type TestClient } from '@create-api/core/testing'
import { type Response } from 'express'
import { Counter } from 'prom-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { loadOptional } from '../../../packages/core/src/lib/runtime/optional-package.ts'
import { findFreePort } from '../../../packages/core/test/free-port.ts'
import { parseExposition, type Sample, valueOf } from './exposition.ts'

const token = 'a-token-of-the-scraper'
const bearer = { Authorization: `Bearer ${token}` }
const duration = 'http_request_duration_seconds_count'

const notes = createRouter([
  defineRoute({
    method: 'get',
    path: '/old/:id',
    access: 'optional',
    deprecated: { since: '2026-01-31' },
    params: z.object({ id: z.string() }),
    response: z.string(),
    handler: (req, res) => success(res, req.valid.params.id),
  }),
  defineRoute({
    method: 'get',
    path: '/:id',
    access: 'public',
    params: z.object({ id: z.string() }),
    response: z.string(),
    handler: (req, res) => {
      if (req.valid.params.id === 'broken') throw new Error('bug')
      success(res, req.valid.params.id)
    },
  }),
])

function createNotes(metrics: MetricsConfig, config: Partial<ApiConfig> = {}): Api {
  return createApi({
    routes: createRegistry().use('/api/notes', notes),
    environment: 'test',
    log: { level: 'silent' },
    rateLimit: false,
    metrics: createMetrics(metrics),
    ...config,
  })
}

const bare = { auth: false, database: false } as const

describe('metrics at a path', () => {
  const api = createNotes({ token }, { auth: { apiKeys: {} } })
  let client: TestClient
  beforeAll(async () => {
    client = await createTestClient(api)
  })
  afterAll(() => client.stop())

  async function scrape(): Promise<Sample[]> {
    const { text } = await client.request.get('/metrics').set(bearer).expect(200)
    return parseExposition(text)
  }

  it('count and time requests by method, pattern and status', async () => {
    await client.request.get('/api/notes/1').expect(200)
    await client.request.get('/api/notes/2').expect(200)
    await client.request.get('/api/notes/broken').expect(500)
    await client.request.get('/health/live').expect(200)
    const samples = await scrape()
    const route = '/api/notes/:id'
    expect(valueOf(samples, duration, { method: 'GET', route, status: '200' })).toBe(2)
    expect(valueOf(samples, duration, { method: 'GET', route, status: '500' })).toBe(1)
    expect(valueOf(samples, duration, { route: '/health/live', status: '200' })).toBe(1)
    const times = { route, status: '200' }
    const sum = valueOf(samples, 'http_request_duration_seconds_sum', times) ?? 0
    expect(sum).toBeGreaterThan(0)
    expect(valueOf(samples, 'http_request_duration_seconds_bucket', { ...times, le: '+Inf' })).toBe(
      2,
    )
    // The scrape itself.
    expect(valueOf(samples, 'http_requests_in_flight')).toBe(1)
  })

  it('have no label that a client could make up', async () => {
    // Those of the collector begin with the first collection of each kind, whenever that is.
    const seriesOf = async (): Promise<number> =>
      (await scrape()).filter(({ name }) => !name.startsWith('nodejs_gc_')).length
    await client.request.get('/nothing/here').expect(404)
    await client.request.patch('/api/notes/1').expect(405)
    await fetch(`${client.url}/nothing`, { method: 'PROPFIND' })
    // The first scrape makes the series of the scrape.
    await seriesOf()
    const before = await seriesOf()
    for (let index = 0; index < 50; index++) {
      await client.request.get(`/${Math.random()}/${index}?${index}`).expect(404)
      await client.request.get(`/api/notes/${Math.random()}`).expect(200)
    }
    await fetch(`${client.url}/nothing`, { method: 'MKCOL' })
    expect(await seriesOf()).toBe(before)
    const samples = await scrape()
    const unmatched = { method: 'GET', route: 'unmatched', status: '404' }
    expect(valueOf(samples, duration, unmatched)).toBe(51)
    expect(valueOf(samples, duration, { ...unmatched, method: 'other' })).toBe(2)
  })

  it('count events of authentication, and rejections by policy', async () => {
    const login = { email: 'stranger@example.org', password: 'a wrong password' }
    const zero = await scrape()
    expect(valueOf(zero, 'auth_events_total', { event: 'auth.login_failed' })).toBe(0)
    for (let round = 0; round < 10; round++) {
      await client.request.post('/api/v1/auth/login').send(login).expect(401)
    }
    await client.request.post('/api/v1/auth/login').send(login).expect(429)
    const samples = await scrape()
    expect(valueOf(samples, 'auth_events_total', { event: 'auth.login_failed' })).toBe(10)
    expect(valueOf(samples, 'rate_limit_exceeded_total', { policy: 'auth' })).toBe(1)
  })

  it('count who still calls deprecated routes, by the kind of the caller', async () => {
    const ada = await client.signUp()
    const key = await client.createKey(ada, ['user'])
    await client.request.get('/api/notes/old/1').expect(200)
    await client.request.get('/api/notes/old/2').set(ada.headers).expect(200)
    await client.request.get('/api/notes/old/3').set(ada.headers).expect(200)
    await client.request.get('/api/notes/old/4').set(key.headers).expect(200)
    await client.request.get('/api/notes/1').expect(200)
    const samples = (await scrape()).filter(({ name }) => name === 'deprecated_requests_total')
    const labels = { method: 'GET', route: '/api/notes/old/:id' }
    expect(samples).toEqual([
      expect.objectContaining({ labels: { ...labels, caller: 'anonymous' }, value: 1 }),
      expect.objectContaining({ labels: { ...labels, caller: 'user' }, value: 2 }),
      expect.objectContaining({ labels: { ...labels, caller: 'key' }, value: 1 }),
    ])
  })

  it('know the pool of the database and the process', async () => {
    await client.signUp()
    const samples = await scrape()
    const idle = valueOf(samples, 'mongodb_pool_connections', { state: 'idle' })
    expect(idle).toBeGreaterThan(0)
    expect(valueOf(samples, 'mongodb_pool_connections', { state: 'in_use' })).toBe(0)
    expect(valueOf(samples, 'mongodb_pool_waiting')).toBe(0)
    expect(valueOf(samples, 'nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0)
    expect(valueOf(samples, 'process_resident_memory_bytes')).toBeGreaterThan(0)
  })

  it('require the token, and allow GET and HEAD', async () => {
    const missing = await client.request.get('/metrics').expect(401)
    expect(missing.body).toMatchObject({ code: 'unauthenticated' })
    const wrong = await client.request.get('/metrics').set('Authorization', `Bearer ${token}x`)
    expect(wrong.body).toMatchObject({ code: 'invalid_token' })
    await client.request.head('/metrics').set(bearer).expect(200)
    const other = await client.request.post('/metrics').set(bearer).expect(405)
    expect(other.headers['allow']).toBe('GET, HEAD')
    const { headers } = await client.request.get('/metrics').set(bearer)
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(headers['cache-control']).toBe('no-store')
  })

  it('include metrics of the application', async () => {
    const orders = new Counter({ name: 'orders_total', help: 'Orders.' })
    const twin = new Counter({ name: 'auth_events_total', help: 'Not ours.' })
    orders.inc(3)
    twin.inc(3)
    const samples = await scrape()
    expect(valueOf(samples, 'orders_total')).toBe(3)
    expect(
      samples.filter(({ name, labels }) => name === 'auth_events_total' && !labels['event']),
    ).toEqual([])
  })
})

describe('metrics on a separate port', () => {
  it('are not served by the API, and require a token only if one is set', async () => {
    const port = await findFreePort()
    const api = createNotes({ port, path: '/internal/metrics' }, bare)
    const { url } = await api.start({ port: 0, signals: false })
    const own = `http://127.0.0.1:${port}/internal/metrics`
    await fetch(`${url}/api/notes/1`)
    const samples = parseExposition(await (await fetch(own)).text())
    expect(valueOf(samples, duration, { route: '/api/notes/:id', status: '200' })).toBe(1)
    expect((await fetch(`${url}/internal/metrics`)).status).toBe(404)
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404)
    expect((await fetch(own, { method: 'POST' })).status).toBe(404)
    await api.stop()
    await expect(fetch(own)).rejects.toThrow()
  })

  it('require the token', async () => {
    const port = await findFreePort()
    const api = createNotes({ port, token }, bare)
    await api.start({ port: 0, signals: false })
    const own = `http://127.0.0.1:${port}/metrics`
    expect((await fetch(own)).status).toBe(401)
    expect((await fetch(own, { headers: bearer })).status).toBe(200)
    await api.stop()
  })

  it('name the port when it is in use, and clean up', async () => {
    const other = createServer().listen(0, '0.0.0.0')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const api = createNotes({ port }, bare)
    await expect(api.start({ port: 0, signals: false })).rejects.toThrow(
      `Metrics cannot be served on port ${port} (METRICS_PORT)`,
    )
    await api.stop()
    other.close()
  })
})

describe('metrics', () => {
  it('count events of an authentication that was created before the API', async () => {
    const events: string[] = []
    const auth = createAuth({ onEvent: ({ event }) => events.push(event) })
    const client = await createTestClient(createNotes({ token }, { auth }))
    await auth.register({ email: 'ada@example.org', password: 'River-Canary-42' })
    const { text } = await client.request.get('/metrics').set(bearer).expect(200)
    await client.stop()
    const registered = { event: 'auth.registered' }
    expect(valueOf(parseExposition(text), 'auth_events_total', registered)).toBe(1)
    expect(events).toContain('auth.registered')
  })

  it('notice a client that went away', async () => {
    const api = createNotes({ token }, bare)
    const reached = new Promise<Response>((resolve) => {
      api.app.get('/slow', (_req, res) => resolve(res))
    })
    const { url } = await api.start({ port: 0, signals: false })
    const port = Number(new URL(url).port)
    const socket = connect(port, '127.0.0.1')
    socket.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n')
    const res = await reached
    socket.destroy()
    await once(res, 'close')
    const response = await fetch(`http://127.0.0.1:${port}/metrics`, {
      headers: { ...bearer, Connection: 'close' },
    })
    const aborted = { route: '/slow', status: 'aborted' }
    expect(valueOf(parseExposition(await response.text()), duration, aborted)).toBe(1)
    await api.stop()
  })

  it.each([
    [{ token: 'short' }, /metrics\.token +must be 16 characters/],
    [{ token, path: 'metrics' }, /metrics\.path +must be a path/],
    [{ port: 70_000 }, /metrics\.port +must be a whole number/],
  ])('reject %j', (metrics, problem) => {
    expect(() => createNotes(metrics, bare)).toThrow(problem)
  })

  it('reject the path with several workers, whose metrics it would not include', () => {
    expect(() => createNotes({ token }, { ...bare, workers: 2 })).toThrow(
      /METRICS_PORT +is missing/,
    )
  })

  it('name the package to install', () => {
    expect(() => loadOptional('prom-klient', 'Metrics need the package', ['prom-klient'])).toThrow(
      'Metrics need the package prom-klient. Install it: npm install prom-klient',
    )
  })
})
