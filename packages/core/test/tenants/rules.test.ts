import { afterEach, describe, expect, it } from 'vitest'
import supertest from 'supertest'
import { z } from 'zod'
import { all } from '../../src/lib/access/access.ts'
import { defineAuthenticator } from '../../src/lib/auth/service/define-authenticator.ts'
import { type ApiRequest } from '../../src/lib/route/request.ts'
import { get, post } from '../../src/lib/route/route-methods.ts'
import { success } from '../../src/lib/response/success.ts'
import { type Api, createApi } from '../../src/lib/create-api.ts'
import { createRouter } from '../../src/lib/routing/create-router.ts'
import { createRegistry } from '../../src/lib/routing/registry.ts'
import { type ApiConfig } from '../../src/lib/settings/api-options.ts'
import { createTenants, getTenants, member, memberRole } from '../../src/tenants.ts'
import { createTestClient, type TestClient } from '../../src/lib/testing/create-test-client.ts'

const shown = { response: z.object({ tenant: z.any(), scope: z.any() }) } as const

type Show = (req: ApiRequest, res: Parameters<typeof success>[0]) => void

const show: Show = (req, res) => {
  success(res, { tenant: req.tenant, scope: req.scope })
}

let made = 0

const router = createRouter([
  get('/member', { ...shown, access: member }, show),
  get('/editor', { ...shown, access: memberRole('editor', 'admin') }, show),
  get('/own', { ...shown, access: all(member, 'owner') }, show),
  get('/typo', { ...shown, access: memberRole('editr') }, show),
  post(
    '/count',
    {
      access: memberRole('admin', 'editor'),
      body: z.object({}),
      response: z.object({ made: z.int() }),
      idempotent: true,
    },
    (req, res) => {
      made += 1
      void req.scope
      success(res, { made })
    },
  ),
])

interface Setup {
  readonly api: Api
  readonly client: TestClient
  readonly ada: Person
  readonly bob: Person
  readonly org: string
  readonly other: string
}

interface Person {
  readonly id: string
  readonly request: TestClient['request']
}

interface Use {
  /** The statuses of a route for members, and of one for editors. */
  readonly rules: () => Promise<number[]>
  /** The organizations that are listed, with the roles. */
  readonly list: () => Promise<unknown[]>
}

let running: TestClient | undefined

afterEach(async () => {
  await running?.stop()
  running = undefined
})

/** An API with two organizations: ada is the administrator of the first, bob of the second. */
async function start(options: Partial<ApiConfig>, prefix = '/api'): Promise<Setup> {
  const routes = createRegistry().use(`${prefix}/things`, router)
  const api = createApi({
    routes,
    environment: 'test',
    rateLimit: false,
    tenants: createTenants(),
    ...options,
  })
  const client = await createTestClient(api)
  running = client
  const signUp = async (): Promise<Person> => {
    const { user, headers } = await client.signUp()
    return { id: user.id, request: supertest.agent(client.url).set(headers) }
  }
  const [ada, bob] = [await signUp(), await signUp()]
  const { id: org = '' } = (await api.tenants?.create('First', ada.id)) ?? {}
  const { id: other = '' } = (await api.tenants?.create('Second', bob.id)) ?? {}
  return { api, client, ada, bob, org, other }
}

describe('member', () => {
  it('admits members by the path, with the organization as scope', async () => {
    const { api, client, ada, bob, org } = await start({}, '/api/orgs/:org')
    const path = `/api/orgs/${org}/things/member`
    const { body } = await ada.request.get(path).expect(200)
    expect(body.data).toEqual({
      tenant: { id: org, roles: ['admin'] },
      scope: { organization: org },
    })
    await client.request.get(path).expect(401)
    await bob.request.get(path).expect(404)
    await ada.request.get('/api/orgs/nope/things/member').expect(404)
    await api.tenants?.addMember({ organization: org, user: bob.id })
    await bob.request.get(path).expect(200)
    await api.tenants?.removeMember({ organization: org, user: bob.id })
    await bob.request.get(path).expect(404)
  })

  it.each(['path', 'header'] as const)(
    'gives an API key what its owner had when it was created, with the organization in the %s',
    async (from) => {
      const base = from === 'path' ? '/api/orgs/:org' : '/api'
      const options = { auth: { apiKeys: {} }, tenants: createTenants({ from, roles: ['editor'] }) }
      const { api, client, bob, org, other } = await start(options, base)
      const { tenants, auth } = api
      if (!tenants || !auth) throw new Error('no organizations')
      const organization = { organization: org, user: bob.id }
      const createKey = async (): Promise<Use> => {
        const { key } = await auth.apiKeys.create(bob.id, { name: 'ci', scopes: ['user'] })
        const headers = { Authorization: `Bearer ${key}`, 'X-Organization': org }
        const read = (path: string): supertest.Test => client.request.get(path).set(headers)
        return {
          rules: async () => {
            const path = `${base.replace(':org', org)}/things`
            const statuses = ['member', 'editor'].map((rule) => read(`${path}/${rule}`))
            return (await Promise.all(statuses)).map(({ status }) => status)
          },
          list: async () => {
            const { body } = await read('/api/orgs').expect(200)
            return body.data.map(({ id, roles }: { id: string; roles: string[] }) => [id, roles])
          },
        }
      }
      const before = await createKey()
      await tenants.addMember(organization)
      expect(await before.rules()).toEqual([404, 404])
      expect(await before.list()).toEqual([[other, ['admin']]])
      const plain = await createKey()
      await tenants.setRoles(organization, ['editor', 'admin'])
      expect(await plain.rules()).toEqual([200, 403])
      expect(await plain.list()).toContainEqual([org, []])
      const admin = await createKey()
      expect(await admin.rules()).toEqual([200, 200])
      await tenants.setRoles(organization, [])
      expect(await admin.rules()).toEqual([200, 403])
      await tenants.removeMember(organization)
      expect(await admin.rules()).toEqual([404, 404])
    },
  )

  it('gives the successor of an API key no more than the key had', async () => {
    const { api, client, bob, org } = await start({ auth: { apiKeys: {} } }, '/api/orgs/:org')
    const { id } = (await api.auth?.apiKeys.create(bob.id, { name: 'ci', scopes: ['user'] })) ?? {}
    await api.tenants?.addMember({ organization: org, user: bob.id })
    const { key } = (await api.auth?.apiKeys.rotate({ id: id ?? '' })) ?? {}
    const path = `/api/orgs/${org}/things/member`
    await client.request.get(path).set('Authorization', `Bearer ${key}`).expect(404)
  })

  it('joins its filter with those of other rules', async () => {
    const { ada, org } = await start({}, '/api/orgs/:org')
    const { body } = await ada.request.get(`/api/orgs/${org}/things/own`).expect(200)
    expect(body.data.scope).toEqual({ $and: [{ organization: org }, { owner: ada.id }] })
  })

  it.each([
    [{}, '/api', 'its path does not name the organization. Mount the router below /api/orgs/:org'],
    [
      { tenants: false },
      '/api/orgs/:org',
      'which needs organizations: createApi({ tenants: createTenants() })',
    ],
    [{ auth: false, tenants: false }, '/api/orgs/:org', 'which needs organizations'],
  ] as const)('explains what is missing when the API is created: %j', (options, prefix, text) => {
    const routes = createRegistry().use(`${prefix}/things`, router)
    expect(() => createApi({ routes, tenants: createTenants(), ...options })).toThrow(
      `GET ${prefix}/things/member has the access 'member', `,
    )
    expect(() => createApi({ routes, tenants: createTenants(), ...options })).toThrow(text)
  })

  it('is checked in references, too', () => {
    const handler = (): void => {}
    const references = { author: member }
    const own = createRouter([post('/', { access: 'user', references }, handler)])
    const routes = createRegistry().use('/api/things', own)
    expect(() => createApi({ routes })).toThrow("POST /api/things has the access 'member', ")
  })
})

describe('memberRole', () => {
  it('refuses members without the role, by 403', async () => {
    const { api, ada, bob, org } = await start(
      { tenants: createTenants({ roles: ['editor'] }) },
      '/api/orgs/:org',
    )
    const path = `/api/orgs/${org}/things/editor`
    const member1 = { organization: org, user: bob.id }
    await ada.request.get(path).expect(200)
    await bob.request.get(path).expect(404)
    await api.tenants?.addMember(member1)
    await bob.request.get(path).expect(403)
    await api.tenants?.setRoles(member1, ['editor'])
    const { body } = await bob.request.get(path).expect(200)
    expect(body.data).toEqual({
      tenant: { id: org, roles: ['editor'] },
      scope: { organization: org },
    })
  })

  it('explains a role that does not exist', async () => {
    expect(() => memberRole()).toThrow("memberRole() needs a role: memberRole('admin').")
    const { ada, org } = await start({}, '/api/orgs/:org')
    await ada.request.get(`/api/orgs/${org}/things/typo`).expect(500)
  })
})

describe("tenants.from: 'header'", () => {
  it('reads the organization from the header', async () => {
    const { client, ada, org, other } = await start({ tenants: createTenants({ from: 'header' }) })
    const path = '/api/things/member'
    const found = await ada.request.get(path).set('X-Organization', org).expect(200)
    expect(found.body.data.tenant).toEqual({ id: org, roles: ['admin'] })
    expect(found.headers['vary']).toContain('X-Organization')
    await ada.request.get(path).set('X-Organization', other).expect(404)
    await ada.request.get(path).set('X-Organization', 'nope').expect(404)
    await client.request.get(path).set('X-Organization', org).expect(401)
    const { body } = await ada.request.get(path).expect(400)
    expect(body.errors).toEqual([
      { in: 'header', pointer: '#/X-Organization', code: 'required', detail: 'is required' },
    ])
  })

  it('obeys the path where that names one', async () => {
    const tenants = createTenants({ from: 'header', header: 'X-Team' })
    const { ada, org, other } = await start({ tenants }, '/api/orgs/:org')
    const at = (id: string): string => `/api/orgs/${id}/things/member`
    await ada.request.get(at(org)).set('X-Team', other).expect(200)
    await ada.request.get(at(other)).set('X-Team', org).expect(404)
  })

  it('keeps the idempotency keys of two organizations apart', async () => {
    const tenants = createTenants({ from: 'header', roles: ['editor'] })
    const { api, ada, org, other } = await start({ tenants })
    await api.tenants?.addMember({ organization: other, user: ada.id }, ['editor'])
    const send = async (id: string): Promise<number> => {
      const headers = { 'X-Organization': id, 'Idempotency-Key': '"once"' }
      const { body } = await ada.request.post('/api/things/count').set(headers).send({}).expect(200)
      return body.data.made
    }
    const first = await send(org)
    expect(await send(org)).toBe(first)
    expect(await send(other)).toBe(first + 1)
    await api.tenants?.removeMember({ organization: other, user: ada.id })
    const headers = { 'X-Organization': other, 'Idempotency-Key': '"once"' }
    await ada.request.post('/api/things/count').set(headers).send({}).expect(404)
  })
})

describe('the OpenAPI document', () => {
  it('says how a request names its organization, and what it may respond', () => {
    const describeWith = (tenants: ApiConfig['tenants'], prefix: string): string => {
      const routes = createRegistry().use(`${prefix}/things`, router)
      const { openapi } = createApi({ routes, environment: 'test', tenants })
      const path = `${prefix.replace(':org', '{org}')}/things/own`
      return JSON.stringify(openapi?.paths[path]?.['get'])
    }
    const teams = createTenants({ from: 'header', header: 'X-Team' })
    const inHeader = describeWith(teams, '/api')
    expect(inHeader).toContain('{"name":"X-Team","in":"header"')
    expect(inHeader).toContain('"x-access":"member and owner"')
    expect(inHeader).toContain('"404"')
    const inPath = describeWith(teams, '/api/orgs/:org')
    expect(inPath).not.toContain('X-Team')
    expect(inPath).toContain('{"name":"org","in":"path"')
  })
})

describe("tenants.from: 'token'", () => {
  it('reads the organization from a claim, and the membership from the database', async () => {
    const current = new Map<string, string>()
    const claims = {
      namespace: 'https://example.com/claims',
      create: ({ id }: { readonly id: string }) => ({ organization: current.get(id) }),
    }
    const options = { auth: { claims }, tenants: createTenants({ from: 'token' }) } as const
    const { api, client, ada, bob, org } = await start(options)
    // The first tokens were issued before the users had an organization.
    await ada.request.get('/api/things/member').expect(404)
    for (const { id } of [ada, bob]) current.set(id, org)
    const read = async ({ id }: Person): Promise<number> => {
      const grant = await api.auth?.issueTokens({ id })
      const Authorization = `Bearer ${grant?.accessToken}`
      return (await client.request.get('/api/things/member').set({ Authorization })).status
    }
    expect(await read(ada)).toBe(200)
    expect(await read(bob)).toBe(404)
  })

  it('accepts the claims of another authenticator', async () => {
    const authenticator = defineAuthenticator((req) => {
      req.claims = { org: req.get('X-Test-Org') }
      return { id: 'kim', email: 'kim@x.io', roles: [] }
    })
    const tenants = createTenants({ from: 'token', claim: 'org' })
    const routes = createRegistry().use('/api/things', router)
    const api = createApi({ routes, environment: 'test', auth: false, authenticator, tenants })
    running = await createTestClient(api)
    const { id = '' } = (await api.tenants?.create('First', 'kim')) ?? {}
    const { request } = running
    const { body } = await request.get('/api/things/member').set('X-Test-Org', id).expect(200)
    expect(body.data.tenant).toEqual({ id, roles: ['admin'] })
    await request.get('/api/things/member').expect(404)
    const members = await request.get(`/api/orgs/${id}/members`).expect(200)
    expect(members.body.data).toMatchObject([{ user: 'kim', roles: ['admin'] }])
    expect(members.body.data[0]).not.toHaveProperty('email')
  })
})

describe('getTenants', () => {
  it('returns the organizations of the API, or explains what is missing', () => {
    expect(() => getTenants(Object.create(null))).toThrow(
      'This API has no organizations: createApi({ tenants: createTenants() }).',
    )
  })
})
