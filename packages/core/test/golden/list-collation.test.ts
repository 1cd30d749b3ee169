import { afterAll, beforeAll, expect, it } from 'vitest'
import { findSlowFields } from '../../src/lib/resource/missing-indexes.ts'
import { createTestClient, type TestClient } from '../../src/testing.ts'
import { renderProject } from './render-golden.ts'

// Resources that the generator writes with a collation.
const fields = ['title', 'code:string:unique', 'mail:email:optional', 'token:uuid:optional']
const more = [
  'tags:array:string',
  'kind:enum:A,b:default=A',
  'count:int:default=0',
  'heldOn:day:optional',
]
const accesses = ['public', 'owner', 'list=owner|role:admin,get=user,create=user,update=owner']
const { api, routers } = await renderProject(
  accesses.map((access, index) => ({
    name: `${['posts', 'drafts', 'memos'][index]}`,
    access,
    fields: [...fields, ...more],
    collation: 'en',
    actions: ['list', 'get', 'create', 'update'],
  })),
)
let client: TestClient

beforeAll(async () => {
  client = await createTestClient(api)
})
afterAll(() => client.stop())

it('has the indexes that its lists need, with and without the collation', () => {
  for (const router of routers) expect(findSlowFields(router)).toEqual([])
})

it('sorts and filters without regard to case, and keeps unique values apart by case', async () => {
  for (const title of ['b', 'A', 'a', 'B']) {
    await client.request.post('/api/posts').send({ title, code: title }).expect(201)
  }
  const read = async (query: string): Promise<string[]> => {
    const { body } = await client.request.get(`/api/posts?${query}`).expect(200)
    return body.data.map(({ title }: { title: string }) => title)
  }
  expect(await read('sort=title')).toEqual(['A', 'a', 'b', 'B'])
  expect(await read('sort=-title&cursor=')).toEqual(['B', 'b', 'a', 'A'])
  expect(await read('title=A')).toEqual(['A', 'a'])
  expect(await read('code[in]=B')).toEqual(['b', 'B'])
})
