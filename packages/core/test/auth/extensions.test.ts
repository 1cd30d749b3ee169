import express, { type Response } from 'express'
import { generateKeyPairSync } from 'node:crypto'
import request from 'supertest'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type AuthOptions } from '../../src/lib/auth/options/auth-options.ts'
import { type PasswordHasher } from '../../src/lib/auth/passwords/password-hasher.ts'
import { ApiError } from '../../src/lib/errors/api-error.ts'
import { createRouter } from '../../src/lib/routing/create-router.ts'
import { defineRoute } from '../../src/lib/route/define-route.ts'
import { success } from '../../src/lib/response/success.ts'
import {
  createClient,
  createTestService,
  password,
  startTestDatabase,
  type TestClient,
  type TestDatabase,
  testSecret,
} from './auth-fixture.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await startTestDatabase()
})
beforeEach(() => database.clear())
afterAll(() => database.stop())

async function create(options: Partial<AuthOptions>): Promise<TestClient> {
  return createClient((await createTestService(database.connection, options)).app)
}

describe('auth.cookies', () => {
  const cookies = { origins: ['https://app.example.com'] }
  const own = { 'X-Requested-With': 'fetch' }

  function takeCookie(response: { headers: Record<string, unknown> }): string {
    return String(response.headers['set-cookie'])
  }

  it('REF-13 keeps the refresh token in a cookie that scripts and other sites cannot use', async () => {
    const client = await create({ cookies })
    const response = await client.post('/register', { email: 'ada@x.io', password }).expect(201)
    expect(response.body.data).not.toHaveProperty('refreshToken')
    const cookie = takeCookie(response)
    expect(cookie).toMatch(
      /^__Host-refresh=rt1\.[\w.-]+; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    )
    const [pair = ''] = cookie.split(';')
    const refreshed = await client
      .post('/refresh-token')
      .set('Cookie', `a=b; ${pair}`)
      .set('Origin', 'https://app.example.com')
      .expect(200)
    expect(refreshed.body.data).toHaveProperty('accessToken')
    expect(takeCookie(refreshed)).not.toBe(cookie)
    const passwords = { currentPassword: password, newPassword: 'Another-River-42' }
    const { accessToken } = refreshed.body.data
    const changed = await client.post('/change-password', passwords, accessToken).expect(200)
    expect(changed.body.data).not.toHaveProperty('refreshToken')
    const [next = ''] = takeCookie(changed).split(';')
    const out = await client.post('/logout').set('Cookie', next).set(own).expect(204)
    expect(takeCookie(out)).toMatch(/^__Host-refresh=; Max-Age=0;/)
    await client.post('/refresh-token').set('Cookie', next).set(own).expect(401)
    await client.post('/refresh-token').set(own).expect(401)
  })

  it('REF-13 refuses a request of another origin, or of none', async () => {
    const client = await create({ cookies })
    const [pair = ''] = takeCookie(
      await client.post('/register', { email: 'ada@x.io', password }),
    ).split(';')
    const origins = ['https://evil.example', 'null', 'http://app.example.com', undefined]
    for (const path of ['/refresh-token', '/logout']) {
      for (const origin of origins) {
        const call = client.post(path).set('Cookie', pair)
        if (origin !== undefined) void call.set('Origin', origin)
        expect((await call.expect(403)).body.code).toBe('forbidden')
      }
    }
    const call = client.post('/refresh-token').set('Cookie', pair).set('Host', 'api.example.com')
    await call.set('Origin', 'http://api.example.com').expect(200)
  })

  it('reads no access token from a cookie', async () => {
    const client = await create({ cookies })
    const { body } = await client.post('/register', { email: 'ada@x.io', password })
    await client.get('/me').set('Cookie', `token=${body.data.accessToken}`).expect(401)
    await client.me(body.data.accessToken).expect(200)
  })

  it.each([{ origins: ['app.example.com'] }, { origins: ['https://a.com/x'] }, { name: 'a b' }])(
    'refuses %j',
    async (options) => {
      await expect(create({ cookies: options })).rejects.toThrow(TypeError)
    },
  )
})

describe('auth.stateless', () => {
  it('trusts a token until it expires, without session or user', async () => {
    const client = await create({ stateless: true })
    const { accessToken, refreshToken, user } = await client.register('ada@x.io')
    expect((await client.me(accessToken).expect(200)).body.data).toEqual(user)
    await client.post('/logout', { refreshToken }).expect(204)
    await client.me(accessToken).expect(200)
    await client.refresh(refreshToken).expect(401)
  })
})

describe('auth.claims', () => {
  it("adds the application's claims under one name", async () => {
    const namespace = 'https://example.com/claims'
    const { auth } = await createTestService(database.connection, {
      claims: { namespace, create: (user) => ({ plan: `plan of ${user.email}` }) },
    })
    const app = express()
    const routes = [
      defineRoute({
        method: 'get',
        path: '/claims',
        access: 'user',
        response: z.object({ plan: z.string() }),
        handler: (req, res: Response) => success(res, req.claims),
      }),
    ]
    app.use('/auth', auth.router).use(auth.authentication(), createRouter(routes))
    const { accessToken } = await auth.register({ email: 'ada@x.io', password })
    const response = await request(app).get('/claims').set('Authorization', `Bearer ${accessToken}`)
    expect(response.body.data).toEqual({ plan: 'plan of ada@x.io' })
  })

  it('refuses a namespace that could be a registered claim', async () => {
    const claims = { namespace: 'sub', create: () => ({}) }
    await expect(create({ claims })).rejects.toThrow('auth.claims.namespace')
  })
})

describe('auth.hooks', () => {
  it('runs before and after register, login, refresh and logout', async () => {
    const seen: string[] = []
    const note =
      (name: string) =>
      (subject: { email?: string; userId?: string }): void => {
        seen.push(`${name} ${subject.email ?? typeof subject.userId}`)
      }
    const names = ['Register', 'Login', 'Refresh', 'Logout'].flatMap((step) => [
      `before${step}`,
      `after${step}`,
    ])
    const client = await create({
      hooks: Object.fromEntries(names.map((name) => [name, note(name)])),
    })
    await client.register('ada@x.io')
    const { refreshToken } = await client.login('ada@x.io')
    const { body } = await client.refresh(refreshToken).expect(200)
    await client.post('/logout', { refreshToken: body.data.refreshToken }).expect(204)
    expect(seen).toEqual([
      'beforeRegister ada@x.io',
      'afterRegister ada@x.io',
      'beforeLogin ada@x.io',
      'afterLogin ada@x.io',
      'beforeRefresh string',
      'afterRefresh string',
      'beforeLogout string',
      'afterLogout string',
    ])
  })

  it('rejects a request that a before hook rejects', async () => {
    const refuse = (): never => {
      throw new ApiError('forbidden', { detail: 'Invited users only.' })
    }
    const client = await create({ hooks: { beforeRegister: refuse } })
    const response = await client.post('/register', { email: 'ada@x.io', password }).expect(403)
    expect(response.body.detail).toBe('Invited users only.')
    expect(await database.connection.collection('users').countDocuments()).toBe(0)
    await (await create({})).register('ada@x.io')
    const verified = await create({ hooks: { beforeLogin: refuse } })
    await verified.post('/login', { email: 'ada@x.io', password }).expect(403)
    await verified.post('/login', { email: 'ada@x.io', password: 'Wrong-River-42' }).expect(401)
    expect(await database.connection.collection('sessions').countDocuments()).toBe(1)
  })

  it('does not fail when an after hook throws', async () => {
    const fail = async (): Promise<never> => Promise.reject(new Error('no'))
    const client = await create({ hooks: { afterRegister: fail } })
    await expect(client.register('ada@x.io')).resolves.toHaveProperty('accessToken')
  })
})

describe('auth.userFields', () => {
  it('accepts, stores and returns own fields', async () => {
    const name = z.string().min(1).max(80)
    // Another connection, because a model is created once per connection.
    const connection = database.connection.useDb(`${database.connection.name}_fields`)
    const { app } = await createTestService(connection, {
      userFields: {
        model: { name: { type: String, required: true } },
        input: { name },
        output: { name },
      },
    })
    const client = createClient(app)
    const body = { email: 'ada@x.io', password, name: 'Ada' }
    const { body: registered } = await client.post('/register', body).expect(201)
    expect(registered.data.user).toMatchObject({ name: 'Ada', roles: [] })
    expect((await client.me(registered.data.accessToken)).body.data.name).toBe('Ada')
    const refused = await client.post('/register', { ...body, name: '' }).expect(422)
    expect(refused.body.errors[0].pointer).toBe('#/name')
    await connection.dropDatabase()
  })

  it('refuses to replace a built-in field', async () => {
    const userFields = { model: { roles: [String] } }
    await expect(create({ userFields })).rejects.toThrow("must not replace the field 'roles'")
  })
})

describe('auth.password.hasher', () => {
  it('replaces argon2id', async () => {
    const plain: PasswordHasher = {
      hash: async (text) => `test:${text}`,
      verify: async (stored, text) => stored === `test:${text}`,
      needsRehash: () => false,
    }
    const client = await create({ password: { hasher: plain } })
    await client.register('ada@x.io')
    await client.login('ada@x.io')
    await client.post('/login', { email: 'ada@x.io', password: 'Wrong-River-42' }).expect(401)
  })
})

describe('the upgrade of a hash', () => {
  it('PWD-08 PWD-09 waits for the next login when the hash queue is full', async () => {
    let isBusy = false
    const busy: PasswordHasher = {
      async hash(text) {
        if (isBusy) throw new ApiError('overloaded')
        return `test:${text}`
      },
      verify: async (stored, text) => stored === `test:${text}`,
      needsRehash: () => true,
    }
    const client = await create({ password: { hasher: busy } })
    await client.register('ada@x.io')
    isBusy = true
    expect((await client.login('ada@x.io')).user.email).toBe('ada@x.io')
  })
})

describe('auth.signingKeys', () => {
  it('serves the public keys, and rotates without logging anyone out', async () => {
    const [first, second] = ['one', 'two'].map((kid) => {
      const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
      return { algorithm: 'ES256' as const, kid, privateKey: pem }
    })
    if (!first || !second) throw new Error('Two keys were made.')
    const before = await create({ signingKeys: [first] })
    const { accessToken, refreshToken } = await before.register('ada@x.io')
    const { auth, app } = await createTestService(database.connection, {
      signingKeys: [second, first],
    })
    app.use('/.well-known', auth.wellKnown)
    const after = createClient(app)
    await after.me(accessToken).expect(200)
    await after.refresh(refreshToken).expect(200)
    const { body, headers } = await request(app).get('/.well-known/jwks.json').expect(200)
    expect(headers['content-type']).toMatch('application/jwk-set+json')
    expect(body.keys.map(({ kid }: { kid: string }) => kid)).toEqual(['two', 'one'])
    await (await create({ signingKeys: [second] })).me(accessToken).expect(401)
  })
})

describe('createAuth', () => {
  it.each([
    ['TOK-06', { audience: '' }, 'auth.audience must not be empty.'],
    ['TOK-06', { issuer: ' ' }, 'auth.issuer must not be empty.'],
    ['PWD-02', { password: { minLength: 6 } }, 'auth.password.minLength must be'],
    ['PWD-01', { password: { memoryCost: 4096 } }, 'auth.password.memoryCost must be'],
    ['REF-05', { refreshLeeway: 61 }, 'auth.refreshLeeway must be'],
    ['TOK-04', { clockTolerance: 61 }, 'auth.clockTolerance must be'],
    ['TOK-03', { accessLifetime: '401d' }, 'auth.accessLifetime must be'],
    ['TOK-03', { accessLifetime: 0.9 }, 'auth.accessLifetime must be'],
    ['REF-08', { refreshAbsoluteLifetime: 60 }, 'must not be shorter'],
    ['CFG-02', { secrets: ['secret'] }, 'auth.secrets must encode at least 32 random bytes'],
    [
      'TOK-09',
      { signingKeys: [{ algorithm: 'ES256' as const }] },
      'auth.signingKeys must each have',
    ],
    ['LOG-03', { modelPrefix: '$' }, 'auth.modelPrefix must be a word'],
    ['mail', { mail: { mailer: { send: async () => {} }, appUrl: 'app' } }, 'auth.mail.appUrl'],
  ])('%s refuses %j', async (_, options, message) => {
    await expect(create(options)).rejects.toThrow(message)
  })

  it('TOK-06 issues and checks the name of the service by default', async () => {
    const client = await create({ serviceName: 'blog', audience: undefined })
    const { accessToken } = await client.register('ada@x.io')
    const claims = JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString())
    expect(claims).toMatchObject({ iss: 'blog', aud: 'blog' })
    await (await create({ serviceName: 'shop', secrets: [testSecret] })).me(accessToken).expect(401)
  })

  it('LOG-04 does not start when the unique index cannot be built', async () => {
    const connection = database.connection.useDb(`${database.connection.name}_twins`)
    await connection.collection('users').insertMany([{ email: 'a@x.io' }, { email: 'a@x.io' }])
    await expect(createTestService(connection)).rejects.toThrow(/email_1/)
    await connection.dropDatabase()
  })
})
