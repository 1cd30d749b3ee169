import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { createApi, createRegistry } from '@create-api/core'
import { createTestClient, findAccessFaults, type TestClient } from '@create-api/core/testing'
import supertest from 'supertest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pagesRouter } from './examples/pages.ts'

const docs = path.join(import.meta.dirname, '../../../../docs')
const text = await readFile(path.join(docs, 'access.md'), 'utf8')

const api = createApi({
  name: 'pages',
  routes: createRegistry().use('/api/pages', pagesRouter),
  environment: 'test',
})

let client: TestClient

beforeAll(async () => {
  client = await createTestClient(api)
})

afterAll(() => client.stop())

async function signUp(
  ...roles: 'admin'[]
): Promise<{ request: TestClient['request']; id: string }> {
  const { headers, user } = await client.signUp({ roles })
  return { request: supertest.agent(client.url).set(headers), id: user.id }
}

describe('docs/access.md', () => {
  it.each(['access.ts', 'pages.ts'])('shows %s as these tests run it', async (name) => {
    const code = await readFile(path.join(import.meta.dirname, 'examples', name), 'utf8')
    expect(text).toContain(`\`\`\`ts\n${code}\`\`\``)
  })

  it('has links that lead somewhere', async () => {
    const links = Array.from(text.matchAll(/\]\(([^)#:]+)/g), ([, link = '']) => link)
    expect(links.length).toBeGreaterThan(0)
    for (const link of links) await readFile(path.join(docs, link), 'utf8')
  })
})

describe('the pages of docs/access.md', () => {
  it('can be read by everyone once published, and changed by their editors', async () => {
    const [ada, bob, admin] = [await signUp(), await signUp(), await signUp('admin')]
    const draft = { title: 'a', status: 'draft' }
    const { body } = await ada.request.post('/api/pages').send(draft).expect(201)
    expect(body.data.editors).toEqual([ada.id])
    const url = `/api/pages/${body.data.id}`
    await client.request.get(url).expect(404)
    await bob.request.get(url).expect(404)
    await admin.request.get(url).expect(200)
    await bob.request.patch(url).send({ status: 'published' }).expect(404)
    await ada.request
      .patch(url)
      .send({ editors: [bob.id] })
      .expect(403)
    await ada.request.patch(url).send({ status: 'published' }).expect(200)
    const { body: list } = await client.request.get('/api/pages').expect(200)
    expect(list.meta.total).toBe(1)
    await client.request.put(`${url}/lock`).expect(401)
    await bob.request.put(`${url}/lock`).expect(403)
    await ada.request.put(`${url}/lock`).expect(204)
  })

  it('behave as declared', async () => {
    expect(await findAccessFaults(api, client)).toEqual([])
  })
})
