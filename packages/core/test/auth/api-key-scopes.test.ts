import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  type Access,
  all,
  any,
  type Api,
  createApi,
  createRegistry,
  createRouter,
  defineRoles,
  defineRule,
  get,
  permission,
  post,
  role,
  type Role,
  success,
} from '../../src/index.ts'
import { createAuth } from '../../src/auth.ts'
import { testSecret } from './auth-fixture.ts'
import {
  createTestClient,
  type TestClient,
  type TestKey,
  type TestUser,
} from '../../src/testing.ts'

const roles = defineRoles({
  editor: ['posts:write', 'posts:publish'],
  support: ['posts:read', 'users:read'],
})
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- roles without a declaration of their names
const [editor, support] = ['editor', 'support'] as unknown as [Role, Role]
const mine = defineRule('mine', (user) => ({ email: user.email }))
// Its scopes are for the document: they decide nothing.
const documented = defineRule('documented', (user) => ({ email: user.email }), {
  scopes: ['posts:write'],
})

const accesses: Record<string, Access> = {
  user: 'user',
  owner: 'owner',
  custom: mine,
  documented,
  editor: role(editor),
  write: permission('posts:write'),
  publish: permission('posts:publish'),
  read: permission('posts:read'),
  ownerOrWrite: any('owner', permission('posts:write')),
  ownerAndWrite: all('owner', permission('posts:write')),
  ownerOrMine: any('owner', mine),
  optional: 'optional',
  public: 'public',
}

// Each route shows what the caller can reach.
const routes = Object.entries(accesses).map(([name, access]) =>
  get(`/${name}`, { access, response: z.unknown() }, ({ scope, user }, res) => {
    success(res, { scope, user: user && { roles: user.roles, permissions: user.permissions } })
  }),
)
let count = 0
const counted = post(
  '/count',
  { access: 'user', idempotent: true, response: z.object({ count: z.number() }), status: 201 },
  (_req, res) => success(res.status(201), { count: ++count }),
)

let log = ''
let api: Api
let client: TestClient
let owner: TestUser

beforeAll(async () => {
  api = createApi({
    name: 'scopes',
    routes: createRegistry().use('/api', createRouter([...routes, counted])),
    rateLimit: false,
    accessLog: { format: 'json', stream: { write: (text) => void (log += text) } },
    auth: { apiKeys: {}, roles, limits: false },
  })
  client = await createTestClient(api)
})
beforeEach(async () => {
  owner = await client.signUp({ roles: [editor, support] })
})
afterAll(() => client.stop())

async function reach(key: Pick<TestKey, 'headers'>): Promise<Record<string, unknown>> {
  const reached: Record<string, unknown> = {}
  for (const name of Object.keys(accesses)) {
    const { body, status } = await client.request.get(`/api/${name}`).set(key.headers)
    if (status === 200) reached[name] = body.data.scope
    else expect([name, status, body.code]).toEqual([name, 403, 'forbidden'])
  }
  return reached
}

describe('KEY-04 an API key', () => {
  it('can do what its scopes and its owner can, and nothing else', async () => {
    const own = { owner: owner.user.id }
    const open = { optional: {}, public: {} }
    const asUser = {
      ...open,
      user: {},
      owner: own,
      custom: { email: owner.user.email },
      documented: { email: owner.user.email },
      ownerOrWrite: own,
      ownerOrMine: { $or: [own, { email: owner.user.email }] },
    }
    const asWriter = { ...open, write: {}, ownerOrWrite: {}, ownerAndWrite: own }
    for (const [scopes, expected] of [
      [['user'], asUser],
      [['posts:write'], asWriter],
      [['posts:read'], { ...open, read: {} }],
      [['editor'], { ...asWriter, editor: {}, publish: {} }],
      [['user', 'posts:write'], { ...asUser, ...asWriter }],
    ] as const) {
      const key = await client.createKey(owner, scopes)
      expect({ scopes, reached: await reach(key) }).toEqual({ scopes, reached: expected })
    }
    // The owner can do all of it.
    expect(Object.keys(await reach(owner)).toSorted()).toEqual(Object.keys(accesses).toSorted())
  })

  it('shows its owner with the roles and permissions of its scopes', async () => {
    const show = async (scopes: readonly string[], path: string): Promise<unknown> => {
      const { headers } = await client.createKey(owner, scopes)
      return (await client.request.get(`/api/${path}`).set(headers).expect(200)).body.data.user
    }
    expect(await show(['posts:write'], 'write')).toEqual({
      roles: [],
      permissions: ['posts:write'],
    })
    expect(await show(['editor', 'users:read'], 'write')).toEqual({
      roles: ['editor'],
      permissions: ['posts:write', 'posts:publish', 'users:read'],
    })
    expect(await show(['user'], 'user')).toEqual({ roles: [], permissions: [] })
    // Without the scope `user` it has no caller where callers are optional.
    expect(await show(['posts:write'], 'optional')).toBeUndefined()
    expect(await show(['user'], 'optional')).toEqual({ roles: [], permissions: [] })
  })

  it('loses what its owner loses, at the next request, and gains nothing', async () => {
    const key = await client.createKey(owner, ['editor', 'posts:read'])
    const call = (path: string): ReturnType<typeof client.request.get> =>
      client.request.get(`/api/${path}`).set(key.headers)
    await call('write').expect(200)
    await api.auth?.users.update(owner.user.id, { roles: ['support'] })
    await call('write').expect(403)
    await call('editor').expect(403)
    await call('read').expect(200)
    await api.auth?.users.update(owner.user.id, { roles: ['editor', 'support'] })
    await call('write').expect(200)
    await api.auth?.users.update(owner.user.id, { roles: ['editor'] })
    await call('read').expect(403)
  })

  it('is given no scope that its owner does not have', async () => {
    const plain = await client.signUp()
    for (const scopes of [['posts:write'], ['user', 'editor'], ['admin'], ['owner'], ['*']]) {
      const { body } = await client.request
        .post('/api/v1/auth/keys')
        .set(plain.headers)
        .send({ name: 'wide', scopes })
        .expect(422)
      expect(body.errors).toHaveLength(1)
      const created = client.createKey(plain, scopes)
      await expect(created).rejects.toMatchObject({ code: 'validation_failed' })
    }
    await client.createKey(owner, ['posts:write', 'support', 'user'])
  })

  it('does not replay the stored responses of its owner, nor the owner those of a key', async () => {
    const { headers } = await client.createKey(owner, ['user'])
    const send = async (as: object): Promise<number> => {
      const call = client.request.post('/api/count').set({ ...as, 'Idempotency-Key': 'one' })
      return (await call.expect(201)).body.data.count
    }
    expect([await send(owner.headers), await send(headers)]).toEqual([1, 2])
    expect([await send(owner.headers), await send(headers)]).toEqual([1, 2])
  })

  it('is named in the access log', async () => {
    const key = await client.createKey(owner, ['user'])
    log = ''
    await client.request.get('/api/user').set(key.headers).expect(200)
    await expect.poll(() => log).toContain('"msg":"request"')
    expect(JSON.parse(log)).toMatchObject({ keyId: key.id, userId: owner.user.id })
    expect(log).not.toContain(key.key.slice(5, -4))
  })
})

describe('docs/auth.md', () => {
  it('turns keys on as this does, and has the pattern for secret scanners', async () => {
    const text = await readFile(new URL('../../../../docs/auth.md', import.meta.url), 'utf8')
    expect(text).toContain("createApi({ routes, auth: { apiKeys: { prefix: 'acme' } } })")
    const [, pattern = ''] = /the pattern `(.+?)`/.exec(text) ?? []
    const auth = createAuth({ secrets: [testSecret], apiKeys: { prefix: 'acme' } })
    const { key } = await auth.apiKeys.create(owner.user.id, { name: 'docs', scopes: ['user'] })
    expect(key).toMatch(new RegExp(`^${pattern}$`))
    await expect(auth.apiKeys.verify(key)).resolves.toMatchObject({ user: { id: owner.user.id } })
  })
})

describe('KEY-05 the routes for people', () => {
  it('are closed to keys in createApi too', async () => {
    const key = await client.createKey(owner, ['user', 'editor', 'support'])
    const guarded = api.routes.filter(
      ({ path, route }) => path.startsWith('/api/v1/auth/') && route.access !== 'public',
    )
    expect(guarded.length).toBeGreaterThan(8)
    for (const { method, path } of guarded) {
      const { status } = await fetch(client.url + path.replace(':id', key.id), {
        method,
        headers: key.headers,
      })
      expect({ method, path, status }).toEqual({ method, path, status: 403 })
    }
    await client.request.get('/api/user').set(key.headers).expect(200)
  })

  it('are in the OpenAPI document, with what they show', () => {
    const { components, paths } = api.openapi ?? { paths: {} }
    expect(Object.keys(paths).filter((path) => path.includes('/keys'))).toEqual([
      '/api/v1/auth/keys',
      '/api/v1/auth/keys/{id}/rotate',
      '/api/v1/auth/keys/{id}',
    ])
    expect(components).toMatchObject({
      schemas: {
        ApiKey: { properties: { lastFour: { type: 'string' } } },
        IssuedApiKey: { properties: { key: { type: 'string' } } },
      },
    })
  })
})
