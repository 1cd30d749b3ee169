import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import request from 'supertest'
import {
  createClient,
  createTestService,
  password,
  startTestDatabase,
  type TestClient,
  type TestDatabase,
  type TestService,
  type Tokens,
} from './auth-fixture.ts'

const other = 'Another-River-42'
let database: TestDatabase
let service: TestService
let client: TestClient

beforeAll(async () => {
  database = await startTestDatabase()
  service = await createTestService(database.connection)
  client = createClient(service.app)
})
beforeEach(() => database.clear())
afterAll(() => database.stop())

describe('logout', () => {
  it('REF-09 revokes the session of the refresh token, and may be repeated', async () => {
    const { accessToken, refreshToken } = await client.register('ada@x.io')
    const { refreshToken: elsewhere } = await client.login('ada@x.io')
    await client.post('/logout', { refreshToken }).expect(204)
    await client.post('/logout', { refreshToken }).expect(204)
    await client.post('/logout', { refreshToken: 'unknown' }).expect(204)
    expect((await client.refresh(refreshToken).expect(401)).body.code).toBe('session_revoked')
    expect((await client.me(accessToken).expect(401)).body.code).toBe('session_revoked')
    await client.refresh(elsewhere).expect(200)
  })

  it('REF-07 revokes nothing for a forged token', async () => {
    const { accessToken, refreshToken } = await client.register('ada@x.io')
    await client.post('/logout', { refreshToken: `${refreshToken.slice(0, -2)}AA` }).expect(204)
    await client.me(accessToken).expect(200)
  })

  it('TOK-13 rejects another spelling of the token of a revoked session', async () => {
    const { accessToken, refreshToken } = await client.register('ada@x.io')
    const last = accessToken.at(-1) ?? ''
    // The last letter of a signature has unused bits: four spellings decode to the same bytes.
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const respelled = accessToken.slice(0, -1) + letters[letters.indexOf(last) ^ 1]
    expect([200, 401]).toContain((await client.me(respelled)).status)
    await client.post('/logout', { refreshToken }).expect(204)
    await client.me(respelled).expect(401)
  })
})

describe('logout-all', () => {
  it('REF-09 revokes every session of the caller, and of no other user', async () => {
    const first = await client.register('ada@x.io')
    const second = await client.login('ada@x.io')
    const bob = await client.register('bob@x.io')
    await client.post('/logout-all', undefined, first.accessToken).expect(204)
    for (const { accessToken, refreshToken } of [first, second]) {
      await client.me(accessToken).expect(401)
      await client.refresh(refreshToken).expect(401)
    }
    await client.me(bob.accessToken).expect(200)
  })
})

describe('sessions', () => {
  it('lists the sessions of the user, and revokes one', async () => {
    const phone = await client
      .post('/register', { email: 'ada@x.io', password })
      .set('User-Agent', 'Phone/1.0')
      .set('X-Forwarded-For', '192.0.2.1')
      .expect(201)
    const laptop = await client.login('ada@x.io')
    const listed = await client.get('/sessions', laptop.accessToken).expect(200)
    expect(listed.body.data).toEqual([
      expect.objectContaining({ current: true }),
      {
        id: expect.stringMatching(/^[0-9a-f]{24}$/),
        device: 'Phone/1.0',
        address: '192.0.2.1',
        createdAt: expect.stringMatching(/Z$/),
        lastSeenAt: expect.stringMatching(/Z$/),
        current: false,
      },
    ])
    const { id } = listed.body.data[1]
    const remove = (): request.Test =>
      request(service.app)
        .delete(`/api/v1/auth/sessions/${id}`)
        .set('Authorization', `Bearer ${laptop.accessToken}`)
    await remove().expect(204)
    await remove().expect(404)
    await client.me(phone.body.data.accessToken).expect(401)
    await client.me(laptop.accessToken).expect(200)
  })

  it('AUZ-02 revokes no session of another user', async () => {
    const ada = await client.register('ada@x.io')
    const bob = await client.register('bob@x.io')
    const [session] = (await client.get('/sessions', ada.accessToken)).body.data
    for (const id of [session.id, '65f0c0ffee0123456789abcd', 'abc']) {
      await request(service.app)
        .delete(`/api/v1/auth/sessions/${id}`)
        .set('Authorization', `Bearer ${bob.accessToken}`)
        .expect(404)
    }
    await client.me(ada.accessToken).expect(200)
  })

  it('AUZ-01 guards every route that needs a caller', async () => {
    for (const path of ['/me', '/sessions']) await client.get(path).expect(401)
    for (const path of ['/logout-all', '/change-password']) await client.post(path).expect(401)
    const open = service.auth.router.routes.filter(({ access }) => access === 'public')
    expect(open.map(({ path }) => path)).toEqual([
      '/register',
      '/login',
      '/refresh-token',
      '/logout',
    ])
  })
})

describe('change-password', () => {
  const change = (token: string, currentPassword: string, newPassword = other): request.Test =>
    client.post('/change-password', { currentPassword, newPassword }, token)

  it('PWD-10 requires the current password and revokes all other sessions', async () => {
    const here = await client.register('ada@x.io')
    const there = await client.login('ada@x.io')
    expect((await change(here.accessToken, 'Wrong-River-42').expect(401)).body.code).toBe(
      'invalid_credentials',
    )
    await client.me(there.accessToken).expect(200)
    const renewed: Tokens = (await change(here.accessToken, password).expect(200)).body.data
    await client.me(there.accessToken).expect(401)
    await client.refresh(there.refreshToken).expect(401)
    await client.me(here.accessToken).expect(200)
    expect(renewed.user).toEqual(here.user)
    await client.me(renewed.accessToken).expect(200)
    await client.refresh(renewed.refreshToken).expect(200)
    expect((await client.get('/sessions', renewed.accessToken)).body.data).toHaveLength(1)
    await client.post('/login', { email: 'ada@x.io', password }).expect(401)
    await client.login('ada@x.io', other)
  })

  it('PWD-10 ends the older refresh tokens of the own session, and keeps the session', async () => {
    let time = Date.now()
    const clocked = await createTestService(database.connection, { now: () => time })
    client = createClient(clocked.app)
    const first = await client.register('ada@x.io')
    const second: Tokens = (await client.refresh(first.refreshToken).expect(200)).body.data
    const renewed: Tokens = (await change(second.accessToken, password).expect(200)).body.data
    // Another tab may not have the new tokens yet: it reads them again.
    const early = await client.refresh(second.refreshToken).expect(409)
    expect(early.body.code).toBe('refresh_conflict')
    time += 60_000
    for (const { refreshToken } of [first, second]) {
      const stolen = await client.refresh(refreshToken).expect(401)
      expect(stolen.body.code).toBe('session_revoked')
    }
    await client.refresh(renewed.refreshToken).expect(200)
    const again = await client.login('ada@x.io', other)
    const last: Tokens = (await change(again.accessToken, other, password).expect(200)).body.data
    const fresh: Tokens = (await client.refresh(last.refreshToken).expect(200)).body.data
    // The leeway of the next refresh is the usual one.
    const lost = (await client.refresh(last.refreshToken).expect(200)).body.data
    expect(lost.refreshToken).toBe(fresh.refreshToken)
    client = createClient(service.app)
  })

  it('returns no tokens where the session of the caller has ended', async () => {
    const stateless = await createTestService(database.connection, { stateless: true })
    const caller = createClient(stateless.app)
    const { accessToken, refreshToken } = await caller.register('ada@x.io')
    await caller.post('/logout', { refreshToken }).expect(204)
    const passwords = { currentPassword: password, newPassword: other }
    const { body } = await caller.post('/change-password', passwords, accessToken).expect(204)
    expect(body).toEqual({})
    await caller.login('ada@x.io', other)
  })

  it('PWD-06 rejects a common new password, and names the field', async () => {
    const { accessToken } = await client.register('ada@x.io')
    const common = await change(accessToken, password, 'password').expect(422)
    expect(common.body).toMatchObject({
      code: 'password_too_common',
      errors: [{ pointer: '#/newPassword' }],
    })
    const short = await change(accessToken, password, 'short').expect(422)
    expect(short.body.errors[0].pointer).toBe('#/newPassword')
    await client.login('ada@x.io')
  })

  it('PWD-10 counts wrong current passwords', async () => {
    const limited = await createTestService(database.connection, { limits: {} })
    client = createClient(limited.app)
    const { accessToken } = await client.register('ada@x.io')
    const statuses = []
    for (let index = 0; index < 11; index++) {
      const call = change(accessToken, 'Wrong-River-42')
      statuses.push((await call.set('X-Forwarded-For', `192.0.2.${index}`)).status)
    }
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429])
    // A login is counted separately.
    await client.login('ada@x.io')
    client = createClient(service.app)
  })

  it('accepts one of two concurrent changes', async () => {
    const { accessToken } = await client.register('ada@x.io')
    const responses = await Promise.all([
      change(accessToken, password, 'Another-River-43'),
      change(accessToken, password, 'Another-River-44'),
    ])
    const statuses = responses.map(({ status }) => String(status))
    expect(statuses.toSorted()).toEqual(['200', '401'])
  })
})

describe('createUser', () => {
  it('creates an admin from validated input', async () => {
    const admin = { email: 'Root@X.io', password, roles: ['admin'] }
    await service.auth.createUser(admin)
    expect((await client.login('root@x.io')).user).toMatchObject({ roles: ['admin'] })
    await expect(service.auth.createUser({ ...admin, email: 'no address' })).rejects.toThrow()
    await expect(service.auth.createUser(admin)).rejects.toMatchObject({ code: 'email_taken' })
    await expect(
      service.auth.createUser({ ...admin, email: 'b@x.io', password: 'password' }),
    ).rejects.toMatchObject({ code: 'password_too_common' })
  })
})

describe('removeUser', () => {
  it('removes the user with all sessions', async () => {
    const { user, accessToken, refreshToken } = await client.register('ada@x.io')
    expect(await service.auth.removeUser(user.id)).toBe(true)
    expect(await service.auth.removeUser(user.id)).toBe(false)
    await client.me(accessToken).expect(401)
    expect((await client.refresh(refreshToken).expect(401)).body.code).toBe('invalid_token')
    expect(await database.connection.collection('sessions').countDocuments()).toBe(0)
  })
})
