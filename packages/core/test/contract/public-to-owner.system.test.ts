import { basename } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createTestClient, findAccessFaults, type TestClient } from '../../src/testing.ts'
import { renderProject } from '../golden/render-golden.ts'
import { findLeaks } from './two-users.ts'

// A resource that was generated for everyone, changed by hand: one word in the routes, the owner in the model.
const owner =
  "owner: { type: Schema.Types.ObjectId, ref: 'User', required: true, immutable: true },"
const edits: Readonly<Record<string, (text: string) => string>> = {
  'posts.routes.ts': (text) => text.replace("access: 'public'", "access: 'owner'"),
  'posts.model.ts': (text) => text.replace('    title: {', `    ${owner}\n    title: {`),
}

const fields = ['title:string', 'body:text', 'published:boolean:default=false']
const changed: string[] = []
const { api } = await renderProject([{ name: 'posts', fields, access: 'public' }], {
  edit(path, text) {
    const edited = edits[basename(path)]?.(text) ?? text
    if (edited !== text) changed.push(path)
    return edited
  },
})

// Read when the app is imported: the requests of a run come from one address in a few seconds.
vi.hoisted(() => {
  process.env['RATE_LIMIT'] = '1000000'
})

let client: TestClient

beforeAll(async () => {
  client = await createTestClient(api)
})

afterAll(() => client.stop())

describe('a resource whose access was changed from public to owner by hand', () => {
  it('took two changed files', () => {
    expect(changed.toSorted()).toEqual([
      'src/resources/posts/posts.model.ts',
      'src/resources/posts/posts.routes.ts',
    ])
  })

  it('gives each user the own documents only', async () => {
    const [ada, bob] = [await client.signUp(), await client.signUp()]
    const input = { title: 'Mine', body: 'text' }
    const { body } = await client.request
      .post('/api/posts')
      .set(ada.headers)
      .send(input)
      .expect(201)
    const url = `/api/posts/${body.data.id}`
    expect(body.data).not.toHaveProperty('owner')
    await client.request.get(url).set(ada.headers).expect(200)
    await client.request.get(url).expect(401)
    await client.request.get(url).set(bob.headers).expect(404)
    await client.request.put(url).set(bob.headers).send(input).expect(404)
    await client.request.patch(url).set(bob.headers).send({ title: 'x' }).expect(404)
    await client.request.delete(url).set(bob.headers).expect(404)
    const list = await client.request.get('/api/posts').set(bob.headers).expect(200)
    expect(list.body.data).toEqual([])
  })

  it('behaves as its routes declare, for every kind of caller', async () => {
    expect(await findAccessFaults(api, client)).toEqual([])
    expect(await findLeaks(client, { only: /^\/api\/posts/ })).toMatchObject({ leaks: [] })
  })
})
