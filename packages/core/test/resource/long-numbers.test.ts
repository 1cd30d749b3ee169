import { model, Schema } from 'mongoose'
import { type Response } from 'supertest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { measureGrowth } from '../../../../test/measure-growth.ts'
import { z } from 'zod'
import { createApi, createRegistry, createRouter, success } from '../../src/index.ts'
import {
  createDocument,
  decimal,
  idParams as params,
  parseIfMatch,
  patchDocument,
  replaceDocument,
  toOutputSchema,
  toPatchSchema,
  versioned,
} from '../../src/resource.ts'
import { createTestClient, type TestClient } from '../../src/testing.ts'

const price = decimal({ scale: 5 })
const body = z.strictObject({
  price,
  offer: price.nullable().optional(),
  steps: z.array(price).default([]),
  ratio: z.number().optional(),
  note: z.string().optional(),
})
const response = toOutputSchema(body)
const patch = toPatchSchema(body)
const { Decimal128 } = Schema.Types
const ProductModel = model(
  'LongNumberProduct',
  new Schema(
    {
      price: { type: Decimal128, required: true },
      offer: Decimal128,
      steps: [Decimal128],
      ratio: Number,
      note: String,
    },
    { timestamps: true },
  ).plugin(versioned),
)

const shapes = z.strictObject({
  pay: z
    .discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('cash'), amount: price }),
      z.strictObject({ kind: z.literal('points'), amount: z.number() }),
    ])
    .optional(),
  either: z.union([z.strictObject({ exact: price }), z.number()]).optional(),
  byName: z.record(z.string(), price).optional(),
  pair: z.tuple([price, z.number()]).optional(),
  both: z.intersection(z.object({ a: price }), z.object({ b: z.number() })).optional(),
  get children() {
    return z.array(shapes).optional()
  },
  any: z.unknown().optional(),
})

const products = createRouter(
  (route) => [
    route.post('/', { body, response, status: 201 }, async (req, res) => {
      success(res, await createDocument(ProductModel, req.valid.body, { scope: {} }))
    }),
    route.put('/:id', { params, body, response }, async (req, res) => {
      const options = { scope: {}, match: parseIfMatch(req), schema: body, input: req.valid.body }
      success(res, await replaceDocument(ProductModel, { _id: req.valid.params.id }, options))
    }),
    route.patch('/:id', { params, body: patch, response }, async (req, res) => {
      const options = { scope: {}, match: parseIfMatch(req), schema: patch, input: req.valid.body }
      success(res, await patchDocument(ProductModel, { _id: req.valid.params.id }, options))
    }),
    route.post('/shapes', { body: shapes, response: z.unknown() }, (req, res) => {
      success(res, req.valid.body)
    }),
  ],
  { access: 'public' },
)

describe('a decimal as a JSON number', () => {
  let client: TestClient
  let id: string

  beforeAll(async () => {
    const routes = createRegistry().use('/api/products', products)
    const api = createApi({ name: 'products', auth: false, rateLimit: false, routes })
    client = await createTestClient(api)
    const created = await send('post', '/', '{"price":1.5}')
    id = created.body.data.id
  })

  afterAll(() => client.stop())

  function send(method: 'post' | 'put' | 'patch', path: string, json: string): Promise<Response> {
    return client.request[method](`/api/products${path}`).type('json').send(json)
  }

  const message = 'must be text if it has more than 15 digits'

  it.each([
    ['0.30000000000000000001', 422],
    ['0.10000000000000001', 422],
    ['-9007199254740993', 422],
    ['1.000000000000000000000', 200],
    ['1e-400', 422],
    [`0.${'0'.repeat(350)}1`, 422],
    ['100000000000000000', 200],
    ['0.3', 200],
    ['1.5E+2', 200],
    ['"0.30000"', 200],
  ])('is never rounded: %s', async (number, status) => {
    for (const [method, json, pointer] of [
      ['put', `{"price":${number}}`, '#/price'],
      ['put', ` {"note":"\\"9\\\\","price":1,"steps":[1, ${number}]}`, '#/steps/1'],
      ['patch', `{"price":${number}}`, '#/price'],
      ['patch', `\ufeff{"offer":${number}}`, '#/offer'],
    ] as const) {
      const { body: received, status: actual } = await send(method, `/${id}`, json)
      expect([json, actual]).toEqual([json, status])
      if (status === 422) expect(received.errors).toMatchObject([{ pointer, detail: message }])
    }
  })

  it('does not affect other numbers and text of the same body', async () => {
    const note = '0.30000000000000000001 "1e-400'
    const json = `{"price":2,"ratio":0.30000000000000000001,"note":${JSON.stringify(note)}}`
    const { body: received } = await send('put', `/${id}`, json)
    expect(received.data).toMatchObject({ price: '2', ratio: 0.3, note })
  })

  const long = '0.30000000000000000001'

  it.each([
    [`{"pay":{"kind":"cash","amount":${long}}}`, '#/pay/amount'],
    [`{"byName":{"x":${long}}}`, '#/byName/x'],
    [`{"pair":[${long},1]}`, '#/pair/0'],
    [`{"both":{"a":${long},"b":1}}`, '#/both/a'],
    [`{"children":[{"children":[{"pair":[${long},1]}]}]}`, '#/children/0/children/0/pair/0'],
  ])('is found in %s', async (json, pointer) => {
    const { status, body: received } = await send('post', '/shapes', json)
    expect([status, received.errors?.[0]?.pointer]).toEqual([422, pointer])
  })

  it('is rejected in an alternative of a union', async () => {
    const { status } = await send('post', '/shapes', `{"either":{"exact":${long}}}`)
    expect(status).toBe(422)
  })

  it.each([
    `{"pay":{"kind":"points","amount":${long}}}`,
    `{"either":${long}}`,
    `{"pair":[1,${long}]}`,
    `{"both":{"a":1,"b":${long}}}`,
    `{"any":{"exact":${long}},"children":[{"any":${long}}]}`,
  ])('is another number in %s', async (json) => {
    const { status } = await send('post', '/shapes', json)
    expect(status).toBe(200)
  })

  it.each([
    ['1', '0', '1'],
    ['1.', '0', '1'],
    ['0.', '0', '1'],
    ['1e', '0', '1'],
    ['1', '1', ''],
    ['1', '1', '.'],
    ['"', String.raw`\"1234567890123456`, '"'],
    ['[', '1234567890123456,', '1]'],
  ])('takes time that grows with its length: %s…', async (start, middle, end) => {
    const put = async (length: number): Promise<void> => {
      const number = `${start}${middle.repeat(length / middle.length)}${end}`
      const { status } = await send('put', `/${id}`, `{"price":${number}}`)
      expect([400, 422]).toContain(status)
    }
    expect(await measureGrowth(put, 22_500)).toBeLessThan(10)
  })
})
