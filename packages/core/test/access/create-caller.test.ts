import { model, Schema } from 'mongoose'
import { describe, expect, it, onTestFinished } from 'vitest'
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
  type Role,
  type Router,
  success,
} from '../../src/index.ts'
import { findDocument, objectId } from '../../src/resource.ts'
import { createTenants, member, memberRole } from '../../src/tenants.ts'
import { createTestClient, type TestCaller, type TestClient } from '../../src/testing.ts'

const ThingModel = model(
  'CallerThing',
  new Schema({ owner: Schema.Types.ObjectId, organization: Schema.Types.ObjectId, name: String }),
)

interface Parts {
  readonly list: Access
  readonly read?: Access
  readonly references?: Readonly<Record<string, Access>>
}

function createThings({ list, read = list, references }: Parts, prefix = ''): Router {
  const params = z.object({ ...(prefix === 'org' && { org: objectId }), id: objectId })
  const options = { response: z.unknown(), references }
  return createRouter([
    get('/', { ...options, access: list, params: params.omit({ id: true }) }, (req, res) =>
      success(res, { user: req.user?.id, filter: req.scope }),
    ),
    get('/:id', { ...options, access: read, params }, async (req, res) => {
      const found = await findDocument(ThingModel, { _id: req.valid.params.id }, req)
      success(res, { name: found['name'] })
    }),
  ])
}

async function start(api: Api): Promise<TestClient> {
  const client = await createTestClient(api)
  onTestFinished(() => client.stop())
  return client
}

const quiet = { rateLimit: false, log: { level: 'silent' } } as const

async function createCaller(parts: Parts, options: object = {}): Promise<TestCaller> {
  const routes = createRegistry().use('/api/things', createThings(parts))
  const client = await start(createApi({ name: 'things', routes, ...quiet, ...options }))
  return client.createCaller('/api/things')
}

const editor = 'editor' as unknown as Role

describe('createCaller', () => {
  it.each([{}, { auth: false }])('sends no token to public routes, with %o', async (options) => {
    const caller = await createCaller({ list: 'public', read: 'optional' }, options)
    expect(caller).toMatchObject({ headers: {}, path: '/api/things', scope: {} })
    expect(caller.user).toBeUndefined()
    const { body } = await caller.request.get(caller.path).expect(200)
    expect(body.data).not.toHaveProperty('user')
  })

  it.each([
    ['owner', []],
    ['user', []],
    [editor, ['editor']],
    [any('owner', editor), ['editor']],
    [permission('things:read'), ['chief', 'reader']],
    [defineRule('staff', () => true, { scopes: ['admin'] }), ['admin']],
  ] as const)('signs in a user whom one of the routes needs: %o', async (read, roles) => {
    const auth = {
      roles: defineRoles({
        chief: ['things:read'],
        reader: ['things:read'],
        editor: [],
        admin: [],
      }),
    }
    const caller = await createCaller({ list: 'public', read }, { auth })
    expect(caller.user?.roles.toSorted()).toEqual(roles)
    expect(caller.scope).toEqual({ owner: caller.user?.id })
    await caller.request.get('/api/things').expect(200)
    const { id } = await caller.insert('CallerThing', { name: 'own' })
    const { body } = await caller.request.get(`/api/things/${id}`).expect(200)
    expect(body.data).toEqual({ name: 'own' })
  })

  it('gives the user the roles that references need', async () => {
    const caller = await createCaller({
      list: 'user',
      references: { folder: any('owner', editor) },
    })
    expect(caller.user?.roles).toEqual(['editor'])
  })

  it('reads the access of the path and of its documents, not of what is nested or beside it', async () => {
    const publish = createRouter([
      post('/:id/publish', { access: editor }, (_req, res) => success(res)),
    ])
    const routes = createRegistry()
      .use('/api/things', createThings({ list: 'public' }))
      .use('/api/things', publish)
      .use('/api/things/:thingId/parts', createThings({ list: 'admin' }))
      .use('/api/things-of-others', createThings({ list: 'admin' }))
    const client = await start(createApi({ name: 'things', routes, ...quiet }))
    expect((await client.createCaller('/api/things')).user?.roles).toEqual(['editor'])
    expect((await client.createCaller('/api/things/:thingId/parts')).user?.roles).toEqual(['admin'])
  })

  it.each([
    ['path', '/api/orgs/:org/things'],
    ['header', '/api/things'],
  ] as const)('gives each user a separate organization, in the %s', async (from, path) => {
    const list = all(member, any('owner', 'admin'))
    const prefix = from === 'path' ? 'org' : ''
    const things = createThings({ list, read: memberRole('lead') }, prefix)
    const tenants = createTenants({ from, roles: ['lead'] })
    const routes = createRegistry().use(path, things)
    const api = createApi({ name: 'things', routes, tenants, ...quiet })
    const client = await start(api)
    const [caller, other] = [await client.createCaller(path), await client.createCaller(path)]
    const { organization = '', owner: user = '' } = caller.scope
    expect(other.scope.organization).not.toBe(organization)
    expect(await api.tenants?.readRoles({ organization, user })).toEqual(['admin', 'lead'])
    expect(caller.path).toBe(path.replace(':org', organization))
    const { id } = await caller.insert('CallerThing', { name: 'own' })
    await caller.request.get(caller.path).expect(200)
    await caller.request.get(`${caller.path}/${id}`).expect(200)
    await other.request.get(`${caller.path}/${id}`).expect(404)
    await other.request.get(`${other.path}/${id}`).expect(404)
  })

  it('refuses a path that no route has', async () => {
    const routes = createRegistry().use('/api/things', createThings({ list: 'public' }))
    const client = await start(createApi({ name: 'things', routes, ...quiet }))
    await expect(client.createCaller('/api/thing')).rejects.toThrow(
      /^createCaller\('\/api\/thing'\): no route has this path\. Paths: .*\/api\/things/,
    )
  })
})
