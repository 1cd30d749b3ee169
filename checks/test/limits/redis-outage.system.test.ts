import { afterAll, describe, expect, it } from 'vitest'
import { createApi } from '../../../packages/core/src/lib/create-api.ts'
import { createRegistry } from '../../../packages/core/src/lib/routing/registry.ts'
import { type LoginService, startLoginService, stopLoginServices } from './login-service.ts'
import { createRedisServer, hasRedis, type RedisServer } from './redis-server.ts'

const servers: RedisServer[] = []

afterAll(async () => {
  await stopLoginServices()
  for (const server of servers) await server.remove()
})

async function startRedis(): Promise<RedisServer> {
  const redis = await createRedisServer()
  servers.push(redis)
  await redis.start()
  return redis
}

let attempts = 0

// Each with its own address, so that no account is throttled.
async function logIn({ url }: LoginService): Promise<number> {
  const { status } = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: `u${attempts++}@example.org`, password: 'wrong password' }),
  })
  return status
}

async function readDocument({ url }: Pick<LoginService, 'url'>): Promise<Response> {
  const response = await fetch(`${url}/openapi.json`)
  await response.arrayBuffer()
  return response
}

const passed = (statuses: readonly number[]): number =>
  statuses.filter((status) => status === 401).length

describe.skipIf(!hasRedis)('limits while Redis goes down and comes back', () => {
  it('RL-07 F-15 requests pass, logins are counted by each process, and then together again', async () => {
    const redis = await startRedis()
    const services = await Promise.all([startLoginService(redis.url), startLoginService(redis.url)])
    const [first, second] = services

    const together: number[] = []
    for (let round = 0; round < 3; round++) {
      for (const service of services) together.push(await logIn(service))
    }
    expect(passed(together)).toBe(6)

    const logins: Promise<number>[] = []
    const reads: Promise<Response>[] = []
    for (let round = 0; round < 30; round++) {
      if (round === 3) await redis.kill()
      for (const service of services) {
        logins.push(logIn(service))
        reads.push(readDocument(service))
      }
    }
    const statuses = await Promise.all(logins)
    expect(new Set(statuses)).toEqual(new Set([401, 429]))
    // Ten for each process, and what passed before the end of Redis.
    expect(passed(statuses)).toBeLessThanOrEqual(20 + 4)
    expect(new Set((await Promise.all(reads)).map(({ status }) => status))).toEqual(new Set([200]))
    expect(await logIn(first)).toBe(429)
    for (const { log } of services) {
      await expect.poll(log).toContain('redis is unreachable')
      const failures = log().filter((line) => line.includes('store failed'))
      expect(failures.toSorted()).toEqual([
        'auth: rate limit store failed: counting in memory',
        'global: rate limit store failed: requests pass',
      ])
    }

    await redis.start()
    const remaining = async (service: LoginService): Promise<number> => {
      const { headers } = await readDocument(service)
      return Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])
    }
    for (const service of services) {
      const line = 'global: rate limit store is back'
      await expect.poll(async () => (await readDocument(service)) && service.log()).toContain(line)
      expect(service.log()).toContain('redis is reachable again')
    }
    const left = await remaining(first)
    expect(await remaining(second)).toBe(left - 1)
  })

  it('RL-07 a Redis that never responds delays no request for long', async () => {
    const redis = await startRedis()
    const lines: string[] = []
    const logger = {
      debug: () => {},
      info: () => {},
      warn: (_fields: unknown, message: string) => void lines.push(message),
      error: (_fields: unknown, message: string) => void lines.push(message),
      fatal: () => {},
    }
    const api = createApi({
      routes: createRegistry(),
      environment: 'test',
      auth: false,
      database: false,
      redis: { url: redis.url },
      rateLimit: { limit: 3 },
      log: { logger },
    })
    const { url } = await api.start({ port: 0, signals: false })
    const statuses = async (count: number): Promise<number[]> => {
      const found: number[] = []
      for (let index = 0; index < count; index++) {
        found.push((await readDocument({ url })).status)
      }
      return found
    }
    expect(await statuses(4)).toEqual([200, 200, 200, 429])
    redis.freeze()
    expect(await statuses(5)).toEqual([200, 200, 200, 200, 200])
    expect(lines).toEqual(['rate_limit.exceeded', 'rate limit store failed: requests pass'])
    redis.thaw()
    await expect.poll(() => statuses(1)).toEqual([429])
    expect(lines).toContain('rate limit store is back')
    await api.stop()
  })

  it('RL-07 a service starts without its Redis, and stops without it', async () => {
    const redis = await createRedisServer()
    servers.push(redis)
    const config = {
      routes: createRegistry(),
      environment: 'test',
      auth: false,
      database: false,
      redis: { url: redis.url },
      rateLimit: { limit: 2 },
      log: { level: 'silent' },
    } as const
    const api = createApi(config)
    const { url } = await api.start({ port: 0, signals: false })
    const read = async (): Promise<number> => (await readDocument({ url })).status
    expect([await read(), await read(), await read()]).toEqual([200, 200, 200])
    await redis.start()
    await expect.poll(read).toBe(429)
    await redis.kill()
    await api.stop()

    const other = createApi(config)
    await other.start({ port: 0, signals: false })
    await other.stop()
  })
})
