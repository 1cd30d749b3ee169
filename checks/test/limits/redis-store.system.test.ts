import { once } from 'node:events'
import { type AddressInfo } from 'node:net'

import express from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRedisConnection } from '../../../packages/core/src/lib/database/connect-redis.ts'
import { errorHandler } from '../../../packages/core/src/lib/http/error-handler.ts'
import {
  rateLimit,
  type RateLimitOptions,
} from '../../../packages/core/src/lib/limits/rate-limit.ts'
import { createRedisStore } from '../../../packages/core/src/lib/limits/redis-store.ts'
import { createRedisServer, hasRedis } from './redis-server.ts'

const silent = { info: () => {}, warn: () => {}, error: () => {} }

describe.skipIf(!hasRedis)('createRedisStore', async () => {
  const server = await createRedisServer()
  const redis = createRedisConnection({ url: server.url, logger: silent })
  const closers: (() => void)[] = []

  beforeAll(async () => {
    await server.start()
    await redis.start()
  })
  afterAll(async () => {
    for (const close of closers) close()
    await redis.stop()
    await server.remove()
  })

  async function serve(options: RateLimitOptions, prefix: string): Promise<string> {
    const app = express()
    app.use(
      rateLimit({
        logger: silent,
        // What is tested is the count: a busy machine may take its time.
        storeTimeoutMs: 20_000,
        store: createRedisStore({ sendCommand: redis.sendCommand, prefix }),
        ...options,
      }),
    )
    app.get('/', (_req, res) => res.json({}))
    app.get('/fail', (_req, res) => res.status(401).json({}))
    app.use(errorHandler({ logger: silent }))
    const listening = app.listen(0)
    await once(listening, 'listening')
    closers.push(() => listening.close())
    return `http://localhost:${(listening.address() as AddressInfo).port}`
  }

  const count = async (responses: readonly Promise<Response>[], status: number): Promise<number> =>
    (await Promise.all(responses)).filter((response) => response.status === status).length

  it('RL-05 counts exactly, and reports the window stored in Redis', async () => {
    const url = await serve({ limit: 10, window: '42s' }, 'exact:')
    const responses = Array.from({ length: 100 }, () => fetch(url))
    expect(await count(responses, 200)).toBe(10)
    const refused = await fetch(url)
    expect(refused.headers.get('ratelimit-policy')).toBe('"global";q=10;w=42')
    expect(refused.headers.get('ratelimit')).toMatch(/^"global";r=0;t=(?:4[12]|3\d)$/)
    expect(await redis.sendCommand(['TTL', 'exact:global:127.0.0.1'])).toBeGreaterThan(0)
  })

  it('RL-02 keeps policies, and services with another prefix, apart', async () => {
    const one = await serve({ limit: 1 }, 'one:')
    const login = await serve({ limit: 1, name: 'auth' }, 'one:')
    const other = await serve({ limit: 1 }, 'other:')
    for (const url of [one, login, other]) expect((await fetch(url)).status).toBe(200)
    for (const url of [one, login, other]) expect((await fetch(url)).status).toBe(429)
  })

  it('forgives a success without leaving a count that never ends', async () => {
    const url = await serve({ limit: 2, failuresOnly: true }, 'forgive:')
    for (let round = 0; round < 4; round++) expect((await fetch(url)).status).toBe(200)
    await expect.poll(() => redis.sendCommand(['GET', 'forgive:global:127.0.0.1'])).toBe('0')
    const store = createRedisStore({ sendCommand: redis.sendCommand, prefix: 'over:' })
    await store.decrement('stranger')
    expect(await redis.sendCommand(['EXISTS', 'over:stranger'])).toBe(0)
  })

  it('resets a client', async () => {
    const store = createRedisStore({ sendCommand: redis.sendCommand, prefix: 'reset:' })
    await redis.sendCommand(['SET', 'reset:a', '7'])
    await store.resetKey('a')
    expect(await redis.sendCommand(['EXISTS', 'reset:a'])).toBe(0)
  })

  it('RL-07 loads its scripts again into a Redis that was emptied or started anew', async () => {
    const url = await serve({ limit: 2 }, 'scripts:')
    expect((await fetch(url)).status).toBe(200)
    await redis.sendCommand(['SCRIPT', 'FLUSH'])
    const second = await fetch(url)
    expect(second.headers.get('ratelimit')).toMatch(/^"global";r=0;/)
  })
})
