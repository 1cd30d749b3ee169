import { createApi, createRegistry, createRouter, success } from '@create-api/core'
import express from 'express'
import request from 'supertest'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'

// Some proxies, such as those of Azure, add the port of the client to its address.

const routes = createRegistry().use(
  '/api/notes',
  createRouter(({ get }) => [
    get('/', { access: 'public', response: z.object({ ok: z.boolean() }) }, (_req, res) =>
      success(res, { ok: true }),
    ),
  ]),
)

interface Line {
  readonly ip: string
}

function createService(trustProxy: number | string[] | undefined) {
  const lines: Line[] = []
  const api = createApi({
    routes,
    trustProxy,
    auth: false,
    database: false,
    environment: 'test',
    rateLimit: { limit: 2 },
    accessLog: { format: 'json', stream: { write: (line) => void lines.push(JSON.parse(line)) } },
  })
  return { api, lines }
}

describe.each<[string, number | string[]]>([
  ['a number of proxies', 1],
  ['their networks', ['loopback', '10.0.0.0/8']],
])('X-Forwarded-For with ports, with TRUST_PROXY as %s', (_, trustProxy) => {
  it('counts each client for itself, whatever its port', async () => {
    const { api, lines } = createService(trustProxy)
    const call = async (forwarded: string): Promise<number> =>
      (await request(api.app).get('/api/notes').set('X-Forwarded-For', forwarded)).status
    expect(await call('203.0.113.7:50007')).toBe(200)
    expect(await call('203.0.113.7:50008')).toBe(200)
    expect(await call('203.0.113.7')).toBe(429)
    expect(await call('203.0.113.8:50007')).toBe(200)
    expect(await call('[2001:db8::1]:443')).toBe(200)
    expect(lines.map(({ ip }) => ip)).toEqual([
      '203.0.113.7',
      '203.0.113.7',
      '203.0.113.7',
      '203.0.113.8',
      '2001:db8::1',
    ])
  })
})

it('passes a trusted proxy that has a port itself', async () => {
  const { api, lines } = createService(['loopback', '10.0.0.0/8'])
  const forwarded = '198.51.100.1, 203.0.113.7:50007, 10.0.0.1:4711'
  await request(api.app).get('/api/notes').set('X-Forwarded-For', forwarded).expect(200)
  expect(lines).toMatchObject([{ ip: '203.0.113.7' }])
})

it('does so below a host that trusts the proxies', async () => {
  const { api, lines } = createService(undefined)
  const host = express()
  host.set('trust proxy', ['loopback', '10.0.0.0/8'])
  host.use((req, res, next) => void api.app(req, res, next))
  const forwarded = '203.0.113.7:50007, 10.0.0.1:4711'
  await request(host).get('/api/notes').set('X-Forwarded-For', forwarded).expect(200)
  expect(lines).toMatchObject([{ ip: '203.0.113.7' }])
})

describe('an X-Forwarded-For that has no address', () => {
  afterEach(() => vi.restoreAllMocks())

  it('is one warning, and the client counts as its proxy', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockReturnValue()
    const { api, lines } = createService(1)
    for (const forwarded of ['unknown', '_hidden', 'unknown']) {
      await request(api.app).get('/api/notes').set('X-Forwarded-For', forwarded)
    }
    expect(lines.map(({ ip }) => ip)).toEqual(Array.from({ length: 3 }, () => '127.0.0.1'))
    expect(warn.mock.calls).toEqual([
      [
        expect.stringContaining('X-Forwarded-For with "unknown", which is not an IP'),
        'CreateApiWarning',
      ],
    ])
  })
})
