import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createApi, createRegistry, createRouter, success } from '../../src/index.ts'
import { createTestClient, type TestClient } from '../../src/testing.ts'
import { api, sent, shown } from './recursive-api.ts'

describe('schemas that contain themselves', () => {
  let client: TestClient

  beforeAll(async () => {
    client = await createTestClient(api)
  })

  afterAll(() => client.stop())

  it('are accepted in requests and sent in responses', async () => {
    const list = await client.request.get('/api/categories').expect(200)
    expect(list.body.data).toEqual([sent])
    const created = await client.request.post('/api/categories').send(sent).expect(201)
    expect(created.body.data).toEqual(sent)
    const changed = await client.request.patch('/api/categories').send(sent).expect(200)
    expect(changed.body.data).toEqual(sent)
    const { body } = await client.request.get('/api/articles/1').expect(200)
    expect(body.data).toEqual({ ...shown, categories: [sent] })
    const wrong = { name: 'a', children: [{ name: 'b', since: 'soon' }] }
    const refused = await client.request.post('/api/categories').send(wrong).expect(422)
    expect(refused.body.errors).toMatchObject([{ pointer: '#/children/0/since' }])
  })

  it('are named components of the document', () => {
    const { schemas } = Object(api.openapi?.components)
    const names = Object.keys(schemas).filter((name) =>
      /^(Article|Categor|Create|Replace|Update)/.test(name),
    )
    expect(names.toSorted()).toEqual([
      'Article',
      'ArticleChain',
      'ArticleSummary',
      'Category',
      'CreateCategory',
      'ReplaceArticleResponse',
      'UpdateCategoriesResponse',
    ])
    expect(schemas.Article.properties).toMatchObject({
      categories: { items: { $ref: '#/components/schemas/Category' } },
      chain: { $ref: '#/components/schemas/ArticleChain' },
    })
  })

  it('leave no reference without a target', () => {
    const text = JSON.stringify(api.openapi)
    const references = [...text.matchAll(/"\$ref":"([^"]*)"/g)].map(([, path = '']) => path)
    for (const reference of new Set(references)) {
      const target = reference
        .slice(2)
        .split('/')
        .reduce<unknown>((below, key) => Object(below)[key], api.openapi)
      expect([reference, typeof target]).toEqual([reference, 'object'])
      expect(reference).toMatch(/^#\/components\/\w+\//)
    }
    expect(text).not.toContain('x-component')
  })
})

it('makes one component of a schema with an id, and keeps the description of a list', () => {
  const inner = z.object({ a: z.string() }).meta({ id: 'Inner' })
  const outer = z.object({ inner, list: z.array(inner) }).meta({ id: 'Outer' })
  const described = z.array(outer).meta({ description: 'All of them.' })
  const routes = createRouter((route) => [
    route.get('/', { access: 'public', response: described }, (_req, res) => success(res, [])),
    ...['/a', '/b', '/c'].map((path) =>
      route.get(path, { access: 'public', response: z.object({ outer }) }, (_req, res) => {
        success(res, { outer: { inner: { a: '' }, list: [] } })
      }),
    ),
  ])
  const { openapi } = createApi({ routes: createRegistry().use('/api/things', routes) })
  const names = Object.keys(Object(openapi?.components).schemas)
  expect(names.filter((name) => /^(Inner|Outer)/.test(name)).toSorted()).toEqual(['Inner', 'Outer'])
  expect(JSON.stringify(openapi)).toContain('"description":"All of them."')
})

it('names the form of a schema with an id that requests contain', () => {
  const tree = z
    .strictObject({
      name: z.string().default('a'),
      get children() {
        return z.array(tree).optional()
      },
    })
    .meta({ id: 'Tree' })
  const routes = createRouter((route) => [
    route.post('/', { access: 'public', body: tree, response: tree }, (req, res) => {
      success(res, req.valid.body)
    }),
  ])
  const { openapi } = createApi({ routes: createRegistry().use('/api/trees', routes) })
  const { schemas } = Object(openapi?.components)
  expect(Object.keys(schemas).filter((name) => name.startsWith('Tree'))).toEqual([
    'Tree',
    'TreeInput',
  ])
  const { children } = schemas.TreeInput.properties
  expect(children.items).toEqual({ $ref: '#/components/schemas/TreeInput' })
})

it('shows examples of dates and bigints as text', () => {
  const body = z.strictObject({
    count: z.bigint().meta({ examples: [9007199254740993n] }),
    at: z.date().meta({ examples: [new Date(0)] }),
  })
  const routes = createRouter((route) => [
    route.post('/', { access: 'public', body }, (_req, res) => success(res)),
  ])
  const { openapi } = createApi({ routes: createRegistry().use('/api/events', routes) })
  const { requestBodies } = Object(openapi?.components)
  expect(requestBodies.PostEventsBody.content['application/json'].example).toEqual({
    count: '9007199254740993',
    at: '1970-01-01T00:00:00.000Z',
  })
})
