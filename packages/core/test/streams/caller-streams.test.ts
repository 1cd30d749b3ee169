import {
  createApi,
  createRouter,
  createRegistry,
  defineRule,
  events,
  openEvents,
  sendEvents,
} from '@create-api/core'
import { type Api, type User } from '@create-api/core'
import { type Auth, createAuth } from '@create-api/core/auth'
import { setTimeout as sleep } from 'node:timers/promises'
import { Types } from 'mongoose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  password,
  silent,
  startTestDatabase,
  type TestDatabase,
  testSecret,
} from '../auth/auth-fixture.ts'

// Far below the time limits of the tests, so that what ends a stream is never the heartbeat by chance.
const often = { heartbeat: 50 }
const never = { heartbeat: 600_000 }
const tick = events(z.object({ n: z.number() }))

let isAway = false
const sometimes = defineRule('sometimes', () => {
  if (isAway) throw new Error('The database is away.')
  return true
})
const warnings: object[] = []
const logger = { ...silent, warn: (fields: object) => void warnings.push(fields) }

const router = createRouter(({ get }) => [
  get('/often', { access: 'user', response: tick }, (_req, res) => void openEvents(res, often)),
  get('/never', { access: 'user', response: tick }, (_req, res) => void openEvents(res, never)),
  get(
    '/sometimes',
    { access: sometimes, response: tick },
    (_req, res) => void openEvents(res, often),
  ),
  get('/admins', { access: 'admin', response: tick }, (_req, res) => void openEvents(res, never)),
  get(
    '/optional',
    { access: 'optional', response: tick },
    (_req, res) => void openEvents(res, often),
  ),
  get('/short', { access: 'public', response: tick }, (_req, res) => {
    openEvents(res, { ...never, maxAge: 100 })
  }),
  get('/few', { access: 'user', response: tick }, (_req, res) => {
    openEvents(res, { ...never, maxPerCaller: 2 })
  }),
  get('/source', { access: 'user', response: tick }, (_req, res) =>
    sendEvents(
      res,
      async function* ({ signal }) {
        yield { data: { n: 1 } }
        await new Promise((resolve) => {
          signal.addEventListener('abort', resolve)
        })
        sourceEnds += 1
      },
      often,
    ),
  ),
])

const quiet = {
  environment: 'test',
  database: false,
  rateLimit: false,
  log: { logger },
} as const
let sourceEnds = 0
let database: TestDatabase
let auth: Auth
let api: Api
let url: string

beforeAll(async () => {
  database = await startTestDatabase()
  auth = createAuth({
    secrets: [testSecret],
    connection: database.connection,
    logger: silent,
    limits: false,
    apiKeys: {},
  })
  const routes = createRegistry().use('/api/ticks', router)
  api = createApi({ ...quiet, routes, auth })
  url = `${(await api.start({ port: 0, signals: false })).url}/api/ticks`
})
beforeEach(() => database.clear())
afterAll(async () => {
  await api.stop()
  await database.stop()
})

interface Account {
  readonly user: User
  readonly accessToken: string
  readonly refreshToken: string
}

async function register(roles: readonly string[] = []): Promise<Account> {
  const email = `${new Types.ObjectId().toHexString()}@example.org`
  const { id } = await auth.createUser({ email, password, roles })
  return auth.issueTokens({ id })
}

interface OpenedStream {
  readonly status: number
  /** Settles when it has ended: whether the server ended it. */
  readonly ended: Promise<boolean>
  endsWithin(ms: number): Promise<boolean>
  close(): void
}

async function open(path: string, token?: string): Promise<OpenedStream> {
  const controller = new AbortController()
  const headers = token === undefined ? undefined : { Authorization: `Bearer ${token}` }
  const response = await fetch(url + path, { headers, signal: controller.signal })
  const ended = response.text().then(
    () => true,
    () => false,
  )
  return {
    status: response.status,
    ended,
    endsWithin: (ms) => Promise.race([ended, sleep(ms, false)]),
    close: () => controller.abort(),
  }
}

describe('TOK-15 a stream of events of a caller', () => {
  it.each<[string, (account: Account) => Promise<unknown>]>([
    ['logs out', ({ refreshToken }) => auth.logout(refreshToken)],
    ['ends all sessions', ({ user }) => auth.revokeSessions({ userId: user.id })],
    ['is disabled', ({ user }) => auth.users.update(user.id, { disabled: true })],
    ['is removed', ({ user }) => auth.removeUser(user.id)],
    [
      'gets a new password',
      ({ user }) => auth.users.update(user.id, { password: 'Other-River-43' }),
    ],
  ])('ends at once when the user %s', async (_, act) => {
    const account = await register()
    const stream = await open('/never', account.accessToken)
    expect(await stream.endsWithin(200)).toBe(false)
    await act(account)
    expect(await stream.ended).toBe(true)
  })

  it('ends at once when the role that it needs is taken away', async () => {
    const { user, accessToken } = await register(['admin'])
    await register(['admin'])
    const admins = await open('/admins', accessToken)
    const others = await open('/never', accessToken)
    await auth.users.revokeRole(user.id, 'admin')
    expect(await admins.ended).toBe(true)
    expect(await others.endsWithin(200)).toBe(false)
    others.close()
  })

  it('ends at once when its API key is revoked, and not when another one is', async () => {
    const { user } = await register()
    const [key, other] = await Promise.all(
      ['a', 'b'].map((name) => auth.apiKeys.create(user.id, { name, scopes: ['user'] })),
    )
    const stream = await open('/never', key?.key)
    await auth.apiKeys.revoke({ id: other?.id ?? '', userId: user.id })
    expect(await stream.endsWithin(300)).toBe(false)
    await auth.apiKeys.revoke({ id: key?.id ?? '', userId: user.id })
    expect(await stream.ended).toBe(true)
  })

  it('ends at a heartbeat when another process has ended the session', async () => {
    const { accessToken } = await register()
    const streams = await Promise.all([open('/often', accessToken), open('/source', accessToken)])
    expect(await Promise.all(streams.map((stream) => stream.endsWithin(300)))).toEqual([
      false,
      false,
    ])
    await database.connection
      .collection('sessions')
      .updateMany({}, { $set: { revokedAt: new Date() } })
    expect(await Promise.all(streams.map(({ ended }) => ended))).toEqual([true, true])
    expect(sourceEnds).toBe(1)
  })

  it('continues without credentials where callers are optional', async () => {
    const { accessToken } = await register()
    const [anonymous, known] = await Promise.all([
      open('/optional'),
      open('/optional', accessToken),
    ])
    await database.connection
      .collection('sessions')
      .updateMany({}, { $set: { revokedAt: new Date() } })
    expect(await known?.ended).toBe(true)
    expect(await anonymous?.endsWithin(200)).toBe(false)
    anonymous?.close()
  })

  it('continues while its access cannot be checked, which is logged once', async () => {
    const { accessToken } = await register()
    const stream = await open('/sometimes', accessToken)
    warnings.length = 0
    isAway = true
    expect(await stream.endsWithin(300)).toBe(false)
    isAway = false
    expect(warnings).toMatchObject([{ err: { message: 'The database is away.' } }])
    stream.close()
  })

  it('ends at its maximum age', async () => {
    const stream = await open('/short')
    expect(stream.status).toBe(200)
    expect(await stream.ended).toBe(true)
  })

  it('is refused beyond the maximum of one user, until another one ends', async () => {
    const [ada, bob] = await Promise.all([register(), register()])
    const first = await open('/few', ada.accessToken)
    const second = await open('/few', ada.accessToken)
    expect([first.status, second.status]).toEqual([200, 200])
    expect((await open('/few', ada.accessToken)).status).toBe(429)
    const ofOther = await open('/few', bob.accessToken)
    expect(ofOther.status).toBe(200)
    first.close()
    await expect.poll(async () => (await open('/few', ada.accessToken)).status).toBe(200)
    for (const stream of [second, ofOther]) stream.close()
  })
})

describe('TOK-15 a stream of events of an access token', () => {
  it('ends at a heartbeat after the token has expired', async () => {
    const short = createAuth({
      secrets: [testSecret],
      connection: database.connection,
      logger: silent,
      limits: false,
      // Times in tokens are whole seconds, so that up to one of them is over at once.
      accessLifetime: '3s',
      clockTolerance: '0s',
    })
    const routes = createRegistry().use('/api/ticks', router)
    const other = createApi({ ...quiet, routes, auth: short })
    const { url: otherUrl } = await other.start({ port: 0, signals: false })
    const { id } = await short.createUser({ email: 'ada@example.org', password })
    const { accessToken } = await short.issueTokens({ id })
    const response = await fetch(`${otherUrl}/api/ticks/often`, {
      headers: { Authorization: `Bearer ${accessToken}` },
    })
    expect(response.status).toBe(200)
    await response.text()
    await other.stop()
  })
})
