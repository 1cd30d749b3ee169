import { randomUUID } from 'node:crypto'
import { model, Schema } from 'mongoose'
import supertest from 'supertest'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type SecurityEvent } from '../../src/auth.ts'
import { createApi, createRegistry, post, createRouter, success } from '../../src/index.ts'
import { createTenants, member } from '../../src/tenants.ts'
import { createDocument, objectId } from '../../src/resource.ts'
import { createTestClient, type TestClient } from '../../src/testing.ts'

const NoteModel = model(
  'EventNote',
  new Schema({ organization: Schema.Types.ObjectId, title: String }),
)
const body = z.strictObject({ title: z.string(), organization: objectId.optional() })
const notes = createRouter(
  [
    post('/', { body, response: z.object({}), status: 201 }, async (req, res) => {
      const created = await createDocument(NoteModel, req.valid.body, { scope: req.scope })
      success(res.status(201), created)
    }),
  ],
  { access: member },
)
const events: SecurityEvent[] = []
const api = createApi({
  name: 'organizations',
  routes: createRegistry().use('/api/orgs/:org/notes', notes),
  environment: 'test',
  log: { level: 'silent' },
  tenants: createTenants({ roles: ['editor'] }),
  auth: { apiKeys: {}, onEvent: (event) => events.push(event) },
  rateLimit: false,
})

interface Person {
  readonly id: string
  readonly request: TestClient['request']
}

let client: TestClient
let ada: Person
let bob: Person
let org: string

beforeAll(async () => {
  client = await createTestClient(api)
})

afterAll(() => client.stop())

async function signUp(): Promise<Person> {
  const { headers, user } = await client.signUp()
  return { id: user.id, request: supertest.agent(client.url).set(headers) }
}

beforeEach(async () => {
  ada = await signUp()
  bob = await signUp()
  const { body: created } = await ada.request.post('/api/orgs').send({ name: 'Acme' }).expect(201)
  org = created.data.id
  events.length = 0
})

async function invite(): Promise<string> {
  const { body: created } = await ada.request
    .post(`/api/orgs/${org}/invitations`)
    .send({ roles: ['editor'] })
    .expect(201)
  return created.data.token
}

describe('security events of organizations', () => {
  it('name organization, member, actor and roles of each change', async () => {
    const path = `/api/orgs/${org}`
    const token = await invite()
    await bob.request.post(`${path}/members`).send({ token }).expect(201)
    await ada.request
      .put(`${path}/members/${bob.id}`)
      .send({ roles: ['admin', 'editor'] })
      .expect(200)
    await bob.request.delete(`${path}/members/${bob.id}`).expect(204)
    await ada.request.delete(path).expect(204)
    await ada.request.post('/api/orgs').send({ name: 'Next' }).expect(201)
    const [subject, own] = [
      { organizationId: org, userId: bob.id },
      { organizationId: org, userId: ada.id },
    ]
    expect(events).toMatchObject([
      { event: 'organization.invitation_created', ...own, actorId: ada.id, reason: 'editor' },
      { event: 'organization.invitation_accepted', ...subject, actorId: ada.id, reason: 'editor' },
      { event: 'organization.member_added', ...subject, actorId: bob.id, reason: 'editor' },
      { event: 'organization.roles_changed', ...subject, actorId: ada.id, reason: 'admin, editor' },
      { event: 'organization.member_removed', ...subject, actorId: bob.id },
      { event: 'organization.removed', organizationId: org, actorId: ada.id },
      { event: 'organization.created', userId: ada.id, actorId: ada.id },
    ])
    for (const { address, requestId } of events) {
      expect([address, requestId]).toEqual([expect.any(String), expect.any(String)])
    }
    expect(JSON.stringify(events)).not.toContain(token)
  })

  it('are emitted by api.tenants, too, and only for what has changed', async () => {
    const subject = { organization: org, user: bob.id }
    await api.tenants?.addMember(subject, ['editor'])
    await api.tenants?.addMember(subject, ['admin'])
    await expect(
      api.tenants?.removeMember({ organization: org, user: randomUUID() }),
    ).rejects.toMatchObject({ code: 'not_found' })
    expect(events).toMatchObject([
      { event: 'organization.member_added', userId: bob.id, reason: 'editor' },
    ])
    expect(events[0]?.actorId).toBeUndefined()
  })
})

describe('auth.forbidden', () => {
  it('is emitted once for a document that would be outside the scope', async () => {
    const foreign = { title: 'x', organization: '000000000000000000000000' }
    const path = `/api/orgs/${org}/notes`
    await ada.request.post(path).send(foreign).expect(403)
    expect(events).toMatchObject([
      { event: 'auth.forbidden', userId: ada.id, reason: '/api/orgs/:org/notes' },
    ])
  })

  it('is emitted once for a role that is missing, and for another member to be removed', async () => {
    await api.tenants?.addMember({ organization: org, user: bob.id })
    events.length = 0
    await bob.request.patch(`/api/orgs/${org}`).send({ name: 'Mine' }).expect(403)
    await bob.request.delete(`/api/orgs/${org}/members/${ada.id}`).expect(403)
    expect(events).toMatchObject([
      { event: 'auth.forbidden', userId: bob.id, reason: '/api/orgs/:org' },
      { event: 'auth.forbidden', userId: bob.id, reason: '/api/orgs/:org/members/:user' },
    ])
  })
})

describe('an API key', () => {
  it('reads organizations, and changes neither them nor their members', async () => {
    const token = await invite()
    const key = await client.createKey({ user: { id: ada.id, email: '', roles: [] } }, ['user'])
    const asKey = supertest.agent(client.url).set(key.headers)
    const closed = api.routes.filter(
      ({ method, tag }) => tag === 'organizations' && method !== 'GET',
    )
    expect(closed).toHaveLength(7)
    for (const { method, path } of closed) {
      const url = path.replace(':org', org).replace(':user', bob.id)
      const send = method === 'DELETE' ? asKey.delete(url) : asKey.post(url)
      const call = method === 'PUT' ? asKey.put(url) : method === 'PATCH' ? asKey.patch(url) : send
      const { body: problem } = await call.send({ token }).expect(403)
      expect(problem.detail).toMatch(/API keys cannot be used here/)
    }
    for (const path of ['/api/orgs', `/api/orgs/${org}`, `/api/orgs/${org}/members`]) {
      await asKey.get(path).expect(200)
    }
    const { body: members } = await ada.request.get(`/api/orgs/${org}/members`).expect(200)
    expect(members.data).toMatchObject([{ user: ada.id, roles: ['admin'] }])
  })
})

describe('DELETE /api/orgs/:org', () => {
  it('is for administrators, and puts the documents out of reach of everyone', async () => {
    await api.tenants?.addMember({ organization: org, user: bob.id }, ['editor'])
    const path = `/api/orgs/${org}`
    const token = await invite()
    await client.request.delete(path).expect(401)
    await (await signUp()).request.delete(path).expect(404)
    await bob.request.delete(path).expect(403)
    await bob.request.post(`${path}/notes`).send({ title: 'kept' }).expect(201)
    await ada.request.delete(path).expect(204)
    for (const { request } of [ada, bob]) {
      await request.get(path).expect(404)
      await request.delete(path).expect(404)
      await request.post(`${path}/notes`).send({ title: 'x' }).expect(404)
      expect((await request.get('/api/orgs').expect(200)).body.data).toEqual([])
    }
    await bob.request.post(`${path}/members`).send({ token }).expect(404)
    expect(await NoteModel.countDocuments({ organization: org })).toBe(1)
    const subject = { organization: org, user: bob.id }
    await expect(api.tenants?.addMember(subject)).rejects.toMatchObject({ code: 'not_found' })
    expect(await api.tenants?.readRoles(subject)).toBeUndefined()
  })

  it('leaves no member who joins at the same time', async () => {
    for (let round = 0; round < 20; round += 1) {
      const admin = await signUp()
      const created = await admin.request.post('/api/orgs').send({ name: 'Short' }).expect(201)
      const path = `/api/orgs/${created.body.data.id}`
      const { body: invitation } = await admin.request
        .post(`${path}/invitations`)
        .send({ roles: [] })
        .expect(201)
      const { token } = invitation.data
      await Promise.all([
        admin.request.delete(path).expect(204),
        bob.request.post(`${path}/members`).send({ token }),
      ])
      await bob.request.get(`${path}/members`).expect(404)
    }
  })
})
