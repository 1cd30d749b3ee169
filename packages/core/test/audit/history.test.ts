import {
  type Access,
  type Api,
  createApi,
  createRegistry,
  createRouter,
  del,
  get,
  post,
  put,
  role,
  type Scope,
  success,
} from '@create-api/core'
import { auditChanges, withAudit } from '@create-api/core/audit'
import {
  createDocument,
  deleteDocument,
  findDocument,
  idParams as params,
  objectId,
  patchDocument,
  restrict,
  toOutputSchema,
  toPatchSchema,
  versioned,
} from '@create-api/core/resource'
import { createTenants, member, memberRole } from '@create-api/core/tenants'
import { createTestClient, findAccessFaults, type TestClient } from '@create-api/core/testing'
import { type Request } from 'express'
import mongoose, { model, Schema } from 'mongoose'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'

const createReport = z.strictObject({
  title: z.string(),
  salary: restrict(z.number(), { readable: role('auditor'), writable: 'public' }),
  address: z.strictObject({ city: z.string() }).optional(),
})
const patchReport = toPatchSchema(createReport)
const report = toOutputSchema(createReport).omit({ createdAt: true, updatedAt: true })

let client: TestClient | undefined

afterEach(async () => {
  await client?.stop()
  client = undefined
  for (const name of mongoose.connection.modelNames()) mongoose.connection.deleteModel(name)
})

function createReports(read: Access, own?: Access, isNested = false) {
  const schema = new Schema(
    {
      title: { type: String, required: true },
      salary: Number,
      internal: { type: String, default: 'internal' },
      address: {
        city: { type: String, required: true },
        code: { type: String, default: 'internal' },
      },
      owner: Schema.Types.ObjectId,
      organization: Schema.Types.ObjectId,
    },
    { collection: 'reports' },
  ).plugin(versioned)
  const Reports = model('Report', schema)
  auditChanges(Reports)
  const itemParams = isNested ? z.object({ org: objectId, id: objectId }) : params
  const router = createRouter(
    [
      get('/:id', { params: itemParams, response: report }, async (req, res) => {
        const { id } = req.valid.params
        success(res, await findDocument(Reports, { _id: id }, { scope: req.scope }))
      }),
      post(
        '/',
        { body: createReport, response: report, status: 201, params: z.looseObject({}) },
        async (req, res) => {
          success(
            res.status(201),
            await createDocument(Reports, req.valid.body, { scope: req.scope }),
          )
        },
      ),
      put('/:id', { params: itemParams, body: patchReport, response: report }, async (req, res) => {
        const { scope, valid } = req
        const options = { scope, match: {}, schema: patchReport, input: valid.body }
        success(res, await patchDocument(Reports, { _id: valid.params.id }, options))
      }),
      del('/:id', { params: itemParams }, async (req, res) => {
        await deleteDocument(Reports, { _id: req.valid.params.id }, { scope: req.scope, match: {} })
        success(res)
      }),
    ],
    { access: read, model: Reports },
  )
  return withAudit(router, { access: own })
}

async function start(api: Api): Promise<TestClient> {
  client = await createTestClient(api)
  return client
}

describe('withAudit', () => {
  it('serves the history of a document in pages, the latest first, with the caller and the request', async () => {
    const routes = createRegistry().use('/api/reports', createReports('user'))
    const testClient = await start(createApi({ routes, environment: 'test' }))
    const { request } = testClient
    const admin = await testClient.signUp({ roles: ['admin'] })
    const user = await testClient.signUp()
    const body = { title: 'One', salary: 10, address: { city: 'Oslo' } }
    const created = await request
      .post('/api/reports')
      .set(user.headers)
      .set('X-Request-Id', 'request-one')
      .send(body)
      .expect(201)
    const { id } = created.body.data
    for (const title of ['Two', 'Three']) {
      await request.put(`/api/reports/${id}`).set(user.headers).send({ title }).expect(200)
    }
    await request.get(`/api/reports/${id}/history`).expect(401)
    await request.get(`/api/reports/${id}/history`).set(user.headers).expect(403)
    const page = await request
      .get(`/api/reports/${id}/history?limit=2`)
      .set(admin.headers)
      .expect(200)
    expect(page.body.meta).toMatchObject({ total: 3, pages: 2 })
    expect(page.body.data).toMatchObject([
      {
        sequence: 3,
        action: 'changed',
        changes: [{ path: 'title', before: 'Two', after: 'Three' }],
      },
      { sequence: 2, action: 'changed' },
    ])
    const last = await request
      .get(`/api/reports/${id}/history?limit=2&page=2`)
      .set(admin.headers)
      .expect(200)
    const [entry] = last.body.data
    expect(entry).toMatchObject({
      sequence: 1,
      action: 'created',
      requestId: 'request-one',
      caller: { user: user.user.id },
    })
    expect(Object.keys(entry)).not.toContain('hash')
    expect(entry.at).toMatch(/^\d{4}-.*Z$/)
    // What the response of the document does not contain for an administrator, is not shown.
    expect(entry.changes).toEqual(
      expect.arrayContaining([
        { path: 'title', after: 'One' },
        { path: 'salary', hidden: 'masked' },
        { path: 'internal', hidden: 'masked' },
        { path: 'address.city', after: 'Oslo' },
        { path: 'address.code', hidden: 'masked' },
      ]),
    )
    const both = await testClient.signUp({ roles: ['admin', 'auditor'] })
    const shown = await request.get(`/api/reports/${id}/history?page=3&limit=1`).set(both.headers)
    expect(shown.body.data[0].changes).toContainEqual({ path: 'salary', after: 10 })
    await request.get(`/api/reports/${id}/history?sort=title`).set(admin.headers).expect(400)
    await request
      .get(`/api/reports/000000000000000000000000/history`)
      .set(admin.headers)
      .expect(404)
  })

  it('applies the scope of the document, also after it was deleted', async () => {
    const routes = createRegistry().use('/api/reports', createReports('owner', 'user'))
    const api = createApi({ routes, environment: 'test' })
    const testClient = await start(api)
    const { request } = testClient
    const [owner, other] = [await testClient.signUp(), await testClient.signUp()]
    const created = await request
      .post('/api/reports')
      .set(owner.headers)
      .send({ title: 'One', salary: 10, address: { city: 'Oslo' } })
      .expect(201)
    const path = `/api/reports/${created.body.data.id}`
    await request.get(`${path}/history`).set(owner.headers).expect(200)
    await request.get(`${path}/history`).set(other.headers).expect(404)
    await request.delete(path).set(owner.headers).expect(204)
    const { body } = await request.get(`${path}/history`).set(owner.headers).expect(200)
    expect(body.data.map(({ action }: { action: string }) => action)).toEqual([
      'deleted',
      'created',
    ])
    await request.get(`${path}/history`).set(other.headers).expect(404)
    expect(await findAccessFaults(api, testClient)).toEqual([])
  })

  it('hides the history of another organization', async () => {
    const routes = createRegistry().use(
      '/api/orgs/:org/reports',
      createReports(member, memberRole('admin'), true),
    )
    const api = createApi({ routes, environment: 'test', tenants: createTenants() })
    const testClient = await start(api)
    const { request } = testClient
    const [ada, eve] = [await testClient.signUp(), await testClient.signUp()]
    const acme = await api.tenants?.create('Acme', ada.user.id)
    const globex = await api.tenants?.create('Globex', eve.user.id)
    const created = await request
      .post(`/api/orgs/${acme?.id}/reports`)
      .set(ada.headers)
      .send({ title: 'One', salary: 10, address: { city: 'Oslo' } })
      .expect(201)
    const { id } = created.body.data
    const own = await request.get(`/api/orgs/${acme?.id}/reports/${id}/history`).set(ada.headers)
    expect(own.body.data[0].caller).toEqual({ user: ada.user.id, organization: acme?.id })
    for (const organization of [acme, globex]) {
      const path = `/api/orgs/${organization?.id}/reports/${id}/history`
      await request.get(path).set(eve.headers).expect(404)
    }
    await request.delete(`/api/orgs/${acme?.id}/reports/${id}`).set(ada.headers).expect(204)
    await request.get(`/api/orgs/${acme?.id}/reports/${id}/history`).set(ada.headers).expect(200)
    await request.get(`/api/orgs/${globex?.id}/reports/${id}/history`).set(eve.headers).expect(404)
  })

  it('applies the scope that a function returns', async () => {
    const reports = createReports('user', 'user')
    const ofHeader = withAudit(
      createRouter(
        reports.routes.filter(({ path }) => !path.endsWith('/history')),
        { access: 'user', model: reports.model },
      ),
      {
        access: 'user',
        scope: (req: Request) => {
          const title = req.get('x-title')
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a program in JavaScript can return
          return (title === undefined ? undefined : { title }) as Scope
        },
      },
    )
    const routes = createRegistry().use('/api/reports', ofHeader)
    const errors: unknown[] = []
    const logger = { ...console, error: (fields: object) => errors.push(fields) } as never
    const api = createApi({ routes, environment: 'test', log: { logger } })
    const testClient = await start(api)
    const { request } = testClient
    const { headers } = await testClient.signUp()
    const created = await request
      .post('/api/reports')
      .set(headers)
      .send({ title: 'One', salary: 10, address: { city: 'Oslo' } })
      .expect(201)
    const path = `/api/reports/${created.body.data.id}/history`
    await request.get(path).set(headers).set('x-title', 'One').expect(200)
    await request.get(path).set(headers).set('x-title', 'Two').expect(404)
    // A function that returns nothing does not open everything.
    await request.get(path).set(headers).expect(500)
    const message = expect.stringContaining('withAudit({ scope }) must return a filter')
    expect(errors).toEqual([expect.objectContaining({ err: expect.objectContaining({ message }) })])
  })

  it('explains what a router lacks', () => {
    const Plain = model('Plain', new Schema({ title: String }))
    const item = get('/:id', { params, response: report }, () => {})
    expect(() => withAudit(createRouter([], { access: 'user', model: Plain }))).toThrow(
      'needs a router with the route GET /:id',
    )
    expect(() => withAudit(createRouter([item], { access: 'user' }))).toThrow(
      'a router with a model',
    )
    expect(() => withAudit(createRouter([item], { access: 'user', model: Plain }))).toThrow(
      'needs a model that is audited',
    )
  })
})
