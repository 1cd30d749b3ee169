import { parseOptions, verify } from '@node-rs/argon2'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  createArgon2Hasher,
  type PasswordHasher,
} from '../../src/lib/auth/passwords/password-hasher.ts'
import { ApiError } from '../../src/lib/errors/api-error.ts'
import {
  createClient,
  createTestService,
  password,
  startTestDatabase,
  type TestClient,
  type TestDatabase,
} from './auth-fixture.ts'

// The real argon2, with its calls recorded.
vi.mock('@node-rs/argon2', { spy: true })

let database: TestDatabase
let client: TestClient

beforeAll(async () => {
  database = await startTestDatabase()
})
beforeEach(async () => {
  await database.clear()
  client = createClient((await createTestService(database.connection)).app)
})
afterAll(() => database.stop())

describe('a login that fails', () => {
  it('LOG-02 costs one hash of the same strength, whatever the reason', async () => {
    await client.register('ada@x.io')
    await client.register('off@x.io')
    await client.register('none@x.io')
    const users = database.connection.collection('users')
    await users.updateOne({ email: 'off@x.io' }, { $set: { disabled: true } })
    await users.updateOne({ email: 'none@x.io' }, { $set: { passwordHash: 'x' } })
    const attempts = [
      ['ada@x.io', 'Wrong-River-42'],
      ['stranger@x.io', password],
      ['off@x.io', password],
      ['none@x.io', password],
    ]
    const strengths = []
    for (const [email, given] of attempts) {
      vi.mocked(verify).mockClear()
      await client.post('/login', { email, password: given }).expect(401)
      expect(verify).toHaveBeenCalledTimes(1)
      const { memoryCost, timeCost, parallelism, outputLen, saltLen } = parseOptions(
        String(vi.mocked(verify).mock.lastCall?.[0]),
      )
      strengths.push({ memoryCost, timeCost, parallelism, outputLen, saltLen })
    }
    expect(new Set(strengths.map((strength) => JSON.stringify(strength))).size).toBe(1)
    expect(strengths[0]).toMatchObject({ memoryCost: 19_456, timeCost: 2, parallelism: 1 })
  })
})

describe('a login when the hash queue is full', () => {
  it('PWD-09 does not read the user', async () => {
    const hasher: PasswordHasher = {
      ...createArgon2Hasher({ memoryCost: 19_456, timeCost: 2, concurrency: 1, queue: 1, wait: 1 }),
      requirePlace() {
        throw new ApiError('overloaded')
      },
    }
    const { app } = await createTestService(database.connection, { password: { hasher } })
    const asked: string[] = []
    database.connection.set('debug', (collection: string) => void asked.push(collection))
    const crowded = createClient(app)
    await crowded.post('/login', { email: 'ada@x.io', password }).expect(503)
    expect(asked).toEqual([])
    await crowded.register('ada@x.io')
    expect(asked).toContain('users')
  })
})
