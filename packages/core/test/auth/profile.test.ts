import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import request from 'supertest'
import { z } from 'zod'
import { type AuthOptions } from '../../src/lib/auth/options/auth-options.ts'
import { type Mail } from '../../src/lib/auth/mail/mailer.ts'
import { createApi } from '../../src/lib/create-api.ts'
import { createAuth } from '../../src/lib/create-auth.ts'
import { createRegistry } from '../../src/lib/routing/registry.ts'
import {
  createClient,
  createTestService,
  password,
  startTestDatabase,
  type TestClient,
  type TestDatabase,
  testSecret,
  type TestService,
} from './auth-fixture.ts'

let database: TestDatabase
let service: TestService
let client: TestClient
const mails: Mail[] = []
const mail = {
  appUrl: 'https://app.example.com',
  mailer: {
    async send(sent: Mail) {
      mails.push(sent)
    },
  },
}
const userFields = {
  model: { username: { type: String, required: true }, bio: String, plan: String },
  input: {
    username: z
      .string()
      .toLowerCase()
      .regex(/^[a-z][a-z0-9_-]{2,29}$/),
    bio: z.string().max(200).default('none'),
  },
  output: { username: z.string(), bio: z.string().optional() },
}
const ada = { email: 'ada@x.io', password, username: 'Ada' }
const bob = { email: 'bob@x.io', password, username: 'bob' }

async function create(options: Partial<AuthOptions> = {}): Promise<void> {
  service = await createTestService(database.connection, {
    mail,
    modelPrefix: 'Profile',
    userFields,
    ...options,
  })
  client = createClient(service.app)
}

function patch(token: string, body: object): request.Test {
  return request(service.app)
    .patch('/api/v1/auth/me')
    .set('Authorization', `Bearer ${token}`)
    .send(body)
}

async function takeLink(kind: Mail['kind']): Promise<string> {
  await service.auth.stop()
  const sent = mails.findLast((one) => one.kind === kind)
  return new URL(sent?.link ?? '').searchParams.get('token') ?? ''
}

async function signUp(user: typeof ada): Promise<{ accessToken: string; user: { id: string } }> {
  return (await client.post('/register', user).expect(201)).body.data
}

beforeAll(async () => {
  database = await startTestDatabase()
})
beforeEach(async () => {
  await create()
  await database.clear()
  mails.length = 0
})
afterAll(() => database.stop())

describe('null in PATCH /me', () => {
  it('removes an optional field, and is stored where it is a value', async () => {
    await create({
      modelPrefix: 'Removed',
      userFields: {
        model: { bio: String, image: String },
        input: { bio: z.string().nullable().default(null), image: z.url().optional() },
      },
    })
    const own = { bio: 'poet', image: 'https://x.io/a.png' }
    const body = { email: ada.email, password, ...own }
    const { accessToken, user } = (await client.post('/register', body).expect(201)).body.data
    await patch(accessToken, { bio: null, image: null }).expect(200)
    const stored = await service.auth.users.findById(user.id)
    expect(stored?.fields).toStrictEqual({ bio: null, image: undefined })
    await patch(accessToken, { bio: 7, image: 'no URL' }).expect(422)
  })
})

describe('PATCH /me', () => {
  it('changes own fields and leaves the others', async () => {
    const { accessToken } = await signUp({ ...ada, bio: 'Countess' } as typeof ada)
    const response = await patch(accessToken, { username: 'ADA-L' }).expect(200)
    expect(response.body.data).toMatchObject({
      username: 'ada-l',
      bio: 'Countess',
      email: 'ada@x.io',
    })
    expect((await client.me(accessToken)).body.data).toEqual(response.body.data)
    await patch(accessToken, {}).expect(200)
    expect(service.events.at(-1)).toMatchObject({ event: 'auth.user_updated', reason: 'username' })
  })

  it.each([
    [{ plan: 'paid' }, '#/plan'],
    [{ roles: ['admin'] }, '#/roles'],
    [{ email: 'eve@x.io' }, '#/email'],
    [{ username: 'x' }, '#/username'],
    [{ username: null }, '#/username'],
  ])('refuses %j', async (body, pointer) => {
    const { accessToken } = await signUp(ada)
    const response = await patch(accessToken, body).expect(422)
    expect(response.body.errors).toMatchObject([{ pointer }])
  })

  it('needs a caller and own fields', async () => {
    await patch('forged', { bio: 'x' }).expect(401)
    const without = createAuth({ secrets: [testSecret], connection: database.connection })
    const paths = without.router.routes.map(({ method, path }) => `${method} ${path}`)
    expect(paths).not.toContain('patch /me')
    const chosen = { secrets: [testSecret], routes: ['updateMe'] } as const
    expect(() => createAuth({ ...chosen, connection: database.connection }).router).toThrow(
      'auth.routes names updateMe, which needs auth.userFields.input.',
    )
  })
})

describe('an own field that is unique', () => {
  it('is an ApiError also from the functions of authentication', async () => {
    const { model } = userFields
    const handle = { type: String, unique: true, sparse: true }
    await create({
      userFields: { ...userFields, model: { ...model, handle } },
      modelPrefix: 'Unique',
    })
    const register = (email: string, username: string): Promise<{ user: { id: string } }> =>
      service.auth.register({ email, password, fields: { username } })
    const [first, second] = [await register('a@x.io', 'aaa'), await register('b@x.io', 'bbb')]
    await service.auth.users.update(first.user.id, { fields: { handle: 'same' } })
    const taken = service.auth.users.update(second.user.id, { fields: { handle: 'same' } })
    await expect(taken).rejects.toMatchObject({
      name: 'ApiError',
      code: 'duplicate',
      status: 409,
      errors: [{ in: 'body', pointer: '#/handle', code: 'duplicate' }],
    })
  })
})

describe('change-email and confirm-email', () => {
  async function change(
    token: string,
    email: string,
    currentPassword = password,
  ): Promise<request.Response> {
    return client.post('/change-email', { email, currentPassword }, token)
  }

  it('changes the address when the link to it is used', async () => {
    const { accessToken } = await signUp(ada)
    expect((await change(accessToken, 'Ada@New.io')).status).toBe(204)
    const token = await takeLink('change-email')
    const [notice, link] = mails.slice(-2)
    expect(notice).toMatchObject({ kind: 'email-change-requested', to: 'ada@x.io' })
    expect(link).toMatchObject({
      to: 'ada@new.io',
      link: `https://app.example.com/confirm-email?token=${token}`,
    })
    expect(link?.text).toContain('within 1 day to confirm')
    expect((await client.me(accessToken)).body.data.email).toBe('ada@x.io')
    await client.post('/forgot-password', { email: 'ada@x.io' }).expect(204)
    const reset = await takeLink('reset-password')
    await client.post('/confirm-email', { token }).expect(204)
    expect((await client.me(accessToken)).body.data).toMatchObject({
      email: 'ada@new.io',
      emailVerified: true,
    })
    await service.auth.stop()
    expect(mails.at(-1)).toMatchObject({ kind: 'email-changed', to: 'ada@x.io' })
    await client.login('ada@new.io')
    expect((await client.post('/confirm-email', { token }).expect(401)).body.code).toBe(
      'invalid_token',
    )
    await client.post('/reset-password', { token: reset, password: 'Another-River-42' }).expect(401)
    expect(service.events.map(({ event }) => event)).toEqual(
      expect.arrayContaining(['auth.email_change_requested', 'auth.email_changed']),
    )
  })

  it('requires the password, and limits guesses', async () => {
    await create({ limits: { perAccount: { limit: 1, window: 900 } } })
    const { accessToken } = await signUp(ada)
    const wrong = await change(accessToken, 'ada@new.io', 'Wrong-River-42')
    expect([wrong.status, wrong.body.code]).toEqual([401, 'invalid_credentials'])
    expect((await change(accessToken, 'ada@new.io')).status).toBe(429)
  })

  it('is stopped by a change of the password', async () => {
    const { accessToken } = await signUp(ada)
    await change(accessToken, 'ada@new.io')
    const token = await takeLink('change-email')
    const passwords = { currentPassword: password, newPassword: 'Another-River-42' }
    await client.post('/change-password', passwords, accessToken).expect(200)
    await client.post('/confirm-email', { token }).expect(401)
  })

  it('reports a taken address, also one that was taken in the meantime', async () => {
    const { accessToken } = await signUp(ada)
    await change(accessToken, 'bob@x.io')
    const token = await takeLink('change-email')
    await signUp(bob)
    const late = await client.post('/confirm-email', { token }).expect(409)
    expect(late.body).toMatchObject({ code: 'email_taken', errors: [{ pointer: '#/email' }] })
    const early = await change(accessToken, 'bob@x.io')
    expect([early.status, early.body.code]).toEqual([409, 'email_taken'])
    await create({ hideRegistered: true })
    mails.length = 0
    expect((await change(accessToken, 'bob@x.io')).status).toBe(204)
    await service.auth.stop()
    expect(mails.map(({ kind, to }) => `${kind} ${to}`)).toEqual([
      'email-change-requested ada@x.io',
      'already-registered bob@x.io',
    ])
  })

  it('sends nothing for the address in force', async () => {
    const { accessToken } = await signUp(ada)
    await service.auth.stop()
    mails.length = 0
    expect((await change(accessToken, 'ADA@x.io')).status).toBe(204)
    await service.auth.stop()
    expect(mails).toEqual([])
  })

  it('exists as functions', async () => {
    const { user } = await signUp(ada)
    const input = { email: 'ada@new.io', currentPassword: password }
    await service.auth.changeEmail(user.id, input)
    await service.auth.confirmEmail(await takeLink('change-email'))
    expect(await service.auth.users.findByEmail('ada@new.io')).toMatchObject({ id: user.id })
  })
})

describe("auth.identifier: 'username'", () => {
  const identifier = 'username'
  const login = (username: string, chosen = password): request.Test =>
    client.post('/login', { username, password: chosen })

  beforeEach(() => create({ identifier, modelPrefix: 'Named' }))

  it('logs in with the field in its canonical form, and with no other', async () => {
    const { user } = await signUp(ada)
    expect((await login('ADA').expect(200)).body.data.user.id).toBe(user.id)
    await login('stranger').expect(401)
    await login('ada', 'Wrong-River-42').expect(401)
    await client.post('/login', { email: 'ada@x.io', password }).expect(422)
    await login('ada@x.io').expect(422)
    expect(await service.auth.users.findByIdentifier('aDa')).toMatchObject({ id: user.id })
    expect(await service.auth.users.findByIdentifier('?')).toBeUndefined()
    expect((await service.auth.login({ username: 'ada', password })).user.id).toBe(user.id)
  })

  it('refuses a taken value: registering, changing, and in a race', async () => {
    const { accessToken } = await signUp(bob)
    const racers = Array.from({ length: 6 }, (_, index) =>
      client.post('/register', { ...ada, email: `ada${index}@x.io` }),
    )
    const statuses = (await Promise.all(racers)).map(({ status }) => String(status))
    expect(statuses.toSorted()).toEqual(['201', '409', '409', '409', '409', '409'])
    const response = await client.post('/register', ada).expect(409)
    const fault = { code: 'username_taken', errors: [{ in: 'body', pointer: '#/username' }] }
    expect(response.body).toMatchObject({ ...fault, title: 'The username is already registered.' })
    const change = { username: 'ADA', currentPassword: password }
    expect((await patch(accessToken, change).expect(409)).body).toMatchObject(fault)
    const email = await client.post('/register', { ...bob, username: 'bobby' }).expect(409)
    expect(email.body.code).toBe('email_taken')
  })

  it('LOG-10 changes for a user who knows the password', async () => {
    const { accessToken } = await signUp(ada)
    const missing = await patch(accessToken, { username: 'eve' }).expect(422)
    expect(missing.body.errors).toMatchObject([
      { pointer: '#/currentPassword', detail: 'is required to change username' },
    ])
    const wrong = { username: 'eve', currentPassword: 'Wrong-River-42' }
    expect((await patch(accessToken, wrong).expect(401)).body.code).toBe('invalid_credentials')
    await login('ada').expect(200)
    await patch(accessToken, { username: 'eve', currentPassword: password }).expect(200)
    await login('ada').expect(401)
    await login('eve').expect(200)
  })

  it('needs no password to keep it, or to change other fields', async () => {
    const { accessToken } = await signUp(ada)
    const { body } = await patch(accessToken, { username: 'ADA', bio: 'Countess' }).expect(200)
    expect(body.data).toMatchObject({ username: 'ada', bio: 'Countess' })
    expect(body.data).not.toHaveProperty('currentPassword')
  })

  it('with hideRegistered, is reported as taken whether or not the address is registered', async () => {
    await create({ identifier, modelPrefix: 'Named', hideRegistered: true })
    const register = async (email: string, username: string): Promise<unknown> => {
      const { body, status } = await client.post('/register', { email, password, username })
      return [status, body.code]
    }
    expect(await register('bob@x.io', 'bob')).toEqual([202, undefined])
    expect(await register('bob@x.io', 'bob')).toEqual([409, 'username_taken'])
    expect(await register('free@x.io', 'bob')).toEqual([409, 'username_taken'])
    expect(await register('bob@x.io', 'free')).toEqual([202, undefined])
  })

  it('throttles the account, until the password is reset', async () => {
    await create({
      identifier,
      modelPrefix: 'Named',
      limits: { perAccount: { limit: 1, window: 900 } },
    })
    await signUp(ada)
    const from = (call: request.Test): request.Test => call.set('X-Forwarded-For', '203.0.113.9')
    await from(login('ada', 'Wrong-River-42')).expect(401)
    await from(login('Ada')).expect(429)
    await from(login('stranger', 'Wrong-River-42')).expect(401)
    await from(login('stranger')).expect(429)
    await client.post('/forgot-password', { email: 'ada@x.io' }).expect(204)
    const token = await takeLink('reset-password')
    await client.post('/reset-password', { token, password: 'Another-River-42' }).expect(204)
    await from(login('ada', 'Another-River-42')).expect(200)
  })

  it('must be an own field with a schema', () => {
    const message = "is 'username', which is not an own field"
    expect(() => createAuth({ secrets: [testSecret], identifier })).toThrow(
      `auth.identifier ${message}`,
    )
    expect(() => createApi({ routes: createRegistry(), auth: { identifier } })).toThrow(message)
  })
})
