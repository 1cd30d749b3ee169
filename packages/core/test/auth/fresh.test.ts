import {
  all,
  any,
  createApi,
  createRegistry,
  createRouter,
  fresh,
  get,
  role,
  success,
} from '@create-api/core'
import { z } from 'zod'
import request from 'supertest'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  createClient,
  createTestService,
  password,
  silent,
  startTestDatabase,
  testSecret,
  type TestClient,
  type TestDatabase,
} from './auth-fixture.ts'

let database: TestDatabase
let now: number

beforeAll(async () => {
  database = await startTestDatabase()
})
beforeEach(async () => {
  now = Date.now()
  await database.clear()
})
afterAll(() => database.stop())

const access = {
  '/fresh': fresh('10m'),
  '/both': all('admin', fresh('10m')),
  '/either': any(role('admin'), fresh('10m')),
  '/own': any('owner', fresh('10m')),
  '/stricter': all(fresh('10m'), fresh('30s')),
  '/user': 'user',
} as const

interface Service {
  client: TestClient
  call: (path: keyof typeof access, token: string) => request.Test
  signIn: () => Promise<{ token: string; refreshToken: string; id: string }>
  api: ReturnType<typeof createApi>
}

async function start(options: { stateless?: boolean } = {}): Promise<Service> {
  const routes = createRegistry().use(
    '/secrets',
    createRouter(
      Object.entries(access).map(([path, rule]) =>
        get(
          path,
          { access: rule, response: z.object({ scope: z.record(z.string(), z.unknown()) }) },
          (req, res) => {
            success(res, { scope: req.scope })
          },
        ),
      ),
    ),
  )
  const api = createApi({
    routes,
    database: false,
    log: { logger: silent },
    auth: {
      secrets: [testSecret],
      connection: database.connection,
      limits: false,
      apiKeys: {},
      now: () => now,
      ...options,
    },
  })
  await api.auth?.init()
  const client = createClient(api.app)
  return {
    api,
    client,
    call: (path, token) =>
      request(api.app).get(`/secrets${path}`).set('Authorization', `Bearer ${token}`),
    async signIn() {
      const { accessToken, refreshToken, user } = await client.register('ada@x.io')
      return { token: accessToken, refreshToken, id: user.id }
    },
  }
}

const minute = 60_000

describe('fresh', () => {
  it('admits users within the time after a login, and asks them to authenticate again later', async () => {
    const { call, signIn } = await start()
    const { token } = await signIn()
    await call('/fresh', token).expect(200)
    now += 10 * minute
    await call('/fresh', token).expect(200)
    now += 1000
    const { body, headers } = await call('/fresh', token).expect(401)
    expect(body).toMatchObject({
      code: 'reauthentication_required',
      title: 'The user must authenticate again.',
    })
    expect(headers['www-authenticate']).toBe(
      'Bearer realm="api", error="insufficient_user_authentication", error_description="A more recent authentication is required", max_age="600"',
    )
    await call('/user', token).expect(200)
  })

  it('admits again after the password was proved in the session, but not in another one', async () => {
    const { call, client, signIn } = await start()
    const { token } = await signIn()
    const other = await client.login('ada@x.io')
    now += 11 * minute
    await client.post('/reauthenticate', { password: 'another password 7' }, token).expect(401)
    await call('/fresh', token).expect(401)
    await client.post('/reauthenticate', { password }, token).expect(204)
    await call('/fresh', token).expect(200)
    await call('/fresh', other.accessToken).expect(401)
    now += 11 * minute
    await call('/fresh', token).expect(401)
  })

  it('does not count a refresh as a proof', async () => {
    const { call, client, signIn } = await start()
    const { refreshToken } = await signIn()
    now += 11 * minute
    const { body } = await client.refresh(refreshToken).expect(200)
    await call('/fresh', body.data.accessToken).expect(401)
  })

  it('is a refusal in a combination only where nothing else decides', async () => {
    const { api, call, client, signIn } = await start()
    const { id, token } = await signIn()
    now += 11 * minute
    await call('/both', token).expect(403)
    await call('/either', token).expect(401)
    expect((await call('/own', token).expect(200)).body.data.scope).toEqual({ owner: id })
    expect((await call('/stricter', token).expect(401)).headers['www-authenticate']).toContain(
      'max_age="30"',
    )
    await api.auth?.users.grantRole(id, 'admin')
    await call('/either', token).expect(200)
    await call('/both', token).expect(401)
    await client.post('/reauthenticate', { password }, token).expect(204)
    await call('/both', token).expect(200)
  })

  it('refuses API keys, which cannot authenticate again', async () => {
    const { call, client, signIn } = await start()
    const { token } = await signIn()
    const { body } = await client.post('/keys', { name: 'k', scopes: ['user'] }, token).expect(201)
    expect((await call('/fresh', body.data.key).expect(403)).body.code).toBe('forbidden')
    await call('/own', body.data.key).expect(200)
  })

  it('reads the time from the token in stateless mode, so a proof counts after the next refresh', async () => {
    const { call, client, signIn } = await start({ stateless: true })
    const { refreshToken, token } = await signIn()
    await call('/fresh', token).expect(200)
    now += 11 * minute
    await call('/fresh', token).expect(401)
    await client.post('/reauthenticate', { password }, token).expect(204)
    await call('/fresh', token).expect(401)
    const { body } = await client.refresh(refreshToken).expect(200)
    await call('/fresh', body.data.accessToken).expect(200)
  })

  it('takes the login as the proof of sessions that earlier versions stored', async () => {
    const { call, signIn } = await start()
    const { token } = await signIn()
    const sessions = database.connection.collection('sessions')
    await sessions.updateMany({}, { $unset: { authenticatedAt: '' } })
    await call('/fresh', token).expect(200)
    now += 11 * minute
    await call('/fresh', token).expect(401)
  })

  it('is in the OpenAPI document of the routes that may ask for it', async () => {
    const { api } = await start()
    const { body } = await request(api.app).get('/openapi.json').expect(200)
    const listed = Object.keys(access).filter((path) =>
      JSON.stringify(body.paths[`/secrets${path}`].get.responses).includes(
        'ReauthenticationRequired',
      ),
    )
    expect(listed).toEqual(['/fresh', '/both', '/either', '/own', '/stricter'])
  })

  it('rejects what is not a duration of a second or more', () => {
    expect(() => fresh('soon')).toThrow('fresh() must be a duration such as 900, 15m')
    expect(() => fresh(0)).toThrow('fresh() must be a duration of 1s or more.')
  })
})

describe('reauthenticate', () => {
  it('is a session_revoked when the session has ended in the meantime', async () => {
    const { auth, events } = await createTestService(database.connection)
    const grant = await auth.register({ email: 'ada@x.io', password })
    const [session] = await auth.listSessions({ userId: grant.user.id })
    const caller = { userId: grant.user.id, sessionId: session?.id ?? '' }
    await auth.reauthenticate(caller, { password })
    expect(events.at(-1)).toMatchObject({ event: 'auth.reauthenticated', ...caller })
    await auth.revokeSession(caller)
    await expect(auth.reauthenticate(caller, { password })).rejects.toMatchObject({
      code: 'session_revoked',
    })
  })

  it('throttles guesses like the other proofs of the own password', async () => {
    const { auth } = await createTestService(database.connection, { limits: {} })
    const { user } = await auth.register({ email: 'ada@x.io', password })
    const [session] = await auth.listSessions({ userId: user.id })
    const caller = { userId: user.id, sessionId: session?.id ?? '' }
    const guess = (): Promise<void> => auth.reauthenticate(caller, { password: 'wrong wrong 1' })
    for (let count = 0; count < 10; count += 1) {
      await expect(guess()).rejects.toMatchObject({ code: 'invalid_credentials' })
    }
    await expect(guess()).rejects.toMatchObject({ code: 'rate_limited' })
  })
})
