import { once } from 'node:events'
import { type AddressInfo } from 'node:net'
import express, { type Express } from 'express'
import { type ClientRateLimitInfo, MemoryStore, type Store } from 'express-rate-limit'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { toNetwork } from '../address/client-address.ts'
import { createMemoryCounter } from './counter.ts'
import { errorHandler } from '../http/error-handler.ts'
import { rateLimit, type RateLimitOptions } from './rate-limit.ts'

const silent = { error: () => {}, warn: () => {} }

function createApp(options: RateLimitOptions, trustProxy: unknown = false): Express {
  const app = express()
  app.set('trust proxy', trustProxy)
  app.use(rateLimit({ logger: silent, ...options }))
  app.get('/', (_req, res) => {
    res.json({ ok: true })
  })
  app.get('/fail', (_req, res) => {
    res.status(401).json({})
  })
  app.use(errorHandler({ logger: silent }))
  return app
}

async function statuses(app: Express, addresses: readonly string[]): Promise<number[]> {
  const found: number[] = []
  for (const address of addresses) {
    const response = await request(app).get('/').set('X-Forwarded-For', address)
    found.push(response.status)
  }
  return found
}

// A store that several limits share, as one in Redis would be; on top of the package's own.
function createSharedStore(): Store {
  const store = new MemoryStore({ windowMs: () => {} } as never)
  store.init({ windowMs: 60_000 } as never)
  return {
    localKeys: false,
    increment: (key) => store.increment(key),
    decrement: (key) => store.decrement(key),
    resetKey: (key) => store.resetKey(key),
  }
}

describe('rateLimit', () => {
  it('RL-01 counts down, then returns 429 with Retry-After and a problem', async () => {
    let now = 1_000_000
    const app = createApp({ limit: 5, window: '42s', now: () => now })
    for (let left = 4; left >= 0; left--) {
      const response = await request(app).get('/').expect(200)
      expect(response.headers['ratelimit-policy']).toBe('"global";q=5;w=42')
      expect(response.headers['ratelimit']).toBe(`"global";r=${left};t=42`)
    }
    now += 2000
    const refused = await request(app).get('/').expect(429)
    expect(refused.headers['content-type']).toBe('application/problem+json; charset=utf-8')
    expect(refused.headers['cache-control']).toBe('no-store')
    expect(refused.headers['retry-after']).toBe('40')
    expect(refused.headers['ratelimit-policy']).toBe('"global";q=5;w=42')
    expect(refused.headers['ratelimit']).toBe('"global";r=0;t=40')
    expect(refused.body).toMatchObject({ status: 429, code: 'rate_limited' })
    now += 40_000
    await request(app).get('/').expect(200)
  })

  it('RL-02 counts several limits separately, and reports each', async () => {
    const app = express()
    app.use(rateLimit({ limit: 100 }))
    app.use('/login', rateLimit({ name: 'auth', limit: 1 }))
    app.use((_req, res) => {
      res.json({})
    })
    app.use(errorHandler({ logger: silent }))
    const first = await request(app).get('/login').expect(200)
    expect(first.headers['ratelimit']).toBe('"global";r=99;t=60, "auth";r=0;t=60')
    expect(first.headers['ratelimit-policy']).toBe('"global";q=100;w=60, "auth";q=1;w=60')
    const refused = await request(app).get('/login').expect(429)
    expect(refused.headers['ratelimit']).toMatch(/^"auth";r=0;t=/)
    await request(app).get('/posts').expect(200)
  })

  it('RL-03 trusts X-Forwarded-For only from configured proxies', async () => {
    const spoofed = Array.from({ length: 4 }, (_item, index) => `10.0.0.${index}`)
    expect(await statuses(createApp({ limit: 3 }), spoofed)).toEqual([200, 200, 200, 429])
    // One proxy in front: what precedes the address it saw is the client's invention.
    const behindProxy = spoofed.map((address) => `${address}, 192.0.2.7`)
    expect(await statuses(createApp({ limit: 3 }, 1), behindProxy)).toEqual([200, 200, 200, 429])
    expect(await statuses(createApp({ limit: 1 }, 1), spoofed)).toEqual([200, 200, 200, 200])
  })

  it('RL-04 keys IPv6 by /56 and mapped IPv4 as IPv4', async () => {
    const limits = createApp({ limit: 1 }, 1)
    expect(
      await statuses(limits, ['2001:db8:1:100::1', '2001:db8:1:1ff::1', '2001:db8:1:200::1']),
    ).toEqual([200, 429, 200])
    expect(await statuses(limits, ['::ffff:1.2.3.4', '1.2.3.4', '1.2.3.5'])).toEqual([
      200, 429, 200,
    ])
    expect(toNetwork('::ffff:102:304')).toBe('1.2.3.4')
    expect(toNetwork('2001:DB8:1:100::1')).toBe(toNetwork('2001:db8:1:1ff::2'))
  })

  it('RL-04 counts an invalid address for the peer of the connection', async () => {
    const app = createApp({ limit: 2 }, 1)
    expect(await statuses(app, ['not-an-ip', 'unknown', '_hidden'])).toEqual([200, 200, 429])
  })

  it('RL-04 counts an address without the port that a proxy has added', async () => {
    const app = createApp({ limit: 2 }, 1)
    const ports = ['1.2.3.4:5555', '1.2.3.4:5556', '1.2.3.5:5555', '1.2.3.4']
    expect(await statuses(app, ports)).toEqual([200, 200, 200, 429])
  })

  it('RL-05 is exact under concurrency', async () => {
    for (const store of [undefined, createSharedStore()]) {
      const server = createApp({ limit: 10, store }).listen(0)
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      const responses = await Promise.all(
        Array.from({ length: 100 }, () => fetch(`http://localhost:${port}/`)),
      )
      server.close()
      expect(responses.filter(({ status }) => status === 200)).toHaveLength(10)
      expect(responses.filter(({ status }) => status === 429)).toHaveLength(90)
    }
  })

  it('RL-05 shares a store between limits without mixing their counts', async () => {
    const store = createSharedStore()
    const [one, two] = [createApp({ limit: 2, store }), createApp({ limit: 2, store })]
    const other = createApp({ name: 'other', limit: 1, store })
    await request(one).get('/').expect(200)
    const second = await request(two).get('/').expect(200)
    expect(second.headers['ratelimit']).toMatch(/^"global";r=0;t=/)
    await request(one).get('/').expect(429)
    await request(other).get('/').expect(200)
  })

  it.each([
    ['throws', () => Promise.reject(new Error('ECONNREFUSED'))],
    [
      'throws at once',
      () => {
        throw new Error('ECONNREFUSED')
      },
    ],
    ['never responds', () => new Promise<ClientRateLimitInfo>(() => {})],
  ])('RL-07 neither hangs nor fails when the store %s', async (_name, increment) => {
    const failures: string[] = []
    const logger = {
      error: (_fields: unknown, message: string) => void failures.push(message),
      warn: () => {},
    }
    const store = (): Store => ({ increment, decrement: () => {}, resetKey: () => {} })

    const open = createApp({ limit: 1, store: store(), logger })
    for (let round = 0; round < 3; round++) {
      await request(open).get('/').expect(200)
    }
    expect(failures).toEqual(['rate limit store failed: requests pass'])

    const strict = createApp({ limit: 2, store: store(), logger, onStoreFailure: 'memory' })
    await request(strict).get('/').expect(200)
    await request(strict).get('/').expect(200)
    await request(strict).get('/').expect(429)
    expect(failures.at(-1)).toBe('rate limit store failed: counting in memory')
  })

  it('RL-07 uses the store again when it has come back', async () => {
    let isDown = true
    const shared = createSharedStore()
    const store: Store = {
      ...shared,
      increment: (key) => (isDown ? Promise.reject(new Error('down')) : shared.increment(key)),
    }
    const app = createApp({ limit: 5, store })
    await request(app).get('/').expect(200)
    isDown = false
    await expect
      .poll(async () => (await request(app).get('/')).headers['ratelimit'])
      .toMatch(/^"global";r=3;/)
  })

  it.each([
    [{ limit: Number.NaN }],
    [{ limit: 0 }],
    [{ limit: -1 }],
    [{ limit: 1.5 }],
    [{ limit: 'abc' }],
    [{ window: '15 min' }],
    [{ window: 0 }],
    [{ window: '25d' }],
    [{ name: 'a b' }],
  ])('RL-08 rejects %j', (options) => {
    expect(() => Reflect.apply(rateLimit, undefined, [options])).toThrow(TypeError)
  })

  it('RL-09 bounds its memory for any number of clients', () => {
    const counter = createMemoryCounter({ window: 60_000, maxKeys: 1000 })
    for (let index = 0; index < 20_000; index++) counter.hit(`client ${index}`)
    expect(counter.size).toBeLessThanOrEqual(1000)
    expect(counter.hit('client 19999').count).toBe(2)
    expect(counter.hit('client 0').count).toBe(1)
  })

  it('RL-09 removes windows that have ended', () => {
    let now = 0
    const counter = createMemoryCounter({ window: 1000, now: () => now })
    for (let index = 0; index < 100; index++) counter.hit(`early ${index}`)
    now = 1000
    for (let index = 0; index < 60; index++) counter.hit(`late ${index}`)
    expect(counter.size).toBe(60)
    expect(counter.hit('early 1').count).toBe(1)
  })

  it('LGG-03 reports a rejected client once in a window', async () => {
    for (const store of [undefined, createSharedStore()]) {
      const events: unknown[] = []
      const logger = { error: () => {}, warn: (fields: unknown) => void events.push(fields) }
      const app = createApp({ name: 'login', limit: 1, logger, store })
      for (let round = 0; round < 4; round++) await request(app).get('/')
      expect(events).toEqual([
        {
          event: 'rate_limit.exceeded',
          limit: 'login',
          requestId: undefined,
          address: expect.stringContaining('127.0.0.1'),
        },
      ])
    }
  })

  it('counts only failures when configured', async () => {
    for (const store of [undefined, createSharedStore()]) {
      const app = createApp({ limit: 2, failuresOnly: true, store })
      for (let round = 0; round < 5; round++) await request(app).get('/').expect(200)
      await request(app).get('/fail').expect(401)
      await request(app).get('/fail').expect(401)
      await request(app).get('/').expect(429)
    }
  })

  it('counts by a custom key, and skips requests', async () => {
    const app = createApp({
      limit: 1,
      key: (req) => String(req.headers['x-tenant']),
      skip: (req) => req.path === '/fail',
    })
    await request(app).get('/').set('X-Tenant', 'a').expect(200)
    await request(app).get('/').set('X-Tenant', 'b').expect(200)
    await request(app).get('/').set('X-Tenant', 'a').expect(429)
    const skipped = await request(app).get('/fail').set('X-Tenant', 'a').expect(401)
    expect(skipped.headers['ratelimit']).toBeUndefined()
  })
})
