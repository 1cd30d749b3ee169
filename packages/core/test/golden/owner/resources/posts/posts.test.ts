import { createTestClient, type TestClient } from '@create-api/core/testing'
import supertest from 'supertest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { api } from '../../app.js'

const complete = { title: 'A title', body: 'Some text', published: true }
const required = { title: 'A title', body: 'Some text' }
const absent = '000000000000000000000000'

let client: TestClient
let request: TestClient['request']
let stranger: TestClient['request']

beforeAll(async () => {
  client = await createTestClient(api)
  request = supertest.agent(client.url).set((await client.signUp()).headers)
  stranger = supertest.agent(client.url).set((await client.signUp()).headers)
})

afterAll(() => client.stop())

async function createPost(fields: object = complete) {
  const answer = await request.post('/api/posts').send(fields).expect(201)
  return { id: String(answer.body.data.id), data: answer.body.data }
}

describe('GET /api/posts', () => {
  it('answers a page, with limit and total', async () => {
    await createPost()
    await createPost()
    const { body } = await request.get('/api/posts?page=2&limit=1').expect(200)
    expect(body.data).toHaveLength(1)
    expect(body.meta).toMatchObject({ page: 2, limit: 1 })
    expect(body.meta.total).toBeGreaterThanOrEqual(2)
    expect(body.meta.pages).toBe(body.meta.total)
  })

  it('walks the whole list by cursor, each post once', async () => {
    await createPost()
    const ids: string[] = []
    let cursor = ''
    do {
      const answer = await request.get('/api/posts').query({ cursor, limit: 2 }).expect(200)
      for (const { id } of answer.body.data) ids.push(id)
      cursor = String(answer.body.meta.nextCursor ?? '')
    } while (cursor !== '')
    const { body } = await request.get('/api/posts?limit=1').expect(200)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toHaveLength(body.meta.total)
  })

  it('filters and sorts', async () => {
    const { id, data } = await createPost()
    const query = { title: data.title, 'createdAt[gte]': data.createdAt, sort: '-createdAt,title' }
    const { body } = await request.get('/api/posts').query(query).expect(200)
    expect(body.data).toContainEqual(expect.objectContaining({ id }))
  })

  it.each([
    'limit=101',
    'limit=0',
    'page=0',
    'nope=1',
    'title[nope]=x',
    'sort=nope',
    'page=1&page=2',
  ])('refuses ?%s', async (query) => {
    const { body } = await request.get(`/api/posts?${query}`).expect(400)
    expect(body.code).toBe('invalid_query')
  })
})

describe('POST /api/posts', () => {
  it('creates a post that can be read at its Location', async () => {
    const answer = await request.post('/api/posts').send(complete).expect(201)
    expect(answer.body.data).toMatchObject(complete)
    expect(answer.headers['etag']).toBe('"0"')
    const { body } = await request.get(String(answer.headers['location'])).expect(200)
    expect(body).toEqual(answer.body)
  })

  it('fills in what is optional', async () => {
    const { data } = await createPost(required)
    expect(data).toMatchObject({ ...required, published: false })
  })

  it.each(Object.keys(required))('refuses a post without %s', async (field) => {
    const { body } = await request
      .post('/api/posts')
      .send({ ...complete, [field]: undefined })
      .expect(422)
    expect(body.errors).toMatchObject([{ in: 'body', pointer: `#/${field}` }])
  })

  it('refuses unknown fields, other media types and what is not JSON', async () => {
    const extra = { ...complete, id: absent }
    const { body } = await request.post('/api/posts').send(extra).expect(422)
    expect(body.errors).toMatchObject([{ pointer: '#/id', code: 'unrecognized_key' }])
    await request.post('/api/posts').type('text').send('title').expect(415)
    await request.post('/api/posts').type('json').send('{"title":').expect(400)
  })
})

describe('POST /api/posts with an Idempotency-Key', () => {
  it('creates once, and answers the same again', async () => {
    const fields = complete
    const create = () => request.post('/api/posts').set('Idempotency-Key', '"one"').send(fields)
    const first = await create().expect(201)
    const second = await create().expect(201)
    expect(second.body).toEqual(first.body)
    expect(second.headers['location']).toBe(first.headers['location'])
    const other = { ...fields, title: 'Another title' }
    await request.post('/api/posts').set('Idempotency-Key', '"one"').send(other).expect(422)
  })
})

describe('GET /api/posts/:id', () => {
  it('answers 304 to the ETag it gave', async () => {
    const { id } = await createPost()
    const answer = await request.get(`/api/posts/${id}`).expect(200)
    const etag = String(answer.headers['etag'])
    await request.get(`/api/posts/${id}`).set('If-None-Match', etag).expect(304)
  })

  it('answers the same 404 to an absent and to a malformed id', async () => {
    for (const id of [absent, 'nope']) {
      const { body } = await request.get(`/api/posts/${id}`).expect(404)
      expect(body).toMatchObject({ code: 'not_found', status: 404 })
    }
  })
})

describe('PUT /api/posts/:id', () => {
  it('replaces the post, and resets what is left out', async () => {
    const { id, data } = await createPost()
    const { body } = await request.put(`/api/posts/${id}`).send(required).expect(200)
    const { published: _, ...kept } = data
    expect(body.data).toEqual({ ...kept, published: false, updatedAt: body.data.updatedAt })
  })

  it('refuses an incomplete post, and an absent one', async () => {
    const { id } = await createPost()
    await request.put(`/api/posts/${id}`).send({}).expect(422)
    await request.put(`/api/posts/${absent}`).send(complete).expect(404)
  })
})

describe('PATCH /api/posts/:id', () => {
  it('changes one field and keeps the others', async () => {
    const { id, data } = await createPost()
    const { body } = await request
      .patch(`/api/posts/${id}`)
      .type('application/merge-patch+json')
      .send({ title: 'Another title' })
      .expect(200)
    expect(body.data).toEqual({ ...data, title: 'Another title', updatedAt: body.data.updatedAt })
  })

  it('changes nothing without fields', async () => {
    const { id, data } = await createPost()
    const { body } = await request.patch(`/api/posts/${id}`).send({}).expect(200)
    expect(body.data).toEqual(data)
  })

  it('refuses null for a required field, unknown fields, and an absent post', async () => {
    const { id } = await createPost()
    await request.patch(`/api/posts/${id}`).send({ title: null }).expect(422)
    await request.patch(`/api/posts/${id}`).send({ nope: 1 }).expect(422)
    await request.patch(`/api/posts/${absent}`).send({}).expect(404)
  })

  it('lets only one of two writers with the same ETag through', async () => {
    const { id } = await createPost()
    const write = () => request.patch(`/api/posts/${id}`).set('If-Match', '"0"').send(required)
    const answers = await Promise.all([write(), write()])
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 412])
  })
})

describe('DELETE /api/posts/:id', () => {
  it('deletes once', async () => {
    const { id } = await createPost()
    await request.delete(`/api/posts/${id}`).set('If-Match', '"7"').expect(412)
    await request.delete(`/api/posts/${id}`).expect(204)
    await request.delete(`/api/posts/${id}`).expect(404)
    await request.get(`/api/posts/${id}`).expect(404)
  })
})

describe('/api/posts', () => {
  it('answers 405 with Allow to other methods, 406 when JSON is not wanted', async () => {
    const answer = await request.delete('/api/posts').expect(405)
    expect(answer.headers['allow']).toBe('GET, HEAD, OPTIONS, POST')
    await request.get('/api/posts').set('Accept', 'text/html').expect(406)
  })
})

describe('access to posts', () => {
  it.each([
    ['get', '/api/posts'],
    ['post', '/api/posts'],
    ['get', `/api/posts/${absent}`],
    ['put', `/api/posts/${absent}`],
    ['patch', `/api/posts/${absent}`],
    ['delete', `/api/posts/${absent}`],
  ] as const)('needs a token: %s %s', async (method, path) => {
    const answer = await client.request[method](path).expect(401)
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer/)
    expect(answer.body.code).toBe('unauthenticated')
  })

  it("hides another user's posts, as if they were absent", async () => {
    const { id, data } = await createPost()
    await stranger.get(`/api/posts/${id}`).expect(404)
    await stranger.put(`/api/posts/${id}`).send(complete).expect(404)
    await stranger.patch(`/api/posts/${id}`).send({}).expect(404)
    await stranger.delete(`/api/posts/${id}`).expect(404)
    const { body } = await stranger.get('/api/posts').expect(200)
    expect(body).toMatchObject({ data: [], meta: { total: 0 } })
    const after = await request.get(`/api/posts/${id}`).expect(200)
    expect(after.body.data).toEqual(data)
  })

  it('keeps the owner from the token', async () => {
    const owned = { ...complete, owner: absent }
    const { id } = await createPost()
    await request.post('/api/posts').send(owned).expect(422)
    await request.patch(`/api/posts/${id}`).send({ owner: absent }).expect(422)
  })
})
