import { createApi, createRegistry, createRouter, type Router, success } from '@create-api/core'
import {
  createDocument,
  defineListQuery,
  deleteDocument,
  findDocument,
  findPage,
  listMeta,
  objectId,
  patchDocument,
  toPatchSchema,
  versioned,
} from '@create-api/core/resource'
import { createTestClient, type TestClient, type TestUser } from '@create-api/core/testing'
import { model, Schema } from 'mongoose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'

// Names that features of the framework use, as fields of the application without a meaning for the framework.
const names = [
  'owner',
  'organization',
  'tenant',
  'user',
  'userId',
  'role',
  'roles',
  'deletedAt',
  'version',
  'revision',
  'createdAt',
  'updatedAt',
  'expiresAt',
  'parent',
  'leaving',
]

const params = z.object({ id: objectId })
const target = z.strictObject({ target: objectId })

function createRouters(name: string, access: 'user' | 'owner'): [things: Router, notes: Router] {
  const suffix = `${name}-${access}`
  const body = z.strictObject({ [name]: z.string() })
  const response = body.extend({ id: z.string() })
  const schema = new Schema({
    [name]: String,
    ...(access === 'owner' && { owner: { type: String, required: true } }),
  }).plugin(versioned)
  const Things = model(`Thing-${suffix}`, schema)
  const reference = { type: Schema.Types.ObjectId, ref: `Thing-${suffix}`, required: true }
  const Notes = model(`Note-${suffix}`, new Schema({ target: reference }).plugin(versioned))
  const query = defineListQuery(response, { filters: [name], sort: [name] })
  const things = createRouter(
    ({ del, get, patch, post }) => [
      get('/', { query, response: response.array(), meta: listMeta }, async (req, res) => {
        const { data, meta } = await findPage(Things, req.valid.query, { scope: req.scope })
        success(res, data.map(Object), meta)
      }),
      get('/:id', { params, response }, async (req, res) => {
        const filter = { _id: req.valid.params.id }
        success(res, Object(await findDocument(Things, filter, { scope: req.scope })))
      }),
      post('/', { body, response, status: 201 }, async (req, res) => {
        const { references, scope } = req
        const created = await createDocument(Things, req.valid.body, { scope, references })
        success(res.status(201), Object(created))
      }),
      patch('/:id', { params, body: body.partial(), response }, async (req, res) => {
        const { references, scope } = req
        const options = { scope, references, match: {}, schema: toPatchSchema(body) }
        const filter = { _id: req.valid.params.id }
        const input = req.valid.body
        success(res, Object(await patchDocument(Things, filter, { ...options, input })))
      }),
      del('/:id', { params }, async (req, res) => {
        await deleteDocument(Things, { _id: req.valid.params.id }, { scope: req.scope, match: {} })
        success(res)
      }),
    ],
    { access, model: Things },
  )
  const notes = createRouter(
    ({ post }) => [
      post(
        '/',
        { body: target, response: target.extend({ id: z.string() }), status: 201 },
        async (req, res) => {
          const { references, scope } = req
          const created = await createDocument(Notes, req.valid.body, { scope, references })
          success(res.status(201), Object(created))
        },
      ),
    ],
    { access: 'user', model: Notes },
  )
  return [things, notes]
}

let client: TestClient
let ada: TestUser
let bob: TestUser

beforeAll(async () => {
  const registry = createRegistry()
  const mount = (name: string, access: 'user' | 'owner'): void => {
    const [things, notes] = createRouters(name, access)
    registry.use(`/api/${access}/${name}/things`, things).use(`/api/${access}/${name}/notes`, notes)
  }
  for (const name of names) mount(name, 'user')
  mount('title', 'owner')
  client = await createTestClient(
    createApi({ routes: registry, auth: {}, environment: 'test', rateLimit: false }),
  )
  ;[ada, bob] = [await client.signUp(), await client.signUp()]
})
afterAll(() => client.stop())

async function send(method: 'post' | 'patch', path: string, body: object, user = ada) {
  return client.request[method](path).set(user.headers).send(body)
}

describe('a field that is called', () => {
  it.each(names)('%s is one of the application', async (name) => {
    const path = `/api/user/${name}`
    const created = await send('post', `${path}/things`, { [name]: 'a' })
    expect([created.status, created.body.data?.[name]]).toEqual([201, 'a'])
    const thing = `${path}/things/${created.body.data.id}`
    const note = await send('post', `${path}/notes`, { target: created.body.data.id }, bob)
    expect(note.status).toBe(201)
    const patched = await send('patch', thing, { [name]: 'b' }, bob)
    expect([patched.status, patched.body.data?.[name]]).toEqual([200, 'b'])
    const list = await client.request.get(`${path}/things?${name}=b`).set(bob.headers).expect(200)
    expect(list.body.data).toHaveLength(1)
    await client.request.delete(thing).set(bob.headers).expect(204)
    await client.request.get(thing).set(bob.headers).expect(404)
  })
})

describe('a reference to a document of an owner', () => {
  it('is one to a document that the caller can read, where the route states nothing', async () => {
    const { body } = await send('post', '/api/owner/title/things', { title: 'a' })
    const reference = { target: body.data.id }
    expect((await send('post', '/api/owner/title/notes', reference)).status).toBe(201)
    const refused = await send('post', '/api/owner/title/notes', reference, bob)
    expect([refused.status, refused.body.errors[0].code]).toEqual([422, 'not_found'])
  })
})
