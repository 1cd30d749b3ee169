import express, { type Express } from 'express'
import mongoose from 'mongoose'
import request from 'supertest'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type AuthOptions } from '../../src/lib/auth/options/auth-options.ts'
import { createApiKeyText } from '../../src/lib/auth/api-keys/api-key-format.ts'
import { type IssuedApiKey } from '../../src/lib/auth/api-keys/api-key-service.ts'
import { type SecurityEvent } from '../../src/lib/auth/events/security-events.ts'
import { type Auth, createAuth } from '../../src/lib/create-auth.ts'
import { errorHandler } from '../../src/lib/http/error-handler.ts'
import { defineRoute } from '../../src/lib/route/define-route.ts'
import { success } from '../../src/lib/response/success.ts'
import { createRouter } from '../../src/lib/routing/create-router.ts'
import {
  createClient,
  password,
  silent,
  startTestDatabase,
  storedAsTyped,
  type TestClient,
  type TestDatabase,
  testSecret,
} from './auth-fixture.ts'

const day = 86_400_000
let database: TestDatabase
let clock = Date.UTC(2100, 0, 1)
let events: SecurityEvent[] = []

interface Service {
  readonly app: Express
  readonly auth: Auth
  readonly client: TestClient
}

// An Express app with authentication and its own routes.
async function start(options: Partial<AuthOptions> = {}): Promise<Service> {
  const auth = createAuth({
    secrets: [testSecret],
    connection: database.connection,
    logger: silent,
    onEvent: (event) => events.push(event),
    limits: false,
    password: { hasher: storedAsTyped },
    apiKeys: {},
    now: () => clock,
    ...options,
  })
  await auth.init()
  const show = (access: 'user' | 'admin'): ReturnType<typeof defineRoute> =>
    defineRoute({
      method: 'get',
      path: `/${access}`,
      access,
      response: z.unknown(),
      handler: ({ user, apiKey, sessionId }, res) => success(res, { user, apiKey, sessionId }),
    })
  const app = express()
  app.set('trust proxy', 1)
  app.use('/api/v1/auth', auth.router)
  app.use(auth.authentication(), createRouter([show('user'), show('admin')]))
  app.use(errorHandler({ logger: silent }))
  return { app, auth, client: createClient(app) }
}

let service: Service
let token = ''
let userId = ''

beforeAll(async () => {
  database = await startTestDatabase()
})
beforeEach(async () => {
  await database.clear()
  clock += 365 * day
  service = await start()
  const { accessToken, user } = await service.client.register('ada@x.io')
  token = accessToken
  userId = user.id
  events = []
})
afterAll(() => database.stop())

async function create(input: object = {}, of = service): Promise<IssuedApiKey> {
  const body = { name: 'deploy', scopes: ['user'], ...input }
  return (await of.client.post('/keys', body, token).expect(201)).body.data
}

function use(key: string, of = service, path = '/user'): request.Test {
  return request(of.app).get(path).set('Authorization', `Bearer ${key}`)
}

function remove(id: string, as = token): request.Test {
  return request(service.app).delete(`/api/v1/auth/keys/${id}`).set('Authorization', `Bearer ${as}`)
}

async function list(): Promise<IssuedApiKey[]> {
  return (await service.client.get('/keys', token).expect(200)).body.data
}

function stored(): Promise<Record<string, unknown>[]> {
  return database.connection.collection('apikeys').find().toArray()
}

describe('an API key', () => {
  it('KEY-01 is shown once, stored as a hash, and acts for its owner', async () => {
    const response = await service.client
      .post('/keys', { name: 'deploy', scopes: ['user'] }, token)
      .expect(201)
      .expect('Cache-Control', 'no-store')
    const { key, ...view } = response.body.data
    expect(key).toMatch(/^capi_[0-9A-Za-z]{49}$/)
    expect(view).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      name: 'deploy',
      scopes: ['user'],
      lastFour: key.slice(-4),
      createdAt: new Date(clock).toISOString(),
      expiresAt: new Date(clock + 90 * day).toISOString(),
      lastUsedAt: null,
    })
    expect(await list()).toEqual([view])
    expect(JSON.stringify(await stored())).not.toContain(key.slice(5, -4))
    const { body } = await use(key).expect(200)
    expect(body.data).toMatchObject({
      user: { id: userId, email: 'ada@x.io', roles: [] },
      apiKey: { id: view.id, name: 'deploy', scopes: ['user'] },
    })
    expect(body.data.sessionId).toBeUndefined()
  })

  it('LGG-03 reports creation, rotation, end and later use, without the key', async () => {
    const { id, key } = await create()
    const rotated = await service.client.post(`/keys/${id}/rotate`, undefined, token).expect(201)
    await remove(id).expect(204)
    await use(key).expect(401)
    const text = JSON.stringify(events)
    for (const secret of [key, rotated.body.data.key]) expect(text).not.toContain(secret)
    expect(events).toMatchObject([
      { event: 'auth.api_key_created', userId, keyId: id },
      { event: 'auth.api_key_rotated', userId, keyId: id },
      { event: 'auth.api_key_revoked', userId, keyId: id },
      { event: 'auth.api_key_rejected', userId, keyId: id, reason: 'revoked' },
    ])
  })

  it("ends with all others of its owner in one request, and with no one else's", async () => {
    const [first, second] = [await create(), await create()]
    const bob = await service.client.register('bob@x.io')
    const other = await service.auth.apiKeys.create(bob.user.id, { name: 'ci', scopes: ['user'] })
    const { body } = await service.client
      .post(`/keys/${second.id}/rotate`, undefined, token)
      .expect(201)
    const end = () =>
      request(service.app)
        .delete('/api/v1/auth/keys')
        .set('Authorization', `Bearer ${token}`)
        .expect(204)
    events.length = 0
    await end()
    for (const key of [first.key, second.key, body.data.key]) await use(key).expect(401)
    await use(other.key).expect(200)
    expect(await list()).toEqual([])
    await end()
    const ends = events.filter(({ event }) => event === 'auth.api_key_revoked')
    expect(ends).toMatchObject([{ userId, reason: 'all' }])
  })

  it('survives a change of the password, which ends sessions', async () => {
    const { key } = await create()
    const change = { currentPassword: password, newPassword: 'Another-River-42' }
    await service.client.post('/change-password', change, token).expect(200)
    await use(key).expect(200)
    expect(await service.auth.apiKeys.revokeAll(userId)).toBe(1)
    await use(key).expect(401)
    expect(await service.auth.apiKeys.revokeAll(userId)).toBe(0)
  })

  it('KEY-03 expires at its time, and no later than the maximum', async () => {
    const soon = new Date(clock + 5000).toISOString()
    const { key } = await create({ expiresAt: soon })
    clock += 4999
    await use(key).expect(200)
    clock += 1
    const { body, headers } = await use(key).expect(401)
    expect(body).toMatchObject({ code: 'token_expired', detail: 'The API key has expired.' })
    expect(headers['www-authenticate']).toContain('error="invalid_token"')
    expect(events.at(-1)).toMatchObject({ event: 'auth.api_key_rejected', reason: 'expired' })
    for (const expiresAt of [new Date(clock), new Date(clock + 366 * day + 1)]) {
      const refused = await service.client
        .post('/keys', { name: 'x', scopes: ['user'], expiresAt }, token)
        .expect(422)
      expect(refused.body.errors).toMatchObject([{ pointer: '#/expiresAt' }])
    }
    await create({ expiresAt: new Date(clock + 366 * day) })
    const short = await start({ apiKeys: { maxLifetime: '1h' } })
    const limited = await create({}, short)
    expect(Date.parse(String(limited.expiresAt))).toBe(clock + 3_600_000)
  })

  it.each([
    [{ scopes: ['user', 'admin'] }, '#/scopes/1'],
    [{ scopes: [] }, '#/scopes'],
    [{ scopes: 'user' }, '#/scopes'],
    [{ scopes: [{ $ne: '' }] }, '#/scopes/0/%24ne'],
    [{ name: ' ' }, '#/name'],
    [{ userId: 'someone' }, '#/userId'],
  ])('is not created from %j', async (input, pointer) => {
    const body = { name: 'deploy', scopes: ['user'], ...input }
    const { body: problem } = await service.client.post('/keys', body, token).expect(422)
    expect(problem.errors).toMatchObject([{ pointer }])
    expect(await stored()).toEqual([])
  })

  it('KEY-06 is counted: no user has more than the maximum, also by concurrent requests', async () => {
    service = await start({ apiKeys: { perUser: 3 } })
    const body = { name: 'x', scopes: ['user'] }
    const calls = Array.from({ length: 8 }, () => service.client.post('/keys', body, token))
    const statuses = (await Promise.all(calls)).map(({ status }) => status)
    expect(new Set([...statuses, 201, 409])).toEqual(new Set([201, 409]))
    expect(await list()).toHaveLength(statuses.filter((status) => status === 201).length)
    while ((await list()).length < 3) await create()
    const { body: problem } = await service.client.post('/keys', body, token).expect(409)
    expect(problem).toMatchObject({ code: 'conflict', detail: expect.stringContaining('3 API') })
    expect(await stored()).toHaveLength(3)
    const [first] = await list()
    await remove(first?.id ?? '').expect(204)
    await create()
  })

  it('AUZ-02 is of its owner: no one else lists, rotates or revokes it', async () => {
    const { id, key } = await create()
    const bob = await service.client.register('bob@x.io')
    expect((await service.client.get('/keys', bob.accessToken)).body.data).toEqual([])
    await service.client.post(`/keys/${id}/rotate`, undefined, bob.accessToken).expect(404)
    await remove(id, bob.accessToken).expect(404)
    await remove('abc').expect(404)
    await use(key).expect(200)
  })
})

describe('KEY-03 an API key is refused at the next request, in every process', () => {
  // A second process: its own connection, models and memory.
  let other: Service
  let connection: mongoose.Connection

  beforeAll(async () => {
    connection = await mongoose
      .createConnection(database.uri, { dbName: database.connection.name })
      .asPromise()
  })
  beforeEach(async () => {
    other = await start({ connection })
  })
  afterAll(() => connection.close())

  it.each<[string, (key: IssuedApiKey) => PromiseLike<unknown>]>([
    ['revoked', ({ id }) => remove(id).expect(204)],
    ['owner_disabled', () => service.auth.users.update(userId, { disabled: true })],
  ])('%s', async (reason, end) => {
    const key = await create()
    await use(key.key, other).expect(200)
    await end(key)
    const { body, text } = await use(key.key, other).expect(401)
    expect(body).toMatchObject({ code: 'invalid_token', detail: 'The API key has been revoked.' })
    expect(text).not.toContain(key.key)
    expect(events.at(-1)).toMatchObject({ event: 'auth.api_key_rejected', userId, reason })
  })

  it('when its owner is removed, with all keys', async () => {
    const { key } = await create()
    await use(key, other).expect(200)
    await service.auth.removeUser(userId)
    await use(key, other).expect(401)
    expect(await stored()).toEqual([])
  })

  it('when its owner was removed from the database by hand', async () => {
    const { key } = await create()
    await database.connection.collection('users').deleteMany({})
    await use(key, other).expect(401)
  })

  it('in stateless mode too, where access tokens are not', async () => {
    const { id, key } = await create()
    const stateless = await start({ connection, stateless: true })
    await use(key, stateless).expect(200)
    await remove(id).expect(204)
    await use(key, stateless).expect(401)
  })
})

describe('rotation', () => {
  const rotate = (id: string): request.Test =>
    service.client.post(`/keys/${id}/rotate`, undefined, token)

  it('creates a successor, and the old key works for some time more', async () => {
    const old = await create({ expiresAt: new Date(clock + 10 * day) })
    clock += 5 * day
    token = (await service.client.login('ada@x.io')).accessToken
    const next: IssuedApiKey = (await rotate(old.id).expect(201)).body.data
    expect(next).toMatchObject({ name: 'deploy', scopes: ['user'] })
    expect(Date.parse(String(next.expiresAt))).toBe(clock + 10 * day)
    expect(next.id).not.toBe(old.id)
    await use(old.key).expect(200)
    await use(next.key).expect(200)
    clock += day
    await use(old.key).expect(401)
    await use(next.key).expect(200)
    token = (await service.client.login('ada@x.io')).accessToken
    expect((await list()).map(({ id }) => id)).toEqual([next.id])
  })

  it('never makes the old key live longer', async () => {
    const old = await create({ expiresAt: new Date(clock + 5000) })
    await rotate(old.id).expect(201)
    clock += 5000
    await use(old.key).expect(401)
  })

  it('ends the old key at once where no overlap is wanted', async () => {
    service = await start({ apiKeys: { rotationOverlap: 0 } })
    const old = await create()
    await rotate(old.id).expect(201)
    await use(old.key).expect(401)
  })

  it('is not counted twice against the maximum', async () => {
    service = await start({ apiKeys: { perUser: 1 } })
    const { id } = await create()
    await rotate(id).expect(201)
    expect(await list()).toHaveLength(2)
    await service.client.post('/keys', { name: 'x', scopes: ['user'] }, token).expect(409)
  })

  it('KEY-06 gives one successor, however often it is asked at once', async () => {
    for (let round = 0; round < 10; round++) {
      const { id } = await create()
      const calls = await Promise.all([rotate(id), rotate(id), rotate(id)])
      const statuses = calls.map(({ status }) => status).toSorted((a, b) => a - b)
      expect(statuses).toEqual([201, 409, 409])
      expect((await rotate(id).expect(409)).body.code).toBe('conflict')
      const live = await list()
      expect(live).toHaveLength(2)
      for (const key of live) await remove(key.id).expect(204)
      await rotate(id).expect(404)
    }
  })
})

describe('a token that is not an API key', () => {
  it('KEY-02 reaches the database neither mistyped nor guessed', async () => {
    const { key } = await create()
    const connection = await mongoose
      .createConnection(database.uri, { dbName: database.connection.name, monitorCommands: true })
      .asPromise()
    const watched = await start({ connection })
    const commands: string[] = []
    connection.getClient().on('commandStarted', ({ commandName }) => commands.push(commandName))
    const guesses = Array.from({ length: 300 }, (_, index) => {
      const letter = 'abcdefghij'[index % 10] ?? ''
      const at = 5 + (index % 49)
      return key[at] === letter ? 'capi_' : key.slice(0, at) + letter + key.slice(at + 1)
    })
    for (const guess of guesses) {
      const { body } = await use(guess, watched).expect(401)
      expect(body).toMatchObject({
        code: 'invalid_token',
        detail: 'The API key is mistyped or incomplete.',
      })
    }
    expect(commands).toEqual([])
    await use(createApiKeyText('capi'), watched).expect(401)
    expect(commands).toEqual(['find'])
    await use(key, watched).expect(200)
    await watched.auth.stop()
    expect(commands).toEqual(['find', 'find', 'find', 'update'])
    await connection.close()
  })

  it('is reported as a missing token is, and never repeated', async () => {
    const unknown = createApiKeyText('capi')
    const { text } = await use(unknown).expect(401)
    expect(text).not.toContain(unknown)
    expect(events).toMatchObject([{ event: 'auth.unauthenticated', reason: 'invalid_token' }])
    expect(JSON.stringify(events)).not.toContain(unknown)
  })

  it('has the prefix of another service', async () => {
    const { key } = await create()
    const acme = await start({ apiKeys: { prefix: 'acme_live' } })
    await use(key, acme).expect(401)
    const own = await create({}, acme)
    expect(own.key).toMatch(/^acme_live_/)
    await use(own.key, acme).expect(200)
    await use(own.key).expect(401)
  })
})

describe('the last use', () => {
  it('is written once a minute, after the response', async () => {
    const { key } = await create()
    const updates: unknown[] = []
    const connection = await mongoose
      .createConnection(database.uri, { dbName: database.connection.name, monitorCommands: true })
      .asPromise()
    const watched = await start({ connection })
    connection.getClient().on('commandStarted', ({ commandName, command }) => {
      if (commandName === 'update') updates.push(command)
    })
    const began = clock
    for (const [passed, written] of [
      [0, 1],
      [59_999, 1],
      [1, 2],
      [30_000, 2],
    ] as const) {
      clock += passed
      await Promise.all(Array.from({ length: 5 }, () => use(key, watched).expect(200)))
      await watched.auth.stop()
      expect(updates).toHaveLength(written)
    }
    expect(await list()).toMatchObject([{ lastUsedAt: new Date(began + 60_000).toISOString() }])
    await connection.close()
  })
})

describe('a last use that cannot be written', () => {
  it('is a line in the log, and fails no request', async () => {
    const { id, key } = await create()
    const lines: object[] = []
    const connection = await mongoose
      .createConnection(database.uri, { dbName: database.connection.name })
      .asPromise()
    const logger = { ...silent, warn: (fields: object) => void lines.push(fields) }
    const other = await start({ connection, logger })
    // The server refuses this write, and no other.
    const rule = { $expr: { $eq: ['$lastUsedAt', null] } }
    await database.connection.db?.command({ collMod: 'apikeys', validator: rule })
    await use(key, other).expect(200)
    await other.auth.stop()
    expect(lines).toEqual([{ keyId: id, err: expect.objectContaining({ code: 121 }) }])
    await database.connection.db?.command({ collMod: 'apikeys', validator: {} })
    await connection.close()
  })
})

describe('the limit of a key', () => {
  it('KEY-07 counts the requests with it, and no guesses', async () => {
    service = await start({ limits: { perKey: { limit: 3, window: '1m' } } })
    const { key } = await create()
    const second = await create()
    for (let index = 0; index < 3; index++) {
      await use(key).set('X-Forwarded-For', `192.0.2.${index}`).expect(200)
      await use(key.slice(0, -1)).expect(401)
    }
    const { body, headers } = await use(key).set('X-Forwarded-For', '192.0.2.9').expect(429)
    expect(body.code).toBe('rate_limited')
    expect(headers['retry-after']).toBe('60')
    await use(second.key).expect(200)
    clock += 60_000
    await use(key).expect(200)
  })
})

describe('the routes for people', () => {
  it('KEY-05 are all closed to keys, whatever their scopes', async () => {
    const mail = { mailer: { send: async () => {} }, appUrl: 'https://x.example' }
    const userFields = { model: { name: String }, input: { name: z.string() } }
    service = await start({ mail, userFields, modelPrefix: 'Own' })
    const owner = { email: 'ada@x.io', password, fields: { name: 'Ada' } }
    const grant = await service.auth.register(owner)
    token = grant.accessToken
    userId = grant.user.id
    await service.auth.users.update(userId, { roles: ['admin'] })
    const { id, key } = await create({ scopes: ['user', 'admin'] })
    const users = database.connection.collection('ownusers')
    const before = await users.find().toArray()
    const guarded = service.auth.router.routes.filter(({ access }) => access !== 'public')
    expect(guarded.length).toBeGreaterThan(9)
    for (const { method, path } of guarded) {
      const url = `/api/v1/auth${path.replace(':id', id)}`
      const call = request(service.app)[method](url).set('Authorization', `Bearer ${key}`)
      const { body, status } = await call.send(method === 'get' ? undefined : {})
      expect({ method, path, status }).toEqual({ method, path, status: 403 })
      expect(body).toMatchObject({ code: 'forbidden', detail: /API keys cannot/ })
      expect(events.at(-1)).toMatchObject({ event: 'auth.forbidden', keyId: id, userId })
    }
    expect(await users.find().toArray()).toEqual(before)
    expect(await list()).toHaveLength(1)
    await service.client.me(token).expect(200)
  })
})

describe('apiKeys of the service', () => {
  it('creates, lists, verifies, rotates and revokes', async () => {
    const { apiKeys } = service.auth
    const expiresAt = new Date(clock + day)
    const issued = await apiKeys.create(userId, { name: 'ci', scopes: ['user'], expiresAt })
    expect(issued.expiresAt).toEqual(expiresAt)
    expect(await apiKeys.verify(issued.key)).toMatchObject({
      user: { id: userId },
      apiKey: { id: issued.id, name: 'ci' },
    })
    const next = await apiKeys.rotate({ id: issued.id })
    expect(await apiKeys.list(userId)).toHaveLength(2)
    await apiKeys.revoke({ id: next.id, userId })
    await expect(apiKeys.revoke({ id: next.id })).rejects.toMatchObject({ code: 'not_found' })
    await expect(apiKeys.verify(next.key)).rejects.toMatchObject({ code: 'invalid_token' })
    const input = { name: 'ci', scopes: ['user'] }
    await expect(apiKeys.create('unknown', input)).rejects.toMatchObject({ code: 'not_found' })
    await service.auth.users.update(userId, { disabled: true })
    await expect(apiKeys.create(userId, input)).rejects.toMatchObject({ code: 'not_found' })
    await expect(apiKeys.create(userId, { ...input, name: '' })).rejects.toMatchObject({
      code: 'validation_failed',
    })
  })

  it('is off unless it is asked for: no routes, no collection, no keys', async () => {
    const { key } = await create()
    await database.connection.dropCollection('apikeys')
    const connection = database.connection.useDb(`${database.connection.name}_off`)
    const off = await start({ apiKeys: undefined, connection })
    const paths = off.auth.router.routes.map(({ path }) => path)
    expect(paths.filter((path) => path.startsWith('/keys'))).toEqual([])
    expect(connection.models).not.toHaveProperty('ApiKey')
    expect((await use(key, off).expect(401)).body.code).toBe('invalid_token')
    await expect(off.auth.apiKeys.list(userId)).rejects.toThrow(
      'There are no API keys: set auth.apiKeys, for example apiKeys: {}.',
    )
    await expect(start({ apiKeys: false, routes: ['listApiKeys'] })).rejects.toThrow(
      'auth.routes names listApiKeys, which needs auth.apiKeys.',
    )
    await connection.dropDatabase()
    await service.auth.init()
  })

  it.each([
    [{ prefix: 'Acme' }, 'auth.apiKeys.prefix must be 2 to 16 of a-z, 0-9 and _'],
    [{ prefix: '' }, 'auth.apiKeys.prefix must be 2 to 16'],
    [{ perUser: 0 }, 'auth.apiKeys.perUser must be a whole number from 1 to 1000'],
    [{ rotationOverlap: '1y' }, 'auth.apiKeys.rotationOverlap must be a duration'],
    [true, 'auth.apiKeys must be an object with options'],
  ])('refuses the options %j', (apiKeys, message) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a program without types can pass
    const options = { secrets: [testSecret], apiKeys } as AuthOptions
    expect(() => createAuth(options)).toThrow(message)
  })
})
