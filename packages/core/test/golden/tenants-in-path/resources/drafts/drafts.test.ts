import {
  createTestClient,
  findAccessFaults,
  type TestCaller,
  type TestClient,
} from '@create-api/core/testing'
import { Types } from 'mongoose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { api } from '../../app.js'
import { DraftModel } from './drafts.model.js'

const absent = '000000000000000000000000'
const requiredFields = ['title']
const references = {
  follows: String(new Types.ObjectId()),
}

let client: TestClient
// As the access of the routes needs: a user with the roles, or no user where they are public.
let caller: TestCaller
let request: TestCaller['request']
let path: string
let scope: object
let count = 0

beforeAll(async () => {
  client = await createTestClient(api)
  caller = await client.createCaller('/api/orgs/:org/drafts')
  request = caller.request
  path = caller.path
  scope = caller.scope
  // The document that the others refer to.
  await new DraftModel({ ...toComplete(), ...scope, _id: references.follows }).save()
})

afterAll(() => client.stop())

/** All required fields, with different text each time. */
function toRequired() {
  count += 1
  return {
    title: `title ${count}`,
  }
}

/** All fields. */
function toComplete() {
  return {
    ...toRequired(),
    follows: references.follows,
  }
}

/** Stores a document and returns its URL and what a client reads there. */
async function insert(fields = toComplete()) {
  const { body } = await request.post(path).send(fields).expect(201)
  const { data } = body
  return { url: `${path}/${data.id}`, data }
}

describe('GET /api/orgs/:org/drafts', () => {
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
    const ids: string[] = []
    let cursor: string | undefined = ''
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

describe('POST /api/orgs/:org/drafts', () => {
  it('creates a draft and returns its location', async () => {
    const complete = toComplete()
    const { body, headers } = await request.post(path).send(complete).expect(201)
    const { data } = body
    expect(data).toMatchObject(complete)
    expect(headers['etag']).toMatch(/^"/)
    expect(headers['location']).toBe(`${path}/${data.id}`)
  })

  it('fills in defaults for omitted fields', async () => {
    const required = toRequired()
    const { body } = await request.post(path).send(required).expect(201)
    const { id, createdAt, updatedAt } = body.data
    expect(body.data).toEqual({ id, createdAt, updatedAt, ...required })
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

  it.each(requiredFields)('rejects a draft without %s', async (field) => {
    const incomplete = { ...toComplete(), [field]: undefined }
    const { body } = await request.post(path).send(incomplete).expect(422)
    expect(body.errors).toMatchObject([{ in: 'body', pointer: `#/${field}` }])
  })

  it.each(Object.entries({ title: 'x'.repeat(200 + 1), follows: 'nope nope' }))(
    'rejects an invalid %s',
    async (field, value) => {
      const wrong = { ...toComplete(), [field]: value }
      const { body } = await request.post(path).send(wrong).expect(422)
      expect(body.errors).toMatchObject([{ in: 'body', pointer: `#/${field}` }])
    },
  )

  it('rejects an unknown follows', async () => {
    const orphan = { ...toComplete(), follows: absent }
    const { body } = await request.post(path).send(orphan).expect(422)
    expect(body.errors).toMatchObject([{ pointer: '#/follows', code: 'not_found' }])
  })

  it('rejects unknown fields and bodies that are not JSON', async () => {
    const extra = { ...toComplete(), id: absent, organization: absent, owner: absent }
    const { body } = await request.post(path).send(extra).expect(422)
    expect(body.errors).toMatchObject([
      { pointer: '#/id', code: 'unrecognized_key' },
      { pointer: '#/organization', code: 'unrecognized_key' },
      { pointer: '#/owner', code: 'unrecognized_key' },
    ])
    await request.post(path).type('text').send('title').expect(415)
    await request.post(path).type('json').send('{"title":').expect(400)
    await request.post(path).set('Accept', 'text/html').send(toComplete()).expect(406)
  })
})

describe('GET /api/orgs/:org/drafts/:id', () => {
  it('returns the document, and 304 for its ETag', async () => {
    const { url, data } = await insert()
    const { body, headers } = await request.get(url).expect(200)
    expect(body.data).toEqual(data)
    await request.get(url).set('If-None-Match', String(headers['etag'])).expect(304)
  })

  it('returns the same 404 for an unknown and for a malformed id', async () => {
    for (const segment of [absent, 'nope']) {
      const { body } = await request.get(`${path}/${segment}`).expect(404)
      expect(body).toMatchObject({ code: 'not_found', status: 404 })
    }
  })
})

describe('PUT /api/orgs/:org/drafts/:id', () => {
  it('replaces a draft and resets omitted fields', async () => {
    const { url, data } = await insert()
    const required = toRequired()
    const { body } = await request.put(url).send(required).expect(200)
    const { id, createdAt } = data
    const { updatedAt } = body.data
    expect(body.data).toEqual({ id, createdAt, updatedAt, ...required })
  })

  it('rejects an old ETag, unknown fields and an unknown id', async () => {
    const { url } = await insert()
    const extra = { ...toComplete(), nope: 1 }
    await request.put(url).set('If-Match', '"old"').send(toComplete()).expect(412)
    await request.put(url).send(extra).expect(422)
    await request.put(`${path}/${absent}`).send(toComplete()).expect(404)
  })
})

describe('PATCH /api/orgs/:org/drafts/:id', () => {
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
    const { body } = await request.patch(url).send({ follows: null }).expect(200)
    expect(body.data).not.toHaveProperty('follows')
  })

  it.each(requiredFields)('rejects null for %s', async (field) => {
    const { url } = await insert()
    const change = { [field]: null }
    await request.patch(url).send(change).expect(422)
  })

  it('rejects unknown fields and an unknown id', async () => {
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

describe('DELETE /api/orgs/:org/drafts/:id', () => {
  it('deletes the document once', async () => {
    const { url } = await insert()
    await request.delete(url).set('If-Match', '"old"').expect(412)
    await request.delete(url).expect(204)
    await request.delete(url).expect(404)
  })
})

describe('/api/orgs/:org/drafts', () => {
  it('returns 405 with Allow for other methods', async () => {
    const { headers } = await request.delete(path).expect(405)
    expect(headers['allow']).toBe('GET, HEAD, OPTIONS, POST')
  })
})

describe('access to /api/orgs/:org/drafts', () => {
  it('is as its routes declare, for every kind of caller', async () => {
    const mine = await insert()
    const options = { only: '/api/orgs/:org/drafts', owner: caller, foreign: [mine.url] }
    expect(await findAccessFaults(api, client, options)).toEqual([])
    const { body } = await request.get(mine.url).expect(200)
    expect(body.data).toEqual(mine.data)
  })
})

describe('organizations at /api/orgs/:org/drafts', () => {
  it('do not reach the documents of one another', async () => {
    const { url } = await insert()
    const outsider = await client.createCaller('/api/orgs/:org/drafts')
    await outsider.request.get(url).expect(404)
    await outsider.request.patch(url).send({}).expect(404)
    await outsider.request.delete(url).expect(404)
  })

  it('do not refer to the documents of one another', async () => {
    const outsider = await client.createCaller('/api/orgs/:org/drafts')
    const { id } = await outsider.insert('Draft')
    const foreign = { ...toComplete(), follows: id }
    const { body } = await request.post(path).send(foreign).expect(422)
    expect(body.errors).toMatchObject([{ pointer: '#/follows', code: 'not_found' }])
  })
})
