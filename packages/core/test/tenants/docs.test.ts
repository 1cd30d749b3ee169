import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { createApi, createRegistry } from '@create-api/core'
import { createTenants } from '@create-api/core/tenants'
import { createTestClient, type TestClient } from '@create-api/core/testing'
import supertest from 'supertest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tenantRouteNames } from '../../src/lib/features/tenants.ts'
import { notesRouter } from './examples/notes.ts'

const page = await readFile(path.join(import.meta.dirname, '../../../../docs/tenants.md'), 'utf8')

const api = createApi({
  name: 'notes',
  routes: createRegistry().use('/api/orgs/:org/notes', notesRouter),
  tenants: createTenants({ roles: ['editor'] }),
  environment: 'test',
})

let client: TestClient

beforeAll(async () => {
  client = await createTestClient(api)
})

afterAll(() => client.stop())

async function signUp(name: string): Promise<{ request: TestClient['request']; notes: string }> {
  const { headers } = await client.signUp()
  const request = supertest.agent(client.url).set(headers)
  const { body } = await request.post('/api/orgs').send({ name }).expect(201)
  return { request, notes: `/api/orgs/${body.data.id}/notes` }
}

describe('docs/tenants.md', () => {
  it('shows the example as these tests run it', async () => {
    const file = path.join(import.meta.dirname, 'examples/notes.ts')
    expect(page).toContain(`\`\`\`ts\n${await readFile(file, 'utf8')}\`\`\``)
  })

  it('lists every route', () => {
    const routes = api.routes.filter(({ tag }) => tag === 'organizations')
    expect(routes.map(({ route }) => route.operationId)).toEqual(tenantRouteNames)
    for (const { method, path: pattern, route } of routes) {
      expect(page).toContain(`\`${method} ${pattern}\``)
      expect(page).toContain(`\`${route.operationId}\``)
    }
  })

  it('has links that lead somewhere', async () => {
    const links = Array.from(page.matchAll(/\]\(([^)#:]+)/g), ([, link = '']) => link)
    expect(links.length).toBeGreaterThan(1)
    for (const link of links) {
      await readFile(path.join(import.meta.dirname, '../../../../docs', link), 'utf8')
    }
  })
})

describe('the notes of two organizations', () => {
  it('have the same slug, and stay apart', async () => {
    const [ada, bob] = [await signUp('Acme'), await signUp('Globex')]
    const { body } = await ada.request.post(ada.notes).send({ slug: 'plan' }).expect(201)
    await ada.request.post(ada.notes).send({ slug: 'plan' }).expect(409)
    await bob.request.post(bob.notes).send({ slug: 'plan' }).expect(201)
    const list = await bob.request.get(bob.notes).expect(200)
    expect(list.body.meta.total).toBe(1)
    await bob.request.delete(`${bob.notes}/${body.data.id}`).expect(404)
    await bob.request.delete(`${ada.notes}/${body.data.id}`).expect(404)
    await ada.request.delete(`${ada.notes}/${body.data.id}`).expect(204)
  })

  it('cannot be created for the other one', async () => {
    const [ada, bob] = [await signUp('Acme'), await signUp('Globex')]
    const organization = bob.notes.split('/')[3]
    await ada.request.post(ada.notes).send({ slug: 'x', organization }).expect(422)
    await ada.request.post(bob.notes).send({ slug: 'x' }).expect(404)
  })

  it('name the field of a duplicate that the client has sent', async () => {
    const { request, notes } = await signUp('Acme')
    await request.post(notes).send({ slug: 'plan' }).expect(201)
    const { body } = await request.post(notes).send({ slug: 'plan' }).expect(409)
    expect(body.errors).toMatchObject([{ pointer: '#/slug', code: 'duplicate' }])
  })
})
