import { createTestClient, type TestClient } from '@create-api/core/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { api } from '../../app.js'

const absent = '000000000000000000000000'

let client: TestClient
let request: TestClient['request']
let author: string
let count = 0

beforeAll(async () => {
  client = await createTestClient(api)
  request = client.request
  author = (await client.signUp()).user.id
})

afterAll(() => client.stop())

function toRequired() {
  count += 1
  return { title: 'A title', slug: `slug-${count}`, status: 'draft', author }
}

function toComplete() {
  const optional = { summary: 'Some text', publishedAt: '2026-01-31T12:00:00.000Z' }
  return { ...toRequired(), ...optional, tags: ['a', 'b'], views: 7 }
}

async function createPost(fields: object = toComplete()) {
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
    const complete = toComplete()
    const answer = await request.post('/api/posts').send(complete).expect(201)
    expect(answer.body.data).toMatchObject(complete)
    expect(answer.headers['etag']).toBe('"0"')
    const { body } = await request.get(String(answer.headers['location'])).expect(200)
    expect(body).toEqual(answer.body)
  })

  it('fills in what is optional', async () => {
    const required = toRequired()
    const { data } = await createPost(required)
    expect(data).toMatchObject({ ...required, tags: [], views: 0 })
    expect(data).not.toHaveProperty('summary')
  })

  it.each(['title', 'slug', 'status', 'author'])('refuses a post without %s', async (field) => {
    const { body } = await request
      .post('/api/posts')
      .send({ ...toComplete(), [field]: undefined })
      .expect(422)
    expect(body.errors).toMatchObject([{ in: 'body', pointer: `#/${field}` }])
  })

  it('refuses unknown fields, other media types and what is not JSON', async () => {
    const extra = { ...toComplete(), id: absent }
    const { body } = await request.post('/api/posts').send(extra).expect(422)
    expect(body.errors).toMatchObject([{ pointer: '#/id', code: 'unrecognized_key' }])
    await request.post('/api/posts').type('text').send('title').expect(415)
    await request.post('/api/posts').type('json').send('{"title":').expect(400)
  })
})

describe('the rules of posts', () => {
  it('refuses a slug that is in use, without saying whose', async () => {
    const { data } = await createPost()
    const twin = { ...toComplete(), slug: data.slug }
    const { body } = await request.post('/api/posts').send(twin).expect(409)
    expect(body).toMatchObject({ code: 'duplicate', errors: [{ pointer: '#/slug' }] })
    expect(JSON.stringify(body)).not.toContain(data.slug)
    const { id } = await createPost()
    await request.patch(`/api/posts/${id}`).send({ slug: data.slug }).expect(409)
  })

  it('refuses an author that does not exist', async () => {
    const orphan = { ...toComplete(), author: absent }
    const { body } = await request.post('/api/posts').send(orphan).expect(422)
    expect(body.errors).toMatchObject([{ in: 'body', pointer: '#/author', code: 'not_found' }])
  })

  it.each([
    ['status', 'nope'],
    ['tags', 'no list'],
    ['author', 'no id'],
    ['publishedAt', 'no date'],
    ['views', -1],
    ['views', 1_000_001],
    ['views', 1.5],
    ['views', '1'],
    ['title', { $ne: null }],
  ])('refuses %s: %j', async (field, value) => {
    const wrong = { ...toComplete(), [field]: value }
    const { body } = await request.post('/api/posts').send(wrong).expect(422)
    expect(body.errors).toMatchObject([{ in: 'body', pointer: `#/${field}` }])
  })
})

describe('POST /api/posts with an Idempotency-Key', () => {
  it('creates once, and answers the same again', async () => {
    const fields = toComplete()
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
    const required = toRequired()
    const { body } = await request.put(`/api/posts/${id}`).send(required).expect(200)
    const { createdAt } = data
    const { updatedAt } = body.data
    expect(body.data).toEqual({ id, createdAt, updatedAt, ...required, tags: [], views: 0 })
  })

  it('refuses an incomplete post, and an absent one', async () => {
    const { id } = await createPost()
    await request.put(`/api/posts/${id}`).send({}).expect(422)
    await request.put(`/api/posts/${absent}`).send(toComplete()).expect(404)
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

  it('removes an optional field with null', async () => {
    const { id, data } = await createPost()
    const change = { summary: null, publishedAt: null }
    const { body } = await request.patch(`/api/posts/${id}`).send(change).expect(200)
    const { summary: _summary, publishedAt: _publishedAt, ...kept } = data
    expect(body.data).toEqual({ ...kept, updatedAt: body.data.updatedAt })
  })

  it('refuses null for a required field, unknown fields, and an absent post', async () => {
    const { id } = await createPost()
    await request.patch(`/api/posts/${id}`).send({ title: null }).expect(422)
    await request.patch(`/api/posts/${id}`).send({ nope: 1 }).expect(422)
    await request.patch(`/api/posts/${absent}`).send({}).expect(404)
  })

  it('lets only one of two writers with the same ETag through', async () => {
    const { id } = await createPost()
    const write = () => request.patch(`/api/posts/${id}`).set('If-Match', '"0"').send({ views: 8 })
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
