import { EventEmitter, once } from 'node:events'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineRoles } from '../../src/lib/auth/users/define-roles.ts'
import { type AuthOptions } from '../../src/lib/auth/options/auth-options.ts'
import {
  createMongooseUsers,
  createUserModel,
  type StoredUser,
  type UserStore,
} from '../../src/lib/auth/users/user-store.ts'
import { ApiError } from '../../src/lib/errors/api-error.ts'
import { createAuth } from '../../src/lib/create-auth.ts'
import { createApi } from '../../src/lib/create-api.ts'
import { createRegistry } from '../../src/lib/routing/registry.ts'
import { type Logger } from '../../src/lib/logging/logger.ts'
import { type Cluster, startCluster } from './auth-cluster.ts'
import {
  createClient,
  createTestService,
  password,
  silent,
  startTestDatabase,
  storedAsTyped,
  type TestClient,
  type TestDatabase,
  type TestService,
  testSecret,
} from './auth-fixture.ts'

const roles = defineRoles({
  editor: ['posts:write', 'posts:publish'],
  author: ['posts:write'],
})

let database: TestDatabase
beforeAll(async () => {
  database = await startTestDatabase()
})
afterAll(() => database.stop())
beforeEach(() => database.clear())

interface World extends TestService {
  readonly client: TestClient
}

async function create(options: Partial<AuthOptions> = {}): Promise<World> {
  const hashing = { password: { hasher: storedAsTyped } }
  const service = await createTestService(database.connection, { ...hashing, roles, ...options })
  return { ...service, client: createClient(service.app) }
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
    return 'done'
  } catch (error) {
    if (error instanceof ApiError) return error.code
    throw error
  }
}

async function addUser(
  { auth }: TestService,
  name: string,
  ...given: string[]
): Promise<StoredUser> {
  return auth.createUser({ email: `${name}@x.io`, password, roles: given })
}

interface Held {
  /** Resolves when the user has been read. */
  readonly reached: Promise<unknown>
  readonly release: () => void
}

// The store of users, whose next read can be held back after the database has responded.
function createHeldStore(): { users: UserStore; holdNext(): Held } {
  const model = createUserModel({ connection: database.connection, prefix: '' }, {}, 'email')
  const store = createMongooseUsers(model, {}, 'email')
  let onRead: (() => Promise<void>) | undefined
  return {
    users: {
      ...store,
      async findById(id) {
        const wait = onRead
        onRead = undefined
        const user = await store.findById(id)
        await wait?.()
        return user
      },
    },
    holdNext() {
      const gate = new EventEmitter()
      const reached = once(gate, 'read')
      const released = once(gate, 'release')
      onRead = async () => {
        gate.emit('read')
        await released
      }
      return { reached, release: () => gate.emit('release') }
    },
  }
}

function createListener(): { logger: Logger; lines: string[] } {
  const lines: string[] = []
  const warn = (_fields: object, text?: string): number => lines.push(text ?? '')
  return { logger: { ...silent, warn }, lines }
}

describe('defineRoles', () => {
  it('joins the permissions of several roles, each once', () => {
    expect(roles.permissionsOf(['editor', 'author'])).toEqual(['posts:write', 'posts:publish'])
    expect(roles.permissionsOf([])).toEqual([])
    expect(roles.permissionsOf(['admin', 'toString', '__proto__'])).toEqual([])
  })

  it.each([
    [{ owner: [] }, "'owner' is an access of every API"],
    [{ 'post writer': [] }, "'post writer' cannot be the name of a role. Use at most 64 letters"],
    [{ '': [] }, "'' cannot be the name of a role"],
    [{ editor: 'posts:write' }, "the permissions of 'editor' must be a list"],
    [{ editor: ['posts:*'] }, "'posts:*' of 'editor' cannot be a permission. Use words joined by"],
    [{ editor: ['posts:'] }, "'posts:' of 'editor' cannot be a permission"],
    [{ editor: ['posts write'] }, 'there are no wildcards'],
    [{ editor: ['admin'], admin: [] }, "the permission 'admin' of 'editor' is also a role"],
    [{ editor: ['user'] }, "the permission 'user' of 'editor' is an access of every API"],
  ])('refuses %j with the fix', (wrong, message) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what plain JavaScript could pass
    expect(() => defineRoles(wrong as Record<string, string[]>)).toThrow(message)
  })

  it('is the only source of auth.roles, and has the role of administrators', () => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what plain JavaScript could pass
    const plain = { editor: ['posts:write'] } as unknown as typeof roles
    const secrets = [testSecret]
    expect(() => createAuth({ secrets, roles: plain })).toThrow(
      "auth.roles must be made by defineRoles({ editor: ['posts:write'] })",
    )
    const wrong = { roles, adminRole: 'root' }
    const fault = /auth\.adminRole +is 'root', which auth\.roles does not define: add it there/
    expect(() => createAuth({ secrets, ...wrong })).toThrow(fault)
    expect(() => createApi({ routes: createRegistry(), auth: wrong })).toThrow(fault)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- names that no declaration knows
    const withPermission = defineRoles({ editor: ['admin'] }) as unknown as typeof roles
    expect(() => createAuth({ secrets, roles: withPermission })).toThrow(
      "auth.adminRole is 'admin', which is also a permission in auth.roles",
    )
    expect(() => createAuth({ secrets, adminRole: 'owner' })).toThrow(
      'auth.adminRole must be a word',
    )
  })
})

describe('permissions', () => {
  it('are in every response with a user, and change with the next request', async () => {
    const { auth, client } = await create()
    const { accessToken, user } = await client.register('ada@x.io')
    expect(user).toMatchObject({ roles: [], permissions: [] })
    await auth.users.grantRole(user.id, 'author')
    const { data } = (await client.me(accessToken).expect(200)).body
    expect(data).toMatchObject({ roles: ['author'], permissions: ['posts:write'] })
    const granted = { permissions: ['posts:write', 'posts:publish'] }
    await auth.users.grantRole(user.id, 'editor')
    expect((await client.me(accessToken)).body.data).toMatchObject(granted)
    expect((await client.login('ada@x.io')).user).toMatchObject(granted)
    expect((await auth.verifyAccessToken(accessToken)).user).toMatchObject(granted)
  })

  it('are none for a stored role that is not defined, with one warning', async () => {
    const { logger, lines } = createListener()
    const { auth, client } = await create({ logger })
    const { accessToken, user } = await client.register('ada@x.io')
    await database.connection.collection('users').updateOne({}, { $set: { roles: ['editr'] } })
    for (let round = 0; round < 3; round++) {
      const { data } = (await client.me(accessToken).expect(200)).body
      expect(data).toMatchObject({ roles: ['editr'], permissions: [] })
    }
    expect(lines).toEqual([expect.stringContaining('has the role "editr", which auth.roles does')])
    expect((await auth.users.revokeRole(user.id, 'editr'))?.roles).toEqual([])
  })

  it('are those of the token in stateless mode, with a warning at the start', async () => {
    const { logger, lines } = createListener()
    const { auth, client } = await create({ stateless: true, logger })
    expect(lines).toEqual([
      expect.stringContaining('takes effect up to 15 minutes later: with auth.stateless'),
    ])
    const { accessToken, refreshToken, user } = await client.register('ada@x.io')
    await auth.users.grantRole(user.id, 'author')
    expect((await auth.verifyAccessToken(accessToken)).user.permissions).toEqual([])
    const next = (await client.refresh(refreshToken).expect(200)).body.data
    expect((await auth.verifyAccessToken(next.accessToken)).user).toMatchObject({
      roles: ['author'],
      permissions: ['posts:write'],
    })
  })

  it('of a refresh in stateless mode are not older than its request', async () => {
    const store = createHeldStore()
    const { auth, client } = await create({ stateless: true, users: store.users })
    const { refreshToken, user } = await client.register('ada@x.io')
    const held = store.holdNext()
    const first = client.refresh(refreshToken).then((response) => response.status)
    await held.reached
    await auth.users.grantRole(user.id, 'author')
    const second = (await client.refresh(refreshToken).expect(200)).body.data
    held.release()
    expect(await first).toBe(200)
    expect((await auth.verifyAccessToken(second.accessToken)).user.roles).toEqual(['author'])
  })
})

describe('grantRole and revokeRole', () => {
  it('report each change once, with the actor', async () => {
    const service = await create()
    const { auth, events } = service
    const ada = await addUser(service, 'ada', 'admin')
    const bob = await addUser(service, 'bob')
    const request = { requestId: 'r1', callerId: ada.id }
    for (let round = 0; round < 2; round++) {
      expect((await auth.users.grantRole(bob.id, 'editor', request))?.roles).toEqual(['editor'])
    }
    await auth.users.update(bob.id, { roles: ['author'] }, request)
    for (let round = 0; round < 2; round++) {
      expect((await auth.users.revokeRole(bob.id, 'author'))?.roles).toEqual([])
    }
    const changes = events.filter(({ event }) => event.startsWith('auth.role_'))
    expect(
      changes.map((one) => [one.event, one.userId, one.reason, one.actorId, one.requestId]),
    ).toEqual([
      ['auth.role_granted', ada.id, 'admin', undefined, undefined],
      ['auth.role_granted', bob.id, 'editor', ada.id, 'r1'],
      ['auth.role_granted', bob.id, 'author', ada.id, 'r1'],
      ['auth.role_revoked', bob.id, 'editor', ada.id, 'r1'],
      ['auth.role_revoked', bob.id, 'author', undefined, undefined],
    ])
    expect(await auth.users.grantRole('0'.repeat(24), 'editor')).toBeUndefined()
  })

  it('refuse a role that no user can have', async () => {
    const service = await create()
    const { auth } = service
    const { id } = await addUser(service, 'bob')
    const refusal = {
      code: 'validation_failed',
      errors: [{ pointer: '#/role', detail: "'editr' is not a role; did you mean 'editor'?" }],
    }
    await expect(auth.users.grantRole(id, 'editr')).rejects.toMatchObject(refusal)
    await expect(auth.users.revokeRole(id, 'editr')).rejects.toMatchObject(refusal)
    await expect(auth.users.grantRole(id, 'boss')).rejects.toMatchObject({
      detail: "'boss' is not a role; the roles are editor, author, admin",
    })
    expect(await codeOf(auth.users.update(id, { roles: ['boss'] }))).toBe('validation_failed')
    expect(await codeOf(addUser(service, 'eve', 'boss'))).toBe('validation_failed')
    const free = await create({ roles: undefined })
    expect((await free.auth.users.grantRole(id, 'boss'))?.roles).toEqual(['boss'])
    expect(await codeOf(free.auth.users.grantRole(id, 'user'))).toBe('validation_failed')
  })

  it('are the only way to roles: a registration with roles is refused', async () => {
    const { auth } = await create()
    const input = { email: 'eve@x.io', password, roles: ['admin'] }
    const refusal = { errors: [{ pointer: '#/roles', code: 'unrecognized_key' }] }
    await expect(auth.register(input)).rejects.toMatchObject(refusal)
    await expect(auth.registerHidden(input)).rejects.toMatchObject(refusal)
    const fields = { roles: ['admin'] }
    await expect(auth.register({ ...input, fields })).rejects.toMatchObject(refusal)
    expect((await auth.createUser(input)).roles).toEqual(['admin'])
  })

  it('lose no concurrent change', async () => {
    const service = await create({ roles: undefined })
    const { id } = await addUser(service, 'bob', 'a', 'b', 'c')
    const { users } = service.auth
    await Promise.all([
      ...['d', 'e', 'f'].map((role) => users.grantRole(id, role)),
      ...['a', 'b', 'c'].map((role) => users.revokeRole(id, role)),
      users.update(id, { emailVerified: true }),
    ])
    const after = await users.findById(id)
    expect(after?.roles.toSorted()).toEqual(['d', 'e', 'f'])
    expect(after?.emailVerified).toBe(true)
  })
})

describe('the last administrator', () => {
  it('cannot lose the role, be disabled or be removed', async () => {
    const service = await create()
    const { auth } = service
    const ada = await addUser(service, 'ada', 'admin', 'editor')
    const bob = await addUser(service, 'bob', 'editor')
    const eve = await addUser(service, 'eve', 'admin')
    await auth.users.update(eve.id, { disabled: true })
    const attempts = [
      () => auth.users.revokeRole(ada.id, 'admin'),
      () => auth.users.update(ada.id, { roles: ['editor'] }),
      () => auth.users.update(ada.id, { disabled: true }),
      () => auth.removeUser(ada.id),
    ]
    for (const attempt of attempts) expect(await codeOf(attempt())).toBe('last_administrator')
    expect(await auth.users.findById(ada.id)).toMatchObject({ disabled: false, roles: ada.roles })
    expect((await auth.users.revokeRole(ada.id, 'editor'))?.roles).toEqual(['admin'])
    expect(await auth.removeUser(bob.id)).toBe(true)
    expect(await auth.removeUser(eve.id)).toBe(true)
    const ann = await addUser(service, 'ann', 'admin')
    expect((await auth.users.revokeRole(ada.id, 'admin'))?.roles).toEqual([])
    expect(await codeOf(auth.removeUser(ann.id))).toBe('last_administrator')
  })

  it('counts users who were stored when a user had one role', async () => {
    const service = await create()
    const ada = await addUser(service, 'ada', 'admin')
    await addUser(service, 'bob')
    const change = { $set: { role: 'admin' }, $unset: { roles: 1, revision: 1 } }
    await database.connection.collection('users').updateOne({ email: 'bob@x.io' }, change)
    await service.auth.users.revokeRole(ada.id, 'admin')
    const bob = await service.auth.users.findByEmail('bob@x.io')
    expect(await codeOf(service.auth.users.revokeRole(bob?.id ?? '', 'admin'))).toBe(
      'last_administrator',
    )
    await service.auth.users.grantRole(ada.id, 'admin')
    expect((await service.auth.users.revokeRole(bob?.id ?? '', 'admin'))?.roles).toEqual([])
  })

  it('is not protected in a store that has no revisions', async () => {
    const { users } = createHeldStore()
    const toPlain = (user?: StoredUser): StoredUser | undefined =>
      user && { ...user, revision: undefined }
    const others = { ...users }
    delete others.touchOther
    const findById = async (id: string): Promise<StoredUser | undefined> =>
      toPlain(await users.findById(id))
    const service = await create({ users: { ...others, findById } })
    const { id } = await addUser(service, 'ada', 'admin')
    expect((await service.auth.users.revokeRole(id, 'admin'))?.roles).toEqual([])
  })

  it('and every other change is a conflict when the user never stays the same', async () => {
    const { users } = createHeldStore()
    const service = await create({ users: { ...users, update: async () => false } })
    const { id } = await addUser(service, 'ada')
    expect(await codeOf(service.auth.users.grantRole(id, 'editor'))).toBe('conflict')
  })

  it('is another role where adminRole says so', async () => {
    const service = await create({ roles: defineRoles({ root: [] }), adminRole: 'root' })
    const { id } = await addUser(service, 'ada', 'root')
    expect(await codeOf(service.auth.users.revokeRole(id, 'root'))).toBe('last_administrator')
  })
})

describe('with several processes', () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await startCluster({ processes: 2, hashed: false })
  })
  afterAll(() => cluster.stop())

  const statusOf = async (path: string, method: string, process: number): Promise<number> =>
    (await cluster.call(path, { method, process })).status
  const register = async (email: string): Promise<string> =>
    (await cluster.call('/api/v1/auth/register', { body: { email, password } })).data.user.id
  const grant = async (id: string): Promise<number> =>
    statusOf(`/users/${id}/roles/admin`, 'POST', 0)

  it('a role granted or revoked by one holds at the next request to another', async () => {
    const body = { email: 'ann@x.io', password }
    const { data } = await cluster.call('/api/v1/auth/register', { body })
    const readRoles = async (): Promise<unknown> => {
      const init = { method: 'GET', token: data.accessToken, process: 1 }
      const { data: me } = await cluster.call('/api/v1/auth/me', init)
      return z.object({ roles: z.array(z.string()) }).parse(me).roles
    }
    for (let round = 0; round < 20; round++) {
      // Reads are in progress all the time, which later ones must not share.
      const load = Array.from({ length: 5 }, readRoles)
      await statusOf(`/users/${data.user.id}/roles/editor`, 'POST', 0)
      expect(await readRoles()).toEqual(['editor'])
      await statusOf(`/users/${data.user.id}/roles/editor`, 'DELETE', 0)
      expect(await readRoles()).toEqual([])
      await Promise.all(load)
    }
  })

  it.each([
    ['revoked', (id: string) => [`/users/${id}/roles/admin`, 'DELETE']],
    ['disabled', (id: string) => [`/users/${id}/disabled`, 'POST']],
    ['removed', (id: string) => [`/users/${id}`, 'DELETE']],
  ] as const)('two administrators %s at once: one stays', async (_, end) => {
    const users = cluster.connection.collection('users')
    for (let round = 0; round < 25; round++) {
      await users.deleteMany({})
      const ids = [await register('ada@x.io'), await register('bob@x.io')]
      for (const id of ids) expect(await grant(id)).toBe(204)
      const statuses = await Promise.all(
        ids.map((id, process) => {
          const [path = '', method = ''] = end(id)
          return statusOf(path, method, process)
        }),
      )
      expect(statuses.toSorted((a, b) => a - b)).toEqual([204, 409])
      expect(await users.countDocuments({ roles: 'admin', disabled: false })).toBe(1)
    }
  })

  it('many administrators revoked at once by both: one stays', async () => {
    const users = cluster.connection.collection('users')
    await users.deleteMany({})
    const ids: string[] = []
    for (let n = 0; n < 8; n++) ids.push(await register(`u${n}@x.io`))
    for (const id of ids) expect(await grant(id)).toBe(204)
    const attempts = ids.flatMap((id) => [0, 1].map((process) => ({ id, process })))
    await Promise.all(
      attempts.map(({ id, process }) => statusOf(`/users/${id}/roles/admin`, 'DELETE', process)),
    )
    const left = await users.countDocuments({ roles: 'admin', disabled: false })
    expect(left).toBeGreaterThanOrEqual(1)
    for (const id of ids) await statusOf(`/users/${id}/roles/admin`, 'DELETE', 0)
    expect(await users.countDocuments({ roles: 'admin', disabled: false })).toBe(1)
  })
})
