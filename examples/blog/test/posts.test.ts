import { createTestClient, type TestClient } from '@create-api/core/testing'
import supertest from 'supertest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { api } from '../src/app.js'

let client: TestClient
let request: TestClient['request']
let author: string
let count = 0

beforeAll(async () => {
  client = await createTestClient(api)
  const { headers } = await client.signUp()
  request = supertest.agent(client.url).set(headers)
  const { body } = await request.post('/api/authors').send({ name: 'Ada' }).expect(201)
  author = body.data.id
})

afterAll(() => client.stop())

async function insertPost(fields: object = {}) {
  count += 1
  const post = { title: 'Hello', slug: `hello-${count}`, body: 'World', status: 'draft', author }
  const { body } = await request
    .post('/api/posts')
    .send({ ...post, ...fields })
    .expect(201)
  return { url: `/api/posts/${body.data.id}`, data: body.data }
}

describe('?include=author', () => {
  it('adds the author to a post and to a list', async () => {
    const { url, data } = await insertPost()
    const one = await request.get(`${url}?include=author`).expect(200)
    expect(one.body.data).toMatchObject({ ...data, included: { author: { name: 'Ada' } } })
    const list = await request.get('/api/posts').query({ include: 'author', slug: data.slug })
    expect(list.body.data).toEqual([one.body.data])
  })

  it('shows nothing of an author that is gone', async () => {
    const { body } = await request.post('/api/authors').send({ name: 'Bob' }).expect(201)
    const { url } = await insertPost({ author: body.data.id })
    await request.delete(`/api/authors/${body.data.id}`).expect(204)
    const response = await request.get(`${url}?include=author`).expect(200)
    expect(response.body.data.included).toEqual({ author: null })
  })
})

describe('?fields', () => {
  it('returns these fields and the id, without an ETag', async () => {
    const { url, data } = await insertPost()
    const { body, headers } = await request.get(`${url}?fields=title,status`).expect(200)
    expect(body.data).toEqual({ id: data.id, title: 'Hello', status: 'draft' })
    expect(headers).not.toHaveProperty('etag')
    await request.get(`${url}?fields=owner`).expect(400)
  })
})

describe('?q', () => {
  it('finds words in title and body, as they are written', async () => {
    const { data } = await insertPost({ title: 'Needles', body: '100 % (hay)' })
    for (const q of ['needle', '% (HAY']) {
      const { body } = await request.get('/api/posts').query({ q }).expect(200)
      expect(body.data).toEqual([data])
    }
    const { body } = await request.get('/api/posts').query({ q: '.*' }).expect(200)
    expect(body.data).toEqual([])
  })
})

describe('DELETE /api/posts/:id', () => {
  it('takes the comments along', async () => {
    const { url } = await insertPost()
    const other = await insertPost()
    const comment = await request.post(`${url}/comments`).send({ body: 'Nice' }).expect(201)
    await request.post(`${other.url}/comments`).send({ body: 'Nice' }).expect(201)
    await request.delete(url).expect(204)
    await request.get(`${url}/comments/${comment.body.data.id}`).expect(404)
    const { body } = await request.get(`${other.url}/comments`).expect(200)
    expect(body.meta.total).toBe(1)
  })
})
