import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { api } from '../../../../examples/blog/src/app.js'
import { createTestClient, type TestClient } from '../../src/testing.ts'
import { findLeaks } from '../contract/two-users.ts'

// Read when the app is imported: the requests of a run come from one address in a few seconds.
vi.hoisted(() => {
  process.env['RATE_LIMIT'] = '1000000'
})

let client: TestClient

beforeAll(async () => {
  client = await createTestClient(api)
})

afterAll(() => client.stop())

describe('two users of the blog', () => {
  it("cannot read or write each other's documents", async () => {
    const { leaks, requests } = await findLeaks(client, {
      only: /^\/api\/(authors|posts)/,
      refersTo: /^\/api\/authors\//,
      documents: 2,
    })
    expect(leaks).toEqual([])
    expect(requests).toBeGreaterThan(500)
  })

  it("cannot refer to, nor include, the other's author", async () => {
    const [ada, bob] = [await client.signUp(), await client.signUp()]
    const { body } = await client.request
      .post('/api/authors')
      .set(ada.headers)
      .send({ name: 'Ada' })
      .expect(201)
    const post = { title: 'a', slug: 'a', body: 'b', status: 'draft', author: body.data.id }
    const refused = await client.request.post('/api/posts').set(bob.headers).send(post).expect(422)
    expect(refused.body.errors).toMatchObject([{ pointer: '#/author', code: 'not_found' }])
    // As if it had been there before the author was Ada's.
    const { PostModel } =
      await import('../../../../examples/blog/src/resources/posts/posts.model.js')
    const stored = await PostModel.create({ ...post, status: 'draft', owner: bob.user.id })
    const seen = await client.request
      .get(`/api/posts/${stored.id}?include=author`)
      .set(bob.headers)
      .expect(200)
    expect(seen.body.data.included).toEqual({ author: null })
  })
})
