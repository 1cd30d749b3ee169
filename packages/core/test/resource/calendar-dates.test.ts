import { model, Schema } from 'mongoose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createApi, createRegistry, createRouter, success } from '../../src/index.ts'
import {
  createDocument,
  defineListQuery,
  findPage,
  listMeta,
  patchDocument,
  idParams,
  toOutputSchema,
  toPatchSchema,
  versioned,
} from '../../src/resource.ts'
import { createTestClient, type TestClient } from '../../src/testing.ts'

// As `api generate resource loans` writes it.
const match = /^\d{4}-\d{2}-\d{2}$/
const loanSchema = new Schema(
  {
    dueOn: { type: String, required: true, match },
    returnedOn: { type: String, match },
    paidOn: { type: String, match },
    remindedOn: [{ type: String, match }],
    sinceOn: { type: String, match, default: '2026-01-31' },
  },
  { timestamps: true },
).plugin(versioned)
const LoanModel = model('CalendarLoan', loanSchema.index({ dueOn: 1, _id: 1 }))
const createLoan = z.strictObject({
  dueOn: z.iso.date(),
  returnedOn: z.iso.date().optional(),
  paidOn: z.iso.date().nullish(),
  remindedOn: z.array(z.iso.date()).max(100).default([]),
  sinceOn: z.iso.date().default('2026-01-31'),
})
const patchLoan = toPatchSchema(createLoan)
const loan = toOutputSchema(createLoan)
const query = defineListQuery(loan, {
  filters: ['dueOn', 'returnedOn', 'paidOn', 'remindedOn', 'sinceOn'],
  sort: ['dueOn', 'returnedOn'],
  defaultSort: ['dueOn'],
})
const loans = createRouter(
  ({ get, patch, post }) => [
    get('/', { query, response: loan.array(), meta: listMeta }, async (req, res) => {
      const { data, meta } = await findPage(LoanModel, req.valid.query, { scope: req.scope })
      success(res, data, meta)
    }),
    get('/computed', { query, response: loan.array(), meta: listMeta }, async (req, res) => {
      const source = LoanModel.aggregate([{ $set: { remindedOn: [] } }])
      const { data, meta } = await findPage(source, req.valid.query)
      success(res, data, meta)
    }),
    post('/', { body: createLoan, response: loan, status: 201 }, async (req, res) => {
      success(res.status(201), await createDocument(LoanModel, req.valid.body, { scope: {} }))
    }),
    patch('/:id', { params: idParams, body: patchLoan, response: loan }, async (req, res) => {
      const options = { scope: {}, match: {}, schema: patchLoan, input: req.valid.body }
      success(res, await patchDocument(LoanModel, { _id: req.valid.params.id }, options))
    }),
  ],
  { access: 'public', model: LoanModel },
)
const api = createApi({
  name: 'calendar',
  environment: 'test',
  auth: false,
  rateLimit: false,
  routes: createRegistry().use('/loans', loans),
})
let client: TestClient
const days = ['2025-12-31', '2026-01-01', '2026-02-28', '2026-03-01', '2026-10-25']

beforeAll(async () => {
  client = await createTestClient(api)
})
afterAll(() => client.stop())
beforeEach(async () => {
  await LoanModel.deleteMany({})
  for (const dueOn of days.toReversed()) {
    await client.request.post('/loans').send({ dueOn }).expect(201)
  }
})

async function find(parameters: Record<string, string>, path = '/loans'): Promise<string[]> {
  const { body } = await client.request.get(path).query(parameters).expect(200)
  return body.data.map(({ dueOn }: { dueOn: string }) => dueOn)
}

describe('a calendar date', () => {
  it('is stored and sent as the text that was received, in every shape', async () => {
    const input = {
      dueOn: '2028-02-29',
      returnedOn: '0001-01-01',
      paidOn: null,
      remindedOn: ['2026-03-29', '9999-12-31'],
    }
    const { body } = await client.request.post('/loans').send(input).expect(201)
    expect(body.data).toMatchObject({ ...input, sinceOn: '2026-01-31' })
    const stored = await LoanModel.collection.findOne({ dueOn: '2028-02-29' })
    expect(stored).toMatchObject({ ...input, sinceOn: '2026-01-31' })
  })

  it('can be patched, and removed when it is optional', async () => {
    const input = { dueOn: '2026-05-01', returnedOn: '2026-05-02' }
    const { body } = await client.request.post('/loans').send(input).expect(201)
    const changed = await client.request
      .patch(`/loans/${body.data.id}`)
      .send({ dueOn: '2026-05-03', returnedOn: null, paidOn: '2026-05-04' })
      .expect(200)
    expect(changed.body.data).toMatchObject({ dueOn: '2026-05-03', paidOn: '2026-05-04' })
    expect(changed.body.data).not.toHaveProperty('returnedOn')
  })

  it.each([
    '2026-02-30',
    '1900-02-29',
    '2026-04-31',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    '2026-1-31',
    '26-01-31',
    '2026-01-31T00:00:00Z',
    '2026-01-31 ',
    '',
    20260131,
    null,
  ])('is not %j', async (dueOn) => {
    const { body } = await client.request.post('/loans').send({ dueOn }).expect(422)
    expect(body.errors).toMatchObject([{ pointer: '#/dueOn' }])
  })

  it('cannot become the text of a Date by code of the server', async () => {
    await expect(LoanModel.create({ dueOn: String(new Date()) })).rejects.toThrow('dueOn')
  })

  it.each([
    ['dueOn', '2026-02-28', ['2026-02-28']],
    ['dueOn[ne]', '2026-02-28', days.filter((day) => day !== '2026-02-28')],
    ['dueOn[gt]', '2026-01-01', days.slice(2)],
    ['dueOn[gte]', '2026-01-01', days.slice(1)],
    ['dueOn[lt]', '2026-02-28', days.slice(0, 2)],
    ['dueOn[lte]', '2026-02-28', days.slice(0, 3)],
    ['dueOn[in]', '2026-10-25,2025-12-31', ['2025-12-31', '2026-10-25']],
    ['sinceOn[lte]', '2026-01-31', days],
    ['returnedOn[exists]', 'false', days],
    ['paidOn[exists]', 'true', []],
    ['sort', '-dueOn', days.toReversed()],
  ])('%s=%s finds %j, in a list of a model and of an aggregation', async (name, value, found) => {
    expect(await find({ [name]: value })).toEqual(found)
    if (!name.startsWith('returned')) {
      expect(await find({ [name]: value }, '/loans/computed')).toEqual(found)
    }
  })

  it('is found in a list of dates', async () => {
    const input = { dueOn: '2027-01-01', remindedOn: ['2026-12-01', '2026-12-24'] }
    await client.request.post('/loans').send(input).expect(201)
    expect(await find({ remindedOn: '2026-12-24' })).toEqual(['2027-01-01'])
    expect(await find({ 'remindedOn[in]': '2026-12-25,2026-12-01' })).toEqual(['2027-01-01'])
  })

  it('continues by cursor', async () => {
    const first = await client.request.get('/loans?cursor=&limit=2&sort=-dueOn').expect(200)
    const { nextCursor } = first.body.meta
    const rest = await find({ cursor: nextCursor, limit: '10', sort: '-dueOn' })
    expect(rest).toEqual(days.toReversed().slice(2))
  })

  it.each([
    ['dueOn', '2026-02-30', 'must be a date'],
    ['dueOn[gte]', '2026-01-31T00:00:00Z', 'must be a date'],
    ['dueOn[in]', '2026-01-31,2026-02-30', 'value 2 is not a value of the field'],
    ['dueOn[startsWith]', '2026', ''],
  ])('%s=%s is a 400', async (name, value, detail) => {
    const { body } = await client.request
      .get('/loans')
      .query({ [name]: value })
      .expect(400)
    expect(body.errors[0].detail).toContain(detail)
  })

  it('has the format of OpenAPI, in bodies and filters', () => {
    const { components, paths } = Object(api.openapi)
    const described = Object.values<{ properties?: { dueOn?: object } }>(components.schemas)
    expect(described.filter(({ properties }) => properties?.dueOn)).not.toHaveLength(0)
    for (const { properties } of described) {
      if (properties?.dueOn) {
        expect(properties.dueOn).toMatchObject({ type: 'string', format: 'date' })
      }
    }
    const { parameters } = paths['/loans'].get
    const range = parameters.find(({ name }: { name: string }) => name === 'dueOn[gte]')
    expect(range).toMatchObject({ schema: { type: 'string', format: 'date' } })
  })
})
