import mongoose from 'mongoose'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type AuthOptions } from '../../src/lib/auth/options/auth-options.ts'
import { authRouteNames } from '../../src/lib/auth/options/auth-route-choice.ts'
import { type Api, createApi } from '../../src/lib/create-api.ts'
import { createAuth, getAuth } from '../../src/lib/create-auth.ts'
import { defineRoute } from '../../src/lib/route/define-route.ts'
import { success } from '../../src/lib/response/success.ts'
import { createRouter } from '../../src/lib/routing/create-router.ts'
import { createRegistry } from '../../src/lib/routing/registry.ts'
import { createTestClient } from '../../src/lib/testing/create-test-client.ts'
import { silent, testSecret } from './auth-fixture.ts'

function create(routes: AuthOptions['routes'], registry = createRegistry()): Api {
  return createApi({ routes: registry, environment: 'test', auth: { routes, apiKeys: {} } })
}

function pathsOf(api: Api): string[] {
  return api.routes
    .map(({ method, path }) => `${method} ${path}`)
    .filter((path) => !/openapi|docs|well-known/.test(path))
}

describe('auth.routes', () => {
  it('names each built-in route by its operation id', () => {
    const auth = createAuth({
      secrets: [testSecret],
      connection: mongoose.createConnection(),
      logger: silent,
      userFields: { model: { name: String }, input: { name: z.string() } },
      mail: { mailer: { send: async () => {} }, appUrl: 'https://app.example.com' },
      apiKeys: {},
    })
    const ids = auth.router.routes.map(({ operationId }) => operationId)
    expect(new Set(ids)).toEqual(new Set(authRouteNames))
    expect(ids).toHaveLength(authRouteNames.length)
  })

  it('false leaves none, in the document neither', () => {
    const api = create(false)
    expect(pathsOf(api)).toEqual([])
    expect(Object.keys(api.openapi?.paths ?? {})).toEqual([])
  })

  it('a list keeps those', () => {
    expect(pathsOf(create(['login', 'me']))).toEqual([
      'POST /api/v1/auth/login',
      'GET /api/v1/auth/me',
    ])
  })

  it('an object moves them and leaves some out', () => {
    const paths = pathsOf(create({ path: '/accounts', except: ['register'] }))
    expect(paths).toHaveLength(authRouteNames.length - 2)
    expect(paths.filter((path) => !/^\w+ \/accounts\//.test(path))).toEqual([])
    expect(paths).not.toContain('POST /accounts/register')
    expect(pathsOf(create({ path: '/accounts', only: ['me'] }))).toEqual(['GET /accounts/me'])
  })

  it('lets an application serve the same path in its own shape', async () => {
    const login = defineRoute({
      method: 'post',
      path: '/login',
      access: 'public',
      body: z.object({ mail: z.string(), secret: z.string() }),
      response: z.object({ token: z.string() }),
      async handler(req, res) {
        const { mail, secret } = req.valid.body
        const grant = await getAuth(req).login({ email: mail, password: secret }, req)
        success(res, { token: grant.accessToken })
      },
    })
    const own = createRegistry().use('/api/v1/auth', createRouter([login]))
    const api = create({ except: ['login'] }, own)
    const client = await createTestClient(api)
    try {
      await api.auth?.register({ email: 'ada@x.io', password: 'TestRiver42!' })
      const { body } = await client.request
        .post('/api/v1/auth/login')
        .send({ mail: 'ada@x.io', secret: 'TestRiver42!' })
        .expect(200)
      const headers = { Authorization: `Bearer ${body.data.token}` }
      await client.request.get('/api/v1/auth/me').set(headers).expect(200)
    } finally {
      await client.stop()
    }
  })

  it.each([
    [['signIn'], 'auth.routes names signIn. Known: register, login'],
    [{ path: 'auth' }, "auth.routes must have a path such as '/api/v1/auth'"],
    [{ paths: '/auth' }, 'auth.routes has no option paths'],
    ['/auth', 'auth.routes must be true, false, a list of names, or { path, only, except }'],
  ])('refuses %j', (routes, message) => {
    const options = { secrets: [testSecret], routes } as AuthOptions
    expect(() => createAuth(options)).toThrow(message)
  })

  it('names what a chosen route needs', () => {
    const routes = ['forgotPassword'] as const
    expect(() => createAuth({ secrets: [testSecret], routes }).router).toThrow(
      'auth.routes names forgotPassword, which needs auth.mail.',
    )
  })
})
