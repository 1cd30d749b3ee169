import { createTestClient, type TestClient } from '@create-api/core/testing'
import { model } from 'mongoose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { api } from '../../app.js'

const path = '/api/comments'
const requiredFields = ['body', 'post']
const absent = '000000000000000000000000'
const references = {
  post: absent,
}

let client: TestClient
let request: TestClient['request']
let count = 0

beforeAll(async () => {
  client = await createTestClient(api)
  request = client.request
  references.post = String((await model('Post').collection.insertOne({})).insertedId)
})

afterAll(() => client.stop())

/** Every required field; another text each time. */
function toRequired() {
  count += 1
  return {
    body: `body ${count}`,
    post: references.post,
  }
}

/** Every field. */
function toComplete() {
  return {
    ...toRequired(),
  }
}

/** Stores a document; gives it as a client reads it. */
async function insert(fields = toComplete()) {
  const answer = await request.post(path).send(fields).expect(201)
  return { id: String(answer.body.data.id), data: answer.body.data }
}

describe('GET /api/comments', () => {
  it('answers a page, with limit and total', async () => {
    await insert()
    await insert()
    const { body } = await request.get(`${path}?page=2&limit=1`).expect(200)
    expect(body.data).toHaveLength(1)
    expect(body.meta).toMatchObject({ page: 2, limit: 1 })
    expect(body.meta.total).toBeGreaterThanOrEqual(2)
    expect(body.meta.pages).toBe(body.meta.total)
  })

  it('walks the whole list by cursor, each document once', async () => {
    await insert()
    const ids: string[] = []
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const { body } = await request.get(path).query({ cursor, limit: 2 })
      for (const { id } of body.data) ids.push(id)
      cursor = body.meta.nextCursor
    }
    const { body } = await request.get(`${path}?limit=1`).expect(200)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toHaveLength(body.meta.total)
  })

  it('filters and sorts', async () => {
    const { id, data } = await insert()
    const query = { 'createdAt[gte]': data.createdAt, sort: '-createdAt' }
    const { body } = await request.get(path).query(query).expect(200)
    expect(body.data).toContainEqual(expect.objectContaining({ id }))
  })

  it.each([
    'limit=101',
    'limit=0',
    'limit=x',
    'page=0',
    'nope=1',
    'nope[gt]=x',
    'sort=nope',
    'page=1&page=2',
  ])('refuses ?%s', async (query) => {
    const { body } = await request.get(`${path}?${query}`).expect(400)
    expect(body.code).toBe('invalid_query')
  })
})

describe('POST /api/comments', () => {
  it('creates a comment and says where it is', async () => {
    const complete = toComplete()
    const answer = await request.post(path).send(complete).expect(201)
    expect(answer.body.data).toMatchObject(complete)
    expect(answer.headers['etag']).toBe('"0"')
    expect(answer.headers['location']).toBe(`${path}/${answer.body.data.id}`)
  })

  it('fills in what is optional', async () => {
    const required = toRequired()
    const { body } = await request.post(path).send(required).expect(201)
    const { id, createdAt, updatedAt } = body.data
    expect(body.data).toEqual({ id, createdAt, updatedAt, ...required })
  })

  it.each(requiredFields)('refuses a comment without %s', async (field) => {
    const incomplete = { ...toComplete(), [field]: undefined }
    const { body } = await request.post(path).send(incomplete).expect(422)
    expect(body.errors).toMatchObject([{ in: 'body', pointer: `#/${field}` }])
  })

  it('refuses a wrong body', async () => {
    const wrong = { ...toComplete(), body: 'x'.repeat(10_000 + 1) }
    const { body } = await request.post(path).send(wrong).expect(422)
    expect(body.errors).toMatchObject([{ in: 'body', pointer: '#/body' }])
  })

  it('refuses a wrong post', async () => {
    const wrong = { ...toComplete(), post: 'nope nope' }
    const { body } = await request.post(path).send(wrong).expect(422)
    expect(body.errors).toMatchObject([{ in: 'body', pointer: '#/post' }])
  })

  it('refuses a post that does not exist', async () => {
    const orphan = { ...toComplete(), post: absent }
    const { body } = await request.post(path).send(orphan).expect(422)
    expect(body.errors).toMatchObject([{ pointer: '#/post', code: 'not_found' }])
  })

  it('refuses unknown fields, other media types and what is not JSON', async () => {
    const extra = { ...toComplete(), id: absent }
    const { body } = await request.post(path).send(extra).expect(422)
    expect(body.errors).toMatchObject([{ pointer: '#/id', code: 'unrecognized_key' }])
    await request.post(path).type('text').send('title').expect(415)
    await request.post(path).type('json').send('{"title":').expect(400)
  })
})

describe('GET /api/comments/:id', () => {
  it('answers what was stored, and 304 to the ETag it gave', async () => {
    const { id, data } = await insert()
    const { body, headers } = await request.get(`${path}/${id}`).expect(200)
    expect(body.data).toEqual(data)
    const etag = String(headers['etag'])
    await request.get(`${path}/${id}`).set('If-None-Match', etag).expect(304)
  })

  it('answers the same 404 to an absent and to a malformed id', async () => {
    for (const id of [absent, 'nope']) {
      const { body } = await request.get(`${path}/${id}`).expect(404)
      expect(body).toMatchObject({ code: 'not_found', status: 404 })
    }
  })
})

describe('PUT /api/comments/:id', () => {
  it('replaces a comment, and resets what is left out', async () => {
    const { id, data } = await insert()
    const required = toRequired()
    const { body } = await request.put(`${path}/${id}`).send(required).expect(200)
    const { createdAt } = data
    const { updatedAt } = body.data
    expect(body.data).toEqual({ id, createdAt, updatedAt, ...required })
  })

  it('refuses unknown fields, and an absent id', async () => {
    const { id } = await insert()
    const extra = { ...toComplete(), nope: 1 }
    await request.put(`${path}/${id}`).send(extra).expect(422)
    await request.put(`${path}/${absent}`).send(toComplete()).expect(404)
  })
})

describe('PATCH /api/comments/:id', () => {
  it('changes one field and keeps the others', async () => {
    const { id, data } = await insert()
    const change = { body: toComplete().body }
    const { body } = await request.patch(`${path}/${id}`).send(change).expect(200)
    expect(body.data).toEqual({ ...data, ...change, updatedAt: body.data.updatedAt })
  })

  it('changes nothing without fields', async () => {
    const { id, data } = await insert()
    const { body } = await request.patch(`${path}/${id}`).send({}).expect(200)
    expect(body.data).toEqual(data)
  })

  it.each(requiredFields)('refuses null for %s', async (field) => {
    const { id } = await insert()
    const change = { [field]: null }
    await request.patch(`${path}/${id}`).send(change).expect(422)
  })

  it('refuses unknown fields, and an absent id', async () => {
    const { id } = await insert()
    await request.patch(`${path}/${id}`).send({ nope: 1 }).expect(422)
    await request.patch(`${path}/${absent}`).send({}).expect(404)
  })

  it('lets only one of two writers with the same ETag through', async () => {
    const { id } = await insert()
    const change = { body: toComplete().body }
    const write = () => request.patch(`${path}/${id}`).set('If-Match', '"0"').send(change)
    const answers = await Promise.all([write(), write()])
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 412])
  })
})

describe('DELETE /api/comments/:id', () => {
  it('deletes once', async () => {
    const { id } = await insert()
    await request.delete(`${path}/${id}`).set('If-Match', '"7"').expect(412)
    await request.delete(`${path}/${id}`).expect(204)
    await request.delete(`${path}/${id}`).expect(404)
  })
})

describe('/api/comments', () => {
  it('answers 405 with Allow to other methods', async () => {
    const answer = await request.delete(path).expect(405)
    expect(answer.headers['allow']).toBe('GET, HEAD, OPTIONS, POST')
  })
})
