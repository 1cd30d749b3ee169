import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestClient, type TestClient } from '../../src/testing.ts'
import { renderGolden } from '../golden/render-golden.ts'

const { api, PostModel } = await renderGolden('public')

const complete = { title: 'A title', body: 'Some text', published: true }

let client: TestClient

beforeAll(async () => {
  client = await createTestClient(api)
})

afterAll(() => client.stop())

async function createPost() {
  const response = await client.request.post('/api/posts').send(complete).expect(201)
  return { id: String(response.body.data.id), data: response.body.data }
}

function patch(id: string, headers: Record<string, string>, fields: object = { title: 'Other' }) {
  return client.request.patch(`/api/posts/${id}`).set(headers).send(fields)
}

describe('versions of a document', () => {
  it('HTTP-04 accepts exactly one of 50 writers with the same ETag', async () => {
    const { id } = await createPost()
    const writes = Array.from({ length: 50 }, (_, index) =>
      patch(id, { 'If-Match': '"0"' }, { title: `writer ${index}` }),
    )
    const responses = await Promise.all(writes)
    const winners = responses.filter(({ status }) => status === 200)
    expect(winners).toHaveLength(1)
    expect(responses.filter(({ status }) => status === 412)).toHaveLength(49)
    const { body, headers } = await client.request.get(`/api/posts/${id}`).expect(200)
    expect(body).toEqual(winners[0]?.body)
    expect(headers['etag']).toBe('"1"')
  })

  it('HTTP-04 returns 412 for an outdated, weak or foreign ETag', async () => {
    const { id } = await createPost()
    await patch(id, {}).expect(200)
    for (const tag of ['"0"', 'W/"1"', '1', '"x"', '"0", W/"1"', '""', '"1e0"']) {
      const { body } = await patch(id, { 'If-Match': tag }).expect(412)
      expect(body.code).toBe('precondition_failed')
      await client.request.put(`/api/posts/${id}`).set('If-Match', tag).send(complete).expect(412)
      await client.request.delete(`/api/posts/${id}`).set('If-Match', tag).expect(412)
    }
    await patch(id, { 'If-Match': '"7", "1"' }).expect(200)
    await patch(id, { 'If-Match': '*' }).expect(200)
  })

  it('overwrites nothing for a client that means to create', async () => {
    const { id, data } = await createPost()
    const url = `/api/posts/${id}`
    const { request } = client
    for (const write of [request.put(url).send(complete), patch(id, {}), request.delete(url)]) {
      await write.set('If-None-Match', '*').expect(412)
    }
    expect((await request.get(url).expect(200)).body.data).toEqual(data)
    await request.delete(url).expect(204)
    await request.put(url).set('If-None-Match', '*').send(complete).expect(404)
  })

  it('HTTP-04 distinguishes a missing document from an old version', async () => {
    const { id } = await createPost()
    await client.request.delete(`/api/posts/${id}`).set('If-Match', '"0"').expect(204)
    await patch(id, { 'If-Match': '"0"' }).expect(404)
  })

  it('counts every write through the model, so that an ETag is never reused', async () => {
    const { id } = await createPost()
    await PostModel.updateOne({ _id: id }, { $set: { title: 'a' } })
    await PostModel.updateMany({ _id: id }, { title: 'b' })
    const document = await PostModel.findById(id)
    await document?.set({ title: 'c' }).save()
    const { headers, body } = await client.request.get(`/api/posts/${id}`).expect(200)
    expect(headers['etag']).toBe('"3"')
    expect(body.data.title).toBe('c')
  })

  it('does not save a document that was changed since it was read', async () => {
    const { id } = await createPost()
    const document = await PostModel.findById(id)
    await patch(id, {}).expect(200)
    await expect(document?.set({ title: 'stale' }).save()).rejects.toThrow(/version/i)
  })

  it('changes nothing for an empty patch: neither version nor updatedAt', async () => {
    const { id, data } = await createPost()
    const response = await patch(id, { 'If-Match': '"0"' }, {}).expect(200)
    expect(response.body.data).toEqual(data)
    expect(response.headers['etag']).toBe('"0"')
    await patch(id, { 'If-Match': '"5"' }, {}).expect(412)
  })

  it('HTTP-05 returns 304 for If-None-Match, with the ETag and without a body', async () => {
    const { id } = await createPost()
    for (const tag of ['"0"', 'W/"0"', '"9", "0"', '*']) {
      const response = await client.request.get(`/api/posts/${id}`).set('If-None-Match', tag)
      expect([response.status, response.text, response.headers['etag']]).toEqual([304, '', '"0"'])
    }
    await client.request.get(`/api/posts/${id}`).set('If-None-Match', '"1"').expect(200)
  })

  it('HTTP-05 mirrors GET in HEAD, and lists the methods of a path', async () => {
    const { id } = await createPost()
    const get = await client.request.get(`/api/posts/${id}`).expect(200)
    const head = await client.request.head(`/api/posts/${id}`).expect(200)
    expect(head.headers['content-length']).toBe(get.headers['content-length'])
    expect(head.headers['etag']).toBe(get.headers['etag'])
    expect(head.text ?? '').toBe('')
    const options = await client.request.options(`/api/posts/${id}`).expect(204)
    expect(options.headers['allow']).toBe('DELETE, GET, HEAD, OPTIONS, PATCH, PUT')
  })

  it('rejects a patch with another media type, and lists the accepted ones', async () => {
    const { id } = await createPost()
    const response = await client.request
      .patch(`/api/posts/${id}`)
      .type('application/json-patch+json')
      .send('[]')
      .expect(415)
    expect(response.headers['accept-patch']).toContain('application/merge-patch+json')
  })
})
