import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { type Response } from 'express'
import { connection, model, Schema, Types } from 'mongoose'
import supertest from 'supertest'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  any,
  createApi,
  createRegistry,
  createRouter,
  defineRule,
  events,
  get,
  patch,
  post,
  put,
  role,
  type Route,
  sendEvents,
  success,
} from '@create-api/core'
import { memberRole } from '@create-api/core/tenants'
import {
  createDocument,
  defineListQuery,
  findPage,
  idParams as params,
  includeReferences,
  inScope,
  listMeta,
  objectId,
  parseIfMatch,
  patchDocument,
  replaceDocument,
  requireFound,
  restrict,
  setEtag,
  toOutputSchema,
  toPatchSchema,
  toProjection,
  versioned,
} from '@create-api/core/resource'
import { createTestClient, findAccessFaults, type TestClient } from '@create-api/core/testing'
import {
  createEmployee,
  employee,
  employeeView,
  listEmployees,
  patchEmployee,
} from './examples/employees.ts'

const EmployeeModel = model(
  'RestrictedEmployee',
  new Schema(
    {
      name: { type: String, required: true },
      salary: Number,
      grade: String,
      manager: { type: Schema.Types.ObjectId, ref: 'RestrictedEmployee' },
    },
    { timestamps: true },
  ).plugin(versioned),
)

const employees = createRouter(
  (route) => [
    route.get(
      '/',
      { query: listEmployees, response: employeeView.response.array(), meta: listMeta },
      async (req, res) => {
        const { query } = req.valid
        const { data, meta } = await findPage(EmployeeModel, query, { scope: req.scope })
        success(res, await includeReferences(EmployeeModel, data, { query }), meta)
      },
    ),
    route.get(
      '/:id',
      { params, query: employeeView.query, response: employeeView.response, etag: true },
      async (req, res) => {
        const { query } = req.valid
        const filter = inScope(req.scope, { _id: req.valid.params.id })
        const found = requireFound(await EmployeeModel.findOne(filter, toProjection(query)).lean())
        success(setEtag(res, found), await includeReferences(EmployeeModel, found, { query }))
      },
    ),
    route.post('/', { body: createEmployee, response: employee, status: 201 }, async (req, res) => {
      success(
        res.status(201),
        await createDocument(EmployeeModel, req.valid.body, { scope: req.scope }),
      )
    }),
    route.put('/:id', { params, body: createEmployee, response: employee }, async (req, res) => {
      // A copy, as services make them.
      const input = { ...req.valid.body }
      const options = { scope: req.scope, match: parseIfMatch(req), schema: createEmployee, input }
      const { id: _id } = req.valid.params
      success(res, await replaceDocument(EmployeeModel, { _id }, options))
    }),
    route.patch('/:id', { params, body: patchEmployee, response: employee }, async (req, res) => {
      const { body: patched } = req.valid
      const options = {
        scope: req.scope,
        match: parseIfMatch(req),
        schema: patchEmployee,
        input: patched,
      }
      const { id: _id } = req.valid.params
      success(res, await patchDocument(EmployeeModel, { _id }, options))
    }),
  ],
  { access: 'user' },
)

const secret = restrict(z.string(), { readable: 'admin', writable: 'public' })
const nested = z.object({
  open: z.string(),
  secret,
  inner: z.object({ secret }).optional(),
  list: z.array(z.object({ open: z.string(), secret: secret.nullable() })),
  choice: z.union([
    z.object({ kind: z.literal('a'), secret }),
    z.object({ kind: z.literal('b'), open: z.string() }),
  ]),
  byName: z.record(z.string(), z.object({ secret })),
})
const value = {
  open: 'o',
  secret: 's',
  inner: { secret: 's' },
  list: [{ open: 'o', secret: 's' }],
  choice: { kind: 'a', secret: 's' },
  byName: { one: { secret: 's' } },
}
const shown = {
  open: 'o',
  inner: {},
  list: [{ open: 'o' }],
  choice: { kind: 'a' },
  byName: { one: {} },
}
const odd = defineRule('odd', () => ({ owner: 1 }))

const values = createRouter(
  [
    get('/', { response: nested }, (_req, res) => success(res, value)),
    get(
      '/flat',
      { response: nested, envelope: ({ open, secret: placed }) => ({ open, placed }) },
      (_req, res) => success(res, value),
    ),
    get('/status', { response: { 200: nested, 202: z.object({}) } }, (_req, res) =>
      success(res, value),
    ),
    get('/events', { response: events(nested) }, (_req, res) =>
      sendEvents(res, async function* () {
        yield { data: value }
      }),
    ),
    get('/either', { access: 'optional', response: nested }, (_req, res) => success(res, value)),
    get(
      '/odd',
      { response: z.object({ pay: restrict(z.int(), { readable: odd }) }) },
      (_req, res) => success(res, { pay: 1 }),
    ),
  ],
  { access: 'user' },
)

const graded = toOutputSchema(
  z.strictObject({ name: z.string(), grade: restrict(z.string(), { readable: 'admin' }) }),
)
const listGraded = defineListQuery(graded, {
  filters: { rank: { field: 'grade' }, name: ['eq'] },
  search: ['name', 'grade'],
  defaultSort: ['-grade', 'name'],
})
const lists = createRouter(
  [
    get('/', { query: listGraded, response: graded.array(), meta: listMeta }, async (req, res) => {
      const { data, meta } = await findPage(EmployeeModel, req.valid.query, { scope: req.scope })
      success(res, data, meta)
    }),
    get('/only', { query: defineListQuery(graded, { search: ['grade'] }) }, (_req, res) =>
      success(res),
    ),
  ],
  { access: 'user' },
)

// A handler that sends the document past the response schema.
const leaks = createRouter([
  get(
    '/:id',
    { access: 'user', params: z.object({ id: z.string() }), response: employee },
    (_req, res) => void res.json({ data: [{ salary: 5 }] }),
  ),
])

const messages: string[] = []
const api = createApi({
  name: 'fields',
  routes: createRegistry()
    .use('/api/employees', employees)
    .use('/api/values', values)
    .use('/api/lists', lists)
    .use('/api/leaks', leaks),
  rateLimit: false,
  log: { level: 'error', stream: { write: (line) => void messages.push(line) } },
})

let client: TestClient
let admin: TestClient['request']
let user: TestClient['request']
let id: string

beforeAll(async () => {
  client = await createTestClient(api)
  const [boss, other] = [await client.signUp({ roles: ['admin'] }), await client.signUp()]
  admin = supertest.agent(client.url).set(boss.headers)
  user = supertest.agent(client.url).set(other.headers)
})

afterAll(() => client.stop())

beforeEach(async () => {
  await EmployeeModel.deleteMany({})
  const boss = await EmployeeModel.create({ name: 'Boss', salary: 9 })
  const fields = { name: 'Ada', salary: 5, grade: 'A', manager: boss._id }
  id = (await EmployeeModel.create(fields)).id
})

const at = (query = ''): string => `/api/employees${query}`
const stored = async (): Promise<object | null> =>
  EmployeeModel.findById(id, { name: 1, salary: 1, grade: 1, _id: 0 }).lean()

describe('reading a restricted field', () => {
  it('leaves it out for other callers: documents, lists, includes, created and changed ones', async () => {
    for (const query of ['', '?include=manager', '?cursor=']) {
      const { body } = await user.get(at(query)).expect(200)
      expect(JSON.stringify(body)).toContain('"grade":"A"')
      expect(JSON.stringify(body)).not.toContain('salary')
      expect(body.meta).toMatchObject({ limit: 20 })
      const { body: whole } = await admin.get(at(query)).expect(200)
      expect(whole.data[1]).toMatchObject({ salary: 5 })
    }
    const { body } = await admin.get(at(`/${id}?include=manager`)).expect(200)
    expect(body.data).toMatchObject({ salary: 5, included: { manager: { salary: 9 } } })
    const { text } = await user.get(at(`/${id}?include=manager`)).expect(200)
    expect(text).toContain('"name":"Boss"')
    expect(text).not.toContain('salary')
    const others = [
      user.post(at()).send({ name: 'New' }).expect(201),
      user
        .put(at(`/${id}`))
        .send({ name: 'New' })
        .expect(200),
      user
        .patch(at(`/${id}`))
        .send({ name: 'Newer' })
        .expect(200),
    ]
    for (const request of others) expect((await request).text).not.toContain('salary')
  })

  it.each(['?salary=5', '?salary[gte]=1', '?sort=salary', '?sort=name,-salary', '?fields=salary'])(
    'rejects the parameter of other callers: %s',
    async (query) => {
      const { body } = await user.get(at(query)).expect(400)
      expect(body.code).toBe('invalid_query')
      expect(body.errors).toHaveLength(1)
      expect(body.errors[0].detail).not.toContain('salary')
      await admin.get(at(query)).expect(200)
    },
  )

  it('rejects an unknown parameter and one of a restricted field alike', async () => {
    const [hidden, unknown] = [await user.get(at('?salary=5')), await user.get(at('?salery=5'))]
    const { requestId: _, instance: __, ...first } = hidden.body
    expect(unknown.body).toMatchObject(
      JSON.parse(JSON.stringify(first).replaceAll('salary', 'salery')),
    )
    await user.get(at(`/${id}?fields=salary`)).expect(400)
    await user.get(at(`/${id}?fields=name,grade`)).expect(200)
  })

  it('rejects cursors of an order that the caller cannot request', async () => {
    const { body } = await admin.get(at('?sort=salary&limit=1&cursor=')).expect(200)
    const cursor = encodeURIComponent(body.meta.nextCursor)
    await admin.get(at(`?sort=salary&limit=1&cursor=${cursor}`)).expect(200)
    for (const query of ['', 'sort=name&']) {
      await user.get(at(`?${query}limit=1&cursor=${cursor}`)).expect(400)
    }
    await user.get(at(`?sort=salary&limit=1&cursor=${cursor}`)).expect(400)
  })

  it('searches only fields of the caller, and sorts by none of the others', async () => {
    await EmployeeModel.create({ name: 'Bob', grade: 'C' }, { name: 'A in name', grade: 'B' })
    const names = async (request: typeof user, search: string): Promise<string[]> => {
      const { body } = await request.get(`/api/lists${search}`).expect(200)
      return body.data.map(({ name }: { name: string }) => name)
    }
    expect(await names(admin, '')).toEqual(['Bob', 'A in name', 'Ada', 'Boss'])
    expect(await names(user, '')).toEqual(['A in name', 'Ada', 'Bob', 'Boss'])
    expect(await names(admin, '?q=c')).toEqual(['Bob'])
    expect(await names(user, '?q=c')).toEqual([])
    expect(await names(admin, '?rank=C')).toEqual(['Bob'])
    await user.get('/api/lists?rank=C').expect(400)
    await admin.get('/api/lists/only?q=c').expect(204)
    await user.get('/api/lists/only?q=c').expect(400)
  })

  it('leaves it out at any depth, in envelopes, in responses by status and in events', async () => {
    expect((await admin.get('/api/values').expect(200)).body.data).toEqual(value)
    for (const place of ['', '/status', '/either']) {
      const { body } = await user.get(`/api/values${place}`).expect(200)
      expect(body.data).toEqual(shown)
    }
    expect((await user.get('/api/values/flat')).body).toEqual({ open: 'o' })
    expect((await admin.get('/api/values/flat')).body).toEqual({ open: 'o', placed: 's' })
    expect((await user.get('/api/values/events')).text).toBe(`data: ${JSON.stringify(shown)}\n\n`)
    expect((await client.request.get('/api/values/either')).body.data).toEqual(shown)
    expect((await admin.get('/api/values/either')).body.data).toEqual(value)
  })

  it('sends the whole document again when the caller has got another role', async () => {
    const { headers } = await admin.get(at(`/${id}`)).expect(200)
    await admin
      .get(at(`/${id}`))
      .set('If-None-Match', String(headers['etag']))
      .expect(200)
  })

  it('asks the rules at each request', async () => {
    const { user: account, headers } = await client.signUp()
    const request = supertest.agent(client.url).set(headers)
    expect((await request.get(at(`/${id}`))).body.data).not.toHaveProperty('salary')
    await connection
      .collection('users')
      .updateOne({ email: account.email }, { $set: { roles: ['admin'] } })
    expect((await request.get(at(`/${id}`))).body.data).toHaveProperty('salary')
  })

  it('is an error if the rule returns a filter', async () => {
    messages.length = 0
    await user.get('/api/values/odd').expect(500)
    expect(messages.join('')).toMatch(
      /The rule 'odd' of the field 'pay' returned .*owner.*true or false/,
    )
  })
})

describe('writing a restricted field', () => {
  it.each([
    ['salary', 7],
    ['grade', 'B'],
  ] as const)('is an unknown field for other callers: %s', async (name, sent) => {
    const before = await stored()
    const body = { name: 'New', [name]: sent }
    const refused = [
      await user.post(at()).send(body),
      await user.put(at(`/${id}`)).send(body),
      await user.patch(at(`/${id}`)).send({ [name]: sent }),
      await user.patch(at(`/${id}`)).send({ [name]: null }),
    ]
    for (const response of refused) {
      expect(response.status).toBe(422)
      expect(response.body.errors).toEqual([
        { in: 'body', pointer: `#/${name}`, code: 'unrecognized_key', detail: 'is not allowed' },
      ])
    }
    expect(await stored()).toEqual(before)
    expect(await EmployeeModel.countDocuments({})).toBe(2)
    expect(
      (
        await admin
          .patch(at(`/${id}`))
          .send({ [name]: sent })
          .expect(200)
      ).body.data[name],
    ).toBe(sent)
    await admin.post(at()).send(body).expect(201)
  })

  it('keeps what is stored when another caller replaces the document', async () => {
    await user
      .put(at(`/${id}`))
      .send({ name: 'New' })
      .expect(200)
    expect(await stored()).toEqual({ name: 'New', salary: 5, grade: 'A' })
    await admin
      .put(at(`/${id}`))
      .send({ name: 'Newer' })
      .expect(200)
    expect(await stored()).toEqual({ name: 'Newer', salary: 0 })
  })

  it('applies defaults on creation, and none in a patch', async () => {
    const { body } = await user.post(at()).send({ name: 'New' }).expect(201)
    expect(await EmployeeModel.findById(body.data.id).lean()).toMatchObject({ salary: 0 })
    expect((await admin.post(at()).send({ name: 'New' }).expect(201)).body.data.salary).toBe(0)
    await admin
      .patch(at(`/${id}`))
      .send({ name: 'New' })
      .expect(200)
    await user
      .patch(at(`/${id}`))
      .send({ name: 'Newer' })
      .expect(200)
    expect(await stored()).toMatchObject({ name: 'Newer', salary: 5 })
    await admin
      .patch(at(`/${id}`))
      .send({ salary: null })
      .expect(200)
    expect(await stored()).toEqual({ name: 'Newer', grade: 'A' })
  })

  it('keeps absent fields in a replacement outside a route', async () => {
    const body = createEmployee.parse({ name: 'New', salary: 3 })
    const { _id } = await EmployeeModel.create({
      name: 'Old',
      salary: 1,
      grade: 'A',
      manager: new Types.ObjectId(),
    })
    const options = { scope: {}, match: {}, schema: createEmployee, input: body }
    const replaced = await replaceDocument(EmployeeModel, { _id }, options)
    expect(replaced).toMatchObject({ name: 'New', salary: 3, grade: 'A' })
    expect(replaced).not.toHaveProperty('manager')
  })
})

describe('declaring a restricted field', () => {
  const start = (route: Route) => () =>
    createApi({ name: 'x', routes: createRegistry().use('/api/x', createRouter([route])) })
  const pay = restrict(z.int(), { readable: role('admin') })
  const done = (_req: unknown, res: Response): void => success(res)

  it('is refused where it could not be enforced', () => {
    expect(() => restrict(z.int(), { readable: 'owner' })).toThrow(
      /cannot be restricted to 'owner'/,
    )
    expect(() => restrict(z.int(), { writable: memberRole('hr') })).toThrow(
      /cannot be restricted to 'member role hr'.*req\.tenant/,
    )
    const access = 'user'
    expect(start(get('/', { access: 'public', response: z.object({ pay }) }, done))).toThrow(
      /'pay' of GET \/api\/x is restricted by 'role admin', but the route is public.*'optional'/,
    )
    const deep = z.strictObject({ inner: z.strictObject({ pay }) })
    expect(start(post('/', { access, body: deep }, done))).toThrow(
      /'inner.pay' of the body of POST \/api\/x is restricted, but not a member/,
    )
    expect(start(put('/', { access, body: z.looseObject({ pay }) }, done))).toThrow(
      /PUT \/api\/x has restricted fields \('pay'\).*z\.strictObject/,
    )
    expect(start(patch('/', { access, body: z.strictObject({ a: z.array(pay) }) }, done))).toThrow(
      /part of 'a' is restricted, which is not a field/,
    )
    const changed = z.object({ pay: pay.transform(String).pipe(z.string()) })
    expect(start(get('/', { access, response: changed }, done))).toThrow(/part of 'pay'/)
  })

  it('may be part of a schema that contains itself', () => {
    interface Tree {
      pay?: number | undefined
      trees: Tree[]
    }
    const tree: z.ZodType<Tree> = z.object({ pay, trees: z.array(z.lazy(() => tree)) })
    expect(start(get('/', { access: 'user', response: tree }, done))).not.toThrow()
  })

  it('takes words and combined rules, descriptions and defaults', () => {
    const field = restrict(objectId, { readable: any('admin', role('admin')), writable: 'public' })
    const body = z.strictObject({ field: field.describe('An id.').optional() })
    const output = toOutputSchema(body)
    expect(toPatchSchema(body).parse({ field: null })).toEqual({ field: null })
    expect(() => defineListQuery(output, { filters: { field: ['eq', 'ne', 'in'] } })).not.toThrow()
  })

  it('is in the document, optional, with its rules', () => {
    const { Employee }: Record<string, { properties?: object; required?: string[] }> = Object(
      api.openapi?.components['schemas'],
    )
    const text = 'Read by: role admin. Written by: role admin.'
    const both = { description: text, 'x-readable': 'role admin', 'x-writable': 'role admin' }
    expect(Employee?.properties).toMatchObject({
      salary: { type: 'number', ...both },
      grade: { description: 'Written by: role admin.', 'x-writable': 'role admin' },
    })
    expect(Employee?.required).toEqual(['id', 'name', 'createdAt', 'updatedAt'])
    const { CreateEmployee, UpdateEmployee } = Object(api.openapi?.components['requestBodies'])
    for (const content of [
      CreateEmployee.content['application/json'],
      UpdateEmployee.content['application/merge-patch+json'],
    ]) {
      expect(content.schema.properties.salary).toMatchObject(both)
      expect(content.schema.required ?? []).not.toContain('salary')
    }
  })

  it('AUZ-07 is checked by findAccessFaults', async () => {
    const isLeak = ({ path: pattern }: { path: string }): boolean =>
      pattern.startsWith('/api/leaks')
    const known = api.routes.filter((one) => !isLeak(one) && one.path !== '/api/values/odd')
    const signUp: TestClient['signUp'] = (options) => client.signUp(options)
    const target = { signUp, url: client.url }
    const open = { foreign: { '/api/leaks/:id': '/api/leaks/1' } }
    expect(
      (await findAccessFaults({ app: api.app, routes: known }, target)).filter(({ problem }) =>
        problem.includes('field'),
      ),
    ).toEqual([])
    expect(
      await findAccessFaults({ app: api.app, routes: api.routes.filter(isLeak) }, target, open),
    ).toEqual([
      {
        route: 'GET /api/leaks/:id',
        problem: "returns the restricted field 'salary' to a user without the role",
      },
    ])
  })

  it('is shown in docs/access.md as these tests run it', async () => {
    const docs = await readFile(
      path.join(import.meta.dirname, '../../../../docs/access.md'),
      'utf8',
    )
    const example = await readFile(path.join(import.meta.dirname, 'examples/employees.ts'), 'utf8')
    expect(docs).toContain(`\`\`\`ts\n${example}\`\`\``)
  })
})
