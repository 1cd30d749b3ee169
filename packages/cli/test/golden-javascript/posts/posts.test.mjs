import { createTestClient, findAccessFaults } from '@create-api/core/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { api } from '../../app.mjs'
import { PostModel } from './posts.model.mjs'

/** @import { TestCaller, TestClient } from '@create-api/core/testing' */

const path = '/api/posts'
const absent = '000000000000000000000000'
const requiredFields = ['title', 'slug', 'status', 'author', 'price', 'done']
const references = {
  author: absent,
}

/** @type {TestClient} */
let client
/**
 * As the access of the routes needs: a user with the roles, or no user where they are public.
 *
 * @type {TestCaller}
 */
let caller
/** @type {TestCaller['request']} */
let request
/** @type {object} */
let scope
let count = 0

beforeAll(async () => {
  client = await createTestClient(api)
  caller = await client.createCaller('/api/posts')
  request = caller.request
  references.author = (await client.signUp()).user.id
  scope = caller.scope
})

afterAll(() => client.stop())

/** All required fields, with different text each time. */
function toRequired() {
  count += 1
  return {
    title: `title ${count}`,
    slug: `slug ${count}`,
    status: 'live',
    author: references.author,
    price: String(count),
    done: count % 2 === 0,
  }
}

/** All fields. */
function toComplete() {
  return {
    ...toRequired(),
    tags: [`tags ${count}`],
    summary: `summary ${count}`,
    publishedAt: new Date(Date.UTC(2026, 0, 1, 0, 0, count)).toISOString(),
    eventOn: new Date(Date.UTC(2026, 0, count)).toISOString().slice(0, 10),
    views: count % 1_000_001,
    rating: count,
    contact: `person-${count}@example.org`,
    code: `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`,
    place: { city: `city ${count}`, zip: `zip ${count}` },
    lines: [{ sku: `sku ${count}`, count: count }],
    meta: { note: `note ${count}` },
    extra: `anything ${count}`,
    site: `https://example.org/${count}`,
  }
}

/** Stores a document and returns its URL and what a client reads there. */
async function insert(fields = toComplete()) {
  const { body } = await request.post(path).send(fields).expect(201)
  const { data } = body
  return { url: `${path}/${encodeURIComponent(data.slug)}`, data }
}

describe('GET /api/posts', () => {
  it('returns a page with limit and total', async () => {
    await insert()
    await insert()
    const { body } = await request.get(`${path}?page=2&limit=1`).expect(200)
    expect(body.data).toHaveLength(1)
    expect(body.meta).toMatchObject({ page: 2, limit: 1 })
    expect(body.meta.total).toBeGreaterThanOrEqual(2)
    expect(body.meta.pages).toBe(body.meta.total)
  })

  it('returns each document once when paging by cursor', async () => {
    await insert()
    /** @type {string[]} */
    const ids = []
    /** @type {string | undefined} */
    let cursor = ''
    do {
      const { body } = await request.get(path).query({ cursor, limit: 2 })
      for (const { id } of body.data) ids.push(id)
      cursor = body.meta.nextCursor
    } while (cursor !== undefined)
    const { body } = await request.get(`${path}?limit=1`).expect(200)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toHaveLength(body.meta.total)
  })

  it('filters and sorts', async () => {
    const { data } = await insert()
    const query = { title: data.title, 'createdAt[gte]': data.createdAt, sort: '-createdAt,title' }
    const { body } = await request.get(path).query(query).expect(200)
    expect(body.data).toContainEqual(data)
  })

  it('returns the whole list as CSV and NDJSON', async () => {
    const { data } = await insert()
    const { body } = await request.get(path).expect(200)
    for (const type of ['text/csv', 'application/x-ndjson']) {
      const { text } = await request.get(path).set('Accept', type).buffer().expect(200)
      expect(text).toContain(data.id)
      const lines = text.trimEnd().split('\n')
      expect(lines.length).toBeGreaterThanOrEqual(body.meta.total)
    }
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
  ])('rejects ?%s', async (query) => {
    const { body } = await request.get(`${path}?${query}`).expect(400)
    expect(body.code).toBe('invalid_query')
  })
})

describe('POST /api/posts', () => {
  it('creates a post and returns its location', async () => {
    const complete = toComplete()
    const { body, headers } = await request.post(path).send(complete).expect(201)
    const { data } = body
    expect(data).toMatchObject(complete)
    expect(headers['etag']).toMatch(/^"/)
    expect(headers['location']).toBe(`${path}/${encodeURIComponent(data.slug)}`)
  })

  it('fills in defaults for omitted fields', async () => {
    const required = toRequired()
    const { body } = await request.post(path).send(required).expect(201)
    const { id, createdAt, updatedAt } = body.data
    expect(body.data).toEqual({
      id,
      createdAt,
      updatedAt,
      ...required,
      tags: [],
      views: 0,
      lines: [],
    })
  })

  it('creates one document per Idempotency-Key', async () => {
    const complete = toComplete()
    const key = { 'Idempotency-Key': '"once"' }
    const first = await request.post(path).set(key).send(complete).expect(201)
    const again = await request.post(path).set(key).send(complete).expect(201)
    expect(again.body).toEqual(first.body)
    const other = { ...complete, nope: 1 }
    await request.post(path).set(key).send(other).expect(422)
  })

  it.each(requiredFields)('rejects a post without %s', async (field) => {
    const incomplete = { ...toComplete(), [field]: undefined }
    const { body } = await request.post(path).send(incomplete).expect(422)
    expect(body.errors).toMatchObject([{ in: 'body', pointer: `#/${field}` }])
  })

  it.each(
    Object.entries({
      title: 'x'.repeat(200 + 1),
      slug: 'x'.repeat(200 + 1),
      status: 'nope nope',
      tags: 'no list',
      author: 'nope nope',
      summary: 'x'.repeat(10_000 + 1),
      publishedAt: 'nope nope',
      eventOn: '2026-02-30',
    }),
  )('rejects an invalid %s', async (field, value) => {
    const wrong = { ...toComplete(), [field]: value }
    const { body } = await request.post(path).send(wrong).expect(422)
    expect(body.errors).toMatchObject([{ in: 'body', pointer: `#/${field}` }])
  })

  it('rejects an unknown author', async () => {
    const orphan = { ...toComplete(), author: absent }
    const { body } = await request.post(path).send(orphan).expect(422)
    expect(body.errors).toMatchObject([{ pointer: '#/author', code: 'not_found' }])
  })

  it('rejects a duplicate slug', async () => {
    const { data } = await insert()
    const twin = { ...toComplete(), slug: data.slug }
    const { body } = await request.post(path).send(twin).expect(409)
    expect(body).toMatchObject({ code: 'duplicate', errors: [{ pointer: '#/slug' }] })
  })

  it('rejects unknown fields and bodies that are not JSON', async () => {
    const extra = { ...toComplete(), id: absent, owner: absent }
    const { body } = await request.post(path).send(extra).expect(422)
    expect(body.errors).toMatchObject([
      { pointer: '#/id', code: 'unrecognized_key' },
      { pointer: '#/owner', code: 'unrecognized_key' },
    ])
    await request.post(path).type('text').send('title').expect(415)
    await request.post(path).type('json').send('{"title":').expect(400)
    await request.post(path).set('Accept', 'text/html').send(toComplete()).expect(406)
  })
})

describe('GET /api/posts/:slug', () => {
  it('returns the document, and 304 for its ETag', async () => {
    const { url, data } = await insert()
    const { body, headers } = await request.get(url).expect(200)
    expect(body.data).toEqual(data)
    await request.get(url).set('If-None-Match', String(headers['etag'])).expect(304)
  })

  it('returns the same 404 for an unknown and for a malformed slug', async () => {
    for (const segment of [absent, 'x'.repeat(201)]) {
      const { body } = await request.get(`${path}/${segment}`).expect(404)
      expect(body).toMatchObject({ code: 'not_found', status: 404 })
    }
  })
})

describe('PUT /api/posts/:slug', () => {
  it('replaces a post and resets omitted fields', async () => {
    const { url, data } = await insert()
    const required = toRequired()
    const { body } = await request.put(url).send(required).expect(200)
    const { id, createdAt } = data
    const { updatedAt } = body.data
    expect(body.data).toEqual({
      id,
      createdAt,
      updatedAt,
      ...required,
      tags: [],
      views: 0,
      lines: [],
    })
  })

  it('rejects an old ETag, unknown fields and an unknown slug', async () => {
    const { url } = await insert()
    const extra = { ...toComplete(), nope: 1 }
    await request.put(url).set('If-Match', '"old"').send(toComplete()).expect(412)
    await request.put(url).send(extra).expect(422)
    await request.put(`${path}/${absent}`).send(toComplete()).expect(404)
  })
})

describe('PATCH /api/posts/:slug', () => {
  it('changes one field and keeps the others', async () => {
    const { url, data } = await insert()
    const change = { title: toComplete().title }
    const { body } = await request.patch(url).send(change).expect(200)
    expect(body.data).toEqual({ ...data, ...change, updatedAt: body.data.updatedAt })
  })

  it('changes nothing if no fields are sent', async () => {
    const { url, data } = await insert()
    const { body } = await request.patch(url).send({}).expect(200)
    expect(body.data).toEqual(data)
  })

  it('removes an optional field with null', async () => {
    const { url } = await insert()
    const { body } = await request.patch(url).send({ summary: null }).expect(200)
    expect(body.data).not.toHaveProperty('summary')
  })

  it.each(requiredFields)('rejects null for %s', async (field) => {
    const { url } = await insert()
    const change = { [field]: null }
    await request.patch(url).send(change).expect(422)
  })

  it('rejects unknown fields and an unknown slug', async () => {
    const { url } = await insert()
    await request.patch(url).send({ nope: 1 }).expect(422)
    await request.patch(`${path}/${absent}`).send({}).expect(404)
  })

  it('accepts only one of two writes with the same ETag', async () => {
    const { url } = await insert()
    const { headers } = await request.patch(url).send({})
    const change = { title: toComplete().title }
    const write = () => request.patch(url).set('If-Match', String(headers['etag'])).send(change)
    const responses = await Promise.all([write(), write()])
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 412])
  })
})

describe('DELETE /api/posts/:slug', () => {
  it('deletes the document once', async () => {
    const { url } = await insert()
    await request.delete(url).set('If-Match', '"old"').expect(412)
    await request.delete(url).expect(204)
    await request.delete(url).expect(404)
  })
})

describe('GET /api/posts/changes', () => {
  it('sends new documents of the caller, and none of others', async () => {
    const response = await fetch(`${client.url}${path}/changes`, { headers: caller.headers })
    expect(response.status).toBe(200)
    const foreign = new PostModel({ ...toComplete(), ...scope, owner: absent })
    await foreign.save()
    const { data } = await insert()
    let text = ''
    for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += part
      if (text.includes(data.id) && text.endsWith('\n\n')) break
    }
    const lines = text.split('\n').filter((line) => line.startsWith('data: '))
    /** @type {unknown[]} */
    const events = lines.map((line) => JSON.parse(line.slice('data: '.length)))
    expect(events).toContainEqual({ type: 'changed', data })
    expect(text).not.toContain(String(foreign._id))
  })
})

describe('POST /api/posts/bulk', () => {
  it('has a result for each item, as the single request', async () => {
    const complete = toComplete()
    const items = [
      { action: 'create', body: complete },
      { action: 'create', body: { nope: 1 } },
    ]
    const { body } = await request.post(`${path}/bulk`).send({ items }).expect(200)
    expect(body.data).toMatchObject([{ status: 201, data: complete }, { status: 422 }])
    expect(body.meta).toEqual({ succeeded: 1, failed: 1 })
  })

  it('stores all items of an atomic request, or none', async () => {
    const valid = { action: 'create', body: toComplete() }
    const invalid = { action: 'create', body: { nope: 1 } }
    const before = await PostModel.countDocuments()
    await request
      .post(`${path}/bulk`)
      .send({ atomic: true, items: [valid, invalid] })
      .expect(422)
    expect(await PostModel.countDocuments()).toBe(before)
    await request
      .post(`${path}/bulk`)
      .send({ atomic: true, items: [valid] })
      .expect(200)
    expect(await PostModel.countDocuments()).toBe(before + 1)
  })

  it('changes documents, also by their version', async () => {
    const { data } = await insert()
    const change = { action: 'patch', slug: data.slug, body: {} }
    const items = [change, { ...change, ifMatch: '"old"' }]
    const { body } = await request.post(`${path}/bulk`).send({ items }).expect(200)
    expect(body.data).toMatchObject([{ status: 200, data }, { status: 412 }])
  })

  it('deletes a document once', async () => {
    const { data } = await insert()
    const item = { action: 'delete', slug: data.slug }
    const { body } = await request
      .post(`${path}/bulk`)
      .send({ items: [item, item] })
      .expect(200)
    expect(body.data).toMatchObject([{ status: 204 }, { status: 404 }])
  })

  it('imports lines', async () => {
    const type = { 'Content-Type': 'application/x-ndjson' }
    const { text } = await request.post(`${path}/bulk`).set(type).send('{}\n').expect(200)
    expect(text).toContain('"report":{"lines":1,"succeeded":0,"failed":1}')
  })
})

describe('/api/posts', () => {
  it('returns 405 with Allow for other methods', async () => {
    const { headers } = await request.delete(path).expect(405)
    expect(headers['allow']).toBe('GET, HEAD, OPTIONS, POST')
  })
})

describe('access to /api/posts', () => {
  it('is as its routes declare, for every kind of caller', async () => {
    const mine = await insert()
    const options = { only: '/api/posts', owner: caller, foreign: [mine.url] }
    expect(await findAccessFaults(api, client, options)).toEqual([])
    const { body } = await request.get(mine.url).expect(200)
    expect(body.data).toEqual(mine.data)
  })
})
