import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { type AddressInfo } from 'node:net'
import path from 'node:path'
import jsonwebtoken from 'jsonwebtoken'
import request from 'supertest'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { type Api, createApi } from '../../src/lib/create-api.ts'
import { createAuth, getAuth } from '../../src/lib/create-auth.ts'
import { type User } from '../../src/lib/access/caller.ts'
import { defineAuthenticator } from '../../src/lib/auth/service/define-authenticator.ts'
import { defineRoute } from '../../src/lib/route/define-route.ts'
import { type ApiRequest, type Authenticator } from '../../src/lib/route/request.ts'
import { success } from '../../src/lib/response/success.ts'
import { rateLimit } from '../../src/lib/limits/rate-limit.ts'
import { createRouter } from '../../src/lib/routing/create-router.ts'
import { createRegistry } from '../../src/lib/routing/registry.ts'
import { type ApiConfig } from '../../src/lib/settings/api-options.ts'
import {
  createTestService,
  createClient,
  password,
  silent,
  startTestDatabase,
  testSecret,
} from './auth-fixture.ts'
import { createOpenIdAuthenticator } from './openid-provider.ts'

const ada = { email: 'ada@x.io', password }
const visitor = z.object({ id: z.string().nullable() })
const whoami = z.object({ id: z.string(), hasAuth: z.boolean() })
const routes = createRouter([
  defineRoute({
    method: 'get',
    path: '/',
    access: 'user',
    response: whoami,
    handler(req, res) {
      success(res, { id: req.user.id, hasAuth: hasAuth(req) })
    },
  }),
  defineRoute({
    method: 'get',
    path: '/visitor',
    access: 'optional',
    response: visitor,
    handler(req, res) {
      success(res, { id: req.user?.id ?? null })
    },
  }),
  defineRoute({
    method: 'get',
    path: '/admin',
    access: 'admin',
    response: whoami,
    handler(req, res) {
      success(res, { id: req.user.id, hasAuth: hasAuth(req) })
    },
  }),
  defineRoute({
    method: 'get',
    path: '/token',
    access: 'user',
    response: z.string(),
    handler(req, res) {
      success(res, getAuth(req).readToken(req))
    },
  }),
  defineRoute({
    method: 'get',
    path: '/limited',
    access: 'user',
    before: [rateLimit({ name: 'calls', limit: 2, key: (req: ApiRequest) => req.user?.id ?? '' })],
    errors: ['rate_limited'],
    handler(_req, res) {
      success(res)
    },
  }),
])

function hasAuth(req: ApiRequest): boolean {
  try {
    return getAuth(req) !== undefined
  } catch {
    return false
  }
}

function create(config: Partial<ApiConfig>): Api {
  return createApi({
    routes: createRegistry().use('/me', routes),
    log: { logger: silent },
    accessLog: { format: false },
    environment: 'test',
    server: { drainDelay: 0 },
    database: { uri: 'embedded:memory', name: `callers_${randomBytes(4).toString('hex')}` },
    ...config,
  })
}

let started: Api | undefined
async function start(config: Partial<ApiConfig>): Promise<Api> {
  started = create(config)
  await started.start({ port: 0, signals: false })
  return started
}
afterEach(async () => {
  await started?.stop()
  started = undefined
})

describe('auth.readToken', () => {
  it('returns the token of a request in a handler', async () => {
    const api = await start({ auth: { schemes: ['Token'] } })
    const { body } = await request(api.app).post('/api/v1/auth/register').send(ada).expect(201)
    const { accessToken } = body.data
    const call = request(api.app).get('/me/token').set('Authorization', `token  ${accessToken}`)
    expect((await call.expect(200)).body).toEqual({ data: accessToken })
  })

  it.each([undefined, '', 'Token', 'Basic abc', 'Tokens abc', 'Token a b', 'abc'])(
    'refuses the header %j as a guarded route does',
    (authorization) => {
      const auth = createAuth({ secrets: [testSecret], schemes: ['Token', 'Bearer'] })
      expect(auth.readToken({ headers: { authorization: 'BEARER abc' } })).toBe('abc')
      expect(() => auth.readToken({ headers: { authorization } })).toThrow(
        expect.objectContaining({ code: 'unauthenticated' }),
      )
    },
  )
})

describe('auth.schemes', () => {
  it('accepts each word before a token, and has a challenge for each', async () => {
    const api = await start({ auth: { schemes: ['Token', 'Bearer'] } })
    const { body } = await request(api.app).post('/api/v1/auth/register').send(ada).expect(201)
    expect(body.data.tokenType).toBe('Token')
    const me = (authorization: string): request.Test =>
      request(api.app).get('/me').set('Authorization', authorization)
    for (const word of ['Token', 'Bearer', 'token', 'BEARER']) {
      await me(`${word} ${body.data.accessToken}`).expect(200)
    }
    await me(`Basic ${body.data.accessToken}`).expect(401)
    await me(`TokenBearer ${body.data.accessToken}`).expect(401)
    const response = await fetch(await urlOf(api), { headers: { Authorization: 'Bearer forged' } })
    expect(response.headers.get('www-authenticate')).toBe(
      'Token realm="api", Bearer realm="api", error="invalid_token"',
    )
  })

  it('are described as a JWT only where no API keys are accepted', () => {
    const read = (auth: object): unknown =>
      create({ auth }).openapi?.components?.['securitySchemes']
    expect(read({})).toEqual({
      bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
    })
    const description = 'An access token (JWT) or an API key.'
    expect(read({ apiKeys: {} })).toEqual({
      bearer: { type: 'http', scheme: 'bearer', description },
    })
  })

  it('are alternatives in the OpenAPI document', () => {
    const { components, paths } = create({ auth: { schemes: ['Bearer', 'Token'] } }).openapi ?? {}
    expect(components?.['securitySchemes']).toEqual({
      bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
      token: {
        type: 'apiKey',
        in: 'header',
        name: 'Authorization',
        description: '`Token`, a space and the access token.',
      },
    })
    expect(paths?.['/me']).toMatchObject({ get: { security: [{ bearer: [] }, { token: [] }] } })
    expect(paths?.['/me/admin']).toMatchObject({
      get: { security: [{ bearer: ['admin'] }, { token: ['admin'] }] },
    })
  })

  it.each([[[]], [['My Token']], ['Token']])('refuses %j', (schemes) => {
    expect(() => create({ auth: { schemes: schemes as string[] } })).toThrow(
      /auth\.schemes +must be a list of words without spaces/,
    )
  })
})

async function urlOf(api: Api): Promise<string> {
  const address = api.server?.address() as AddressInfo
  return `http://127.0.0.1:${address.port}/me`
}

describe('auth.accessLifetime above an hour', () => {
  function warningsOf(auth: ApiConfig['auth']): string {
    return create({ auth }).config.warnings.join(' ')
  }

  it('is allowed, with a warning that states the consequence', () => {
    expect(warningsOf({ accessLifetime: '1h' })).not.toContain('ACCESS_TTL')
    expect(warningsOf({ accessLifetime: '12h' })).toContain(
      'Access tokens live for 12 hours (ACCESS_TTL): a stolen one works that long, unless its session ends before.',
    )
    expect(warningsOf({ accessLifetime: '1d', stateless: true })).toContain(
      'a stolen one works that long, and nothing revokes it before, because auth.stateless reads no session.',
    )
  })

  it('ends with the session', () => {
    const longer = { accessLifetime: '31d', refreshAbsoluteLifetime: '30d' }
    expect(() => create({ auth: longer })).toThrow(
      /auth\.accessLifetime +must not be longer than auth\.refreshAbsoluteLifetime/,
    )
    expect(() => createAuth({ ...longer, secrets: [testSecret] }).router).toThrow(
      'auth.accessLifetime must not be longer than auth.refreshAbsoluteLifetime, when',
    )
  })

  it('works that long, and until its session ends', async () => {
    const database = await startTestDatabase()
    try {
      let time = Date.UTC(2100, 0, 1)
      const warn = vi.fn<(fields: object, text: string) => void>()
      const { app } = await createTestService(database.connection, {
        accessLifetime: '12h',
        now: () => time,
        logger: { ...silent, warn },
      })
      expect(warn).toHaveBeenCalledWith({}, expect.stringContaining('live for 12 hours'))
      const client = createClient(app)
      const first = await client.register('ada@x.io')
      const second = await client.login('ada@x.io')
      time += 11.9 * 3_600_000
      await client.me(first.accessToken).expect(200)
      await client.post('/logout', { refreshToken: second.refreshToken }).expect(204)
      await client.me(second.accessToken).expect(401)
      time += 3_600_000
      await client.me(first.accessToken).expect(401)
    } finally {
      await database.stop()
    }
  })
})

describe('createApi({ authenticator })', () => {
  const sessions = new Map<string, User>([
    ['one', { id: 'u1', email: 'ada@x.io', roles: [] }],
    ['two', { id: 'u2', email: 'bob@x.io', roles: ['admin'] }],
  ])
  const bySession = defineAuthenticator(
    (req) => sessions.get(/(?:^|; )sid=(\w+)/.exec(req.headers.cookie ?? '')?.[1] ?? ''),
    {
      schemes: ['Cookie'],
      securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: 'sid' } },
      hasCredentials: (req) => req.headers.cookie !== undefined,
    },
  )
  const config = { auth: false, database: false, authenticator: bySession } as const

  function get(api: Api, url: string, sid?: string): request.Test {
    const call = request(api.app).get(url)
    return sid === undefined ? call : call.set('Cookie', `a=b; sid=${sid}`)
  }

  it('loads callers for access and req.user', async () => {
    const api = await start(config)
    expect((await get(api, '/me', 'one').expect(200)).body.data).toEqual({
      id: 'u1',
      hasAuth: false,
    })
    const refused = await get(api, '/me').expect(401)
    expect(refused.body.code).toBe('unauthenticated')
    expect(refused.headers['www-authenticate']).toBe('Cookie realm="api"')
    await get(api, '/me', 'three').expect(401)
    await get(api, '/me/admin', 'one').expect(403)
    await get(api, '/me/admin', 'two').expect(200)
  })

  it('loads optional callers, whose responses caches distinguish by their cookies', async () => {
    const api = await start(config)
    const anonymous = await get(api, '/me/visitor').expect(200)
    expect(anonymous.body.data).toEqual({ id: null })
    expect(anonymous.headers['vary']).toMatch(/Authorization, Cookie/)
    expect((await get(api, '/me/visitor', 'one').expect(200)).body.data).toEqual({ id: 'u1' })
    await get(api, '/me/visitor', 'three').expect(401)
  })

  it('awaits whatever has a then, such as a query of Mongoose', async () => {
    const later = (user: User | undefined): PromiseLike<User | undefined> => ({
      // oxlint-disable-next-line unicorn/no-thenable -- as a query is
      then: (resolve, reject) => Promise.resolve(user).then(resolve, reject),
    })
    const byQuery = defineAuthenticator((req) =>
      later(sessions.get(/sid=(\w+)/.exec(req.headers.cookie ?? '')?.[1] ?? '')),
    )
    const api = await start({ ...config, authenticator: byQuery })
    await get(api, '/me', 'three').expect(401)
    expect((await get(api, '/me', 'two').expect(200)).body.data.id).toBe('u2')
    await get(api, '/me/admin', 'one').expect(403)
  })

  it('limits by user', async () => {
    const api = await start(config)
    await get(api, '/me/limited', 'one').expect(204)
    await get(api, '/me/limited', 'one').expect(204)
    await get(api, '/me/limited', 'one').expect(429)
    await get(api, '/me/limited', 'two').expect(204)
  })

  it('describes itself in the OpenAPI document', () => {
    const { components, paths } = create(config).openapi ?? {}
    expect(components?.['securitySchemes']).toEqual({
      session: { type: 'apiKey', in: 'cookie', name: 'sid' },
    })
    expect(paths?.['/me/admin']).toMatchObject({ get: { security: [{ session: ['admin'] }] } })
  })

  it('can pass on to the tokens of auth, and getAuth still works', async () => {
    const auth = createAuth()
    const either: Authenticator = (req) =>
      req.headers.cookie === undefined ? auth.authenticate(req) : bySession(req)
    const api = await start({ auth, authenticator: either })
    expect((await get(api, '/me', 'one').expect(200)).body.data).toEqual({
      id: 'u1',
      hasAuth: true,
    })
    const { accessToken, user } = await auth.register(ada)
    const { body } = await get(api, '/me').set('Authorization', `Bearer ${accessToken}`)
    expect(body.data).toEqual({ id: user.id, hasAuth: true })
  })
})

describe('the recipe for an OpenID provider', () => {
  const audience = 'my-api'
  let server: Server
  let issuer = ''
  let isDown = false
  let fetches = 0
  let current = createKey('k1')

  function createKey(kid: string): { kid: string; privateKey: KeyObject; jwk: object } {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    return { kid, privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig' } }
  }

  function sign(claims: object = {}, options: jsonwebtoken.SignOptions = {}): string {
    return jsonwebtoken.sign({ email: 'ada@x.io', ...claims }, current.privateKey, {
      algorithm: 'RS256',
      keyid: current.kid,
      subject: 'u1',
      issuer,
      audience,
      expiresIn: '5m',
      ...options,
    })
  }

  beforeAll(async () => {
    server = createServer((_req, res) => {
      fetches++
      res.writeHead(isDown ? 500 : 200, { 'Content-Type': 'application/json' })
      res.end(JSON.stringify({ keys: [current.jwk] }))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => server.close())
  afterEach(() => vi.useRealTimers())

  async function startWith(): Promise<(token?: string, url?: string) => request.Test> {
    const authenticator = createOpenIdAuthenticator(issuer, audience)
    const api = await start({ auth: false, database: false, authenticator })
    return (token, url = '/me') => {
      const call = request(api.app).get(url)
      return token === undefined ? call : call.set('Authorization', `Bearer ${token}`)
    }
  }

  it('accepts tokens of the issuer, with their roles', async () => {
    const get = await startWith()
    expect((await get(sign()).expect(200)).body.data.id).toBe('u1')
    await get(sign(), '/me/admin').expect(403)
    await get(sign({ roles: ['admin'] }), '/me/admin').expect(200)
    expect((await get().expect(401)).headers['www-authenticate']).toBe('Bearer realm="api"')
  })

  it('refuses other audiences, issuers, algorithms and keys', async () => {
    const get = await startWith()
    const secret = jsonwebtoken.sign({ email: 'ada@x.io' }, JSON.stringify(current.jwk), {
      keyid: current.kid,
      subject: 'u1',
      issuer,
      audience,
    })
    const { kid, privateKey } = createKey(current.kid)
    const forged = jsonwebtoken.sign({ email: 'ada@x.io' }, privateKey, {
      algorithm: 'RS256',
      keyid: kid,
      subject: 'u1',
      issuer,
      audience,
    })
    const tokens = [
      sign({}, { audience: 'another' }),
      sign({}, { issuer: 'https://example.com' }),
      sign({ email: 7 }),
      sign({}, { keyid: 'unknown' }),
      secret,
      forged,
      'no.token.at-all',
    ]
    for (const token of tokens) expect((await get(token)).body.code).toBe('invalid_token')
    const expired = await get(sign({}, { expiresIn: -1 })).expect(401)
    expect(expired.body.code).toBe('token_expired')
  })

  it('loads new keys of the issuer, and not with every unknown key', async () => {
    const get = await startWith()
    await get(sign()).expect(200)
    const before = fetches
    for (let index = 0; index < 20; index++)
      await get(sign({}, { keyid: `k${index}x` })).expect(401)
    expect(fetches).toBe(before)
    current = createKey('k2')
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 11_000 })
    await Promise.all([get(sign()).expect(200), get(sign()).expect(200)])
    expect(fetches).toBe(before + 1)
  })

  it('returns 503 while the issuer cannot be reached', async () => {
    const get = await startWith()
    isDown = true
    const response = await get(sign()).expect(503)
    expect(response.headers).toHaveProperty('retry-after')
    isDown = false
    await get(sign()).expect(200)
  })

  it('is the code in docs/recipes/openid-login.md', async () => {
    const here = import.meta.dirname
    const recipe = await readFile(path.join(here, 'openid-provider.ts'), 'utf8')
    const text = await readFile(path.join(here, '../../../../docs/recipes/openid-login.md'), 'utf8')
    const [, code = ''] = recipe.split('// docs/recipes/openid-login.md shows what follows.\n')
    expect(code.length).toBeGreaterThan(500)
    expect(text).toContain(code.trim())
  })
})
