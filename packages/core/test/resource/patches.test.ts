import {
  constant,
  constantFrom,
  dictionary,
  integer,
  jsonValue,
  oneof,
  record,
  sample,
  string,
} from 'fast-check'
import { model, Schema } from 'mongoose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createApi, createRegistry, createRouter, defineRoute, success } from '../../src/index.ts'
import {
  decimal,
  idParams as params,
  instant,
  parseIfMatch,
  patchDocument,
  setCreated,
  toOutputSchema,
  toPatchSchema,
  versioned,
} from '../../src/resource.ts'
import { createTestClient, type TestClient } from '../../src/testing.ts'

const absent = '000000000000000000000000'

const createPlace = z
  .strictObject({
    name: z.string().max(50),
    address: z
      .strictObject({
        street: z.string().max(50),
        zip: z.string().max(10).optional(),
        geo: z.strictObject({ lat: z.number(), lon: z.number() }).optional(),
        since: instant.optional(),
      })
      .optional(),
    owner: z.strictObject({ name: z.string().max(50), phone: z.string().optional() }),
    rent: decimal({ min: 0 }).optional(),
    meta: z.record(z.string(), z.unknown()).optional(),
    opens: z.int().default(8),
    closes: z.int().default(18),
  })
  .refine(({ opens, closes }) => opens < closes, {
    path: ['closes'],
    message: 'must be after opens',
  })
const place = toOutputSchema(z.strictObject(createPlace.shape))
const patchPlace = toPatchSchema(createPlace)
const placeSchema = new Schema(
  {
    name: { type: String, required: true },
    address: new Schema(
      {
        street: { type: String, required: true },
        zip: String,
        geo: new Schema(
          { lat: { type: Number, required: true }, lon: { type: Number, required: true } },
          { _id: false },
        ),
        since: Date,
        note: String,
      },
      { _id: false },
    ),
    owner: {
      type: new Schema({ name: { type: String, required: true }, phone: String }, { _id: false }),
      required: true,
    },
    rent: Schema.Types.Decimal128,
    meta: Schema.Types.Mixed,
    opens: { type: Number, required: true },
    closes: { type: Number, required: true },
  },
  { timestamps: true },
)
const PlaceModel = model('PatchedPlace', placeSchema.plugin(versioned))

const places = createRouter([
  defineRoute({
    method: 'post',
    path: '/',
    access: 'public',
    body: createPlace,
    response: place,
    status: 201,
    etag: true,
    async handler(req, res) {
      const created = (await PlaceModel.create(req.valid.body)).toObject()
      success(setCreated(res, created), created)
    },
  }),
  defineRoute({
    method: 'patch',
    path: '/:id',
    access: 'public',
    params,
    body: patchPlace,
    response: place,
    etag: true,
    async handler(req, res) {
      const { id } = req.valid.params
      const changed = await patchDocument(
        PlaceModel,
        { _id: id },
        { scope: {}, match: parseIfMatch(req), schema: patchPlace, input: req.valid.body },
      )
      success(res, changed)
    },
  }),
])

const api = createApi({
  name: 'patches',
  routes: createRegistry().use('/api/places', places),
  rateLimit: false,
})
const complete = {
  name: 'Pier 7',
  address: {
    street: 'Quay 1',
    zip: '24103',
    geo: { lat: 54.3, lon: 10.1 },
    since: '2026-01-31T12:00:00.000Z',
  },
  owner: { name: 'Ada', phone: '1' },
  rent: '1200.50',
  meta: { a: 1, b: { c: [1] } },
}

const anything = jsonValue({ maxDepth: 3 }).filter((value) => !JSON.stringify(value).includes('"$'))
const names = constantFrom('a', 'b', 'set$', 'x.y', '__proto__', 'constructor', 'polluted')
const patches = record(
  {
    name: oneof(string({ maxLength: 50 }), anything),
    address: oneof(
      constant(null),
      record(
        {
          street: oneof(string({ maxLength: 50 }), constant(null)),
          zip: oneof(string({ maxLength: 10 }), constant(null)),
          geo: oneof(
            constant(null),
            record({ lat: integer(), lon: integer() }, { requiredKeys: [] }),
          ),
          nope: anything,
        },
        { requiredKeys: [] },
      ),
    ),
    owner: record({ name: string({ maxLength: 50 }), phone: string() }, { requiredKeys: [] }),
    meta: oneof(constant(null), dictionary(names, oneof(anything, dictionary(names, anything)))),
    opens: integer({ min: 0, max: 24 }),
    closes: integer({ min: 0, max: 24 }),
  },
  { requiredKeys: [], noNullPrototype: true },
)

let client: TestClient

beforeAll(async () => {
  client = await createTestClient(api)
})

afterAll(() => client.stop())

async function createPlaceOf(fields: object = complete) {
  const { body } = await client.request.post('/api/places').send(fields).expect(201)
  return { id: String(body.data.id), data: body.data }
}

function patch(id: string, change: object | string, headers = {}) {
  return client.request
    .patch(`/api/places/${id}`)
    .type('application/merge-patch+json')
    .set(headers)
    .send(change)
}

describe('a JSON Merge Patch of nested objects', () => {
  it('merges members at every depth, and keeps the others', async () => {
    const { id, data } = await createPlaceOf()
    const change = { address: { zip: null, geo: { lat: 1 } }, owner: { phone: '2' } }
    const { body, headers } = await patch(id, change).expect(200)
    const { zip: _, ...address } = data.address
    expect(body.data).toEqual({
      ...data,
      address: { ...address, geo: { lat: 1, lon: 10.1 } },
      owner: { name: 'Ada', phone: '2' },
      updatedAt: body.data.updatedAt,
    })
    expect(headers['etag']).toBe('"1"')
  })

  it('merges free objects too, and null removes their members', async () => {
    const { id } = await createPlaceOf()
    const { body } = await patch(id, { meta: { a: null, b: { d: 2 }, e: 'x' } }).expect(200)
    expect(body.data.meta).toEqual({ b: { c: [1], d: 2 }, e: 'x' })
  })

  it('keeps database types and fields that only the server writes', async () => {
    const { id } = await createPlaceOf()
    await PlaceModel.updateOne({ _id: id }, { $set: { 'address.note': 'ours' } })
    await patch(id, { address: { street: 'Quay 2' } }).expect(200)
    const stored = await PlaceModel.findById(id).lean()
    expect(stored?.address).toMatchObject({
      street: 'Quay 2',
      note: 'ours',
      since: expect.any(Date),
    })
  })

  it('accepts an object for an absent one only if it is complete', async () => {
    const { id } = await createPlaceOf({ name: 'Bare', owner: { name: 'Bob' } })
    const { body } = await patch(id, { address: { zip: '1' } }).expect(422)
    expect(body.errors).toMatchObject([
      { in: 'body', pointer: '#/address/street', detail: 'is required' },
    ])
    const deep = await patch(id, { address: { street: 'a', geo: { lat: 1 } } }).expect(422)
    expect(deep.body.errors).toMatchObject([{ pointer: '#/address/geo/lon' }])
    const whole = await patch(id, { address: { street: 'a', zip: null } }).expect(200)
    expect(whole.body.data.address).toEqual({ street: 'a' })
    const gone = await patch(id, { address: null }).expect(200)
    expect(gone.body.data).not.toHaveProperty('address')
  })

  it('rejects null for a required member, unknown members and wrong types', async () => {
    const { id } = await createPlaceOf()
    for (const [change, pointer] of [
      [{ owner: { name: null } }, '#/owner/name'],
      [{ owner: null }, '#/owner'],
      [{ address: { nope: 1 } }, '#/address/nope'],
      [{ address: { geo: { lat: 'x' } } }, '#/address/geo/lat'],
      [{ address: { $set: { street: 'x' } } }, '#/address/%24set'],
      [{ address: 'x' }, '#/address'],
    ] as const) {
      const { body } = await patch(id, change).expect(422)
      expect(body.errors).toMatchObject([{ pointer }])
    }
    await patch(id, '{"address":{"__proto__":{"polluted":1}}}').expect(422)
    await patch(id, '{"meta":{"__proto__":{"polluted":1}}}').expect(422)
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })

  it('holds rules across fields', async () => {
    const { id } = await createPlaceOf()
    const { body } = await patch(id, { closes: 7 }).expect(422)
    expect(body.errors).toEqual([
      { in: 'body', pointer: '#/closes', code: 'custom', detail: 'must be after opens' },
    ])
    await patch(id, { opens: 6, closes: 7 }).expect(200)
    // What only the server writes does not switch them off.
    await PlaceModel.updateOne({ _id: id }, { $set: { 'address.note': 'ours' } })
    await patch(id, { closes: 5 }).expect(422)
    await patch(id, { closes: 5, address: { zip: '1' } }).expect(422)
  })

  it('loses no change of writers at the same time', async () => {
    const { id } = await createPlaceOf()
    const changes = ['a', 'b', 'c', 'd'].map((key) => ({ meta: { [key]: key } }))
    const responses = await Promise.all(changes.map((change) => patch(id, change)))
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const stored = await PlaceModel.findById(id).lean()
    expect(stored?.meta).toMatchObject({ a: 'a', b: 'b', c: 'c', d: 'd' })
    expect(stored).toHaveProperty('__v', 4)
  })

  it('VAL-04 VAL-05 handles random patches, and keeps the document valid', async () => {
    const { id, data } = await createPlaceOf()
    const seed = Number(process.env['FUZZ_SEED'] ?? 20_260_131)
    // The long run has 10,000: FUZZ_REQUESTS=10000.
    const numRuns = Number(process.env['FUZZ_REQUESTS'] ?? 300)
    const statuses = new Set<number>()
    for (const change of sample(patches, { seed, numRuns })) {
      const { status, body } = await patch(id, JSON.stringify(change))
      statuses.add(status)
      if (status !== 422) expect({ change, status }).toMatchObject({ status: 200 })
      // What a patch cannot name stays, whatever was merged beside it.
      if (status === 200) expect(body.data).toMatchObject({ id, createdAt: data.createdAt })
    }
    expect([...statuses].toSorted((a, b) => a - b)).toEqual([200, 422])
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })

  it('gives up with a 409 when others keep changing it', async () => {
    const { id } = await createPlaceOf()
    // A hook that gets in between every time, as a busy neighbour would.
    const schema = placeSchema.clone()
    schema.post('findOne', async ({ _id }: { _id: unknown }) => {
      await PlaceModel.updateOne({ _id }, { $inc: { opens: -1 } })
    })
    const BusyModel = model('BusyPlace', schema, PlaceModel.collection.name)
    const pending = patchDocument(
      BusyModel,
      { _id: id },
      { scope: {}, match: {}, schema: patchPlace, input: { meta: { x: 1 } } },
    )
    await expect(pending).rejects.toMatchObject({ code: 'conflict', status: 409 })
  })

  it('checks If-Match, and reports a missing document', async () => {
    const { id } = await createPlaceOf()
    const change = { owner: { phone: '3' } }
    await patch(id, change, { 'If-Match': '"7"' }).expect(412)
    await patch(absent, change).expect(404)
    await patch(id, change, { 'If-Match': '"0"' }).expect(200)
    await patch(id, change, { 'If-Match': '"0"' }).expect(412)
  })

  it('changes nothing for an empty patch, and leaves defaults alone', async () => {
    const { id, data } = await createPlaceOf({ ...complete, opens: 5 })
    const { body, headers } = await patch(id, {}).expect(200)
    expect(body.data).toEqual(data)
    expect(headers['etag']).toBe('"0"')
    const named = await patch(id, { name: 'x' }).expect(200)
    expect(named.body.data).toMatchObject({ name: 'x', opens: 5 })
  })
})
