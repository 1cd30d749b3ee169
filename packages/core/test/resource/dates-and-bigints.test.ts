import { model, Schema } from 'mongoose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z, type ZodObject } from 'zod'
import {
  createApi,
  createRegistry,
  createRouter,
  defineRoute,
  multipart,
  type Route,
  success,
} from '../../src/index.ts'
import {
  createDocument,
  defineListQuery,
  findDocument,
  findPage,
  idParams as params,
  listMeta,
  parseIfMatch,
  patchDocument,
  toOutputSchema,
  toPatchSchema,
} from '../../src/resource.ts'
import { createTestClient, type TestClient } from '../../src/testing.ts'

const createEvent = z.strictObject({
  start: z.date(),
  end: z.date().nullable().optional(),
  views: z.int64(),
  visits: z.array(z.strictObject({ at: z.date(), cost: z.bigint() })).default([]),
})
const event = toOutputSchema(createEvent)
const patchEvent = toPatchSchema(createEvent)
const listEvents = defineListQuery(event, { filters: ['start', 'views'], sort: ['start', 'views'] })

const EventModel = model(
  'DatedEvent',
  new Schema(
    {
      start: { type: Date, required: true },
      end: Date,
      views: { type: BigInt, required: true },
      visits: [
        new Schema(
          { at: { type: Date, required: true }, cost: { type: BigInt, required: true } },
          { _id: false },
        ),
      ],
    },
    { timestamps: true },
  ),
)

const filter = z.strictObject({
  page: z.int().min(1).default(1),
  open: z.boolean().optional(),
  after: z.date().optional(),
  ids: z.array(z.int64()).optional(),
})

const events = createRouter(
  (route) => [
    route.get(
      '/',
      { query: listEvents, response: event.array(), meta: listMeta },
      async (req, res) => {
        const { data, meta } = await findPage(EventModel, req.valid.query, { scope: {} })
        success(res, data, meta)
      },
    ),
    route.get('/echo', { query: filter, response: z.strictObject(filter.shape) }, (req, res) => {
      const { page, open, after, ids } = req.valid.query
      success(res, { page, open, after, ids })
    }),
    route.get(
      '/days/:day/:count',
      { params: z.strictObject({ day: z.date(), count: z.int() }), response: z.string().array() },
      (req, res) => {
        const { count, day } = req.valid.params
        success(
          res,
          Array.from({ length: count }, () => day.toISOString()),
        )
      },
    ),
    route.post('/', { body: createEvent, response: event, status: 201 }, async (req, res) => {
      success(res.status(201), await createDocument(EventModel, req.valid.body, { scope: {} }))
    }),
    route.get('/:id', { params, response: event }, async (req, res) => {
      success(res, await findDocument(EventModel, { _id: req.valid.params.id }, { scope: {} }))
    }),
    route.patch('/:id', { params, body: patchEvent, response: event }, async (req, res) => {
      const changed = await patchDocument(
        EventModel,
        { _id: req.valid.params.id },
        { scope: {}, match: parseIfMatch(req), schema: patchEvent, input: req.valid.body },
      )
      success(res, changed)
    }),
  ],
  { access: 'public' },
)

const start = '2026-03-01T10:00:00.000Z'
const big = '9007199254740993'

describe('dates and bigints', () => {
  let client: TestClient

  beforeAll(async () => {
    const routes = createRegistry().use('/api/events', events)
    client = await createTestClient(createApi({ name: 'events', routes }))
  })

  afterAll(() => client.stop())

  const create = async (body: object) => {
    const { body: created } = await client.request.post('/api/events').send(body).expect(201)
    return created.data
  }

  it('are text in bodies and responses', async () => {
    const visits = [{ at: '2026-03-01T12:00:00+02:00', cost: '-1234567890123456789' }]
    const created = await create({ start, views: big, visits })
    expect(created).toMatchObject({
      start,
      views: big,
      visits: [{ at: start, cost: '-1234567890123456789' }],
    })
    const { body } = await client.request.get(`/api/events/${created.id}`).expect(200)
    expect(body.data).toEqual(created)
    const document = await EventModel.findById(created.id).lean()
    expect(document?.start).toEqual(new Date(start))
  })

  it.each([
    [{ start: '2026-03-01', views: '1' }, '#/start'],
    [{ start: 1772359200000, views: '1' }, '#/start'],
    [{ start, views: 1 }, '#/views'],
    [{ start, views: '9223372036854775808' }, '#/views'],
    [{ start, views: '01' }, '#/views'],
    [{ start, views: '1', visits: [{ at: start, cost: '1e3' }] }, '#/visits/0/cost'],
  ])('refuses %j', async (input, pointer) => {
    const { body } = await client.request.post('/api/events').send(input).expect(422)
    expect(body.errors).toMatchObject([{ pointer }])
  })

  it('are changed by a patch, whose null is stored or removes', async () => {
    const { id } = await create({ start, end: start, views: '1' })
    const change = { start: '2027-01-01T00:00:00Z', views: big, visits: [{ at: start, cost: '7' }] }
    const { body } = await client.request.patch(`/api/events/${id}`).send(change).expect(200)
    expect(body.data).toMatchObject({
      start: '2027-01-01T00:00:00.000Z',
      end: start,
      views: big,
      visits: [{ at: start, cost: '7' }],
    })
    await client.request.patch(`/api/events/${id}`).send({ views: 5 }).expect(422)
    const removed = await client.request.patch(`/api/events/${id}`).send({ end: null }).expect(200)
    expect(removed.body.data).not.toHaveProperty('end')
  })

  it('filter and sort a list', async () => {
    await EventModel.deleteMany()
    await create({ start: '2026-05-01T00:00:00Z', views: '9007199254740993' })
    await create({ start: '2026-06-01T00:00:00Z', views: '9007199254740992' })
    const query = 'views[gt]=9007199254740992&start[lt]=2026-05-02T00:00:00Z&sort=-views'
    const { body } = await client.request.get(`/api/events?${query}`).expect(200)
    expect(body.data.map(({ views }: { views: string }) => views)).toEqual(['9007199254740993'])
    await client.request.get('/api/events?views=9223372036854775808').expect(400)
    await client.request.get('/api/events?start=soon').expect(400)
  })

  it('are exact in a cursor', async () => {
    await EventModel.deleteMany()
    const views = ['9007199254740993', '9007199254740992', '9007199254740994', '-5']
    for (const value of views) await create({ start, views: value })
    const found: unknown[] = []
    for (let cursor = ''; ;) {
      const query = `sort=views&limit=1&cursor=${cursor}`
      const { body } = await client.request.get(`/api/events?${query}`).expect(200)
      found.push(...body.data.map((one: { views: string }) => one.views))
      if (!body.meta.nextCursor || found.length > views.length) break
      cursor = body.meta.nextCursor
    }
    expect(found).toEqual(['-5', '9007199254740992', '9007199254740993', '9007199254740994'])
  })

  it('are converted in queries and paths, as numbers, booleans and lists are', async () => {
    const query = 'page=2&open=false&after=2026-03-01T10:00:00Z&ids=1&ids=9007199254740993'
    const { body } = await client.request.get(`/api/events/echo?${query}`).expect(200)
    expect(body.data).toEqual({ page: 2, open: false, after: start, ids: ['1', big] })
    const one = await client.request.get('/api/events/echo?ids=1').expect(200)
    expect(one.body.data).toEqual({ page: 1, ids: ['1'] })
    for (const bad of [
      'page=1.0',
      'page=',
      'open=1',
      'open=TRUE',
      'after=2026',
      'ids=1,2',
      'page=1&page=2',
    ])
      await client.request.get(`/api/events/echo?${bad}`).expect(400)
    const days = await client.request.get('/api/events/days/2026-03-01T10:00:00Z/2').expect(200)
    expect(days.body.data).toEqual([start, start])
    await client.request.get('/api/events/days/2026-03-01/2').expect(404)
    await client.request.get('/api/events/days/2026-03-01T10:00:00Z/two').expect(404)
  })
})

// Each level has two alternatives, so that trying all of them would take 2 ^ 28 attempts.
it('reads and writes deep discriminated unions in one pass', async () => {
  const plain = z.strictObject({
    kind: z.literal('plain'),
    at: z.date().optional(),
    get child() {
      return node.optional()
    },
  })
  const other = z.strictObject({
    kind: z.literal('other'),
    get child() {
      return node.optional()
    },
  })
  const node = z.discriminatedUnion('kind', [plain, other])
  const routes = createRouter((route) => [
    route.post('/', { access: 'public', body: plain, response: plain }, (req, res) =>
      success(res, req.valid.body),
    ),
  ])
  const client = await createTestClient(
    createApi({ name: 'nodes', routes: createRegistry().use('/api/nodes', routes) }),
  )
  try {
    let body: object = { kind: 'plain', at: start }
    for (let depth = 0; depth < 28; depth++) {
      body = { kind: depth % 2 === 0 ? 'other' : 'plain', child: body }
    }
    const root = { kind: 'plain', child: body }
    const { body: sent } = await client.request.post('/api/nodes').send(root).expect(200)
    expect(sent.data).toEqual(root)
  } finally {
    await client.stop()
  }
})

it('converts the text of a query by the option of a union that accepts it', async () => {
  const query = z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('date'), value: z.date() }),
    z.strictObject({ kind: z.literal('text'), value: z.string() }),
    z.strictObject({ kind: z.literal('numbers'), value: z.exactOptional(z.array(z.number())) }),
  ])
  const routes = createRouter((route) => [
    route.get('/', { access: 'public', query, response: z.unknown() }, (req, res) => {
      const { value } = req.valid.query
      success(res, { type: value instanceof Date ? 'date' : typeof value, value })
    }),
  ])
  const client = await createTestClient(
    createApi({ name: 'unions', routes: createRegistry().use('/api/unions', routes) }),
  )
  try {
    const read = async (text: string): Promise<unknown> => {
      const { body } = await client.request.get(`/api/unions?${text}`).expect(200)
      return body.data
    }
    expect(await read(`kind=date&value=${start}`)).toEqual({ type: 'date', value: start })
    expect(await read(`kind=text&value=${start}`)).toEqual({ type: 'string', value: start })
    const numbers = Array.from({ length: 1000 }, (_, index) => index)
    const repeated = numbers.map((number) => `value=${number}`).join('&')
    expect(await read(`kind=numbers&${repeated}`)).toEqual({ type: 'object', value: numbers })
    await client.request.get('/api/unions?kind=numbers&value=x').expect(400)
  } finally {
    await client.stop()
  }
})

describe('a schema that cannot be sent', () => {
  type Schemas = Pick<Route, 'body' | 'meta' | 'params' | 'query' | 'response'>
  const define = (schemas: Schemas) =>
    createRouter([
      defineRoute({
        method: 'post',
        path: '/:key',
        access: 'public',
        handler: (_req, res) => success(res),
        ...schemas,
      }),
    ])
  const query = (shape: ZodObject['shape']) => ({ query: z.strictObject(shape) })

  it.each([
    [
      { body: z.strictObject({ a: z.map(z.string(), z.int()) }) },
      'The body of POST /:key contains z.map(), which JSON cannot contain. Use z.record(), or an array of entries.',
    ],
    [
      { body: z.strictObject({ a: z.array(z.set(z.string())) }) },
      'The body of POST /:key contains z.set(), which JSON cannot contain. Use z.array().',
    ],
    [
      { response: z.strictObject({ a: z.symbol() }) },
      'The response 200 of POST /:key contains z.symbol(), which JSON cannot contain. Use z.string() or z.enum().',
    ],
    [
      { response: z.nan() },
      'The response 200 of POST /:key contains z.nan(), which JSON cannot contain. Use z.number().',
    ],
    [
      { body: z.strictObject({ a: z.file() }) },
      'The body of POST /:key contains z.file(), which JSON cannot contain. Use multipart().',
    ],
    [
      { response: z.strictObject({ a: z.promise(z.string()) }) },
      'The response 200 of POST /:key contains z.promise(), which JSON cannot contain. Use the schema of its value.',
    ],
    [
      { meta: z.strictObject({ a: z.set(z.int()) }) },
      'The meta of POST /:key contains z.set(), which JSON cannot contain. Use z.array().',
    ],
    [
      query({ a: z.strictObject({ b: z.string() }).optional() }),
      "'a' of the query of POST /:key is z.object(), which text cannot contain. Use one parameter for each value, z.array() of them, or JSON text: z.string().transform(…).",
    ],
    [
      query({ a: z.array(z.array(z.int())) }),
      "'a' of the query of POST /:key is z.array(), which text cannot contain. Use one parameter for each value, z.array() of them, or JSON text: z.string().transform(…).",
    ],
    [
      { params: z.strictObject({ key: z.record(z.string(), z.int()) }) },
      "'key' of the path of POST /:key is z.record(), which text cannot contain. Use one parameter for each value, z.array() of them, or JSON text: z.string().transform(…).",
    ],
    [
      { params: z.strictObject({ key: z.array(z.int()) }) },
      "'key' of the path of POST /:key is z.array(), but a path contains a parameter once. Use the schema of one value.",
    ],
    [
      { body: multipart({ fields: z.strictObject({ a: z.tuple([z.int()]) }), files: { b: {} } }) },
      "'a' of the body of POST /:key is z.tuple(), which text cannot contain. Use one parameter for each value, z.array() of them, or JSON text: z.string().transform(…).",
    ],
  ] satisfies [Schemas, string][])(
    'is refused when its route is defined: %#',
    (schemas, message) => {
      expect(() => define(schemas)).toThrow(new TypeError(message))
    },
  )

  it('is accepted where text is one of the alternatives', () => {
    const shape = { a: z.union([z.strictObject({ b: z.string() }), z.string()]), c: z.json() }
    expect(() => define(query(shape))).not.toThrow()
    const objects = z.union([z.strictObject({ b: z.string() }), z.record(z.string(), z.int())])
    expect(() => define(query({ a: objects }))).toThrow(
      "'a' of the query of POST /:key is z.object()",
    )
  })

  it('is accepted after a transform', () => {
    const entries = z.array(z.tuple([z.string(), z.int()])).transform((list) => new Map(list))
    const json = z.string().transform((text): unknown => JSON.parse(text))
    expect(() => define({ body: z.strictObject({ entries }), ...query({ json }) })).not.toThrow()
  })
})
