import { model, set, Types } from 'mongoose'
import supertest from 'supertest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestClient, type TestClient } from '../../src/testing.ts'
import { renderProject } from './render-golden.ts'

// Each list that the generator writes uses an index that the generator wrote, for each access. The queries are those
// that requests send.

const fields = ['title', 'code:string:unique', 'done:boolean:optional']
const rest = 'get=user,create=user,update=owner,delete=role:admin'
const resources = [
  { name: 'papers', access: 'public', who: 'user', leading: [] },
  { name: 'drafts', access: 'owner', who: 'user', leading: ['owner'] },
  { name: 'pages', access: `list=public,${rest}`, who: 'user', leading: [] },
  { name: 'sheets', access: `list=role:admin,${rest}`, who: 'admin', leading: [] },
  { name: 'memos', access: `list=owner,${rest}`, who: 'user', leading: ['owner'] },
  { name: 'notes', access: `list=owner|role:admin,${rest}`, who: 'user', leading: [] },
  { name: 'scores', access: `list=owner|role:admin,${rest}`, who: 'admin', leading: [] },
  { name: 'plans', access: `list=rule:readers,${rest}`, who: 'user', leading: [] },
  { name: 'lines', access: `list=user,${rest}`, under: 'pages', who: 'user', leading: ['page'] },
  { name: 'words', access: 'owner', under: 'drafts', who: 'user', leading: ['draft', 'owner'] },
  { name: 'boards', access: 'user', tenant: true, who: 'user', leading: ['organization'] },
  { name: 'tasks', access: 'owner', tenant: true, who: 'user', leading: ['organization', 'owner'] },
  {
    name: 'cards',
    access: `list=user,${rest}`,
    tenant: true,
    under: 'boards',
    who: 'user',
    leading: ['organization', 'board'],
  },
  {
    name: 'marks',
    access: `list=owner,${rest}`,
    tenant: true,
    who: 'user',
    leading: ['organization', 'owner'],
  },
] as const
const rules = `import { defineRule } from '@create-api/core'

export const readers = defineRule('readers', () => true)
`
const { api, paths, routers } = await renderProject(
  resources.map((resource) => ({ ...resource, fields })),
  { rules },
)
const models = routers.map((router) => model(String(router.model?.modelName)))

const queries = [
  '',
  'cursor=',
  'title=Title 4',
  'title[startsWith]=Title 4&sort=title',
  'sort=-title',
  'sort=createdAt',
  'code=code 4',
  'done=true',
  'createdAt[gte]=2020-01-01T00:00:00Z&sort=-createdAt&cursor=',
] as const

let client: TestClient
let organization: string
const request: Record<string, TestClient['request']> = {}

interface Sent {
  readonly collection: string
  readonly filter: object
  readonly sort: Record<string, 1 | -1>
}

const sent: Sent[] = []
const parent = new Types.ObjectId()

beforeAll(async () => {
  client = await createTestClient(api)
  const [admin, user] = [await client.signUp({ roles: ['admin'] }), await client.signUp()]
  request['admin'] = supertest.agent(client.url).set(admin.headers)
  request['user'] = supertest.agent(client.url).set(user.headers)
  const { body } = await request['user'].post('/api/orgs').send({ name: 'Acme' }).expect(201)
  organization = body.data.id
  const pick = (index: number, id: string): Types.ObjectId =>
    new Types.ObjectId(index % 2 === 0 ? id : undefined)
  for (const { collection } of models) {
    const documents = Array.from({ length: 100 }, (_, index) => ({
      _id: index === 0 ? parent : new Types.ObjectId(),
      title: `Title ${index}`,
      code: `code ${index}`,
      createdAt: new Date(index),
      updatedAt: new Date(index),
      __v: 0,
      organization: pick(index, organization),
      owner: pick(index, user.user.id),
      page: pick(index, String(parent)),
      draft: pick(index, String(parent)),
      board: pick(index, String(parent)),
    }))
    await collection.insertMany(documents)
  }
  set('debug', (collection: string, method: string, filter: object, options: object) => {
    if (method === 'find') sent.push({ collection, filter, sort: Object(options).sort })
  })
})

afterAll(async () => {
  set('debug', false)
  await client.stop()
})

describe.each(resources)('the list of $name with --access $access', ({ leading, name, who }) => {
  const index = resources.findIndex((resource) => resource.name === name)
  const found = models[index]
  const indexes = found?.schema.indexes().map(([keys]) => JSON.stringify(keys))

  it.each(queries)('uses an index for ?%s', async (query) => {
    sent.length = 0
    const path = String(paths[index]).replace(':org', organization)
    await request[who]?.get(`${path.replace(/:\w+Id/, String(parent))}?${query}`).expect(200)
    const own = sent.filter(({ collection }) => collection === found?.collection.collectionName)
    expect(own.length).toBe(1)
    for (const { filter, sort } of own) {
      const explained = await found?.collection.find(filter, { sort }).explain()
      const plan = JSON.stringify(explained?.['queryPlanner'].winningPlan)
      const used = [...plan.matchAll(/"keyPattern":(\{.*?\})/g)].map(([, keys = '']) => keys)
      expect(plan).not.toContain('COLLSCAN')
      expect(used).toHaveLength(1)
      const [keys = ''] = used
      const names = Object.keys(JSON.parse(keys))
      if (leading.length > 0 && names.length > 1) expect(indexes).toContain(keys)
      // A unique value finds one document, whatever else the index begins with.
      if (names.includes('code')) continue
      expect(names.slice(0, leading.length)).toEqual(leading)
      // Owners among others sort the few documents that they own.
      if (name !== 'notes') expect(plan).not.toContain('"SORT"')
    }
  })
})
