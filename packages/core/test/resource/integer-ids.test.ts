import mongoose, { model, Schema } from 'mongoose'
import { afterAll, beforeAll, beforeEach, describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { createApi, createRegistry, createRouter, defineRoute, success } from '../../src/index.ts'
import {
  defineListQuery,
  findPage,
  integerId,
  integerIds,
  listMeta,
  parseIfMatch,
  patchDocument,
  requireFound,
  setCreated,
  type Stored,
  toOutputSchema,
  toPatchSchema,
  versioned,
} from '../../src/resource.ts'
import { createTestClient, type TestClient } from '../../src/testing.ts'

const createOrder = z.strictObject({ item: z.string().max(100) })
const patchOrder = toPatchSchema(createOrder)
const order = toOutputSchema(createOrder).extend({ id: z.int() })
const listOrders = defineListQuery(order, { filters: ['id'], sort: ['id'] })
const params = z.strictObject({ id: integerId })
const orderSchema = new Schema(
  { _id: { type: Number, required: true }, item: { type: String, required: true, maxlength: 50 } },
  { collection: 'orders', timestamps: true },
)
  .plugin(versioned)
  .plugin(integerIds)
type Order = Stored<typeof orderSchema>
const OrderModel = model('IntegerOrder', orderSchema)

const ticketSchema = new Schema({ number: { type: Number, unique: true }, text: String })
const TicketModel = model(
  'IntegerTicket',
  ticketSchema.plugin(integerIds, { field: 'number', counter: 'tickets', start: 1000 }),
)

const orders = createRouter([
  defineRoute({
    method: 'get',
    path: '/',
    access: 'public',
    query: listOrders,
    response: order.array(),
    meta: listMeta,
    async handler(req, res) {
      const { data, meta } = await findPage(OrderModel, req.valid.query, { scope: {} })
      success(res, data, meta)
    },
  }),
  defineRoute({
    method: 'post',
    path: '/',
    access: 'public',
    body: createOrder,
    response: order,
    status: 201,
    etag: true,
    async handler(req, res) {
      const created: Order = (await OrderModel.create(req.valid.body)).toObject()
      success(setCreated(res, created), created)
    },
  }),
  defineRoute({
    method: 'get',
    path: '/:id',
    access: 'public',
    params,
    response: order,
    etag: true,
    async handler(req, res) {
      const found = requireFound(await OrderModel.findById(req.valid.params.id).lean())
      success(res, found)
    },
  }),
  defineRoute({
    method: 'patch',
    path: '/:id',
    access: 'public',
    params,
    body: patchOrder,
    response: order,
    etag: true,
    async handler(req, res) {
      const change = {
        scope: {},
        match: parseIfMatch(req),
        schema: patchOrder,
        input: req.valid.body,
      }
      const { id: _id } = req.valid.params
      const patched: Order = await patchDocument(OrderModel, { _id }, change)
      success(res, patched)
    },
  }),
])

const api = createApi({
  name: 'orders',
  environment: 'test',
  auth: false,
  rateLimit: false,
  routes: createRegistry().use('/api/orders', orders),
})

let client: TestClient

beforeAll(async () => {
  client = await createTestClient(api)
})

beforeEach(async () => {
  await mongoose.connection.collection('counters').deleteMany({})
  await OrderModel.deleteMany({})
  await TicketModel.deleteMany({})
})

afterAll(() => client.stop())

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_item, index) => index + 1)
}

describe('integer ids from a counter', () => {
  it('number documents that are created at the same time, without gaps', async () => {
    const responses = await Promise.all(
      upTo(60).map((count) => client.request.post('/api/orders').send({ item: `item ${count}` })),
    )
    const ids = responses.map(({ body }) => body.data.id)
    expect(ids.toSorted((a, b) => a - b)).toEqual(upTo(60))
    const [first] = responses
    expect(first?.headers['location']).toBe(`/api/orders/${first?.body.data.id}`)
    expect(first?.headers['etag']).toBe('"0"')
  })

  it('address documents in paths, filters and patches', async () => {
    await client.request.post('/api/orders').send({ item: 'a' }).expect(201)
    await client.request.post('/api/orders').send({ item: 'b' }).expect(201)
    const { body } = await client.request.get('/api/orders/2').expect(200)
    expect(body.data).toMatchObject({ id: 2, item: 'b' })
    await client.request
      .patch('/api/orders/2')
      .set('If-Match', '"0"')
      .send({ item: 'c' })
      .expect(200)
    const list = await client.request.get('/api/orders?id[gte]=2&sort=-id').expect(200)
    expect(list.body.data).toMatchObject([{ id: 2, item: 'c' }])
    for (const id of ['3', '02', '2.0', 'x', '1e0', '99999999999999999999']) {
      await client.request.get(`/api/orders/${id}`).expect(404)
    }
  })

  it('are described in the document', () => {
    const path = Object(api.openapi?.paths)['/api/orders/{id}']
    expect(path.get.parameters.slice(0, 1)).toMatchObject([
      { name: 'id', in: 'path', schema: { type: 'integer' } },
    ])
    const schema = Object(api.openapi?.components.schemas)['Order']
    expect(schema.properties.id).toMatchObject({ type: 'integer' })
  })

  it('are set by insertMany and save, and kept where there is one', async () => {
    const inserted = await OrderModel.insertMany([
      { item: 'a' },
      { item: 'b' },
      { _id: 77, item: 'c' },
    ])
    expect(inserted.map(({ id }) => Number(id))).toEqual([1, 2, 77])
    const saved = new OrderModel({ item: 'd' })
    await saved.save({ validateBeforeSave: false })
    expect(saved.get('_id')).toBe(3)
    saved.item = 'e'
    await saved.save()
    expect(await OrderModel.findById(3).lean()).toMatchObject({ item: 'e' })
    const own = await OrderModel.create({ _id: 500, item: 'f' })
    expect(own.get('_id')).toBe(500)
    expect((await OrderModel.create({ item: 'g' })).get('_id')).toBe(4)
  })

  it('continue after the highest number of a collection that exists', async () => {
    await OrderModel.collection.insertMany([{ _id: 41 as never }, { _id: 7 as never }])
    const created = await Promise.all(
      upTo(20).map((count) => OrderModel.create({ item: `${count}` })),
    )
    const ids = created.map((document): number => document.get('_id'))
    expect(ids.toSorted((a, b) => a - b)).toEqual(upTo(20).map((count) => 41 + count))
  })

  it('do not use the number of a document again that could not be stored', async () => {
    await expect(OrderModel.create({ item: 'x'.repeat(51) })).rejects.toThrow(
      'longer than the maximum',
    )
    const session = await mongoose.startSession()
    session.startTransaction()
    await OrderModel.create([{ item: 'a' }], { session })
    await session.abortTransaction()
    await session.endSession()
    expect((await OrderModel.create({ item: 'b' })).get('_id')).toBe(3)
    expect(await OrderModel.countDocuments()).toBe(1)
  })

  it('can number another field from another start', async () => {
    const [first, second] = await TicketModel.create([{ text: 'a' }, { text: 'b' }], {
      ordered: true,
    })
    expect([first?.number, second?.number]).toEqual([1000, 1001])
    const counters = await mongoose.connection.collection('counters').find().toArray()
    expect(counters).toEqual([{ _id: 'tickets', value: 1001 }])
  })

  it('can start with 0 and below', async () => {
    const schema = new Schema({ number: Number })
    const LevelModel = mongoose.model(
      'Level',
      schema.plugin(integerIds, { field: 'number', start: -1 }),
    )
    const levels = await LevelModel.create([{}, {}, {}], { ordered: true })
    expect(levels.map(({ number }) => number)).toEqual([-1, 0, 1])
  })

  it('need a schema that declares the field as a number', () => {
    expect(() => new Schema({ title: String }).plugin(integerIds)).toThrow(
      /declare _id in the schema/,
    )
    const schema = new Schema({ number: String })
    expect(() => schema.plugin(integerIds, { field: 'number' })).toThrow(
      /declare number in the schema/,
    )
  })

  it('are numbers in the types', async () => {
    expectTypeOf<Order['_id']>().toEqualTypeOf<number>()
    expectTypeOf<Order['item']>().toEqualTypeOf<string>()
    const { data } = await findPage(OrderModel, listOrders.parse({}), { scope: {} })
    expectTypeOf<(typeof data)[number]['_id']>().toEqualTypeOf<number>()
    expectTypeOf<Stored<typeof ticketSchema>['_id']>().toEqualTypeOf<mongoose.Types.ObjectId>()
    expect(data).toEqual([])
  })
})
