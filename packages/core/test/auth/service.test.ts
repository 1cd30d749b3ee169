import express, { type Express } from 'express'
import request from 'supertest'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type AuthOptions } from '../../src/lib/auth/options/auth-options.ts'
import { type Mail } from '../../src/lib/auth/mail/mailer.ts'
import { errorHandler } from '../../src/lib/http/error-handler.ts'
import { defineRoute } from '../../src/lib/route/define-route.ts'
import { success } from '../../src/lib/response/success.ts'
import { createRouter } from '../../src/lib/routing/create-router.ts'
import {
  createClient,
  createTestService,
  password,
  silent,
  startTestDatabase,
  type TestDatabase,
  type TestService,
} from './auth-fixture.ts'

const other = 'Another-River-42'
const unknownId = '0'.repeat(24)
let database: TestDatabase
let service: TestService
const mails: Mail[] = []
const mail = {
  appUrl: 'https://app.example.com',
  mailer: {
    async send(sent: Mail) {
      mails.push(sent)
    },
  },
}

async function create(options: Partial<AuthOptions> = {}): Promise<TestService['auth']> {
  service = await createTestService(database.connection, { mail, ...options })
  return service.auth
}

beforeAll(async () => {
  database = await startTestDatabase()
})
beforeEach(async () => {
  mails.length = 0
  await database.clear()
})
afterAll(() => database.stop())

const ada = { email: 'Ada@X.io', password }

describe('auth.login and auth.register', () => {
  it('canonicalise and validate their input as the routes do', async () => {
    const auth = await create()
    const { user } = await auth.register(ada)
    expect(user.email).toBe('ada@x.io')
    expect((await auth.login({ ...ada, email: 'ADA@x.io' })).user).toEqual(user)
    await expect(auth.login({ ...ada, email: 'ada' })).rejects.toMatchObject({
      code: 'validation_failed',
      errors: [{ in: 'body', pointer: '#/email' }],
    })
    await expect(auth.register({ ...ada, password: 'short' })).rejects.toMatchObject({
      code: 'validation_failed',
    })
  })

  it('report a taken address with the field', async () => {
    const auth = await create()
    await auth.register(ada)
    const fault = { in: 'body', pointer: '#/email', code: 'email_taken' }
    await expect(auth.register(ada)).rejects.toMatchObject({ code: 'email_taken', errors: [fault] })
    const response = await createClient(service.app).post('/register', ada).expect(409)
    expect(response.body.errors).toEqual([{ ...fault, detail: 'is already registered' }])
  })

  it('note address, device and request in sessions and events', async () => {
    const auth = await create()
    const { user } = await auth.register(ada)
    await auth.login(ada, { address: '203.0.113.7', device: 'curl', requestId: 'r1' })
    const [session] = await auth.listSessions({ userId: user.id })
    expect(session).toMatchObject({ address: '203.0.113.7', device: 'curl', current: false })
    expect(service.events).toContainEqual(
      expect.objectContaining({
        event: 'auth.login_succeeded',
        address: '203.0.113.7',
        requestId: 'r1',
      }),
    )
  })

  it('throttle the account as the route does', async () => {
    const auth = await create({ limits: { perAccount: { limit: 1, window: 900 } } })
    await auth.register(ada)
    await expect(auth.login({ ...ada, password: other })).rejects.toMatchObject({
      code: 'invalid_credentials',
    })
    await expect(auth.login(ada)).rejects.toMatchObject({ code: 'rate_limited' })
    await createClient(service.app).post('/login', ada).expect(429)
  })

  it('registerHidden resolves for a taken address too', async () => {
    const auth = await create()
    await auth.registerHidden(ada)
    await auth.registerHidden(ada)
    await auth.stop()
    expect(mails.map(({ kind }) => kind)).toEqual(['verify-email', 'already-registered'])
  })
})

describe('a route of the application on the service', () => {
  function mount(): Express {
    const { auth } = service
    const routes = [
      defineRoute({
        method: 'post',
        path: '/sign-in',
        access: 'public',
        body: z.object({ user: z.object({ email: z.string(), password: z.string() }) }),
        response: z.object({ token: z.string(), name: z.string() }),
        async handler(req, res) {
          const { accessToken, user } = await auth.login(req.valid.body.user, req)
          success(res, { token: accessToken, name: user.email })
        },
      }),
    ]
    return express()
      .set('trust proxy', 1)
      .use('/api', createRouter(routes))
      .use('/api/v1/auth', auth.router)
      .use(errorHandler({ logger: silent }))
  }

  it('counts failures of an address together with the built-in route', async () => {
    const auth = await create({ limits: { perAddress: { login: { limit: 2, window: 900 } } } })
    await auth.register(ada)
    const app = mount()
    const own = (chosen: string, address: string): request.Test =>
      request(app)
        .post('/api/sign-in')
        .set('X-Forwarded-For', address)
        .send({ user: { ...ada, password: chosen } })
    for (let index = 0; index < 3; index++) await own(password, '203.0.113.7').expect(200)
    await own(other, '203.0.113.7').expect(401)
    await request(app)
      .post('/api/v1/auth/login')
      .set('X-Forwarded-For', '203.0.113.7')
      .send({ ...ada, email: 'bob@x.io' })
      .expect(401)
    const refused = await own(password, '203.0.113.7').expect(429)
    expect(refused.headers).toHaveProperty('retry-after')
    await own(password, '203.0.113.8').expect(200)
  })
})

describe('auth.issueTokens', () => {
  it('opens a session without a password', async () => {
    const auth = await create()
    const { user } = await auth.register(ada)
    const grant = await auth.issueTokens(user)
    await createClient(service.app).me(grant.accessToken).expect(200)
    expect(service.events.map(({ event }) => event)).toContain('auth.tokens_issued')
  })

  it('refuses a disabled and an unknown user', async () => {
    const auth = await create()
    const { user } = await auth.register(ada)
    await auth.users.update(user.id, { disabled: true })
    const refusal = { code: 'invalid_credentials' }
    await expect(auth.issueTokens(user)).rejects.toMatchObject(refusal)
    await expect(auth.issueTokens({ id: unknownId })).rejects.toMatchObject(refusal)
  })
})

describe('auth.refresh, auth.logout and auth.revokeSession', () => {
  it('do what the routes do', async () => {
    const auth = await create()
    const first = await auth.register(ada)
    const second = await auth.login(ada)
    const refreshed = await auth.refresh(first.refreshToken)
    expect(refreshed.user).toEqual(first.user)
    await auth.logout(refreshed.refreshToken)
    await expect(auth.refresh(refreshed.refreshToken)).rejects.toMatchObject({
      code: 'session_revoked',
    })
    const { sessionId } = await auth.verifyAccessToken(second.accessToken)
    await auth.revokeSession({ userId: first.user.id, sessionId })
    await expect(auth.verifyAccessToken(second.accessToken)).rejects.toMatchObject({
      code: 'session_revoked',
    })
    await expect(auth.revokeSession({ userId: first.user.id, sessionId })).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  it('revokeSessions keeps the one that is excepted', async () => {
    const auth = await create()
    const { accessToken, user } = await auth.register(ada)
    await auth.login(ada)
    await auth.login(ada)
    const { sessionId } = await auth.verifyAccessToken(accessToken)
    expect(await auth.revokeSessions({ userId: user.id, except: sessionId })).toBe(2)
    expect(await auth.listSessions({ userId: user.id, sessionId })).toMatchObject([
      { id: sessionId, current: true },
    ])
  })
})

describe('auth.verifyAccessToken', () => {
  it('returns user, session and claims', async () => {
    const namespace = 'https://example.com/claims'
    const auth = await create({ claims: { namespace, create: () => ({ plan: 'paid' }) } })
    const { accessToken, user } = await auth.register(ada)
    const caller = await auth.verifyAccessToken(accessToken)
    expect(caller).toEqual({
      user,
      sessionId: expect.stringMatching(/^[0-9a-f]{24}$/),
      claims: { plan: 'paid' },
    })
  })

  it.each([false, true])('stateless %s: rejects a forged token as an event', async (stateless) => {
    const auth = await create({ stateless })
    const { accessToken } = await auth.register(ada)
    await expect(auth.verifyAccessToken(accessToken)).resolves.toMatchObject({
      user: { email: 'ada@x.io' },
    })
    await expect(
      auth.verifyAccessToken(`${accessToken}x`, { address: '203.0.113.7' }),
    ).rejects.toMatchObject({ code: 'invalid_token' })
    expect(service.events.at(-1)).toMatchObject({
      event: 'auth.unauthenticated',
      address: '203.0.113.7',
      reason: 'invalid_token',
    })
  })
})

describe('auth.hashPassword and auth.verifyPassword', () => {
  it('hash as a registration does, also text that has to be normalised', async () => {
    const auth = await create()
    const hash = await auth.hashPassword('\u{fb01}sh pond 42')
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(await auth.verifyPassword('fish pond 42', hash)).toBe(true)
    expect(await auth.verifyPassword('fish pond 43', hash)).toBe(false)
    expect(await auth.verifyPassword('fish pond 42', undefined)).toBe(false)
  })

  it('wait in the bounded queue', async () => {
    const auth = await create({ password: { concurrency: 1, queue: 0 } })
    const results = await Promise.allSettled([
      auth.hashPassword(password),
      auth.verifyPassword(password, undefined),
    ])
    expect(results).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: { code: 'overloaded' } },
    ])
  })
})

describe('auth.changePassword, auth.resetPassword and auth.verifyEmail', () => {
  async function takeToken(kind: Mail['kind']): Promise<string> {
    await service.auth.stop()
    const sent = mails.findLast((one) => one.kind === kind)
    return new URL(sent?.link ?? '').searchParams.get('token') ?? ''
  }

  it('change the password of a user who knows the old one', async () => {
    const auth = await create()
    const { accessToken, user } = await auth.register(ada)
    const kept = await auth.verifyAccessToken(accessToken)
    await auth.login(ada)
    const caller = { userId: user.id, sessionId: kept.sessionId }
    await expect(
      auth.changePassword(caller, { currentPassword: other, newPassword: other }),
    ).rejects.toMatchObject({ code: 'invalid_credentials' })
    const passwords = { currentPassword: password, newPassword: other }
    const grant = await auth.changePassword(caller, passwords)
    expect(await auth.verifyAccessToken(grant?.accessToken ?? '')).toMatchObject(kept)
    expect(await auth.listSessions(caller)).toMatchObject([{ current: true }])
    await auth.login({ ...ada, password: other })
  })

  it('set a password and verify an address by the token of a link', async () => {
    const auth = await create()
    const { user } = await auth.register(ada)
    await auth.verifyEmail(await takeToken('verify-email'))
    expect(await auth.users.findById(user.id)).toMatchObject({ emailVerified: true })
    await auth.forgotPassword('ADA@x.io')
    await auth.resetPassword({ token: await takeToken('reset-password'), password: other })
    await auth.login({ ...ada, password: other })
    await expect(auth.verifyEmail('x'.repeat(43))).rejects.toMatchObject({ code: 'invalid_token' })
    await expect(auth.resendVerification('nowhere')).rejects.toMatchObject({
      code: 'validation_failed',
    })
  })
})

describe('auth.users', () => {
  const userFields = {
    model: { name: String, plan: { type: String, enum: ['free', 'paid'] } },
    input: { name: z.string().min(1).max(80).default('unnamed') },
  }

  it('finds users by id and by address', async () => {
    const auth = await create()
    const { user } = await auth.register(ada)
    expect(await auth.users.findByEmail('ADA@x.IO')).toMatchObject({ id: user.id })
    expect(await auth.users.findById(user.id)).toMatchObject({ email: 'ada@x.io' })
    for (const text of ['bob@x.io', 'nowhere', '']) {
      expect(await auth.users.findByEmail(text)).toBeUndefined()
    }
    expect(await auth.users.findById('nowhere')).toBeUndefined()
    expect(await auth.users.update(unknownId, { roles: ['admin'] })).toBeUndefined()
  })

  it('leaves what is undefined unchanged, and changes nothing where all of it is', async () => {
    await create({ modelPrefix: 'Undefined', userFields })
    const { auth } = service
    const { user } = await auth.register({ ...ada, fields: { name: 'Ada' } })
    await auth.users.update(user.id, { fields: { plan: 'paid' } })
    const before = await auth.users.findById(user.id)
    const events = service.events.length
    const nothing = { email: undefined, password: undefined, roles: undefined, disabled: undefined }
    for (const fields of [undefined, {}, { name: undefined, plan: undefined }]) {
      const changes = { ...nothing, emailVerified: undefined, fields }
      expect(await auth.users.update(user.id, changes)).toEqual(before)
    }
    expect(service.events.length).toBe(events)
    const changes = { ...nothing, fields: { name: undefined, plan: 'free' } }
    expect(await auth.users.update(user.id, changes)).toMatchObject({
      roles: [],
      fields: { name: 'Ada', plan: 'free' },
    })
    expect(service.events.at(-1)).toMatchObject({ event: 'auth.user_updated', reason: 'plan' })
  })

  it('stores null where it is a value of the field, and removes optional fields by it', async () => {
    const fields = {
      model: { bio: String, image: String, plan: String, name: String },
      input: {
        bio: z.string().nullable().default(null),
        image: z.string().optional(),
        name: z.string(),
      },
    }
    await create({ modelPrefix: 'Null', userFields: fields })
    const { auth } = service
    const given = { bio: 'poet', image: 'a.png', name: 'Ada' }
    const { user } = await auth.register({ ...ada, fields: given })
    await auth.users.update(user.id, { fields: { plan: 'paid' } })
    const removed = { bio: null, image: null, plan: null }
    const changed = await auth.users.update(user.id, { fields: removed })
    const after = { bio: null, image: undefined, plan: null, name: 'Ada' }
    expect(changed?.fields).toStrictEqual(after)
    await expect(auth.users.update(user.id, { fields: { name: null } })).rejects.toMatchObject({
      code: 'validation_failed',
      errors: [{ pointer: '#/name' }],
    })
  })

  it('changes own fields, also those that no request can set', async () => {
    await create({ modelPrefix: 'Own', userFields })
    const { auth } = service
    const { user } = await auth.register({ ...ada, fields: { name: 'Ada' } })
    expect(await auth.users.update(user.id, { fields: { plan: 'paid' } })).toMatchObject({
      fields: { name: 'Ada', plan: 'paid' },
    })
    await expect(auth.users.update(user.id, { fields: { name: '' } })).rejects.toMatchObject({
      code: 'validation_failed',
    })
    await expect(auth.users.update(user.id, { fields: { plan: 'gold' } })).rejects.toThrow(/plan/)
    await expect(auth.users.update(user.id, { fields: { nmae: 'x' } })).rejects.toThrow(
      'auth.userFields.model has no field nmae. Own fields: name, plan.',
    )
  })

  it('changes the address, which then has to be verified', async () => {
    const auth = await create()
    const { accessToken, user } = await auth.register(ada)
    await auth.users.update(user.id, { emailVerified: true })
    await auth.forgotPassword(ada.email)
    await auth.stop()
    const changed = await auth.users.update(user.id, { email: 'Ada@New.io' })
    expect(changed).toMatchObject({ email: 'ada@new.io', emailVerified: false })
    await auth.stop()
    const [notice, link] = mails.slice(-2)
    expect(notice).toMatchObject({ kind: 'email-changed', to: 'ada@x.io' })
    expect(notice).not.toHaveProperty('link', expect.anything())
    expect(link).toMatchObject({ kind: 'verify-email', to: 'ada@new.io' })
    await auth.verifyEmail(new URL(link?.link ?? '').searchParams.get('token') ?? '')
    const { body } = await createClient(service.app).me(accessToken).expect(200)
    expect(body.data).toMatchObject({ email: 'ada@new.io', emailVerified: true })
    await auth.login({ ...ada, email: 'ada@new.io' })
    await expect(auth.login(ada)).rejects.toMatchObject({ code: 'invalid_credentials' })
  })

  it('makes links that were sent to the old address useless', async () => {
    const auth = await create()
    const { user } = await auth.register(ada)
    await auth.forgotPassword(ada.email)
    await auth.stop()
    const link = mails.find(({ kind }) => kind === 'reset-password')?.link ?? ''
    await auth.users.update(user.id, { email: 'ada@new.io' })
    const token = new URL(link).searchParams.get('token') ?? ''
    await expect(auth.resetPassword({ token, password: other })).rejects.toMatchObject({
      code: 'invalid_token',
    })
  })

  it('refuses a taken address, and sends nothing', async () => {
    const auth = await create()
    const { user } = await auth.register(ada)
    await auth.register({ email: 'bob@x.io', password })
    await auth.stop()
    mails.length = 0
    await expect(auth.users.update(user.id, { email: 'bob@x.io' })).rejects.toMatchObject({
      code: 'email_taken',
      errors: [{ pointer: '#/email' }],
    })
    await auth.stop()
    expect(mails).toEqual([])
  })

  it('sets a password without the old one, and ends every session', async () => {
    const auth = await create({ limits: { perAccount: { limit: 1, window: 900 } } })
    const { accessToken, user } = await auth.register(ada)
    await expect(auth.login({ ...ada, password: 'Wrong-River-42' })).rejects.toThrow()
    await expect(auth.users.update(user.id, { password: 'password' })).rejects.toMatchObject({
      code: 'password_too_common',
    })
    await auth.users.update(user.id, { password: other }, { address: '203.0.113.7' })
    await expect(auth.verifyAccessToken(accessToken)).rejects.toMatchObject({
      code: 'session_revoked',
    })
    await auth.login({ ...ada, password: other })
    expect(service.events).toContainEqual(
      expect.objectContaining({
        event: 'auth.user_updated',
        userId: user.id,
        address: '203.0.113.7',
        reason: 'password',
      }),
    )
    expect(JSON.stringify(service.events)).not.toContain(other)
  })

  it('sets a password, and keeps the session of the caller', async () => {
    const auth = await create()
    const own = await auth.register(ada)
    const { accessToken } = await auth.login(ada)
    const { sessionId } = await auth.verifyAccessToken(own.accessToken)
    await auth.users.update(own.user.id, { password: other, keepSession: sessionId })
    await auth.verifyAccessToken(own.accessToken)
    await expect(auth.verifyAccessToken(accessToken)).rejects.toMatchObject({
      code: 'session_revoked',
    })
  })
})
