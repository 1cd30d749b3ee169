import type request from 'supertest'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type AuthOptions } from '../../src/lib/auth/options/auth-options.ts'
import {
  createClient,
  createTestService,
  silent,
  startTestDatabase,
  type TestClient,
  type TestDatabase,
  type TestService,
} from './auth-fixture.ts'

let database: TestDatabase
let time = Date.UTC(2100, 0, 1)

beforeAll(async () => {
  database = await startTestDatabase()
})
beforeEach(() => database.clear())
afterAll(() => database.stop())

// The clock advances only in these steps, so that nothing depends on the speed of the machine.
function wait(milliseconds: number): void {
  time += milliseconds
}

async function create(
  options: Partial<AuthOptions> = {},
): Promise<{ client: TestClient; service: TestService }> {
  const service = await createTestService(database.connection, { now: () => time, ...options })
  return { client: createClient(service.app), service }
}

async function refresh(client: TestClient, token: string): Promise<string> {
  wait(1000)
  return (await client.refresh(token).expect(200)).body.data.refreshToken
}

async function codeOf(call: ReturnType<TestClient['refresh']>): Promise<string> {
  wait(1000)
  const { status, body } = await call
  return status === 200 ? 'ok' : body.code
}

describe('refresh-token', () => {
  it('REF-01 returns new tokens and invalidates the old one', async () => {
    const { client } = await create()
    const first = await client.register('ada@x.io')
    const second = await refresh(client, first.refreshToken)
    expect(second).not.toBe(first.refreshToken)
    await refresh(client, second)
    expect(await codeOf(client.refresh(first.refreshToken))).toBe('refresh_token_reused')
  })

  it.each([
    ['an old token', 0],
    ['the direct predecessor', 1],
  ])('REF-02 revokes the session when %s is replayed', async (_, index) => {
    const { client, service } = await create({ refreshLeeway: 0 })
    const first = await client.register('ada@x.io')
    const second = await refresh(client, first.refreshToken)
    const third = await refresh(client, second)
    const replayed = [first.refreshToken, second][index] ?? ''
    expect(await codeOf(client.refresh(replayed))).toBe('refresh_token_reused')
    expect(await codeOf(client.refresh(third))).toBe('session_revoked')
    expect(await codeOf(client.refresh(replayed))).toBe('session_revoked')
    expect((await client.me(first.accessToken).expect(401)).body.code).toBe('session_revoked')
    const events = service.events.filter(({ event }) => event === 'auth.refresh_replayed')
    expect(events).toEqual([expect.objectContaining({ userId: first.user.id })])
  })

  it('REF-03 revokes no other session', async () => {
    const { client } = await create({ refreshLeeway: 0 })
    const first = await client.register('ada@x.io')
    const other = await client.login('ada@x.io')
    await refresh(client, first.refreshToken)
    expect(await codeOf(client.refresh(first.refreshToken))).toBe('refresh_token_reused')
    await refresh(client, other.refreshToken)
    await client.me(other.accessToken).expect(200)
  })

  it('REF-04 returns 409 for an overlapping refresh without a leeway and keeps the session alive', async () => {
    const { client } = await create({ refreshLeeway: 0 })
    const { refreshToken } = await client.register('ada@x.io')
    // The clock does not advance: both requests arrive before either completes.
    const responses = await Promise.all([
      client.refresh(refreshToken),
      client.refresh(refreshToken),
    ])
    const tokens = new Set(
      responses.filter(({ status }) => status === 200).map(({ body }) => body.data.refreshToken),
    )
    expect(tokens.size).toBe(1)
    for (const { status, body, headers } of responses) {
      if (status === 200) continue
      expect(body.code).toBe('refresh_conflict')
      expect(headers['retry-after']).toBe('1')
    }
    await refresh(client, [...tokens].join(''))
  })

  it('REF-05 returns the current tokens again for their direct predecessor', async () => {
    const { client, service } = await create()
    const { refreshToken: first } = await client.register('ada@x.io')
    const lost = (await client.refresh(first).expect(200)).body.data
    wait(9000)
    const { expiresIn, ...again } = (await client.refresh(first).expect(200)).body.data
    expect({ ...again, expiresIn: expiresIn + 9 }).toEqual(lost)
    await client.me(again.accessToken).expect(200)
    expect(service.events.map(({ event }) => event).slice(-2)).toEqual([
      'auth.refreshed',
      'auth.refresh_reused_in_leeway',
    ])
    const third = await refresh(client, lost.refreshToken)
    expect(await codeOf(client.refresh(first))).toBe('refresh_token_reused')
    expect(await codeOf(client.refresh(third))).toBe('session_revoked')
  })

  it.each([
    ['after the owner', 'another network', 1],
    ['before the owner', 'another network', 1],
    ['after the owner', 'the same network', 3],
    ['before the owner', 'the same network', 3],
  ])(
    'REF-14 lets a thief who refreshes %s, from %s, follow for %d generations',
    async (turn, network, most) => {
      const { client, service } = await create()
      const { refreshToken } = await client.register('ada@x.io')
      const owner = { address: '192.0.2.1', token: refreshToken }
      const thief = {
        address: network === 'the same network' ? '192.0.2.1' : '198.51.100.9',
        token: refreshToken,
      }
      let followed = 0
      for (; followed < 12; followed++) {
        wait(60_000)
        const statuses = []
        for (const side of turn === 'after the owner' ? [owner, thief] : [thief, owner]) {
          wait(1000)
          const response = await client.refresh(side.token).set('X-Forwarded-For', side.address)
          statuses.push(response.status)
          side.token = response.body.data?.refreshToken ?? side.token
        }
        if (statuses.includes(401)) break
      }
      expect(followed).toBe(most)
      expect(service.events.at(-1)?.event).toBe('auth.refresh_replayed')
      for (const { token } of [owner, thief]) {
        expect(await codeOf(client.refresh(token))).toBe('session_revoked')
      }
    },
  )

  it('REF-05 keeps a session of which three of four responses are lost', async () => {
    const { client } = await create()
    let { refreshToken } = await client.register('ada@x.io')
    for (let generation = 0; generation < 12; generation++) {
      wait(60_000)
      if (generation % 4 > 0) await client.refresh(refreshToken).expect(200)
      refreshToken = await refresh(client, refreshToken)
    }
    expect(await codeOf(client.refresh(refreshToken))).toBe('ok')
  })

  it('REF-05 warns when the tokens are returned again to another network', async () => {
    const warnings: unknown[] = []
    const logger = { ...silent, warn: (fields: object) => void warnings.push(fields) }
    const { client, service } = await create({ logger })
    const { refreshToken } = await client.register('ada@x.io')
    const present = (address: string): request.Test =>
      client.refresh(refreshToken).set('X-Forwarded-For', address).expect(200)
    await present('192.0.2.1')
    wait(1000)
    await present('192.0.2.1')
    expect(warnings).toEqual([])
    await present('198.51.100.9')
    expect(warnings).toEqual([
      expect.objectContaining({
        event: 'auth.refresh_reused_in_leeway',
        address: '198.51.100.9',
        reason: 'other_network',
      }),
    ])
    expect(service.events.at(-1)).toMatchObject({ reason: 'other_network' })
  })

  it('REF-05 revokes the session after the leeway', async () => {
    const { client } = await create()
    const { refreshToken: first } = await client.register('ada@x.io')
    const second = await refresh(client, first)
    wait(10_000)
    expect(await codeOf(client.refresh(first))).toBe('refresh_token_reused')
    expect(await codeOf(client.refresh(second))).toBe('session_revoked')
  })

  it('REF-06 stores nothing in the database that could be presented', async () => {
    const { client } = await create()
    const first = await client.register('ada@x.io')
    const tokens = [first.refreshToken, await refresh(client, first.refreshToken)]
    const dump = JSON.stringify(
      await Promise.all(
        Object.values(database.connection.models).map((model) =>
          model.collection.find({}).toArray(),
        ),
      ),
    )
    expect(dump).toContain(first.refreshToken.split('.')[1])
    for (const token of tokens) expect(dump).not.toContain(token.split('.')[3])
    expect(dump).not.toContain(first.accessToken)
  })

  it('REF-07 rejects a forged token without revoking the session', async () => {
    const { client } = await create()
    const { refreshToken } = await client.register('ada@x.io')
    const mac = refreshToken.split('.')[3] ?? ''
    const forgeries = Array.from({ length: 43 }, (_, position) => {
      const letter = mac[position] === 'A' ? 'B' : 'A'
      const forged = mac.slice(0, position) + letter + mac.slice(position + 1)
      return refreshToken.replace(mac, forged)
    })
    for (const forgery of [...forgeries, refreshToken.replace('.0.', '.1.'), 'rt1.x.0.y', '']) {
      expect(await codeOf(client.refresh(forgery))).toBe('invalid_token')
    }
    await refresh(client, refreshToken)
  })

  it('REF-08 expires idle sessions by the query, not by the TTL index', async () => {
    const { client } = await create({ refreshIdleLifetime: 2, refreshAbsoluteLifetime: 5 })
    let { refreshToken } = await client.register('ada@x.io')
    wait(2001)
    expect(await codeOf(client.refresh(refreshToken))).toBe('refresh_token_expired')
    refreshToken = (await client.login('ada@x.io')).refreshToken
    for (let second = 1; second <= 4; second++) refreshToken = await refresh(client, refreshToken)
    wait(1000)
    expect(await codeOf(client.refresh(refreshToken))).toBe('refresh_token_expired')
    await database.connection.collection('sessions').deleteMany({})
    expect(await codeOf(client.refresh(refreshToken))).toBe('invalid_token')
  })

  it('REF-10 rejects disabled users and removes their sessions', async () => {
    const { client, service } = await create()
    const { refreshToken, user } = await client.register('ada@x.io')
    await service.auth.users.update(user.id, { disabled: true })
    expect(await codeOf(client.refresh(refreshToken))).toBe('session_revoked')
    await service.auth.users.update(user.id, { disabled: false })
    expect(await codeOf(client.refresh(refreshToken))).toBe('invalid_token')
    expect(await database.connection.collection('sessions').countDocuments()).toBe(0)
  })

  it('REF-11 limits the sessions of a user and has a TTL index', async () => {
    const { client } = await create()
    const { refreshToken: first } = await client.register('ada@x.io')
    const tokens = [first]
    for (let login = 0; login < 24; login++) {
      wait(1000)
      tokens.push((await client.login('ada@x.io')).refreshToken)
    }
    const sessions = database.connection.collection('sessions')
    expect(await sessions.countDocuments({ revokedAt: null })).toBe(20)
    const codes = []
    for (const token of tokens) codes.push(await codeOf(client.refresh(token)))
    expect(codes).toEqual([
      ...Array<string>(5).fill('session_revoked'),
      ...Array<string>(20).fill('ok'),
    ])
    expect(await sessions.indexes()).toContainEqual(
      expect.objectContaining({ key: { absoluteExpiresAt: 1 }, expireAfterSeconds: 0 }),
    )
  })

  it('does not report a stolen token when the database lost a write', async () => {
    const { client } = await create()
    const { refreshToken: first } = await client.register('ada@x.io')
    const second = await refresh(client, first)
    await database.connection.collection('sessions').updateOne({}, { $set: { gen: 0 } })
    expect(await codeOf(client.refresh(second))).toBe('invalid_token')
    await refresh(client, first)
  })

  it('TOK-09 survives the rotation of the secret', async () => {
    const { client } = await create()
    const { refreshToken, accessToken } = await client.register('ada@x.io')
    const { testSecret } = await import('./auth-fixture.ts')
    const fresh = Buffer.alloc(32, 'another secret').toString('base64')
    const rotated = await create({ secrets: [fresh, testSecret] })
    await rotated.client.me(accessToken).expect(200)
    const second = await refresh(rotated.client, refreshToken)
    const later = await create({ secrets: [fresh] })
    await refresh(later.client, second)
    expect(await codeOf(later.client.refresh(refreshToken))).toBe('invalid_token')
    await later.client.me(accessToken).expect(401)
  })
})
