import { model, Schema, Types } from 'mongoose'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import {
  createApi,
  createRegistry,
  createRouter,
  defineRule,
  type Scope,
  success,
} from '../../src/index.ts'
import { requireKnownFields } from '../../src/lib/access/known-fields.ts'
import {
  createDocument,
  defineListQuery,
  deleteDocument,
  findDocument,
  findPage,
  objectId,
  patchDocument,
  replaceDocument,
  requireReferences,
  restoreDocument,
  softDelete,
  toPatchSchema,
  versioned,
} from '../../src/resource.ts'
import { createTestClient } from '../../src/testing.ts'

const place = { city: String, geo: { lat: Number } }
const placeSchema = new Schema({
  owner: String,
  tags: [String],
  place,
  home: new Schema({ street: String }),
  lines: [{ product: String, parts: [{ name: String }] }],
  scores: { type: Map, of: Number },
  rooms: { type: Map, of: new Schema({ name: String }) },
  extra: Schema.Types.Mixed,
  friend: { type: Schema.Types.ObjectId, ref: 'GuardedPlace' },
})
const PlaceModel = model('GuardedPlace', placeSchema.plugin(versioned).plugin(softDelete))
const BigModel = PlaceModel.discriminator('GuardedBigPlace', new Schema({ size: Number }))
const LooseModel = model('GuardedLoose', new Schema({ name: String }, { strict: false }))

const createPlace = z.strictObject({ owner: z.string().optional() })
const patchPlace = toPatchSchema(createPlace)
const listPlaces = defineListQuery(createPlace.extend({ id: objectId }), {})
const filter = { _id: new Types.ObjectId() }
const match = {}
const input = {}

const verbs: Readonly<Record<string, (scope: Scope) => Promise<unknown>>> = {
  findPage: (scope) => findPage(PlaceModel, listPlaces.parse({}), { scope }),
  findDocument: (scope) => findDocument(PlaceModel, filter, { scope }),
  createDocument: (scope) => createDocument(PlaceModel, input, { scope }),
  replaceDocument: (scope) =>
    replaceDocument(PlaceModel, filter, { scope, match, schema: createPlace, input }),
  patchDocument: (scope) =>
    patchDocument(PlaceModel, filter, { scope, match, schema: patchPlace, input }),
  deleteDocument: (scope) => deleteDocument(PlaceModel, filter, { scope, match }),
  restoreDocument: (scope) => restoreDocument(PlaceModel, filter, { scope }),
  requireReferences: (scope) =>
    requireReferences(PlaceModel, { friend: filter._id }, { references: { friend: scope } }),
}

// Where a filter names a field.
const shapes: Readonly<Record<string, (path: string) => Scope>> = {
  'a value': (path) => ({ [path]: 1 }),
  $ne: (path) => ({ [path]: { $ne: 'x' } }),
  $not: (path) => ({ [path]: { $not: { $eq: 'x' } } }),
  $and: (path) => ({ $and: [{ owner: 'x' }, { [path]: { $ne: 'x' } }] }),
  $nor: (path) => ({ $nor: [{ $or: [{ [path]: 'x' }] }] }),
  $expr: (path) => ({ $expr: { $ne: [`$${path}`, 'x'] } }),
  $$ROOT: (path) => ({ $expr: { $ne: [{ $toString: `$$ROOT.${path}` }, 'x'] } }),
}

const unknown = [
  'ownerr',
  'place.citty',
  'place.geo.long',
  'owner.name',
  'lines.produkt',
  'lines.parts.nam',
]
const known = [
  'owner',
  '_id',
  '__v',
  'deletedAt',
  'tags',
  'place',
  'place.city',
  'place.geo.lat',
  'home.street',
  'lines',
  'lines.product',
  'lines.parts.name',
  'scores.ada',
  'rooms.kitchen.name',
  'extra.anything.goes',
  'size',
  '__t',
]

describe.each(Object.entries(verbs))('AUZ-08 %s', (name, verb) => {
  it.each(Object.keys(shapes).flatMap((shape) => unknown.map((path) => [shape, path] as const)))(
    'rejects a scope with %s of the unknown field %s',
    async (shape, path) => {
      const scope = shapes[shape]?.(path) ?? {}
      await expect(verb(scope)).rejects.toThrow(
        `The scope filters by '${path}', a field that GuardedPlace does not have.`,
      )
    },
  )

  it('rejects a scope that is undefined', async () => {
    if (name === 'requireReferences') return
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as JavaScript may pass it
    await expect(verb(undefined as unknown as Scope)).rejects.toThrow('The scope is undefined.')
  })
})

describe('AUZ-08 a scope', () => {
  it.each([
    ['$elemMatch', { lines: { $elemMatch: { produkt: 'x' } } }, 'lines.produkt'],
    ['$all', { lines: { $all: [{ $elemMatch: { produkt: 'x' } }] } }, 'lines.produkt'],
    ['an object', { place: { citty: 'x' } }, 'place.citty'],
    ['objects in $in', { place: { $nin: [{ citty: 'x' }] } }, 'place.citty'],
    ['a position', { 'lines.0.produkt': { $ne: 'x' } }, 'lines.0.produkt'],
    ['$getField', { $expr: { $ne: [{ $getField: 'ownerr' }, 'x'] } }, 'ownerr'],
    ['a virtual', { id: { $ne: 'x' } }, 'id'],
    ['documents in a map', { 'rooms.kitchen.nam': { $ne: 'x' } }, 'rooms.kitchen.nam'],
    ['a subdocument', { 'home.stret': { $ne: 'x' } }, 'home.stret'],
  ])('is checked within %s', async (_where, scope, path) => {
    await expect(findDocument(PlaceModel, filter, { scope })).rejects.toThrow(`by '${path}'`)
  })

  it.each(
    known.flatMap((path) =>
      Object.entries(shapes).map(([shape, of]) => [path, shape, of] as const),
    ),
  )('may name %s, with %s', (path, _shape, of) => {
    expect(() => requireKnownFields(PlaceModel, of(path))).not.toThrow()
  })

  it.each([
    { 'lines.0.product': 'x' },
    { lines: { $elemMatch: { product: 'x', parts: { $elemMatch: { name: 'y' } } } } },
    { tags: { $elemMatch: { $ne: 'x' } } },
    { $expr: { $eq: ['$owner', { $literal: '$ownerr' }] } },
    { $expr: { $eq: ['$$NOW', 1] } },
    { $where: 'this.ownerr' },
    { 'home.street': null },
  ])('may be %j', (scope) => {
    expect(() => requireKnownFields(PlaceModel, scope)).not.toThrow()
  })

  it('is not checked where the schema does not say which fields there are', () => {
    expect(() => requireKnownFields(LooseModel, { anything: 1 })).not.toThrow()
  })

  it('knows the fields of discriminators, and those of the base', async () => {
    const scope = { size: { $ne: 1 }, owner: 'x', sice: 1 }
    await expect(findDocument(BigModel, filter, { scope })).rejects.toThrow(
      /'sice'.*GuardedBigPlace/,
    )
  })
})

it('AUZ-08 is checked for the document that a route loads', async () => {
  const strangers = defineRule('strangers', (user) => ({ owner: { $ne: user.id } }))
  const misspelt = defineRule('misspelt', (user) => ({ ownerr: { $ne: user.id } }))
  const options = {
    params: z.strictObject({ id: objectId }),
    load: ({ id }: { id: string }) => PlaceModel.findById(id).lean(),
    response: z.object({ owner: z.string().optional() }),
  }
  const router = createRouter((route) => [
    route.get('/:id', { ...options, access: strangers }, (req, res) => success(res, req.document)),
    route.get('/:id/again', { ...options, access: misspelt }, (req, res) =>
      success(res, req.document),
    ),
  ])
  const routes = createRegistry().use('/api/places', router)
  const api = createApi({ name: 'places', environment: 'test', log: { level: 'silent' }, routes })
  const client = await createTestClient(api)
  onTestFinished(() => client.stop())
  const { headers } = await client.signUp()
  const { _id } = await PlaceModel.create({ owner: 'other' })
  await client.request
    .get(`/api/places/${String(_id)}`)
    .set(headers)
    .expect(200)
  await client.request
    .get(`/api/places/${String(_id)}/again`)
    .set(headers)
    .expect(500)
})
