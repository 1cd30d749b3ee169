import { randomBytes } from 'node:crypto'
import express from 'express'
import request from 'supertest'
import { afterEach, describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { type AuthOptions } from '../../src/lib/auth/options/auth-options.ts'
import { type Mail } from '../../src/lib/auth/mail/mailer.ts'
import { type Api, createApi } from '../../src/lib/create-api.ts'
import { type Auth, createAuth, getAuth } from '../../src/lib/create-auth.ts'
import { errorHandler } from '../../src/lib/http/error-handler.ts'
import { defineRoute } from '../../src/lib/route/define-route.ts'
import { success } from '../../src/lib/response/success.ts'
import { createRouter } from '../../src/lib/routing/create-router.ts'
import { createRegistry } from '../../src/lib/routing/registry.ts'
import { type ApiConfig } from '../../src/lib/settings/api-options.ts'
import { password, silent, testSecret } from './auth-fixture.ts'

const ada = { email: 'ada@x.io', password }
const secrets = [testSecret]
const apis: Api[] = []

async function start(config: Partial<ApiConfig>): Promise<Api> {
  const api = createApi({
    routes: createRegistry(),
    log: { logger: silent },
    accessLog: { format: false },
    environment: 'test',
    server: { drainDelay: 0 },
    database: { uri: 'embedded:memory', name: `ready_${randomBytes(4).toString('hex')}` },
    ...config,
  })
  apis.push(api)
  await api.start({ port: 0, signals: false })
  return api
}

afterEach(async () => {
  for (const api of apis.splice(0)) await api.stop()
})

describe('createApi({ auth: createAuth() })', () => {
  it('uses the one that was given, for its routes too', async () => {
    const auth = createAuth()
    const api = await start({ auth })
    expect(api.auth).toBe(auth)
    expectTypeOf(api.auth).toEqualTypeOf<Auth | undefined>()
    const { accessToken } = await auth.register(ada)
    await request(api.app)
      .get('/api/v1/auth/me')
      .set('Authorization', `Bearer ${accessToken}`)
      .expect(200)
  })

  it('gives it name, logger, secrets and mail of the API', async () => {
    const lines: string[] = []
    const logger = { ...silent, info: (_fields: object, text: string) => void lines.push(text) }
    const auth = createAuth({ accessLifetime: '5m' })
    const api = await start({ auth, name: 'blog', log: { logger } })
    const { accessToken, expiresIn } = await auth.register(ada)
    const claims = JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString())
    expect(claims).toMatchObject({ iss: 'blog', aud: 'blog' })
    expect(expiresIn).toBe(300)
    expect(lines).toContain('auth.registered')
    await request(api.app)
      .post('/api/v1/auth/forgot-password')
      .send({ email: ada.email })
      .expect(204)
  })

  it('keeps what its options say', async () => {
    const mails: Mail[] = []
    const lines: string[] = []
    const logger = { ...silent, info: (_fields: object, text: string) => void lines.push(text) }
    const auth = createAuth({
      secrets,
      serviceName: 'accounts',
      logger,
      limits: { perAddress: { login: { limit: 1 } } },
      mail: {
        mailer: {
          async send(mail) {
            mails.push(mail)
          },
        },
      },
    })
    const api = await start({ auth, name: 'blog' })
    await auth.register(ada)
    await auth.stop()
    expect(mails).toMatchObject([{ subject: 'accounts: confirm your address' }])
    expect(lines).toContain('auth.registered')
    const login = (): request.Test =>
      request(api.app)
        .post('/api/v1/auth/login')
        .send({ ...ada, password: 'Wrong-River-42' })
    await login().expect(401)
    await login().expect(429)
  })

  it('reports options that cannot be used with those of the API', () => {
    const auth = createAuth({ refreshIdleLifetime: '40d' })
    expect(() => createApi({ routes: createRegistry(), auth, server: { port: -1 } })).toThrow(
      /REFRESH_MAX_TTL[\s\S]*server\.port|server\.port[\s\S]*REFRESH_MAX_TTL/,
    )
    expect(() => createAuth({ acessLifetime: '5m' } as AuthOptions)).toThrow(
      'createAuth() has no option auth.acessLifetime. Did you mean auth.accessLifetime?',
    )
    expect(() => createAuth({ secrets: ['short'] })).toThrow(/auth\.secrets/)
  })

  it('cannot be called before, without secrets', async () => {
    const auth = createAuth()
    const message =
      'auth.secrets is missing: pass secrets to createAuth(), or its result to createApi({ auth }) before it is used.'
    expect(() => auth.router).toThrow(message)
    await expect(auth.login(ada)).rejects.toThrow(message)
    await expect(auth.users.findById('1')).rejects.toThrow(message)
    await start({ auth })
    expect(await auth.users.findByEmail('ada@x.io')).toBeUndefined()
  })

  it('has its schemas before', () => {
    const { schemas } = createAuth({ password: { minLength: 12 } })
    expect(schemas.newPassword.safeParse('elevenchars').success).toBe(false)
    expect(schemas.email.parse('Ada@X.io')).toBe('ada@x.io')
  })

  it('belongs to one API', async () => {
    const auth = createAuth()
    const api = await start({ auth })
    const message = 'createApi({ auth }): this authentication is in use already.'
    expect(() => createApi({ routes: createRegistry(), auth })).toThrow(message)
    const own = createApi({ routes: createRegistry(), environment: 'test', auth: {} })
    expect(() => createApi({ routes: createRegistry(), auth: own.auth })).toThrow(message)
    const mounted = createAuth({ secrets, modelPrefix: 'Mounted' })
    express().use(mounted.router)
    expect(() => createApi({ routes: createRegistry(), auth: mounted })).toThrow(message)
    expect(api.auth).toBe(auth)
  })
})

describe('getAuth', () => {
  const routes = createRouter([
    defineRoute({
      method: 'post',
      path: '/',
      access: 'public',
      body: z.object({ user: z.object({ email: z.string(), password: z.string() }) }),
      response: z.object({ token: z.string() }),
      async handler(req, res) {
        const { accessToken } = await getAuth(req).login(req.valid.body.user, req)
        success(res, { token: accessToken })
      },
    }),
  ])

  it('returns the authentication of the API in a handler', async () => {
    const api = await start({ routes: createRegistry().use('/login', routes) })
    await api.auth?.register(ada)
    const { body } = await request(api.app).post('/login').send({ user: ada }).expect(200)
    await expect(api.auth?.verifyAccessToken(body.data.token)).resolves.toHaveProperty('user')
  })

  it('works behind the stage in another app', async () => {
    const api = await start({})
    const app = express().use(api.auth?.authentication() ?? [], routes)
    await api.auth?.register(ada)
    await request(app).post('/').send({ user: ada }).expect(200)
  })

  it('names the fix where there is none', async () => {
    const api = await start({ auth: false, routes: createRegistry().use('/login', routes) })
    await request(api.app).post('/login').send({ user: ada }).expect(500)
    const errors: unknown[] = []
    const logger = { ...silent, error: (fields: { err?: unknown }) => void errors.push(fields.err) }
    const app = express().use(routes, errorHandler({ logger }))
    await request(app).post('/').send({ user: ada }).expect(500)
    expect(String(errors[0])).toContain('app.use(auth.authentication()) is missing')
  })
})
