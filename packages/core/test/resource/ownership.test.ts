import supertest from 'supertest'
import { Types } from 'mongoose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inScope } from '../../src/resource.ts'
import { createTestClient, type TestClient } from '../../src/testing.ts'
import { renderGolden } from '../golden/render-golden.ts'

const { api, PostModel } = await renderGolden('owner')

const absent = '000000000000000000000000'
const complete = { title: 'A title', body: 'Some text' }

let client: TestClient
let ada: TestClient['request']
let bob: TestClient['request']
let adaId: string

beforeAll(async () => {
  client = await createTestClient(api)
  const user = await client.signUp()
  adaId = user.user.id
  ada = supertest.agent(client.url).set(user.headers)
  bob = supertest.agent(client.url).set((await client.signUp()).headers)
})

afterAll(() => client.stop())

async function createPost(request = ada, fields: object = {}) {
  const { body } = await request
    .post('/api/posts')
    .send({ ...complete, ...fields })
    .expect(201)
  return { id: String(body.data.id), data: body.data }
}

describe('ownership of a resource', () => {
  it("AUZ-02 treats another user's document as missing, and does not change it", async () => {
    const { id } = await createPost()
    const before = await PostModel.findById(id).lean()
    for (const target of [id, absent]) {
      for (const [method, body] of [
        ['get', undefined],
        ['put', complete],
        ['patch', { title: 'Taken over' }],
        ['delete', undefined],
      ] as const) {
        for (const headers of [{}, { 'If-Match': '"0"' }, { 'If-Match': '"9"' }]) {
          const response = await bob[method](`/api/posts/${target}`).set(headers).send(body)
          expect([method, response.status, response.body.code]).toEqual([method, 404, 'not_found'])
        }
      }
    }
    expect(await PostModel.findById(id).lean()).toEqual(before)
  })

  it('AUZ-03 scopes lists, counts, filters and cursors by owner', async () => {
    const title = 'AUZ-03'
    for (let index = 0; index < 30; index++) await createPost(ada, { title })
    for (let index = 0; index < 3; index++) await createPost(bob, { title })
    for (const query of [
      { title },
      { 'title[contains]': 'auz' },
      { 'title[startsWith]': 'AUZ' },
      { 'title[in]': 'AUZ-03,other' },
      { title, sort: '-createdAt,title' },
      { title, 'published[ne]': 'true', limit: 2 },
      { title, page: 2, limit: 2 },
    ]) {
      const { body } = await bob.get('/api/posts').query(query).expect(200)
      expect(body.meta.total).toBe(3)
    }
    const ids = new Set<string>()
    let cursor = ''
    do {
      const { body } = await bob.get('/api/posts').query({ title, cursor, limit: 2 }).expect(200)
      for (const { id } of body.data) ids.add(id)
      cursor = String(body.meta.nextCursor ?? '')
    } while (cursor !== '')
    expect(ids.size).toBe(3)
  })

  it('reads lists by an index that begins with the owner', async () => {
    await createPost()
    for (const [filter, sort] of [
      [{}, { _id: 1 }],
      [{}, { createdAt: -1, _id: -1 }],
      [{ title: { $eq: 'AUZ-03' } }, { _id: 1 }],
    ] as const) {
      const list = PostModel.find(inScope({ owner: adaId }, filter)).sort({ ...sort })
      const { queryPlanner } = Object(await list.explain('queryPlanner'))
      const indexes = [
        ...JSON.stringify(queryPlanner.winningPlan).matchAll(/"keyPattern":\{"(\w+)/g),
      ]
      expect(indexes.map(([, first]) => first)).toEqual(['owner'])
    }
  })

  it("AUZ-03 rejects another user's cursor", async () => {
    await createPost()
    await createPost()
    const { body } = await ada.get('/api/posts').query({ cursor: '', limit: 1 }).expect(200)
    const query = { cursor: body.meta.nextCursor, limit: 1 }
    await ada.get('/api/posts').query(query).expect(200)
    await bob.get('/api/posts').query(query).expect(400)
  })

  it.each(['owner', '_id', 'id', 'createdAt', 'updatedAt', '__v'])(
    'AUZ-04 refuses %s in a body',
    async (field) => {
      const { id } = await createPost()
      const forged = { ...complete, [field]: absent }
      for (const pending of [
        ada.post('/api/posts').send(forged),
        ada.put(`/api/posts/${id}`).send(forged),
        ada.patch(`/api/posts/${id}`).send({ [field]: absent }),
      ]) {
        const { body } = await pending.expect(422)
        expect(body.errors).toMatchObject([{ pointer: `#/${field}`, code: 'unrecognized_key' }])
      }
      expect(String((await PostModel.findById(id).lean())?.owner)).toBe(adaId)
    },
  )

  it('AUZ-05 checks the owner in the write itself', async () => {
    const { id } = await createPost()
    const heir = new Types.ObjectId()
    // Handed over while writes are under way: each either came before, or met no document.
    const writes = Array.from({ length: 20 }, (_, index) =>
      ada.patch(`/api/posts/${id}`).send({ title: `write ${index}` }),
    )
    const handedOver = PostModel.collection.findOneAndUpdate(
      { _id: new Types.ObjectId(id) },
      { $set: { owner: heir } },
      { returnDocument: 'after' },
    )
    const statuses = (await Promise.all(writes)).map(({ status }) => status)
    const atHandover = await handedOver
    const after = await PostModel.collection.findOne({ _id: new Types.ObjectId(id) })
    expect(after).toEqual(atHandover)
    expect(statuses.filter((status) => status !== 200 && status !== 404)).toEqual([])
    await ada.patch(`/api/posts/${id}`).send({ title: 'too late' }).expect(404)
  })

  it('AUZ-06 never returns a field that only the model has', async () => {
    const { id } = await createPost()
    const secret = { $set: { internalNote: 'secret' } }
    await PostModel.collection.updateOne({ _id: new Types.ObjectId(id) }, secret)
    const responses = [
      await ada.get('/api/posts?limit=100'),
      await ada.get(`/api/posts/${id}`),
      await ada.patch(`/api/posts/${id}`).send({ title: 'x' }),
      await ada.put(`/api/posts/${id}`).send(complete),
    ]
    for (const { status, text } of responses) {
      expect(status).toBe(200)
      expect(text).not.toContain('secret')
      expect(text).not.toContain('owner')
      expect(text).not.toContain('_id')
      expect(text).not.toContain('__v')
    }
    const stored = await PostModel.collection.findOne({ _id: new Types.ObjectId(id) })
    expect(stored).toMatchObject({ internalNote: 'secret' })
  })
})
