import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import supertest from 'supertest'
import mongoose from 'mongoose'
import { createApi } from '../../src/lib/create-api.ts'
import { createRegistry } from '../../src/lib/routing/registry.ts'
import { createTenants } from '../../src/tenants.ts'
import { createTestClient, type TestClient } from '../../src/lib/testing/create-test-client.ts'

const api = createApi({
  routes: createRegistry(),
  environment: 'test',
  tenants: createTenants({ roles: ['editor'] }),
  rateLimit: false,
})

interface Person {
  readonly id: string
  readonly email: string
  readonly request: TestClient['request']
}

let client: TestClient

beforeAll(async () => {
  client = await createTestClient(api)
})

afterAll(() => client.stop())

async function signUp(): Promise<Person> {
  const { user, headers } = await client.signUp()
  return { ...user, request: supertest.agent(client.url).set(headers) }
}

async function createOrganization(person: Person, name = 'Acme'): Promise<string> {
  const { body, headers } = await person.request.post('/api/orgs').send({ name }).expect(201)
  expect(headers['location']).toBe(`/api/orgs/${body.data.id}`)
  return body.data.id
}

/** Lets an administrator invite a person, who accepts. */
async function join(admin: Person, org: string, person: Person, roles: string[]): Promise<void> {
  const path = `/api/orgs/${org}`
  const { body } = await admin.request.post(`${path}/invitations`).send({ roles }).expect(201)
  await person.request.post(`${path}/members`).send({ token: body.data.token }).expect(201)
}

const gone: readonly [string, (person: Person) => Promise<unknown> | undefined][] = [
  ['disabled', ({ id }) => api.auth?.users.update(id, { disabled: true })],
  ['removed', ({ id }) => api.auth?.removeUser(id)],
]

const absent = '000000000000000000000000'

describe('organizations', () => {
  it('have their creator as administrator', async () => {
    const ada = await signUp()
    const org = await createOrganization(ada, '  Acme  ')
    const { body } = await ada.request.get(`/api/orgs/${org}`).expect(200)
    expect(body.data).toEqual({
      id: org,
      name: 'Acme',
      roles: ['admin'],
      createdAt: expect.any(String),
    })
  })

  it('are listed for their members only, page by page', async () => {
    const [ada, bob] = [await signUp(), await signUp()]
    const first = await createOrganization(ada, 'First')
    const second = await createOrganization(ada, 'Second')
    await createOrganization(bob, 'Other')
    const { body } = await ada.request.get('/api/orgs?limit=1&page=2').expect(200)
    expect(body.data).toMatchObject([{ id: second, name: 'Second', roles: ['admin'] }])
    expect(body.meta).toEqual({ page: 2, limit: 1, total: 2, pages: 2 })
    const all = await ada.request.get('/api/orgs').expect(200)
    expect(all.body.data).toMatchObject([{ id: first }, { id: second }])
  })

  it('are renamed by administrators', async () => {
    const [ada, bob] = [await signUp(), await signUp()]
    const org = await createOrganization(ada)
    await join(ada, org, bob, ['editor'])
    const { body } = await ada.request.patch(`/api/orgs/${org}`).send({ name: 'New' }).expect(200)
    expect(body.data).toMatchObject({ id: org, name: 'New' })
    await bob.request.patch(`/api/orgs/${org}`).send({ name: 'Worse' }).expect(403)
    await ada.request.patch(`/api/orgs/${org}`).send({ name: ' ' }).expect(422)
  })

  it('require a caller, and do not exist for others', async () => {
    const [ada, bob] = [await signUp(), await signUp()]
    const org = await createOrganization(ada)
    for (const [method, path] of [
      ['get', ''],
      ['patch', ''],
      ['get', '/members'],
      ['post', '/invitations'],
      ['put', `/members/${ada.id}`],
      ['delete', `/members/${ada.id}`],
    ] as const) {
      await client.request[method](`/api/orgs/${org}${path}`).expect(401)
      const foreign = await bob.request[method](`/api/orgs/${org}${path}`).expect(404)
      const unknown = await bob.request[method](`/api/orgs/${absent}${path}`).expect(404)
      const malformed = await bob.request[method](`/api/orgs/nope${path}`).expect(404)
      const plain = ({ body }: supertest.Response): object => ({
        ...body,
        requestId: '',
        instance: '',
      })
      expect(plain(foreign)).toEqual(plain(unknown))
      expect(plain(malformed)).toEqual(plain(unknown))
    }
  })
})

describe('members', () => {
  it('join by an invitation, which works once', async () => {
    const [ada, bob, eve] = [await signUp(), await signUp(), await signUp()]
    const org = await createOrganization(ada)
    const invite = `/api/orgs/${org}/invitations`
    const invitation = await ada.request
      .post(invite)
      .send({ roles: ['editor'] })
      .expect(201)
    const { token, expiresAt } = invitation.body.data
    expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now() + 6 * 24 * 3_600_000)
    const joined = await bob.request.post(`/api/orgs/${org}/members`).send({ token }).expect(201)
    expect(joined.body.data).toMatchObject({ id: org, roles: ['editor'] })
    await eve.request.post(`/api/orgs/${org}/members`).send({ token }).expect(404)
    const { body } = await ada.request.get(`/api/orgs/${org}/members`).expect(200)
    expect(body.data).toMatchObject([
      { user: ada.id, email: ada.email, roles: ['admin'] },
      { user: bob.id, email: bob.email, roles: ['editor'] },
    ])
  })

  it('cannot join another organization with an invitation', async () => {
    const [ada, bob] = [await signUp(), await signUp()]
    const [org, other] = [await createOrganization(ada), await createOrganization(ada)]
    const { body } = await ada.request.post(`/api/orgs/${org}/invitations`).send({ roles: [] })
    const { token } = body.data
    await bob.request.post(`/api/orgs/${other}/members`).send({ token }).expect(404)
    await bob.request.post(`/api/orgs/${org}/members`).send({ token }).expect(201)
  })

  it('cannot be invited by a former administrator', async () => {
    const [ada, bob, eve] = [await signUp(), await signUp(), await signUp()]
    const org = await createOrganization(ada)
    await join(ada, org, bob, ['admin'])
    const { body } = await bob.request
      .post(`/api/orgs/${org}/invitations`)
      .send({ roles: ['admin'] })
    await ada.request.delete(`/api/orgs/${org}/members/${bob.id}`).expect(204)
    const { token } = body.data
    await bob.request.post(`/api/orgs/${org}/members`).send({ token }).expect(404)
    await eve.request.post(`/api/orgs/${org}/members`).send({ token }).expect(404)
  })

  it.each(gone)('ORG-01 cannot be invited by an administrator who was %s', async (_, act) => {
    const [ada, bob, eve] = [await signUp(), await signUp(), await signUp()]
    const org = await createOrganization(ada)
    await join(ada, org, bob, ['admin'])
    const path = `/api/orgs/${org}`
    const { body } = await bob.request
      .post(`${path}/invitations`)
      .send({ roles: ['admin'] })
      .expect(201)
    await act(bob)
    await eve.request.post(`${path}/members`).send({ token: body.data.token }).expect(404)
    await eve.request.get(path).expect(404)
  })

  it('of whom several accept one invitation at once: one gets in', async () => {
    const [ada, bob, eve] = [await signUp(), await signUp(), await signUp()]
    const org = await createOrganization(ada)
    const { body } = await ada.request.post(`/api/orgs/${org}/invitations`).send({ roles: [] })
    const accept = async ({ request }: Person): Promise<number> =>
      (await request.post(`/api/orgs/${org}/members`).send({ token: body.data.token })).status
    const statuses = await Promise.all([accept(bob), accept(eve)])
    expect(statuses.toSorted((a, b) => a - b)).toEqual([201, 404])
  })

  it('keep their roles when they accept another invitation', async () => {
    const [ada, bob] = [await signUp(), await signUp()]
    const org = await createOrganization(ada)
    await join(ada, org, bob, ['editor'])
    await join(ada, org, bob, ['admin'])
    const { body } = await bob.request.get(`/api/orgs/${org}`).expect(200)
    expect(body.data.roles).toEqual(['editor'])
  })

  it('have only roles that exist', async () => {
    const ada = await signUp()
    const org = await createOrganization(ada)
    const { body } = await ada.request
      .post(`/api/orgs/${org}/invitations`)
      .send({ roles: ['editr'] })
      .expect(422)
    expect(body.errors).toMatchObject([{ pointer: '#/roles/0' }])
    const member = { organization: org, user: ada.id }
    await expect(api.tenants?.setRoles(member, ['editr'])).rejects.toThrow(
      "Members have no role editr. Roles: admin, editor. Add it: createTenants({ roles: ['editr'] }).",
    )
  })

  it('get other roles from administrators, in force at the next request', async () => {
    const [ada, bob] = [await signUp(), await signUp()]
    const org = await createOrganization(ada)
    await join(ada, org, bob, [])
    const path = `/api/orgs/${org}/members/${bob.id}`
    await bob.request
      .put(path)
      .send({ roles: ['admin'] })
      .expect(403)
    const { body } = await ada.request
      .put(path)
      .send({ roles: ['admin', 'admin'] })
      .expect(200)
    expect(body.data).toMatchObject({ user: bob.id, roles: ['admin'] })
    await bob.request.patch(`/api/orgs/${org}`).send({ name: 'Mine' }).expect(200)
    await ada.request
      .put(path)
      .send({ roles: ['editor'] })
      .expect(200)
    await bob.request.patch(`/api/orgs/${org}`).send({ name: 'Mine' }).expect(403)
    await ada.request.put(`/api/orgs/${org}/members/${absent}`).send({ roles: [] }).expect(404)
    await ada.request
      .put(`/api/orgs/${org}/members/${absent}`)
      .send({ roles: ['admin'] })
      .expect(404)
  })

  it('leave, or are removed by administrators, and are out at the next request', async () => {
    const [ada, bob, eve] = [await signUp(), await signUp(), await signUp()]
    const org = await createOrganization(ada)
    await join(ada, org, bob, [])
    await join(ada, org, eve, [])
    await bob.request.delete(`/api/orgs/${org}/members/${eve.id}`).expect(403)
    await bob.request.delete(`/api/orgs/${org}/members/${bob.id}`).expect(204)
    await bob.request.get(`/api/orgs/${org}`).expect(404)
    await ada.request.delete(`/api/orgs/${org}/members/${eve.id}`).expect(204)
    await eve.request.get(`/api/orgs/${org}`).expect(404)
    await ada.request.delete(`/api/orgs/${org}/members/${eve.id}`).expect(404)
  })
})

describe('the last administrator', () => {
  it('can neither leave nor give the role away', async () => {
    const [ada, bob] = [await signUp(), await signUp()]
    const org = await createOrganization(ada)
    await join(ada, org, bob, ['editor'])
    const path = `/api/orgs/${org}/members/${ada.id}`
    const left = await ada.request.delete(path).expect(409)
    expect(left.body.code).toBe('last_administrator')
    await ada.request
      .put(path)
      .send({ roles: ['editor'] })
      .expect(409)
    await ada.request
      .put(path)
      .send({ roles: ['editor', 'admin'] })
      .expect(200)
  })

  it.each(gone)('ORG-01 is the one who remains when another one was %s', async (_, act) => {
    const [ada, bob, eve] = [await signUp(), await signUp(), await signUp()]
    const org = await createOrganization(ada)
    await join(ada, org, bob, ['admin'])
    await act(bob)
    const path = `/api/orgs/${org}/members/${ada.id}`
    const left = await ada.request.delete(path).expect(409)
    expect(left.body.code).toBe('last_administrator')
    await join(ada, org, eve, ['admin'])
    await ada.request.delete(path).expect(204)
  })

  it('stays when all administrators leave at once', async () => {
    for (let round = 0; round < 20; round += 1) {
      const [ada, bob] = [await signUp(), await signUp()]
      const org = await createOrganization(ada)
      await join(ada, org, bob, ['admin'])
      const leave = async ({ id, request }: Person): Promise<number> =>
        (await request.delete(`/api/orgs/${org}/members/${id}`)).status
      const give = async ({ id, request }: Person): Promise<number> =>
        (await request.put(`/api/orgs/${org}/members/${id}`).send({ roles: [] })).status
      await Promise.all([leave(ada), round % 2 === 0 ? leave(bob) : give(bob)])
      const filter = { organization: new mongoose.Types.ObjectId(org), roles: 'admin' }
      const admins = await mongoose.connection.collection('memberships').countDocuments(filter)
      expect(admins).toBeGreaterThan(0)
    }
  })

  it('is found although another attempt was abandoned a minute ago', async () => {
    const [ada, bob] = [await signUp(), await signUp()]
    const org = await createOrganization(ada)
    await join(ada, org, bob, ['admin'])
    const mark = async (seconds: number): Promise<void> => {
      const leaving = mongoose.Types.ObjectId.createFromTime(Date.now() / 1000 - seconds)
      const filter = { organization: new mongoose.Types.ObjectId(org), user: bob.id }
      await mongoose.connection.collection('memberships').updateOne(filter, { $set: { leaving } })
    }
    const path = `/api/orgs/${org}/members/${ada.id}`
    await mark(5)
    await ada.request.delete(path).expect(409)
    await mark(70)
    await ada.request.delete(path).expect(204)
  })
})

describe('api.tenants', () => {
  it('creates, fills and removes organizations', async () => {
    const [ada, bob] = [await signUp(), await signUp()]
    const { tenants } = api
    if (!tenants) throw new Error('off')
    const { id: organization } = await tenants.create('Acme', ada.id)
    const member = { organization, user: bob.id }
    expect(await tenants.readRoles(member)).toBeUndefined()
    expect(await tenants.addMember(member, ['editor'])).toBe(true)
    expect(await tenants.addMember(member, ['admin'])).toBe(false)
    expect(await tenants.readRoles(member)).toEqual(['editor'])
    await tenants.rename(organization, 'New')
    await bob.request.get(`/api/orgs/${organization}`).expect(200)
    await tenants.remove(organization)
    await bob.request.get(`/api/orgs/${organization}`).expect(404)
    await expect(tenants.rename(organization, 'New')).rejects.toMatchObject({ code: 'not_found' })
    const others = [
      mongoose.connection.collection('memberships'),
      mongoose.connection.collection('invitations'),
    ]
    const left = await Promise.all(
      others.map((collection) =>
        collection.countDocuments({ organization: new mongoose.Types.ObjectId(organization) }),
      ),
    )
    expect(left).toEqual([0, 0])
  })
})
