import express from 'express'
import request from 'supertest'
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import {
  ApiError,
  createApi,
  createRegistry,
  createRouter,
  get,
  requireAccess,
  success,
  type User,
} from '../../src/index.ts'
import { authentication, errorHandler } from '../../src/pipeline.ts'
import { createTestClient, findAccessFaults, type TestClient } from '../../src/testing.ts'

const articles = createRouter([
  get(
    '/',
    { access: 'optional', response: z.object({ reader: z.string().nullable() }) },
    (req, res) => {
      expectTypeOf(req.user).toEqualTypeOf<User | undefined>()
      success(res, { reader: req.user?.id ?? null })
    },
  ),
  get('/public', { access: 'public' }, (_req, res) => success(res)),
  get('/user', { access: 'user' }, (_req, res) => success(res)),
])

const api = createApi({
  name: 'optional',
  routes: createRegistry().use('/api/articles', articles),
  rateLimit: false,
})

let client: TestClient

beforeAll(async () => {
  client = await createTestClient(api)
})

afterAll(() => client.stop())

describe("access: 'optional'", () => {
  it('loads the caller of a valid token, and no one without credentials', async () => {
    const { headers, user } = await client.signUp()
    const mine = await client.request.get('/api/articles').set(headers).expect(200)
    expect(mine.body.data).toEqual({ reader: user.id })
    const anonymous = await client.request.get('/api/articles').expect(200)
    expect(anonymous.body.data).toEqual({ reader: null })
  })

  it('returns 401 for credentials that are not valid, and never treats them as anonymous', async () => {
    const { headers } = await client.signUp()
    await client.request.post('/api/v1/auth/logout-all').set(headers).expect(204)
    for (const [authorization, code] of [
      ['Bearer forged', 'invalid_token'],
      [headers.Authorization, 'session_revoked'],
      ['Basic dTpw', 'unauthenticated'],
      ['', 'unauthenticated'],
    ] as const) {
      const response = await client.request
        .get('/api/articles')
        .set('Authorization', authorization)
        .expect(401)
      expect([authorization, response.body.code]).toEqual([authorization, code])
      expect(response.headers['www-authenticate']).toMatch(/^Bearer /)
    }
  })

  it('is distinguished by caches', async () => {
    const { headers } = await client.request.get('/api/articles').expect(200)
    expect(headers['vary']).toContain('Authorization')
  })

  it('is described as a choice between no credentials and a token', () => {
    expect(api.openapi?.paths['/api/articles']).toMatchObject({
      get: {
        security: [{}, { bearer: [] }],
        'x-access': 'optional',
        responses: { 401: {} },
      },
    })
    expect(api.openapi?.components).toHaveProperty('securitySchemes.bearer')
    expect(api.openapi?.paths['/api/articles']).not.toHaveProperty('get.responses.403')
  })

  it('AUZ-07 is checked by the access matrix', async () => {
    expect(await findAccessFaults(api, client)).toEqual([])
    // A route that ignores tokens, and one that requires them, as if they were optional.
    for (const [path, problem] of [
      ['/api/articles/public', 'returns 204 for a forged token, not 401'],
      ['/api/articles/user', 'is optional, but returns 401 without a token'],
    ] as const) {
      const endpoint = api.routes.find((other) => other.path === path)
      if (!endpoint) throw new Error(`There is no route ${path}.`)
      const declared = { ...endpoint, route: { ...endpoint.route, access: 'optional' as const } }
      const faults = await findAccessFaults({ app: api.app, routes: [declared] }, client)
      expect(faults).toEqual([{ route: `GET ${path}`, problem }])
    }
  })

  it('asks an authenticator that reads something else whether there are credentials', async () => {
    const authenticator = Object.assign(
      (req: express.Request & { user?: User }) => {
        if (req.headers.cookie !== 'session=1') throw new ApiError('unauthenticated')
        req.user = { id: '1', email: 'ada@example.org', roles: [] }
      },
      { hasCredentials: (req: express.Request) => req.headers.cookie !== undefined },
    )
    const app = express()
    app.use(authentication(authenticator), requireAccess('optional'))
    app.get('/', (req: express.Request & { user?: User }, res) => {
      res.json({ id: req.user?.id ?? null })
    })
    app.use(errorHandler())
    await request(app).get('/').expect(200, { id: null })
    await request(app).get('/').set('Cookie', 'session=1').expect(200, { id: '1' })
    await request(app).get('/').set('Cookie', 'session=2').expect(401)
  })
})
