import { MemoryStore } from 'express-rate-limit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  createClient,
  createTestService,
  password,
  startTestDatabase,
  type TestClient,
  type TestDatabase,
  type TestService,
} from './auth-fixture.ts'

const wrong = 'Wrong-River-42'
const quarter = 900_000
let database: TestDatabase
let service: TestService
let client: TestClient
let time = Date.UTC(2100, 0, 1)

beforeAll(async () => {
  database = await startTestDatabase()
})
beforeEach(async () => {
  await database.clear()
  time += 86_400_000
  service = await createTestService(database.connection, { limits: {}, now: () => time })
  client = createClient(service.app)
})
afterAll(() => database.stop())

function login(email: string, chosen: string, address: string): ReturnType<TestClient['post']> {
  return client.post('/login', { email, password: chosen }).set('X-Forwarded-For', address)
}

function expectRefusal(
  { body, headers }: { body: { code: string }; headers: Record<string, string> },
  policy: string,
): void {
  expect(body.code).toBe('rate_limited')
  expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1)
  expect(headers['ratelimit-policy']).toBe(policy)
}

describe('limits per address', () => {
  it('RL-02 refuses the 11th failed login of an address, and nothing else', async () => {
    const { accessToken, refreshToken } = await client.register('ada@x.io')
    for (let index = 0; index < 10; index++) {
      await login(`user${index}@x.io`, wrong, '192.0.2.1').expect(401)
    }
    expectRefusal(await login('ada@x.io', password, '192.0.2.1').expect(429), '"auth";q=10;w=900')
    await login('ada@x.io', password, '192.0.2.2').expect(200)
    await client.me(accessToken).set('X-Forwarded-For', '192.0.2.1').expect(200)
    await client.refresh(refreshToken).set('X-Forwarded-For', '192.0.2.1').expect(200)
    time += quarter
    await login('ada@x.io', password, '192.0.2.1').expect(200)
  })

  it('does not count logins that succeed', async () => {
    await client.register('ada@x.io')
    const statuses = []
    for (let index = 0; index < 12; index++) {
      statuses.push((await login('ada@x.io', password, '192.0.2.1')).status)
    }
    expect(new Set(statuses)).toEqual(new Set([200]))
  })

  it('refuses the 11th registration of an address within an hour', async () => {
    const register = (index: number): ReturnType<TestClient['post']> =>
      client.post('/register', { email: `user${index}@x.io`, password })
    for (let index = 0; index < 10; index++) await register(index).expect(201)
    expectRefusal(await register(10).expect(429), '"auth";q=10;w=3600')
    time += 3_600_000
    await register(10).expect(201)
  })

  it('refuses the 61st refresh of a session, and no other session', async () => {
    let { refreshToken } = await client.register('ada@x.io')
    const other = await client.login('ada@x.io')
    for (let index = 0; index < 60; index++) {
      refreshToken = (await client.refresh(refreshToken).expect(200)).body.data.refreshToken
    }
    expectRefusal(await client.refresh(refreshToken).expect(429), '"auth";q=60;w=900')
    await client.refresh(other.refreshToken).expect(200)
    time += quarter
    await client.refresh(refreshToken).expect(200)
  })

  it('RL-05 counts the refreshes of a session in the store that processes share', async () => {
    const stores = new Map<string, MemoryStore>()
    const createStore = (bucket: string): MemoryStore => {
      const store = stores.get(bucket) ?? new MemoryStore()
      stores.set(bucket, store)
      return store
    }
    const limits = { createStore, perSession: { limit: 4, window: 900 } }
    const services = [0, 1].map(() => createTestService(database.connection, { limits }))
    const clients = (await Promise.all(services)).map(({ app }) => createClient(app))
    let { refreshToken } = await client.register('ada@x.io')
    for (let round = 0; round < 2; round++) {
      for (const one of clients) {
        refreshToken = (await one.refresh(refreshToken).expect(200)).body.data.refreshToken
      }
    }
    for (const one of clients) {
      expectRefusal(await one.refresh(refreshToken).expect(429), '"auth";q=4;w=900')
    }
  })

  it('RL-07 counts the refreshes of a session in memory while the store fails', async () => {
    class DeadStore extends MemoryStore {
      override increment(): Promise<never> {
        return Promise.reject(new Error('The store is dead.'))
      }
    }
    const limits = { createStore: () => new DeadStore(), perSession: { limit: 2, window: 900 } }
    const { app } = await createTestService(database.connection, { limits })
    const one = createClient(app)
    let { refreshToken } = await one.register('ada@x.io')
    for (let round = 0; round < 2; round++) {
      refreshToken = (await one.refresh(refreshToken).expect(200)).body.data.refreshToken
    }
    expectRefusal(await one.refresh(refreshToken).expect(429), '"auth";q=2;w=900')
  })

  it('does not count forged tokens against the session they name', async () => {
    const { refreshToken } = await client.register('ada@x.io')
    const forged = refreshToken.slice(0, -4) + 'AAAA'
    for (let index = 0; index < 70; index++) await client.refresh(forged).expect(401)
    await client.refresh(refreshToken).expect(200)
  })
})

describe('the throttle per account', () => {
  async function fail(times: number): Promise<number[]> {
    const statuses = []
    for (let index = 0; index < times; index++) {
      statuses.push((await login('ada@x.io', wrong, `198.51.100.${index}`)).status)
    }
    return statuses
  }

  it('LOG-07 slows down guesses at one account from many addresses', async () => {
    const { refreshToken } = await client.register('ada@x.io')
    await client.post('/register', { email: 'bob@x.io', password }).expect(201)
    const statuses = await fail(20)
    expect(statuses).toEqual([...Array<number>(10).fill(401), ...Array<number>(10).fill(429)])
    const refused = await login('ada@x.io', password, '203.0.113.9').expect(429)
    expectRefusal(refused, '"auth";q=10;w=900')
    await login('bob@x.io', password, '198.51.100.1').expect(200)
    await client.refresh(refreshToken).expect(200)
    time += quarter
    await login('ada@x.io', password, '203.0.113.9').expect(200)
    const throttled = service.events.filter(({ event }) => event === 'auth.login_throttled')
    expect(throttled).toHaveLength(11)
  })

  it('LOG-07 doubles the wait from one second to a minute, and never locks the account', async () => {
    await client.register('ada@x.io')
    await fail(10)
    const pauses = []
    for (let round = 0; round < 9; round++) {
      const refused = await login('ada@x.io', wrong, '203.0.113.9').expect(429)
      pauses.push(Number(refused.headers['retry-after']))
      time += Number(refused.headers['retry-after']) * 1000
      await login('ada@x.io', wrong, `203.0.113.${100 + round}`).expect(401)
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60])
    time += 60_000
    await login('ada@x.io', password, '203.0.113.9').expect(200)
    expect((await fail(1))[0]).toBe(401)
  })

  it('LOG-07 lets a user with a live session log in during an attack', async () => {
    await client
      .post('/register', { email: 'ada@x.io', password })
      .set('X-Forwarded-For', '192.0.2.1')
      .expect(201)
    await fail(12)
    await login('ada@x.io', password, '203.0.113.9').expect(429)
    await login('ada@x.io', password, '192.0.2.1').expect(200)
  })

  it('LOG-07 counts an unknown address the same', async () => {
    expect(await fail(12)).toEqual([...Array<number>(10).fill(401), 429, 429])
  })

  it('LOG-07 counts concurrent guesses', async () => {
    const concurrency = 2
    const options = { limits: {}, now: () => time, password: { concurrency } }
    service = await createTestService(database.connection, options)
    client = createClient(service.app)
    await client.register('ada@x.io')
    const calls = Array.from({ length: 30 }, (_, index) =>
      login('ada@x.io', wrong, `198.51.100.${index}`),
    )
    const failed = (await Promise.all(calls)).filter(({ status }) => status === 401)
    // Others may be running while failures are being counted.
    expect(failed.length).toBeLessThanOrEqual(10 + 2 * concurrency)
  })
})
