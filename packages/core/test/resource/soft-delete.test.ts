import { model, Schema, Types } from 'mongoose'
import supertest from 'supertest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createApi, createRegistry, createRouter, defineRule, success } from '../../src/index.ts'
import {
  createDocument,
  defineListQuery,
  defineView,
  findPage,
  idParams as params,
  includeReferences,
  inScope,
  listMeta,
  objectId,
  parseIfMatch,
  patchDocument,
  purgeDeleted,
  replaceDocument,
  requireFound,
  requireReferences,
  restoreDocument,
  softDelete,
  deleteDocument,
  toOutputSchema,
  toPatchSchema,
  toProjection,
  versioned,
} from '../../src/resource.ts'
import { createTestClient, type TestClient, type TestUser } from '../../src/testing.ts'

const createMemo = z.strictObject({
  slug: z.string().max(50),
  code: z.string().max(50).optional(),
  about: objectId.optional(),
})
const patchMemo = toPatchSchema(createMemo)
const memo = toOutputSchema(createMemo)
const view = defineView(memo, {
  fields: ['slug'],
  include: { about: { response: memo, access: 'owner' } },
})
const listMemos = defineListQuery(memo, { filters: ['slug'], sort: ['slug'], view })
const { ObjectId } = Schema.Types
const memoSchema = new Schema(
  {
    slug: { type: String, required: true, unique: true },
    code: { type: String, unique: true, sparse: true },
    about: { type: ObjectId, ref: 'SoftMemo' },
    owner: ObjectId,
  },
  { timestamps: true },
)
  .plugin(versioned)
  .plugin(softDelete)
// After the plugin.
memoSchema.index({ code: 1, slug: 1 }, { unique: true })
memoSchema.index({ owner: 1, createdAt: 1, _id: 1 })
const MemoModel = model('SoftMemo', memoSchema)
const PlainModel = model('HardMemo', new Schema({ slug: String }))

// A scope that depends on the deletion itself.
const visible = defineRule('visible', (user) => ({ owner: user.id, deletedAt: null }))

const memos = createRouter(
  (route) => [
    route.get(
      '/',
      { query: listMemos, response: view.response.array(), meta: listMeta },
      async (req, res) => {
        const { query } = req.valid
        const { data, meta } = await findPage(MemoModel, query, { scope: req.scope })
        success(res, await includeReferences(MemoModel, data, { query }), meta)
      },
    ),
    route.get(
      '/:id',
      { params, query: view.query, response: view.response, etag: true },
      async (req, res) => {
        const { params: key, query } = req.valid
        const filter = inScope(req.scope, { _id: key.id })
        const found = requireFound(await MemoModel.findOne(filter, toProjection(query)).lean())
        const seen = await includeReferences(MemoModel, found, { query })
        success(res, seen)
      },
    ),
    route.post('/', { body: createMemo, response: memo, status: 201 }, async (req, res) => {
      const { body } = req.valid
      await requireReferences(MemoModel, body, { references: req.references })
      success(res.status(201), await createDocument(MemoModel, body, { scope: req.scope }))
    }),
    route.put('/:id', { params, body: createMemo, response: memo }, async (req, res) => {
      const { body: input, params: key } = req.valid
      const options = { scope: req.scope, match: parseIfMatch(req), schema: createMemo, input }
      success(res, await replaceDocument(MemoModel, { _id: key.id }, options))
    }),
    route.patch('/:id', { params, body: patchMemo, response: memo }, async (req, res) => {
      const { body: patch, params: key } = req.valid
      const options = {
        scope: req.scope,
        match: parseIfMatch(req),
        schema: patchMemo,
        input: patch,
      }
      success(res, await patchDocument(MemoModel, { _id: key.id }, options))
    }),
    route.del('/:id', { params, etag: true }, async (req, res) => {
      const options = { match: parseIfMatch(req), scope: req.scope }
      await deleteDocument(MemoModel, { _id: req.valid.params.id }, options)
      success(res)
    }),
    route.post('/:id/restore', { params, response: memo, etag: true }, async (req, res) => {
      const { scope } = req
      const found = await restoreDocument(MemoModel, { _id: req.valid.params.id }, { scope })
      success(res, found)
    }),
    route.post('/:id/visible', { params, access: visible, response: memo }, async (req, res) => {
      const { scope } = req
      success(res, await restoreDocument(MemoModel, { _id: req.valid.params.id }, { scope }))
    }),
    route.get(
      '/:id/loaded',
      { params, load: ({ id }) => MemoModel.findById(id).lean(), response: memo },
      (req, res) => success(res, req.document),
    ),
  ],
  { access: 'owner', references: { about: 'owner' }, model: MemoModel },
)
const api = createApi({
  name: 'memos',
  routes: createRegistry().use('/api/memos', memos),
  rateLimit: false,
  log: { level: 'silent' },
})
const path = '/api/memos'

let client: TestClient
let ada: TestUser
let asAda: TestClient['request']
let asBob: TestClient['request']
let count = 0

beforeAll(async () => {
  client = await createTestClient(api)
  ada = await client.signUp()
  asAda = supertest.agent(client.url).set(ada.headers)
  asBob = supertest.agent(client.url).set((await client.signUp()).headers)
})

afterAll(() => client.stop())

async function insert(fields: object = {}) {
  count += 1
  const input = { slug: `memo-${count}`, ...fields }
  const { body } = await asAda.post(path).send(input).expect(201)
  return { data: body.data, id: String(body.data.id), url: `${path}/${body.data.id}` }
}

async function insertDeleted(fields: object = {}) {
  const memoOf = await insert(fields)
  await asAda.delete(memoOf.url).expect(204)
  return memoOf
}

describe('a deleted document', () => {
  it('stays in the database, with the time', async () => {
    const { id, data } = await insert()
    await asAda.delete(`${path}/${id}`).set('If-Match', '"7"').expect(412)
    await asAda.delete(`${path}/${id}`).set('If-Match', '"0"').expect(204)
    const _id = new Types.ObjectId(id)
    const stored = await MemoModel.collection.findOne({ _id })
    expect(stored).toMatchObject({ slug: data.slug, __v: 1, deletedAt: expect.any(Date) })
  })

  it('is a 404 on every route, whatever the preconditions', async () => {
    const { url } = await insertDeleted()
    for (const header of [{}, { 'If-Match': '*' }, { 'If-Match': '"1"' }]) {
      await asAda.get(url).set(header).expect(404)
      await asAda.put(url).set(header).send({ slug: 'x' }).expect(404)
      await asAda.patch(url).set(header).send({ slug: 'x' }).expect(404)
      await asAda.patch(url).set(header).send({}).expect(404)
      await asAda.delete(url).set(header).expect(404)
      await asAda.get(`${url}/loaded`).set(header).expect(404)
    }
  })

  it('is in no list, count or page', async () => {
    const { data } = await insertDeleted()
    for (const query of ['', '&page=1', '&offset=0', '&cursor=', '&sort=slug&fields=slug']) {
      const { body } = await asAda.get(`${path}?slug=${data.slug}${query}`).expect(200)
      expect(body.data).toEqual([])
      expect(body.meta.total ?? 0).toBe(0)
    }
  })

  it('is not included, and cannot be referred to', async () => {
    const { id } = await insert()
    const child = await insert({ about: id })
    await asAda.delete(`${path}/${id}`).expect(204)
    const { body } = await asAda.get(`${child.url}?include=about`).expect(200)
    expect(body.data).toMatchObject({ about: id, included: { about: null } })
    const refused = await asAda.post(path).send({ slug: 'child', about: id }).expect(422)
    expect(refused.body.errors).toMatchObject([{ pointer: '#/about', code: 'not_found' }])
    const populated = await MemoModel.findById(child.id).populate('about')
    expect(populated?.about).toBeNull()
  })

  it('leaves its unique values to others', async () => {
    const { data } = await insertDeleted({ code: `code-${count}` })
    await asAda.post(path).send({ slug: data.slug, code: data.code }).expect(201)
    await asAda.post(path).send({ slug: data.slug }).expect(409)
    await asAda
      .post(path)
      .send({ slug: `${data.slug}-b`, code: data.code })
      .expect(409)
  })

  it('is deleted by one of two requests', async () => {
    const { url } = await insert()
    const responses = await Promise.all([asAda.delete(url), asAda.delete(url)])
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([204, 404])
  })
})

describe('restoring', () => {
  it('brings the document back once, with a new ETag', async () => {
    const { data, url } = await insertDeleted()
    const { body, headers } = await asAda.post(`${url}/restore`).expect(200)
    expect(body.data).toEqual({ ...data, updatedAt: body.data.updatedAt })
    expect(headers['etag']).toBe('"2"')
    await asAda.get(url).set('If-None-Match', '"0"').expect(200)
    await asAda.post(`${url}/restore`).expect(404)
  })

  it('is a 409 while another document has a unique value', async () => {
    const { data, url } = await insertDeleted()
    const { body } = await asAda.post(path).send({ slug: data.slug }).expect(201)
    const refused = await asAda.post(`${url}/restore`).expect(409)
    expect(refused.body.code).toBe('duplicate')
    await asAda.delete(`${path}/${body.data.id}`).expect(204)
    await asAda.post(`${url}/restore`).expect(200)
  })

  it('restores the one that was deleted last', async () => {
    const slug = 'several'
    const first = await insertDeleted({ slug })
    const second = await insertDeleted({ slug })
    const { _id: id } = await restoreDocument(MemoModel, { slug }, { scope: {} })
    expect([String(id), first.id]).toEqual([second.id, first.id])
  })

  it('is a 404 for a document that the caller cannot reach, and never widens its scope', async () => {
    const { id, url } = await insertDeleted()
    await asBob.post(`${url}/restore`).expect(404)
    await asBob.post(`${url}/restore`).send({ owner: ada.user.id }).expect(404)
    // Meanwhile the document was given to somebody else.
    const owner = new Types.ObjectId()
    await MemoModel.findByIdAndUpdate(id, { owner }, { withDeleted: true })
    await asAda.post(`${url}/restore`).expect(404)
    const stored = await MemoModel.findById(id).setOptions({ withDeleted: true }).lean()
    expect(stored).toMatchObject({ owner, deletedAt: expect.any(Date) })
  })

  it('obeys a scope that names the deletion', async () => {
    const { url } = await insertDeleted()
    await asAda.post(`${url}/visible`).expect(404)
    const deleted = { deletedAt: { $ne: null } }
    const { id } = await insertDeleted()
    // It would leave the scope.
    const restored = restoreDocument(MemoModel, { _id: id }, { scope: deleted })
    await expect(restored).rejects.toMatchObject({ code: 'forbidden' })
    const scope = { $or: [deleted, { deletedAt: null }] }
    await expect(restoreDocument(MemoModel, { _id: id }, { scope })).resolves.toMatchObject({
      slug: expect.any(String),
    })
  })
})

describe('softDelete', () => {
  it('hides deleted documents from every operation of the model, unless it says withDeleted', async () => {
    const { data, id } = await insertDeleted()
    const { slug } = data
    const withDeleted = true
    expect(await MemoModel.find({ slug })).toEqual([])
    expect(await MemoModel.find({ $or: [{ slug }] }).countDocuments()).toBe(0)
    expect(await MemoModel.exists({ slug })).toBeNull()
    expect(await MemoModel.distinct('slug', { slug })).toEqual([])
    expect(await MemoModel.aggregate([{ $match: { slug } }])).toEqual([])
    expect(await MemoModel.updateOne({ slug }, { code: 'x' })).toMatchObject({ matchedCount: 0 })
    expect(await MemoModel.replaceOne({ slug }, { slug })).toMatchObject({ matchedCount: 0 })
    expect(await MemoModel.findOneAndReplace({ slug }, { slug })).toBeNull()
    expect(await MemoModel.deleteMany({ slug })).toMatchObject({ deletedCount: 0 })
    expect(await MemoModel.findByIdAndDelete(id)).toBeNull()
    expect(await MemoModel.find({ slug }).setOptions({ withDeleted })).toHaveLength(1)
    expect(await MemoModel.aggregate([{ $match: { slug } }]).option({ withDeleted })).toHaveLength(
      1,
    )
  })

  it('hides them after a stage that must be the first', async () => {
    const schema = new Schema({ place: { type: [Number], index: '2dsphere' } }).plugin(softDelete)
    const PlaceModel = model('SoftPlace', schema)
    await PlaceModel.createIndexes()
    const live = await PlaceModel.create({ place: [1, 1] })
    const { id: _id } = await PlaceModel.create({ place: [1, 1] })
    await deleteDocument(PlaceModel, { _id }, { scope: {}, match: {} })
    const near: [number, number] = [1, 1]
    const found = await PlaceModel.aggregate([
      { $geoNear: { near, distanceField: 'distance', spherical: true } },
    ])
    expect(found.map((place) => String(place._id))).toEqual([live.id])
  })

  it('lets findPage read the deleted documents', async () => {
    const { data } = await insertDeleted()
    const deleted = MemoModel.find({ deletedAt: { $ne: null } }).setOptions({ withDeleted: true })
    const query = listMemos.parse({ slug: data.slug })
    const page = await findPage(deleted, query)
    expect(page).toMatchObject({ data: [{ slug: data.slug }], meta: { total: 1 } })
  })

  it('fails to save a document that was deleted since it was read', async () => {
    const { id, url } = await insert()
    const read = await MemoModel.findById(id).orFail()
    await asAda.delete(url).expect(204)
    await expect(read.set({ code: 'late' }).save()).rejects.toThrow(/No matching document/)
  })

  it('lets lists and unique values use the indexes', async () => {
    const owner = new Types.ObjectId(ada.user.id)
    const list = MemoModel.find({ owner }).sort({ createdAt: 1, _id: 1 }).limit(20)
    expect(toPlan(await list.explain())).toContain('owner_1_createdAt_1__id_1')
    expect(toPlan(await MemoModel.find({ slug: 'a' }).explain())).toContain('slug_1')
    const expired = MemoModel.find({ deletedAt: { $lte: new Date() } })
    const plan = toPlan(await expired.setOptions({ withDeleted: true }).explain())
    expect(plan).toContain('deletedAt_1')
  })

  it('keeps the conditions of unique indexes, and refuses sparse ones of several fields', () => {
    const schema = new Schema({ a: String, b: String }).plugin(softDelete)
    schema.index({ a: 1 }, { unique: true, partialFilterExpression: { b: 'x' } })
    const [, [, options] = []] = schema.indexes()
    expect(options).toMatchObject({ partialFilterExpression: { b: 'x', deletedAt: null } })
    schema.index({ a: 1, b: 1 }, { unique: true, sparse: true })
    expect(() => schema.indexes()).toThrow(/on a, b cannot be sparse/)
  })

  it('is required by the functions that need it', async () => {
    const id = new Types.ObjectId()
    const message = /HardMemo does not keep deleted documents.*schema.plugin\(softDelete\)/
    await expect(restoreDocument(PlainModel, { _id: id }, { scope: {} })).rejects.toThrow(message)
    await expect(purgeDeleted(PlainModel, { olderThan: '30d' })).rejects.toThrow(message)
  })
})

describe('purgeDeleted', () => {
  it('removes what was deleted before, in batches', async () => {
    const day = 86_400_000
    const toMemo = (index: number, age: number) => ({
      slug: `old-${index}`,
      deletedAt: new Date(Date.now() - age),
    })
    const old = Array.from({ length: 1001 }, (_, index) => toMemo(index, 31 * day))
    await MemoModel.insertMany([...old, toMemo(2000, 29 * day), { slug: 'old-and-live' }])
    const before = await MemoModel.countDocuments()
    expect(await purgeDeleted(MemoModel, { olderThan: '30d' })).toBe(1001)
    expect(await purgeDeleted(MemoModel, { olderThan: '30d' })).toBe(0)
    expect(await MemoModel.countDocuments()).toBe(before)
    expect(await MemoModel.exists({ slug: 'old-2000' }).setOptions({ withDeleted: true })).not.toBe(
      null,
    )
    await expect(purgeDeleted(MemoModel, { olderThan: '1 month' })).rejects.toThrow(
      /olderThan must be a duration/,
    )
  })
})

function toPlan(explained: unknown): string {
  const { queryPlanner } = Object(explained)
  return JSON.stringify(queryPlanner.winningPlan)
}
