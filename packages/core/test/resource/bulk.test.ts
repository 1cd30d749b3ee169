import express from 'express'
import mongoose, { model, Schema } from 'mongoose'
import supertest from 'supertest'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { withBulk } from '../../src/bulk.ts'
import {
  ApiError,
  type ApiRequest,
  createApi,
  createRegistry,
  createRouter,
  del,
  get,
  post,
  type Router,
  role,
  success,
} from '../../src/index.ts'
import {
  createDocument,
  decimal,
  deleteDocument,
  findDocument,
  idParams as params,
  objectId,
  parseIfMatch,
  patchDocument,
  replaceDocument,
  restrict,
  setCreated,
  toOutputSchema,
  toPatchSchema,
  versioned,
} from '../../src/resource.ts'
import { createTestClient, findAccessFaults, type TestClient } from '../../src/testing.ts'
import { createRandom } from '../random.ts'

const createTask = z.strictObject({
  title: z.string().min(1),
  code: z.string().optional(),
  price: decimal().optional(),
  parent: objectId.optional(),
  secret: restrict(z.string(), { readable: 'user', writable: role('admin') }),
})
const patchTask = toPatchSchema(createTask)
const task = toOutputSchema(createTask).omit({ createdAt: true, updatedAt: true })

let onCreate: ((title: string) => unknown) | undefined

// Two resources with the same routes, to compare bulk requests with single ones.
function createResource(name: string) {
  const schema = new Schema({
    title: { type: String, required: true },
    code: { type: String, unique: true, sparse: true },
    price: Schema.Types.Decimal128,
    parent: { type: Schema.Types.ObjectId, ref: name },
    secret: String,
    owner: Schema.Types.ObjectId,
  }).plugin(versioned)
  const TaskModel = model(name, schema)
  const etag = true
  const errors = ['duplicate'] as const
  const references = { parent: 'owner' } as const
  const router = createRouter(
    (route) => [
      route.get('/:id', { response: task, etag }, async (req, res) => {
        const { id } = req.valid.params
        success(res, await findDocument(TaskModel, { _id: id }, { scope: req.scope }))
      }),
      route.post(
        '/',
        {
          body: createTask,
          response: task,
          status: 201,
          etag,
          idempotent: true,
          errors,
          references,
        },
        async (req, res) => {
          const { references: found, scope, valid } = req
          await onCreate?.(valid.body.title)
          const options = { scope, references: found }
          const document = await createDocument(TaskModel, valid.body, options)
          success(setCreated(res, document), document)
        },
      ),
      route.put(
        '/:id',
        { body: createTask, response: task, etag, errors, references },
        async (req, res) => {
          const { body: input, params: parameters } = req.valid
          const options = { ...toChange(req), schema: createTask, input }
          success(res, await replaceDocument(TaskModel, { _id: parameters.id }, options))
        },
      ),
      route.patch(
        '/:id',
        { body: patchTask, response: task, etag, errors, references },
        async (req, res) => {
          const { body: input, params: parameters } = req.valid
          const options = { ...toChange(req), schema: patchTask, input }
          success(res, await patchDocument(TaskModel, { _id: parameters.id }, options))
        },
      ),
      route.del('/:id', { etag, requireIfMatch: true }, async (req, res) => {
        await deleteDocument(TaskModel, { _id: req.valid.params.id }, toChange(req))
        success(res)
      }),
    ],
    { access: 'owner', params, model: TaskModel },
  )
  return { TaskModel, router: withBulk(router, { limit: 50 }) }
}

function toChange(req: ApiRequest) {
  return { scope: req.scope, match: parseIfMatch(req), references: req.references }
}

const { TaskModel, router } = createResource('BulkTask')
const other = createResource('BulkOther')

function withoutBulk(): Router {
  const routes = router.routes.filter(({ path }) => path !== '/bulk')
  return createRouter(routes, { model: TaskModel })
}

function openRouter(access: 'public' | 'admin' = 'public', deprecated = false): Router {
  return createRouter(
    [
      post('/', { body: createOpen, response: openTask, status: 201 }, async (req, res) => {
        const document = await createDocument(TaskModel, req.valid.body, { scope: {} })
        success(setCreated(res, document), document)
      }),
      del('/:id', { params, access }, (req, res) => {
        if (req.user === undefined) throw new ApiError('not_found')
        success(res)
      }),
    ],
    { access: 'public', ...(deprecated && { deprecated: { since: '2025-01-01' } }) },
  )
}

const createOpen = z.strictObject({ title: z.string().min(1) })
const openTask = toOutputSchema(createOpen).pick({ id: true, title: true })

let count = 0
const sentRouter = createRouter(
  [
    post('/', { response: z.object({}), status: 201 }, async (_req, res) => {
      await TaskModel.create({ title: 'sent' })
      if (++count % 2 === 0) res.status(418).json({ own: true })
      else success(res.status(201), {})
    }),
  ],
  { access: 'public' },
)

const logged: string[] = []
const api = createApi({
  name: 'bulk',
  log: { stream: { write: (line: string) => void logged.push(line) } },
  rateLimit: false,
  routes: createRegistry()
    .use('/api/tasks', router)
    .use('/api/others', other.router)
    .use('/api/small', withBulk(withoutBulk(), { bodyLimit: '1kb' }))
    .use('/api/mixed', withBulk(openRouter('admin')))
    .use('/api/closed', withBulk(openRouter(), { access: 'admin' }))
    .use('/api/old', withBulk(openRouter('public', true)))
    .use('/api/sent', withBulk(sentRouter)),
})
let client: TestClient
let headers: Record<string, string>

beforeAll(async () => {
  client = await createTestClient(api)
  await Promise.all([TaskModel.init(), other.TaskModel.init()])
  ;({ headers } = await client.signUp())
})
afterAll(() => client.stop())
beforeEach(() => {
  count = 0
  mongoose.set('transactionAsyncLocalStorage', true)
})
afterEach(async () => {
  onCreate = undefined
  mongoose.set('transactionAsyncLocalStorage', false)
  await Promise.all([TaskModel.deleteMany(), other.TaskModel.deleteMany()])
})

function send(body: object | string, more: Record<string, string> = {}, path = '/api/tasks') {
  return client.request
    .post(`${path}/bulk`)
    .set({ ...headers, ...more })
    .send(body)
}

const create = (title: unknown, more: object = {}) => ({
  action: 'create',
  body: { title, ...more },
})
const absent = '0'.repeat(24)

describe('a bulk request', () => {
  it('runs each item as the single request, in order', async () => {
    const { body } = await send({ items: [create('a'), create(''), create('b')] }).expect(200)
    const [first, second, third] = body.data
    expect(body.meta).toEqual({ succeeded: 2, failed: 1 })
    expect(first).toEqual({
      status: 201,
      etag: '"0"',
      location: `/api/tasks/${first.data.id}`,
      data: { id: first.data.id, title: 'a' },
    })
    expect(second).toMatchObject({
      status: 422,
      error: { code: 'validation_failed', errors: [{ pointer: '#/items/1/body/title' }] },
    })
    await client.request.get(third.location).set(headers).expect(200)
    const { id } = first.data
    const changes = [
      { action: 'patch', id, ifMatch: '"0"', body: { title: 'c' } },
      { action: 'patch', id, ifMatch: '"0"', body: { title: 'd' } },
      { action: 'replace', id, body: { title: 'e', code: 'x' } },
      { action: 'delete', id },
      { action: 'delete', id, ifMatch: '"2"' },
      { action: 'delete', id: absent, ifMatch: '"0"' },
      { action: 'delete', id: 'nonsense', ifMatch: '"0"' },
    ]
    const { body: changed } = await send({ items: changes }).expect(200)
    const statuses = changed.data.map(({ status }: { status: number }) => status)
    expect(statuses).toEqual([200, 412, 200, 428, 204, 404, 404])
    expect(changed.data[4]).toEqual({ status: 204 })
    expect(changed.data[2].data).toEqual({ id, title: 'e', code: 'x' })
  })

  it('rejects what is not an item with a pointer to it', async () => {
    const items = [
      'text',
      { action: 'move' },
      { action: 'patch', body: {} },
      { action: 'create', id: absent, body: {} },
      { action: 'create' },
      { action: 'delete', id: absent, ifMatch: 1 },
      { action: 'patch', id: absent, body: { title: 'x', $set: {} } },
    ]
    const { body } = await send({ items }).expect(200)
    const pointers = body.data.map(({ error }: { error: { errors: { pointer: string }[] } }) =>
      error.errors.map(({ pointer }) => pointer),
    )
    expect(pointers).toEqual([
      ['#/items/0'],
      ['#/items/1/action'],
      ['#/items/2/id'],
      ['#/items/3/id'],
      ['#/items/4/body'],
      ['#/items/5/ifMatch'],
      ['#/items/6/body/%24set'],
    ])
  })

  it('is limited in items and bytes, not in the size of an item', async () => {
    const many = await send({ items: Array.from({ length: 51 }, () => create('a')) }).expect(422)
    expect(many.body.errors[0]).toMatchObject({ pointer: '#/items', code: 'too_big' })
    await send({ items: [] }).expect(422)
    await send({ items: [create('a')], more: 1 }).expect(422)
    await send({ items: [create('x'.repeat(200_000))] }).expect(200)
    await send({ items: [create('x'.repeat(2000))] }, {}, '/api/small').expect(413)
    await send('{"items":', { 'Content-Type': 'application/json' }).expect(400)
    await send('a=1', { 'Content-Type': 'application/x-www-form-urlencoded' }).expect(415)
  })

  it('checks long numbers and restricted fields as the single request does', async () => {
    const text =
      '{"items":[{"action":"create","body":{"title":"a","price":12345678901234567.89}},{"action":"create","body":{"title":"b","secret":"s"}}]}'
    const { body } = await send(text, { 'Content-Type': 'application/json' }).expect(200)
    expect(body.data[0].error.errors[0]).toMatchObject({
      pointer: '#/items/0/body/price',
      detail: 'must be text if it has more than 15 digits',
    })
    expect(body.data[1].error.errors[0]).toMatchObject({
      pointer: '#/items/1/body/secret',
      code: 'unrecognized_key',
    })
  })

  it('reaches only the documents of the caller, and refers only to them', async () => {
    const { body } = await send({ items: [create('mine')] }).expect(200)
    const { id } = body.data[0].data
    const stranger = (await client.signUp()).headers
    const items = [
      { action: 'patch', id, body: { title: 'taken' } },
      { action: 'delete', id, ifMatch: '"0"' },
      create('child', { parent: id }),
    ]
    const { body: refused } = await send({ items }, stranger).expect(200)
    expect(refused.data).toMatchObject([
      { status: 404 },
      { status: 404 },
      { status: 422, error: { errors: [{ pointer: '#/items/2/body/parent' }] } },
    ])
    expect(await TaskModel.find().lean()).toMatchObject([{ title: 'mine' }])
    await client.request.post('/api/tasks/bulk').send({ items }).expect(401)
  })

  it('has the access of each route, and loads the caller once', async () => {
    const items = [create('a'), { action: 'delete', id: absent }]
    const { body } = await send({ items }, {}, '/api/mixed').expect(200)
    expect(body.data).toMatchObject([{ status: 201 }, { status: 403 }])
    const { body: open } = await client.request.post('/api/mixed/bulk').send({ items }).expect(200)
    expect(open.data).toMatchObject([
      { status: 201 },
      { status: 401, error: { code: 'unauthenticated' } },
    ])
    await send({ items }, {}, '/api/closed').expect(403)
    expect(await findAccessFaults(api, client)).toEqual([])
  })

  it('repeats the response to the same Idempotency-Key', async () => {
    const key = { 'Idempotency-Key': 'one' }
    const { body } = await send({ items: [create('a'), create('')] }, key).expect(200)
    const { body: again } = await send({ items: [create('a'), create('')] }, key).expect(200)
    expect(again).toEqual(body)
    await send({ items: [create('b')] }, key).expect(422)
    expect(await TaskModel.countDocuments()).toBe(1)
  })

  it('lets the rest run after an error of the server, which is logged', async () => {
    onCreate = (title) => {
      if (title === 'bad') throw new Error('Broken')
    }
    const { body } = await send({ items: [create('bad'), create('good')] }).expect(200)
    expect(body.data).toMatchObject([
      { status: 500, error: { code: 'internal_error' } },
      { status: 201 },
    ])
    expect(body.data[0].error).not.toHaveProperty('detail')
    expect(logged.filter((line) => line.includes('Broken'))).toHaveLength(1)
  })

  it('equals single requests for random items, in results and in what is stored', async () => {
    const random = createRandom(7).next
    for (let round = 0; round < 20; round++) {
      const items = Array.from({ length: 12 }, () => createRandomItem(random))
      const { bulk, single } = await runBoth(items)
      expect(bulk).toEqual(single)
    }
  })
})

interface RandomItem {
  readonly action: string
  /** Position of the document among those that were created; undefined for one that does not exist. */
  readonly at?: number
  readonly ifMatch?: string
  readonly body?: object
}

function createRandomItem(random: () => number): RandomItem {
  const pick = <T>(values: readonly T[]): T | undefined =>
    values[Math.floor(random() * values.length)]
  const body = {
    ...(random() < 0.9 && { title: pick(['a', 'b', '', 1]) }),
    ...(random() < 0.3 && { code: pick(['x', 'y', null]) }),
    ...(random() < 0.2 && { price: pick(['1.50', 2, 'no']) }),
    ...(random() < 0.1 && { parent: pick([absent, 'no']) }),
    ...(random() < 0.1 && { secret: 's' }),
  }
  const action = pick(['create', 'create', 'patch', 'replace', 'delete']) ?? ''
  if (action === 'create') return { action, body }
  const at = Math.floor(random() * 6)
  const ifMatch = pick([undefined, '"0"', '"1"', '"2"', '*', 'W/"0"'])
  return {
    action,
    at,
    ...(ifMatch !== undefined && { ifMatch }),
    ...(action !== 'delete' && { body }),
  }
}

const methods = { create: 'post', patch: 'patch', replace: 'put', delete: 'delete' } as const

// The results of items and of the same single requests, and what is stored then.
async function runBoth(items: readonly RandomItem[]): Promise<{ bulk: unknown; single: unknown }> {
  await Promise.all([TaskModel.deleteMany(), other.TaskModel.deleteMany()])
  const start = Array.from({ length: 3 }, () => ({ action: 'create', body: { title: 'start' } }))
  const ids = { bulk: [absent], single: [absent] }
  const { body: first } = await send({ items: start }).expect(200)
  ids.bulk.push(...first.data.map(({ data }: { data: { id: string } }) => data.id))
  for (const { body } of start) ids.single.push((await sendSingle({ action: 'create', body })).id)
  const { body } = await send({
    items: items.map(({ at, ...item }) =>
      at === undefined ? item : { ...item, id: ids.bulk[at] ?? 'none' },
    ),
  }).expect(200)
  const results: unknown[] = []
  for (const [index, { at, ...item }] of items.entries()) {
    const id = at === undefined ? undefined : (ids.single[at] ?? 'none')
    results.push((await sendSingle({ ...item, ...(id !== undefined && { id }) }, index)).result)
  }
  const [stored, otherStored] = await Promise.all(
    [TaskModel, other.TaskModel].map((one) => one.find().sort('_id').lean()),
  )
  return {
    bulk: withoutIds([...body.data, stored]),
    single: withoutIds([...results, otherStored]),
  }
}

async function sendSingle(
  { action, id, ifMatch, body }: { action: string; id?: string; ifMatch?: string; body?: object },
  index = 0,
) {
  const method = methods[action as keyof typeof methods]
  const path = `/api/others${id === undefined ? '' : `/${id}`}`
  const response = await client.request[method](path)
    .set({ ...headers, ...(ifMatch !== undefined && { 'If-Match': ifMatch }) })
    .send(body)
  const { status } = response
  const result = {
    status,
    ...(status < 400 && {
      etag: response.headers['etag'],
      location: response.headers['location'],
      data: response.body.data,
    }),
    ...(status >= 400 && { error: withPointers(response.body, index) }),
  }
  return { id: String(response.body.data?.id), result }
}

function withPointers(problem: { errors?: { pointer: string }[] }, index: number): object {
  const errors = problem.errors?.map((item) => ({
    ...item,
    pointer: `#/items/${index}/body${item.pointer.slice(1)}`,
  }))
  return { ...problem, ...(errors && { errors }) }
}

function withoutIds(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replaceAll(/[0-9a-f]{24}/g, 'id')
    .replaceAll(/[0-9a-f-]{36}/g, 'request')
    .replaceAll('/api/others', '/api/tasks')
  return JSON.parse(text)
}

describe('an atomic bulk request', () => {
  it('stores all items or none, and returns the error of the one that failed', async () => {
    const atomic = true
    const { body } = await send({ atomic, items: [create('a'), create('b')] }).expect(200)
    const [{ id }, second] = body.data.map(({ data }: { data: { id: string } }) => data)
    expect(body.meta).toEqual({ succeeded: 2, failed: 0 })
    const invalid = [create('c'), { action: 'patch', id, body: { title: '' } }]
    const { body: problem } = await send({ atomic, items: invalid }).expect(422)
    expect(problem).toMatchObject({
      code: 'validation_failed',
      errors: [{ in: 'body', pointer: '#/items/1/body/title' }],
    })
    const outdated = [
      { action: 'delete', id: second.id, ifMatch: '"0"' },
      { action: 'patch', id, ifMatch: '"4"', body: { title: 'x' } },
    ]
    const { body: conflict } = await send({ atomic, items: outdated }).expect(412)
    expect(conflict).toMatchObject({
      code: 'precondition_failed',
      errors: [{ in: 'body', pointer: '#/items/1', code: 'precondition_failed' }],
    })
    const twice = [create('d', { code: 'x' }), create('e', { code: 'x' })]
    const { body: duplicate } = await send({ atomic, items: twice }).expect(409)
    expect(duplicate.errors[0].pointer).toMatch('#/items/1')
    await send({ atomic, items: [create('f'), { action: 'move' }] }).expect(422)
    const stored = await TaskModel.find().sort('title').lean()
    expect(stored).toMatchObject([
      { title: 'a', __v: 0 },
      { title: 'b', __v: 0 },
    ])
  })

  it('stores nothing when the server fails at any item', async () => {
    for (let failing = 0; failing < 5; failing++) {
      onCreate = (title) => {
        if (title === String(failing)) throw new Error('Broken')
      }
      const items = Array.from({ length: 5 }, (_, index) => create(String(index)))
      const { body } = await send({ atomic: true, items }).expect(500)
      expect(body).not.toHaveProperty('errors')
      expect(await TaskModel.countDocuments()).toBe(0)
    }
  })

  it('runs all items again after a conflict with another transaction', async () => {
    const { body } = await send({ items: [create('a')] }).expect(200)
    const { id } = body.data[0].data
    let runs = 0
    onCreate = async () => {
      if (++runs > 1) return
      // In another request, while the transaction has read the document.
      await TaskModel.findById(id)
      await fetch(`${client.url}/api/tasks/${id}`, {
        method: 'PATCH',
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: '{"title":"between"}',
      })
    }
    const items = [create('b'), { action: 'patch', id, body: { code: 'x' } }]
    const { body: result } = await send({ atomic: true, items }).expect(200)
    expect(runs).toBe(2)
    expect(result.data[1]).toMatchObject({ etag: '"2"', data: { title: 'between', code: 'x' } })
    expect(await TaskModel.countDocuments()).toBe(2)
  })

  it('returns the response of an item whose handler has sent an error', async () => {
    const items = [{ action: 'create' }, { action: 'create' }]
    const { body } = await send({ items }, {}, '/api/sent').expect(200)
    expect(body.data).toMatchObject([{ status: 201 }, { status: 418, error: { own: true } }])
    await TaskModel.deleteMany()
    await send({ atomic: true, items }, {}, '/api/sent').expect(418, { own: true })
    expect(await TaskModel.countDocuments()).toBe(0)
  })

  it('needs queries that join the transaction', async () => {
    mongoose.set('transactionAsyncLocalStorage', false)
    await send({ atomic: true, items: [create('a')] }).expect(500)
    expect(logged.some((line) => line.includes("set('transactionAsyncLocalStorage', true)"))).toBe(
      true,
    )
    expect(await TaskModel.countDocuments()).toBe(0)
  })
})

describe('withBulk', () => {
  it('is described with the types of each action, and documents by their component', () => {
    const { paths, components } = z
      .object({ paths: z.record(z.string(), z.any()), components: z.any() })
      .parse(api.openapi)
    const { post: operation } = paths['/api/tasks/bulk']
    const { content } = components.requestBodies.BulkTasksBody
    const { items } = content['application/json'].schema.properties
    const shapes = items.items.oneOf.map(
      ({
        properties,
        required,
      }: {
        properties: { action: { const: string } }
        required: string[]
      }) => [properties.action.const, required],
    )
    expect(items.maxItems).toBe(50)
    expect(shapes).toEqual([
      ['create', ['action', 'body']],
      ['replace', ['action', 'id', 'body']],
      ['patch', ['action', 'id', 'body']],
      ['delete', ['action', 'id', 'ifMatch']],
    ])
    expect(Object.keys(content)).toEqual(['application/json', 'application/x-ndjson'])
    expect(Object.keys(operation.responses[200].content)).toEqual(Object.keys(content))
    expect(operation).toMatchObject({ operationId: 'bulkTasks', 'x-access': 'owner' })
    const { data, error } = components.schemas.TaskBulk.properties
    expect([data, error]).toEqual([
      { $ref: '#/components/schemas/Task' },
      { $ref: '#/components/schemas/Problem' },
    ])
    expect(Object.keys(operation.responses)).toEqual(
      expect.arrayContaining(['401', '404', '409', '412', '413', '422', '428']),
    )
  })

  it('leaves the reading of a body to a route with readBody', async () => {
    const readBody = express.text({ type: 'text/plain' })
    const options = {
      access: 'public',
      body: z.string().max(3),
      response: z.string(),
      readBody,
    } as const
    const routes = [post('/', options, (req, res) => success(res, req.valid.body))]
    const app = express().use('/texts', createRouter(routes))
    const sendText = (text: string) => supertest(app).post('/texts').type('text').send(text)
    expect((await sendText('abc').expect(200)).body).toEqual({ data: 'abc' })
    await sendText('abcd').expect(422)
  })

  it('needs a route for items, and valid options', () => {
    const lists = createRouter([get('/', { access: 'public' }, (_req, res) => success(res))])
    expect(() => withBulk(lists)).toThrow('POST /, PUT /:id, PATCH /:id and DELETE /:id')
    const tasks = withoutBulk()
    expect(() => withBulk(tasks, { limit: 0 })).toThrow('limit must be a whole number')
    expect(() => withBulk(tasks, { bodyLimit: 'much' })).toThrow('bodyLimit')
    expect(() => withBulk(tasks, { idleTimeout: 'long' })).toThrow('idleTimeout must be a duration')
  })

  it('works in a plain Express app', async () => {
    const app = express().use('/tasks', withBulk(openRouter()))
    const items = [create('a'), create('')]
    const { body } = await supertest(app).post('/tasks/bulk').send({ items }).expect(200)
    expect(body.data).toMatchObject([
      { status: 201, location: expect.stringMatching(/^\/tasks\/\w+$/) },
      { status: 422, error: { code: 'validation_failed' } },
    ])
  })

  it('announces the deprecation of the routes of its items', async () => {
    const { headers: sent } = await send({ items: [create('a')] }, {}, '/api/old').expect(200)
    expect(sent['deprecation']).toBe('@1735689600')
  })
})
