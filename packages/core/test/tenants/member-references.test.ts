import { createApi, createRegistry, createRouter, success } from '@create-api/core'
import {
  createDocument,
  objectId,
  patchDocument,
  toPatchSchema,
  versioned,
} from '@create-api/core/resource'
import { createTenants, member } from '@create-api/core/tenants'
import { createTestClient, type TestClient, type TestUser } from '@create-api/core/testing'
import { model, Schema, Types } from 'mongoose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'

const user = { type: Schema.Types.ObjectId, ref: 'User' }
const schema = new Schema({
  organization: { type: Schema.Types.ObjectId, required: true },
  assignee: user,
  reviewers: [user],
  steps: [{ by: user, _id: false }],
  guest: user,
}).plugin(versioned)

const body = z.strictObject({
  assignee: objectId.optional(),
  reviewers: z.array(objectId).optional(),
  steps: z.array(z.strictObject({ by: objectId })).optional(),
  guest: objectId.optional(),
})
const response = z.object({ id: z.string() })

let client: TestClient
let ada: TestUser
let bob: TestUser
let eve: TestUser
let path = ''

beforeAll(async () => {
  const Tickets = model('Ticket', schema)
  const tickets = createRouter(
    ({ patch, post }) => [
      post('/', { body, response, status: 201 }, async (req, res) => {
        const { references, scope } = req
        const options = { scope, references }
        success(res.status(201), await createDocument(Tickets, req.valid.body, options))
      }),
      patch(
        '/:id',
        { body, response, params: z.object({ org: objectId, id: objectId }) },
        async (req, res) => {
          const { references, scope } = req
          const filter = { _id: req.valid.params.id }
          const input = req.valid.body
          const options = { scope, references, match: {}, schema: toPatchSchema(body), input }
          success(res, await patchDocument(Tickets, filter, options))
        },
      ),
    ],
    { access: member, model: Tickets, references: { guest: 'public' } },
  )
  const api = createApi({
    routes: createRegistry().use('/api/orgs/:org/tickets', tickets),
    auth: {},
    tenants: createTenants(),
    environment: 'test',
    rateLimit: false,
  })
  client = await createTestClient(api)
  ;[ada, bob, eve] = [await client.signUp(), await client.signUp(), await client.signUp()]
  const organization = await api.tenants?.create('Acme', ada.user.id)
  const id = organization?.id ?? ''
  await api.tenants?.addMember({ organization: id, user: bob.user.id })
  await api.tenants?.create('Other', eve.user.id)
  path = `/api/orgs/${id}`
})
afterAll(() => client.stop())

const forms = {
  assignee: { pointer: '#/assignee', toBody: (id: string) => ({ assignee: id }) },
  'a list': { pointer: '#/reviewers/0', toBody: (id: string) => ({ reviewers: [id] }) },
  'a list of objects': {
    pointer: '#/steps/0/by',
    toBody: (id: string) => ({ steps: [{ by: id }] }),
  },
}

describe('a reference to a user in an organization', () => {
  it.each(Object.entries(forms))('is one to a member: %s', async (_name, { pointer, toBody }) => {
    const { request } = client
    const created = await request
      .post(`${path}/tickets`)
      .set(ada.headers)
      .send(toBody(bob.user.id))
      .expect(201)
    const ticket = `${path}/tickets/${created.body.data.id}`
    await request.patch(ticket).set(ada.headers).send(toBody(ada.user.id)).expect(200)
    const absent = String(new Types.ObjectId())
    for (const send of [() => request.post(`${path}/tickets`), () => request.patch(ticket)]) {
      const outside = await send().set(ada.headers).send(toBody(eve.user.id)).expect(422)
      const unknown = await send().set(ada.headers).send(toBody(absent)).expect(422)
      expect(outside.body.errors).toMatchObject([{ pointer, code: 'not_found' }])
      expect(outside.body.errors).toEqual(unknown.body.errors)
    }
  })

  it('is one to anybody where the route says so', async () => {
    await client.request
      .post(`${path}/tickets`)
      .set(ada.headers)
      .send({ guest: eve.user.id })
      .expect(201)
  })
})

it('addresses are shown to administrators, and to their owners', async () => {
  const read = async ({ headers }: TestUser): Promise<unknown[]> => {
    const { body: page } = await client.request.get(`${path}/members`).set(headers).expect(200)
    return page.data.map(({ email }: { email?: string }) => email)
  }
  expect(await read(ada)).toEqual([ada.user.email, bob.user.email])
  expect(await read(bob)).toEqual([undefined, bob.user.email])
})
