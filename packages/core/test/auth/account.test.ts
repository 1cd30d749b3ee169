import { scryptSync } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Response } from 'supertest'
import {
  createClient,
  createTestService,
  password,
  startTestDatabase,
  type TestClient,
  type TestDatabase,
  type TestService,
} from './auth-fixture.ts'

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

function users(): ReturnType<TestDatabase['connection']['collection']> {
  return database.connection.collection('users')
}

const grant = {
  user: {
    id: expect.stringMatching(/^[0-9a-f]{24}$/),
    email: 'ada@x.io',
    roles: [],
    permissions: [],
    emailVerified: false,
    createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
  },
  accessToken: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
  refreshToken: expect.stringMatching(/^rt1\./),
  tokenType: 'Bearer',
  // Less by the seconds that the response has taken.
  expiresIn: expect.closeTo(900, -1),
}

describe('register', () => {
  it('LOG-08 returns 201 with user and tokens, and no trace of the password', async () => {
    const response = await client.post('/register', { email: 'ada@x.io', password }).expect(201)
    expect(response.body.data).toEqual(grant)
    expect(response.headers['cache-control']).toBe('no-store')
    expect(response.text).not.toMatch(/argon2|password/i)
    await client.me(response.body.data.accessToken).expect(200)
  })

  it('PWD-01 stores argon2id with a separate salt, outside ordinary reads', async () => {
    await client.register('ada@x.io')
    await client.register('bob@x.io')
    const [ada, bob] = await users().find().toArray()
    expect(ada?.['passwordHash']).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$/)
    expect(ada?.['passwordHash']).not.toBe(bob?.['passwordHash'])
    expect(await database.connection.models['User']?.findOne().lean()).not.toHaveProperty(
      'passwordHash',
    )
  })

  it.each([
    ['PWD-02', 'vK8#qpL', 422, 'validation_failed'],
    ['PWD-02', 'vK8#qpLw', 201, undefined],
    ['PWD-03', 'x7-'.repeat(43), 422, 'validation_failed'],
    ['PWD-05', 'correct horse battery staple', 201, undefined],
    ['PWD-06', 'password', 422, 'password_too_common'],
    ['PWD-06', 'adaada12', 422, 'password_too_common'],
    ['PWD-07', 'long enough \ud800', 422, 'validation_failed'],
  ])('%s password %s: returns %d %s', async (_, chosen, status, code) => {
    const body = { email: 'ada@x.io', password: chosen }
    const response = await client.post('/register', body).expect(status)
    expect(response.body.code).toBe(code)
    expect(response.body.errors?.[0].pointer).toBe(code && '#/password')
    expect(await users().countDocuments()).toBe(status === 201 ? 1 : 0)
  })

  it('PWD-03 accepts 64 and 128 characters, refuses 90 kB', async () => {
    for (const length of [64, 128]) {
      const chosen = 'ab'.repeat(length / 2 - 2) + '#7Zw'
      await client.register(`user${length}@x.io`, chosen)
      await client.login(`user${length}@x.io`, chosen)
    }
    await client.post('/register', { email: 'a@x.io', password: 'x'.repeat(90_000) }).expect(422)
  })

  it('LOG-03 returns one 201 and otherwise 409 in a race of one process', async () => {
    const attempts = Array.from({ length: 20 }, (_, index) =>
      client.post('/register', { email: index % 2 ? 'ada@x.io' : 'ADA@x.IO', password }),
    )
    const statuses = (await Promise.all(attempts)).map((response) => String(response.status))
    expect(statuses.toSorted()).toEqual(['201', ...Array<string>(19).fill('409')])
    expect(await users().countDocuments()).toBe(1)
  })

  it('LOG-03 returns 409 email_taken for a taken address', async () => {
    await client.register('ada@x.io')
    const response = await client.post('/register', { email: 'ada@x.io', password }).expect(409)
    expect(response.body.code).toBe('email_taken')
  })

  it('LOG-05 compares addresses in their canonical form', async () => {
    await client.register('A@x.io')
    await client.post('/register', { email: 'a@X.IO', password }).expect(409)
    await client.login('a@X.io')
  })

  it('LOG-05 removes spaces around an address, wherever it is typed', async () => {
    const { accessToken, user } = await client.register(' ada@x.io  ')
    expect(user.email).toBe('ada@x.io')
    await client.login('Ada@x.io ')
    await client.post('/register', { email: 'ada@x.io ', password }).expect(409)
    await client.post('/forgot-password', { email: ' ada@x.io' })
    expect((await service.auth.users.findByEmail(' ada@x.io '))?.id).toBe(user.id)
    await client.me(accessToken).expect(200)
  })

  it('LOG-05 measures the address without the spaces', async () => {
    const email = `${'a'.repeat(64)}@${'b'.repeat(62)}.${'c'.repeat(61)}.${'d'.repeat(61)}.io`
    expect(email).toHaveLength(254)
    await client.register(`  ${email} `)
    await client.post('/register', { email: `e${email}`, password }).expect(422)
  })

  it.each([
    'mi\u212Ae@example.org',
    'a@b.co\n',
    `${'a'.repeat(250)}@x.io`,
    'a\u0000@x.io',
    '"q"@x.io',
    '\ta@x.io',
    'a@x.io\u00A0',
    'a @x.io',
    '',
  ])('LOG-05 refuses the address %j', async (email) => {
    const response = await client.post('/register', { email, password }).expect(422)
    expect(response.body.errors[0].pointer).toBe('#/email')
  })

  it('LOG-06 accepts only the declared fields', async () => {
    const extra = {
      roles: ['admin'],
      _id: '65f0c0ffee0123456789abcd',
      __v: 3,
      passwordHash: 'x',
      emailVerified: true,
      createdAt: '2020-01-01T00:00:00.000Z',
    }
    const body = { email: 'ada@x.io', password, ...extra }
    const response = await client.post('/register', body).expect(422)
    const pointers = response.body.errors.map((item: { pointer: string }) => item.pointer)
    expect(pointers.toSorted()).toEqual(
      Object.keys(extra)
        .map((key) => `#/${key}`)
        .toSorted(),
    )
    await client.register('ada@x.io')
    expect(await users().distinct('roles')).toEqual([])
  })
})

describe('login', () => {
  it('LOG-08 returns 200 with user and tokens', async () => {
    await client.register('ada@x.io')
    const response = await client.post('/login', { email: 'ada@x.io', password }).expect(200)
    expect(response.body.data).toEqual(grant)
    expect(response.headers['cache-control']).toBe('no-store')
    expect(response.text).not.toMatch(/argon2|password/i)
  })

  it('LOG-01 returns the same for an unknown address, a wrong password and a disabled account', async () => {
    await client.register('ada@x.io')
    await client.register('bob@x.io')
    await users().updateOne({ email: 'bob@x.io' }, { $set: { disabled: true } })
    const responses = [
      await client.post('/login', { email: 'stranger@x.io', password }),
      await client.post('/login', { email: 'ada@x.io', password: 'Wrong-River-42' }),
      await client.post('/login', { email: 'bob@x.io', password }),
    ].map(toComparable)
    expect(responses[0]).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } })
    expect(responses[1]).toEqual(responses[0])
    expect(responses[2]).toEqual(responses[0])
  })

  it('PWD-04 compares the whole password, unchanged', async () => {
    const long = 'aX7'.repeat(24)
    await client.register('ada@x.io', `${long}X`)
    await client.post('/login', { email: 'ada@x.io', password: `${long}Y` }).expect(401)
    await client.register('bob@x.io', `${password} `)
    await client.post('/login', { email: 'bob@x.io', password }).expect(401)
    await client.login('bob@x.io', `${password} `)
    await client
      .post('/login', { email: 'bob@x.io', password: `${password} `.toLowerCase() })
      .expect(401)
  })

  it('PWD-07 treats composed and decomposed letters as equal', async () => {
    await client.register('ada@x.io', 'Ångström-long-pass')
    const decomposed = 'Ångström-long-pass'.normalize('NFD')
    await expect(client.login('ada@x.io', decomposed)).resolves.toHaveProperty('accessToken')
    await client.register('bob@x.io', '🐎🔋🖇️ correct horse')
    await client.login('bob@x.io', '🐎🔋🖇️ correct horse')
  })

  it('PWD-08 upgrades weaker hashes and never fails on corrupt ones', async () => {
    const { hash } = await import('@node-rs/argon2')
    await client.register('ada@x.io')
    const weak = await hash(password, { memoryCost: 9216, timeCost: 4 })
    await users().updateOne({}, { $set: { passwordHash: weak } })
    await client.login('ada@x.io')
    const upgraded = await users().findOne({})
    expect(upgraded?.['passwordHash']).toMatch(/\$m=19456,t=2,p=1\$/)
    await client.login('ada@x.io')
    for (const passwordHash of ['', 'x', null, '$argon2id$v=19$m=19456,t=2,p=1$x$y', '$2b$10$x']) {
      await users().updateOne({}, { $set: { passwordHash } })
      await client.post('/login', { email: 'ada@x.io', password }).expect(401)
    }
  })
})

describe('hashes of an earlier kind', () => {
  const scryptHash = (text: string): string =>
    `scrypt$${scryptSync(text, 'salt', 32).toString('hex')}`
  const legacy = {
    matches: (stored: string) => stored.startsWith('scrypt$'),
    verify: async (stored: string, text: string) => stored === scryptHash(text),
  }

  it('PWD-08 are verified, and replaced by argon2id at login', async () => {
    const other = await createTestService(database.connection, { password: { legacy } })
    const old = createClient(other.app)
    await old.register('old@x.io')
    const stored = { email: 'old@x.io' }
    await users().updateOne(stored, { $set: { passwordHash: scryptHash(password) } })
    await old.post('/login', { ...stored, password: 'wrong wrong wrong' }).expect(401)
    expect((await users().findOne(stored))?.['passwordHash']).toMatch(/^scrypt/)
    await old.login('old@x.io')
    expect((await users().findOne(stored))?.['passwordHash']).toMatch(/^\$argon2id\$/)
    await old.login('old@x.io')
    await old.post('/login', { ...stored, password: 'wrong wrong wrong' }).expect(401)
    expect(await other.auth.verifyPassword(password, scryptHash(password))).toBe(true)
    expect(await other.auth.verifyPassword(password, scryptHash('other'))).toBe(false)
  })

  it('PWD-08 are kept and created where another application verifies them', async () => {
    const hash = async (text: string) => scryptHash(text)
    const options = { password: { legacy: { ...legacy, hash } } }
    const other = await createTestService(database.connection, options)
    const old = createClient(other.app)
    await old.register('old@x.io')
    const stored = { email: 'old@x.io' }
    const read = async () => (await users().findOne(stored))?.['passwordHash']
    expect(await read()).toBe(scryptHash(password))
    await old.login('old@x.io')
    expect(await read()).toBe(scryptHash(password))
    await old.post('/login', { ...stored, password: 'wrong wrong wrong' }).expect(401)
    await old.post('/login', { email: 'none@x.io', password }).expect(401)

    const argon2id = createClient(
      (await createTestService(database.connection, { password: { legacy } })).app,
    )
    await argon2id.login('old@x.io')
    expect(await read()).toMatch(/^\$argon2id\$/)
    await old.login('old@x.io')
    expect(await read()).toBe(scryptHash(password))
  })

  it('are rejected without the option', async () => {
    await client.register('ada@x.io')
    await users().updateOne({}, { $set: { passwordHash: scryptHash(password) } })
    await client.post('/login', { email: 'ada@x.io', password }).expect(401)
  })
})

describe('me', () => {
  it('shows the user', async () => {
    const { accessToken, user } = await client.register('ada@x.io')
    const response = await client.me(accessToken).expect(200)
    expect(response.body.data).toEqual(user)
  })

  it('TOK-11 reads the token from the Authorization header only, whatever its case', async () => {
    const { accessToken: token } = await client.register('ada@x.io')
    await client.get('/me').set('Authorization', `bEaReR ${token}`).expect(200)
    await client.get('/me').set('Cookie', `token=${token}; access_token=${token}`).expect(401)
    await client.get(`/me?access_token=${token}`).expect(401)
    await client.get('/me').send({ access_token: token }).expect(401)
  })

  it('TOK-12 requests a token as RFC 6750 requires', async () => {
    const none = await client.get('/me').expect(401)
    expect(none.headers['www-authenticate']).toBe('Bearer realm="api"')
    expect(none.body.code).toBe('unauthenticated')
    const basic = await client.get('/me').set('Authorization', 'Basic eDp5').expect(401)
    expect(basic.headers['www-authenticate']).toBe('Bearer realm="api"')
    const bad = await client.me('a.b.c').expect(401)
    expect(bad.headers['www-authenticate']).toMatch(/^Bearer realm="api", error="invalid_token"/)
    expect(bad.body.code).toBe('invalid_token')
  })

  it('TOK-05 refuses a refresh token, and refresh-token an access token', async () => {
    const { accessToken, refreshToken } = await client.register('ada@x.io')
    await client.me(refreshToken).expect(401)
    const response = await client.refresh(accessToken).expect(401)
    expect(response.body.code).toBe('invalid_token')
    await client.refresh(refreshToken).expect(200)
  })

  it('TOK-14 immediately rejects a user who was disabled, removed or demoted', async () => {
    const { accessToken, user } = await client.register('ada@x.io')
    await service.auth.users.update(user.id, { roles: ['editor'] })
    expect((await client.me(accessToken)).body.data.roles).toEqual(['editor'])
    await service.auth.users.update(user.id, { roles: [] })
    expect((await client.me(accessToken)).body.data.roles).toEqual([])
    await service.auth.users.update(user.id, { disabled: true })
    expect((await client.me(accessToken).expect(401)).body.code).toBe('session_revoked')
    await service.auth.users.update(user.id, { disabled: false })
    await client.me(accessToken).expect(200)
    await users().deleteOne({})
    expect((await client.me(accessToken).expect(401)).body.code).toBe('session_revoked')
  })

  it('reads users who were stored when a user had one role, and stores the list with the next change', async () => {
    const { accessToken, user } = await client.register('ada@x.io')
    const readRoles = async (): Promise<string[]> => (await client.me(accessToken)).body.data.roles
    const store = (role: string): Promise<unknown> =>
      users().updateOne({}, { $set: { role }, $unset: { roles: 1 } })
    await store('user')
    expect(await readRoles()).toEqual([])
    await store('author')
    expect(await readRoles()).toEqual(['author'])
    expect((await client.login('ada@x.io')).user.roles).toEqual(['author'])
    await service.auth.users.update(user.id, { emailVerified: true })
    expect(await readRoles()).toEqual(['author'])
    await service.auth.users.update(user.id, { roles: ['editor'] })
    expect(await readRoles()).toEqual(['editor'])
    const [stored] = await users().find({}).toArray()
    expect(stored).toMatchObject({ roles: ['editor'] })
    expect(stored).not.toHaveProperty('role')
  })
})

function toComparable(response: Response): object {
  const { date: _date, 'x-request-id': _id, ...headers } = response.headers
  const { instance: _instance, requestId: _requestId, ...body } = response.body
  return { status: response.status, headers, body }
}
