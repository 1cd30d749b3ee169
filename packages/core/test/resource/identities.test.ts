import { model, Schema } from 'mongoose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createApi, createRegistry, createRouter, defineRoute, success } from '../../src/index.ts'
import {
  decimal,
  defineListQuery,
  findPage,
  integerId,
  listMeta,
  parseIfMatch,
  rejectMiss,
  requireFound,
  setCreated,
  toOutputSchema,
  replaceDocument,
  versioned,
} from '../../src/resource.ts'
import { createTestClient, type TestClient } from '../../src/testing.ts'

// Items have whole numbers as ids and prices that are exact.
const createItem = z.strictObject({
  number: z.int().min(-1000).max(1_000_000),
  price: decimal({ min: 0, max: 1e9, scale: 2 }),
})
const item = toOutputSchema(createItem.omit({ number: true })).extend({ id: z.int() })
const listItems = defineListQuery(item, { filters: ['id', 'price'], sort: ['price'] })
const itemSchema = new Schema(
  {
    _id: { type: Number, required: true },
    price: { type: Schema.Types.Decimal128, required: true },
  },
  { timestamps: true },
)
const ItemModel = model('NumberedItem', itemSchema.plugin(versioned))
const byNumber = z.strictObject({ id: integerId })

const items = createRouter([
  defineRoute({
    method: 'get',
    path: '/',
    access: 'public',
    query: listItems,
    response: item.array(),
    meta: listMeta,
    async handler(req, res) {
      const { data, meta } = await findPage(ItemModel, req.valid.query, { scope: {} })
      success(res, data, meta)
    },
  }),
  defineRoute({
    method: 'post',
    path: '/',
    access: 'public',
    body: createItem,
    response: item,
    status: 201,
    etag: true,
    async handler(req, res) {
      const { number, ...fields } = req.valid.body
      const created = (await ItemModel.create({ _id: number, ...fields })).toObject()
      success(setCreated(res, created), created)
    },
  }),
  defineRoute({
    method: 'get',
    path: '/:id',
    access: 'public',
    params: byNumber,
    response: item,
    etag: true,
    async handler(req, res) {
      const found = requireFound(await ItemModel.findById(req.valid.params.id).lean())
      success(res, found)
    },
  }),
])

// Pages are named by a slug, which may be used again when a page is gone.
const createPage = z.strictObject({ slug: z.string().regex(/^[a-z-]{1,40}$/), text: z.string() })
const page = toOutputSchema(createPage)
const params = createPage.pick({ slug: true })
const pageSchema = new Schema(
  {
    slug: { type: String, required: true, unique: true },
    text: { type: String, required: true },
  },
  { timestamps: true },
)
const PageModel = model('NamedPage', pageSchema.plugin(versioned))

const pages = createRouter([
  defineRoute({
    method: 'post',
    path: '/',
    access: 'public',
    body: createPage,
    response: page,
    status: 201,
    etag: true,
    async handler(req, res) {
      const created = (await PageModel.create(req.valid.body)).toObject()
      success(setCreated(res, created, req.valid.body.slug), created)
    },
  }),
  defineRoute({
    method: 'get',
    path: '/:slug',
    access: 'public',
    params,
    response: page,
    etag: true,
    async handler(req, res) {
      const found = requireFound(await PageModel.findOne(req.valid.params).lean())
      success(res, found)
    },
  }),
  defineRoute({
    method: 'put',
    path: '/:slug',
    access: 'public',
    params,
    body: createPage,
    response: page,
    etag: true,
    async handler(req, res) {
      const { slug } = req.valid.params
      const options = { scope: req.scope, match: parseIfMatch(req), schema: createPage }
      const { body: input } = req.valid
      success(res, await replaceDocument(PageModel, { slug }, { ...options, input }))
    },
  }),
  defineRoute({
    method: 'delete',
    path: '/:slug',
    access: 'public',
    params,
    etag: true,
    async handler(req, res) {
      const { slug } = req.valid.params
      const match = parseIfMatch(req)
      const removed = await PageModel.findOneAndDelete({ slug, ...match }).lean()
      if (!removed) await rejectMiss(PageModel, { slug }, match)
      success(res)
    },
  }),
])

const api = createApi({
  name: 'identities',
  routes: createRegistry().use('/api/items', items).use('/api/pages', pages),
  rateLimit: false,
})

let client: TestClient

beforeAll(async () => {
  client = await createTestClient(api)
  for (const [number, price] of [
    [1, '9.90'],
    [2, '10'],
    [3, 100],
    [4, '10.00'],
    [5, '0.1'],
  ]) {
    await client.request.post('/api/items').send({ number, price }).expect(201)
  }
})

afterAll(() => client.stop())

describe('a whole number as id', () => {
  it.each([77, 0, -77])('is a number in JSON and in the path: %d', async (number) => {
    const created = await client.request.post('/api/items').send({ number, price: '1' })
    expect(created.headers['location']).toBe(`/api/items/${number}`)
    expect(created.body.data.id).toBe(number)
    const { body, headers } = await client.request.get(`/api/items/${number}`).expect(200)
    expect([body.data.id, headers['etag']]).toEqual([number, '"0"'])
    await ItemModel.deleteOne({ _id: number })
  })

  it.each([
    '0',
    '-0',
    '-1',
    '-01',
    '1.5',
    '1e3',
    '0x1',
    'nope',
    '999999',
    '01',
    '%00',
    '9'.repeat(400),
  ])('returns 404 for the id %s', async (id) => {
    await client.request.get(`/api/items/${id}`).expect(404)
  })

  it('is filtered by value, and cannot be given twice', async () => {
    const { body } = await client.request.get('/api/items?id[gte]=2&id[lt]=4').expect(200)
    expect(body.data.map(({ id }: { id: number }) => id)).toEqual([2, 3])
    const twice = await client.request.post('/api/items').send({ number: 2, price: '1' })
    expect([twice.status, twice.body.errors[0].pointer]).toEqual([409, '#/id'])
  })
})

describe('a decimal', () => {
  it.each([
    ['12.50', '12.50'],
    [12.5, '12.5'],
    ['0.10', '0.10'],
    [1e-2, '0.01'],
    ['999999999.99', '999999999.99'],
  ])('accepts %j and returns %s', async (price, text) => {
    const number = 1000 + (await ItemModel.countDocuments())
    const created = await client.request.post('/api/items').send({ number, price }).expect(201)
    expect(created.body.data.price).toBe(text)
    const { body } = await client.request.get(`/api/items/${number}`).expect(200)
    expect(body.data.price).toBe(text)
    await ItemModel.deleteOne({ _id: number })
  })

  it.each([
    '',
    'x',
    '1,5',
    '1.234',
    '-1',
    '1e3',
    'NaN',
    'Infinity',
    '0x1',
    1.001,
    1e30,
    -0.5,
    null,
    {},
  ])('rejects %j', async (price) => {
    const { body } = await client.request.post('/api/items').send({ number: 9, price }).expect(422)
    expect(body.errors).toMatchObject([
      { pointer: '#/price', detail: expect.stringMatching(/^must be /) },
    ])
  })

  it.each([
    ['price=10', [2, 4]],
    ['price[gt]=9.9', [2, 3, 4]],
    ['price[lte]=9.90', [1, 5]],
    ['price[in]=0.10,100.0', [3, 5]],
    ['price[ne]=10.0', [1, 3, 5]],
  ])('filters by value: %s', async (query, ids) => {
    const { body } = await client.request.get(`/api/items?${query}`).expect(200)
    expect(body.data.map(({ id }: { id: number }) => id)).toEqual(ids)
  })

  it('sorts by value, by page and by cursor', async () => {
    const expected = [5, 1, 2, 4, 3]
    const { body } = await client.request.get('/api/items?sort=price').expect(200)
    expect(body.data.map(({ id }: { id: number }) => id)).toEqual(expected)
    const seen: number[] = []
    let cursor = ''
    do {
      const query = { sort: 'price', cursor, limit: 2 }
      const part = await client.request.get('/api/items').query(query).expect(200)
      for (const { id } of part.body.data) seen.push(id)
      cursor = String(part.body.meta.nextCursor ?? '')
    } while (cursor !== '')
    expect(seen).toEqual(expected)
  })

  it.each(['price=x', 'price=', 'price[gt]=1e3', 'price[in]=1,', 'price[contains]=1'])(
    'refuses ?%s',
    async (query) => {
      await client.request.get(`/api/items?${query}`).expect(400)
    },
  )

  it('is described as text or number, and as text', () => {
    expect(api.openapi?.components['schemas']).toMatchObject({
      Item: { properties: { price: { type: 'string' } } },
    })
    expect(() => decimal({ scale: 15 })).toThrow(/scale/)
  })
})

describe('a slug that is used again', () => {
  const fields = { slug: 'again', text: 'a' }

  it('does not bring the old ETag back', async () => {
    const first = await client.request.post('/api/pages').send(fields).expect(201)
    const old = String(first.headers['etag'])
    expect((await client.request.get('/api/pages/again')).headers['etag']).toBe(old)
    await client.request.delete('/api/pages/again').set('If-Match', old).expect(204)
    const second = await client.request.post('/api/pages').send(fields).expect(201)
    const fresh = String(second.headers['etag'])
    expect(fresh).not.toBe(old)
    await client.request.get('/api/pages/again').set('If-None-Match', old).expect(200)
    await client.request.get('/api/pages/again').set('If-None-Match', fresh).expect(304)
    const put = (tag: string) =>
      client.request.put('/api/pages/again').set('If-Match', tag).send(fields)
    for (const tag of [old, '"0-nope"', '"0-%E0"', '"0-$ne"', `"0-${'a'.repeat(300)}"`]) {
      const { body } = await put(tag).expect(412)
      expect(body.code).toBe('precondition_failed')
    }
    await put(`${old}, ${fresh}`).expect(200)
    await put(fresh).expect(412)
  })
})
