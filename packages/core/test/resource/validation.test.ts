import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestClient, type TestClient } from '../../src/testing.ts'
import { api } from '../golden/rich/app.js'
import { PostModel } from '../golden/rich/resources/posts/posts.model.js'

const absent = '000000000000000000000000'

let client: TestClient
let author: string
let count = 0

beforeAll(async () => {
  client = await createTestClient(api)
  author = (await client.signUp()).user.id
})

afterAll(() => client.stop())

function valid() {
  count += 1
  return { title: 'A title', slug: `validation-${count}`, status: 'draft', author }
}

async function createPost(fields: object = {}) {
  const response = await client.request.post('/api/posts').send({ ...valid(), ...fields })
  expect(response.status).toBe(201)
  return { id: String(response.body.data.id), data: response.body.data }
}

async function sendText(text: string) {
  return client.request.post('/api/posts').type('json').send(text)
}

describe('validation of a resource', () => {
  it('VAL-01 names each unknown field, and a body that is missing', async () => {
    const { body } = await client.request.post('/api/posts').send({ ...valid(), a: 1, b: { c: 2 } })
    expect(body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(['#/a', '#/b'])
    for (const method of ['post', 'put', 'patch'] as const) {
      const path = method === 'post' ? '/api/posts' : `/api/posts/${absent}`
      const response = await client.request[method](path).type('json')
      expect([method, response.status, response.body.code]).toEqual([method, 400, 'malformed_json'])
    }
  })

  it('VAL-01 names an unknown query parameter, also where none is known', async () => {
    for (const path of ['/api/posts', `/api/posts/${absent}`]) {
      const { body, status } = await client.request.get(`${path}?nope=1`)
      expect(status).toBe(400)
      expect(body).toMatchObject({ code: 'invalid_query', errors: [{ pointer: '#/nope' }] })
    }
  })

  it.each([{ $ne: null }, { $gt: '' }, { $regex: '.*' }, { $where: 'sleep(5000)' }, ['a', 'b']])(
    'VAL-02 refuses %j in a text field',
    async (operator) => {
      for (const field of ['title', 'slug', 'summary', 'author', 'status', 'publishedAt']) {
        const { body, status } = await client.request
          .post('/api/posts')
          .send({ ...valid(), [field]: operator })
        expect([field, status]).toEqual([field, 422])
        expect(body.errors[0].pointer.split('/')[1]).toBe(field)
      }
    },
  )

  it.each([
    'title[$ne]=x',
    '$where=1',
    'filter={"$or":[]}',
    'title[$regex]=.*',
    'title[]=x',
    'title[contains][$ne]=x',
    'title.length=1',
    '$or[0][title]=x',
  ])('VAL-02 rejects ?%s', async (query) => {
    const { body } = await client.request.get(`/api/posts?${query}`).expect(400)
    expect(body.code).toBe('invalid_query')
  })

  it('VAL-02 takes an operator in a value as plain text', async () => {
    await createPost()
    for (const value of ['{"$ne":null}', '$ne', '[object Object]']) {
      const { body } = await client.request.get('/api/posts').query({ title: value }).expect(200)
      expect(body.data).toEqual([])
    }
  })

  it.each([
    { $set: { status: 'live' } },
    { 'meta.x': 1 },
    { 'tags.0': 'x' },
    { $rename: {} },
    { $unset: { slug: 1 } },
    [],
    [{ op: 'replace', path: '/title', value: 'x' }],
  ])('VAL-04 rejects the patch %j and changes nothing', async (patch) => {
    const { id, data } = await createPost()
    await client.request.patch(`/api/posts/${id}`).send(patch).expect(422)
    const { body } = await client.request.get(`/api/posts/${id}`).expect(200)
    expect(body.data).toEqual(data)
  })

  it('VAL-05 does not let a body or a query reach a prototype', async () => {
    const fields = JSON.stringify(valid()).slice(1, -1)
    for (const extra of [
      '"__proto__":{"a":1}',
      '"constructor":{"prototype":{"a":1}}',
      '"tags":[{"__proto__":{"a":1}}]',
    ]) {
      const { status } = await sendText(`{${fields},${extra}}`)
      expect([extra, status]).toEqual([extra, 422])
    }
    await client.request.get('/api/posts?__proto__[a]=1').expect(400)
    await client.request.get('/api/posts?__proto__=1').expect(400)
    expect(Reflect.get({}, 'a')).toBeUndefined()
  })

  it.each([
    'abc',
    '000',
    '%00',
    '..%2f..%2fetc',
    'x'.repeat(3000),
    '[object%20Object]',
    'null',
    absent,
  ])('VAL-06 returns the same 404 for the id %s', async (id) => {
    for (const method of ['get', 'put', 'patch', 'delete'] as const) {
      const pending = client.request[method](`/api/posts/${id}`)
      const response = await (method === 'put' || method === 'patch'
        ? pending.send(method === 'put' ? valid() : {})
        : pending)
      expect([method, response.status]).toEqual([method, 404])
      const { requestId: _, instance: __, ...problem } = response.body
      expect(problem).toEqual({
        type: 'urn:problem-type:create-api/not_found',
        title: 'Not found.',
        status: 404,
        code: 'not_found',
      })
    }
  })

  it.each(['101', '1e9', '0', '-1', '1.5', '1e3', '0x10', '', 'abc', 'NaN', '%2B1', '01'])(
    'VAL-07 refuses ?limit=%s and ?page=%s',
    async (value) => {
      const { body } = await client.request.get(`/api/posts?limit=${value}`).expect(400)
      expect(body.errors).toMatchObject([{ in: 'query', pointer: '#/limit' }])
      if (value === '101') return
      await client.request.get(`/api/posts?page=${value === '1e9' ? '1e15' : value}`).expect(400)
    },
  )

  it('VAL-07 accepts the limit 100, and a page after the last', async () => {
    const { body } = await client.request.get('/api/posts?limit=100').expect(200)
    expect(body.meta.limit).toBe(100)
    const past = await client.request.get('/api/posts?page=999999').expect(200)
    expect(past.body.data).toEqual([])
  })

  it('VAL-07 rejects a cursor that was altered or belongs to another list', async () => {
    await createPost()
    await createPost()
    const query = { cursor: '', limit: 1, sort: '-title' }
    const { body } = await client.request.get('/api/posts').query(query).expect(200)
    const { nextCursor } = body.meta
    const list = (changes: object) =>
      client.request.get('/api/posts').query({ ...query, cursor: nextCursor, ...changes })
    await list({}).expect(200)
    for (let at = 0; at < nextCursor.length; at += 7) {
      const other = nextCursor[at] === 'A' ? 'B' : 'A'
      await list({ cursor: nextCursor.slice(0, at) + other + nextCursor.slice(at + 1) }).expect(400)
    }
    for (const change of [{ sort: 'title' }, { status: 'draft' }, { page: 1 }, { cursor: 'x' }]) {
      const { body: problem } = await list(change).expect(400)
      expect(problem).toMatchObject({ code: 'invalid_query', errors: [{ pointer: '#/cursor' }] })
    }
  })

  it.each(['sort=password', 'sort=slug', 'sort=tags', 'sort=', 'fields=passwordHash'])(
    'VAL-08 refuses ?%s',
    async (query) => {
      await client.request.get(`/api/posts?${query}`).expect(400)
    },
  )

  it('VAL-08 searches text as text', async () => {
    // As a pattern, the text would take hours.
    const documents = Array.from({ length: 10_000 }, (_, index) => ({
      title: `${'a'.repeat(40)}!${index}`,
      slug: `many-${index}`,
      status: 'live',
      author,
    }))
    await PostModel.collection.insertMany(documents)
    await createPost({ title: '(a+)+$ is not a pattern' })
    const { body } = await client.request.get('/api/posts').query({ 'title[contains]': '(a+)+$' })
    expect(body.data).toMatchObject([{ title: '(a+)+$ is not a pattern' }])
    await PostModel.collection.deleteMany({ status: 'live' })
  })

  it('VAL-09 rejects a repeated parameter', async () => {
    const { body } = await client.request.get('/api/posts?page=1&page=2').expect(400)
    expect(body.errors).toMatchObject([{ pointer: '#/page' }])
  })

  it.each(['[]', '"text"', '1', 'null', 'true'])('VAL-10 rejects the body %s', async (text) => {
    const { body, status } = await sendText(text)
    expect(status).toBe(422)
    expect(body.errors).toMatchObject([{ in: 'body', pointer: '#' }])
  })

  it('VAL-12 bounds texts and lists', async () => {
    for (const [field, value] of [
      ['title', 'x'.repeat(201)],
      ['tags', Array.from({ length: 101 }, () => 'x')],
      ['views', Number.MAX_SAFE_INTEGER],
    ] as const) {
      const { body } = await client.request.post('/api/posts').send({ ...valid(), [field]: value })
      expect(body.errors).toMatchObject([{ pointer: `#/${field}`, code: 'too_big' }])
    }
    await client.request
      .post('/api/posts')
      .send({ ...valid(), summary: 'x'.repeat(1_000_000) })
      .expect(413)
  })

  it.each([
    'مرحبا بالعالم',
    'e\u0301 zero\u200Bwidth \u{1F468}\u200D\u{1F469}\u200D\u{1F467}',
    '\u0000 a nul',
    '<script>alert(1)</script>',
    `'; DROP TABLE posts; --"`,
    '../../etc/passwd',
    '$(rm -rf /) `id` ${7*7} {{7*7}}',
    '\uFEFF byte order',
  ])('VAL-13 keeps the text %j as it is', async (text) => {
    const { id } = await createPost({ summary: text })
    const { body } = await client.request.get(`/api/posts/${id}`).expect(200)
    expect(body.data.summary).toBe(text)
    await client.request.get('/api/posts').query({ sort: text }).expect(400)
  })
})
