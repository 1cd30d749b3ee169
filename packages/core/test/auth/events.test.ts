import request from 'supertest'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type AuthOptions } from '../../src/lib/auth/options/auth-options.ts'
import { type Mail } from '../../src/lib/auth/mail/mailer.ts'
import { securityEventNames } from '../../src/lib/auth/events/security-events.ts'
import { errorHandler } from '../../src/lib/http/error-handler.ts'
import { createRouter } from '../../src/lib/routing/create-router.ts'
import { defineRoute } from '../../src/lib/route/define-route.ts'
import { success } from '../../src/lib/response/success.ts'
import {
  createClient,
  createTestService,
  password,
  silent,
  startTestDatabase,
  type TestClient,
  type TestDatabase,
  type TestService,
} from './auth-fixture.ts'

const other = 'Another-River-42'
let database: TestDatabase
let service: TestService
let client: TestClient
let clock = Date.now()
const lines: { level: string; fields: object; message: string }[] = []
const mails: Mail[] = []

function note(level: string): (fields: object, message: string) => void {
  return (fields, message) => lines.push({ level, fields, message })
}

async function start(options: Partial<AuthOptions> = {}): Promise<void> {
  service = await createTestService(database.connection, {
    now: () => clock,
    logger: { ...silent, info: note('info'), warn: note('warn'), error: note('error') },
    mail: { mailer: { send: async (mail) => void mails.push(mail) }, appUrl: 'https://x.example' },
    ...options,
  })
  client = createClient(service.app)
}

beforeAll(async () => {
  database = await startTestDatabase()
})
beforeEach(async () => {
  await database.clear()
  lines.length = 0
  mails.length = 0
  await start()
})
afterAll(() => database.stop())

// Events of one call: emitted once, logged once, with the same content.
async function eventsOf(work: () => PromiseLike<unknown>): Promise<object[]> {
  service.events.length = 0
  lines.length = 0
  await work()
  const events = [...service.events]
  // The time of a line is the logger's.
  const logged = events.map(({ time: _time, ...fields }) => fields)
  expect(lines.map(({ fields }) => fields)).toEqual(logged)
  expect(lines.map(({ message }) => message)).toEqual(events.map(({ event }) => event))
  for (const event of events) {
    expect(securityEventNames).toContain(event.event)
    expect(event.time).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/)
    expect(event.address).toBe('192.0.2.1')
  }
  return events
}

function from(call: ReturnType<TestClient['post']>): ReturnType<TestClient['post']> {
  return call.set('X-Forwarded-For', '192.0.2.1')
}

describe('security events', () => {
  it('LGG-03 report registration, login and failed login', async () => {
    const body = { email: 'ada@x.io', password }
    expect(await eventsOf(() => from(client.post('/register', body)).expect(201))).toEqual([
      expect.objectContaining({ event: 'auth.registered', userId: expect.any(String) }),
    ])
    expect(await eventsOf(() => from(client.post('/login', body)).expect(200))).toEqual([
      expect.objectContaining({ event: 'auth.login_succeeded', userId: expect.any(String) }),
    ])
    const wrong = { ...body, password: 'Wrong-River-42' }
    const [failed] = await eventsOf(() => from(client.post('/login', wrong)).expect(401))
    expect(failed).toMatchObject({ event: 'auth.login_failed', emailHash: expect.any(String) })
    expect(JSON.stringify(failed)).not.toContain('ada')
  })

  it('LGG-03 report refresh, reuse, logout and revoked sessions', async () => {
    const { refreshToken, user } = await client.register('ada@x.io')
    const { accessToken, refreshToken: second } = await client.login('ada@x.io')
    const subject = { userId: user.id, sessionId: refreshToken.split('.')[1] }
    const refresh = (): PromiseLike<unknown> => from(client.refresh(refreshToken))
    expect(await eventsOf(refresh)).toMatchObject([{ event: 'auth.refreshed', ...subject }])
    expect(await eventsOf(refresh)).toMatchObject([
      { event: 'auth.refresh_reused_in_leeway', ...subject },
    ])
    clock += 11_000
    expect(await eventsOf(refresh)).toMatchObject([{ event: 'auth.refresh_replayed', ...subject }])
    expect(await eventsOf(refresh)).toEqual([])
    const logout = { refreshToken: second }
    expect(await eventsOf(() => from(client.post('/logout', logout)).expect(204))).toMatchObject([
      { event: 'auth.logged_out', userId: user.id },
    ])
    expect(await eventsOf(() => from(client.me(accessToken)).expect(401))).toMatchObject([
      { event: 'auth.unauthenticated', reason: 'session_revoked' },
    ])
    const { accessToken: third } = await client.login('ada@x.io')
    const all = (): PromiseLike<unknown> =>
      from(client.post('/logout-all', undefined, third)).expect(204)
    expect(await eventsOf(all)).toMatchObject([
      { event: 'auth.sessions_revoked', reason: 'logout-all' },
    ])
  })

  it('LGG-03 report changed and reset passwords, and verified addresses', async () => {
    const { accessToken, user } = await client.register('ada@x.io')
    const change = { currentPassword: password, newPassword: other }
    const changed = (): PromiseLike<unknown> =>
      from(client.post('/change-password', change, accessToken)).expect(200)
    const userId = user.id
    expect(await eventsOf(changed)).toMatchObject([{ event: 'auth.password_changed', userId }])
    const forgot = async (): Promise<void> => {
      await from(client.post('/forgot-password', { email: 'ada@x.io' })).expect(204)
      await service.auth.stop()
    }
    expect(await eventsOf(forgot)).toMatchObject([{ event: 'auth.password_reset_requested' }])
    const tokenOf = (mail: Mail | undefined): string =>
      new URL(mail?.link ?? '').searchParams.get('token') ?? ''
    const reset = { token: tokenOf(mails.at(-1)), password }
    expect(
      await eventsOf(() => from(client.post('/reset-password', reset)).expect(204)),
    ).toMatchObject([{ event: 'auth.password_reset', userId }])
    await client.register('bob@x.io')
    await service.auth.stop()
    const verify = { token: tokenOf(mails.at(-1)) }
    expect(
      await eventsOf(() => from(client.post('/verify-email', verify)).expect(204)),
    ).toMatchObject([{ event: 'auth.email_verified' }])
  })

  it('LGG-03 report throttled logins and missing tokens', async () => {
    await start({ limits: { perAccount: { limit: 1, window: 900 } } })
    const body = { email: 'stranger@x.io', password }
    await from(client.post('/login', body)).expect(401)
    expect(await eventsOf(() => from(client.post('/login', body)).expect(429))).toMatchObject([
      { event: 'auth.login_throttled' },
    ])
    expect(await eventsOf(() => from(client.get('/me')).expect(401))).toMatchObject([
      { event: 'auth.unauthenticated', reason: 'unauthenticated' },
    ])
  })

  it('LGG-03 AUZ-01 report a caller without the role of a route', async () => {
    const routes = [
      defineRoute({
        method: 'get',
        path: '/',
        access: 'admin',
        handler: (_req, res) => success(res),
      }),
    ]
    service.app.use('/admin', service.auth.authentication(), createRouter(routes))
    service.app.use(errorHandler({ logger: silent }))
    const { accessToken, user } = await client.register('ada@x.io')
    const call = (): request.Test =>
      request(service.app)
        .get('/admin')
        .set('Authorization', `Bearer ${accessToken}`)
        .set('X-Forwarded-For', '192.0.2.1')
    expect(await eventsOf(() => call().expect(403))).toMatchObject([
      { event: 'auth.forbidden', userId: user.id, reason: '/' },
    ])
    await service.auth.users.update(user.id, { roles: ['admin'] })
    expect(await eventsOf(() => call().expect(204))).toEqual([])
  })

  it('continue when the hook throws', async () => {
    await start({
      onEvent() {
        throw new Error('no')
      },
    })
    await client.register('ada@x.io')
    expect(lines.map(({ message }) => message)).toEqual(['auth.registered', 'auth.onEvent failed'])
  })
})

describe('a storm of logins', () => {
  it('PWD-09 is rejected with 503 and Retry-After, without any other failure', async () => {
    await start({ password: { concurrency: 1, queue: 8 } })
    await client.register('ada@x.io')
    const body = { email: 'ada@x.io', password }
    const server = service.app.listen(0)
    const storm = createClient(server)
    const calls = Array.from({ length: 500 }, () => storm.post('/login', body))
    const responses = await Promise.all(calls)
    server.close()
    const statuses = new Set(responses.map(({ status }) => status))
    expect([...statuses].filter((status) => ![200, 503].includes(status))).toEqual([])
    expect(statuses).toContain(200)
    const shed = responses.find(({ status }) => status === 503)
    expect(shed?.body.code).toBe('overloaded')
    expect(Number(shed?.headers['retry-after'])).toBeGreaterThanOrEqual(1)
  })
})
