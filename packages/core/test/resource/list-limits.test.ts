import { model, Schema } from 'mongoose'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createApi, createRegistry, createRouter, success } from '../../src/index.ts'
import {
  defineListQuery,
  defineView,
  findPage,
  objectId,
  totalOnRequestMeta,
} from '../../src/resource.ts'
import { listLimits } from '../../src/lib/resource/list-limits.ts'
import { createTestClient, type TestClient } from '../../src/testing.ts'

const names = Array.from({ length: 12 }, (_, index) => `f${index}`)
const shape: Record<string, z.ZodString> = Object.fromEntries(
  names.map((name) => [name, z.string()]),
)
const entry = z.object(shape).extend({ id: objectId })
const query = defineListQuery(entry, {
  filters: ['f0'],
  sort: names,
  search: ['f0'],
  total: 'onRequest',
})
const fields = Object.fromEntries(names.map((name) => [name, String]))
let counts = 0
const EntryModel = model(
  'LimitedEntry',
  new Schema<Record<string, string>>(fields).pre('countDocuments', () => {
    counts++
  }),
)
const entries = createRouter(
  ({ get }) => [
    get('/', { query, response: entry.array(), meta: totalOnRequestMeta }, async (req, res) => {
      const { data, meta } = await findPage(EntryModel, req.valid.query, { scope: req.scope })
      success(res, data, meta)
    }),
  ],
  { access: 'public' },
)
const api = createApi({
  name: 'limits',
  environment: 'test',
  auth: false,
  rateLimit: false,
  routes: createRegistry().use('/entries', entries),
})
let client: TestClient

beforeAll(async () => {
  client = await createTestClient(api)
  for (const number of [1, 2, 3, 4, 5]) {
    await EntryModel.create(toDocument(number))
  }
})
afterAll(() => client.stop())

function toDocument(number: number): object {
  return Object.fromEntries(names.map((name) => [name, `${name} ${number}`]))
}

async function faultOf(parameters: Record<string, string>): Promise<string> {
  const { body } = await client.request.get('/entries').query(parameters).expect(400)
  return body.errors.map(({ detail }: { detail: string }) => detail).join()
}

async function metaOf(parameters: Record<string, string>): Promise<unknown> {
  const { body } = await client.request.get('/entries').query(parameters).expect(200)
  return { ...body.meta, ids: body.data.length }
}

describe('the limits of a list', () => {
  it.each([
    ['limit', '101', '100'],
    ['page', '1000001', '1000000'],
    ['offset', '100000001', '100000000'],
    ['cursor', 'a'.repeat(4001), '4000'],
    ['sort', names.slice(0, 11).join(), 'has 11 fields; at most 10'],
    ['f0', 'a'.repeat(2001), '2000'],
    ['f0[in]', 'a,'.repeat(100) + 'a', 'has 101 values; at most 100'],
    ['f0[contains]', 'a'.repeat(101), '100'],
    ['f0[startsWith]', 'a'.repeat(101), '100'],
    ['q', 'a'.repeat(101), '100'],
  ])('%s beyond its limit is a 400 that names the limit', async (name, value, limit) => {
    expect(await faultOf({ [name]: value })).toContain(limit)
  })

  it('allow what is within them', async () => {
    for (const [name, value] of [
      ['limit', '100'],
      ['page', '1000000'],
      ['offset', '100000000'],
      ['sort', names.slice(0, 10).join()],
      ['f0', 'a'.repeat(2000)],
      ['f0[in]', 'a,'.repeat(99) + 'a'],
      ['q', 'a'.repeat(100)],
    ] as const) {
      await client.request
        .get('/entries')
        .query({ [name]: value })
        .expect(200)
    }
  })

  it('reject an order whose cursor would be longer than a cursor can be', async () => {
    await EntryModel.create({ ...toDocument(0), f0: '0'.repeat(3000) })
    const { body } = await client.request
      .get('/entries')
      .query({ sort: 'f0', cursor: '', limit: '1' })
      .expect(400)
    expect(body.errors).toMatchObject([
      { pointer: '#/cursor', detail: expect.stringContaining('page by number') },
    ])
    await client.request.get('/entries').query({ sort: 'f0', limit: '1' }).expect(200)
    await EntryModel.deleteOne({ f0: '0'.repeat(3000) })
  })

  it('are those of the table in the documentation', () => {
    const file = path.join(import.meta.dirname, '../../../../docs/resources.md')
    const section = /### Limits\n(.*?)\n##/s.exec(readFileSync(file, 'utf8'))?.[1] ?? ''
    const numbers = [...section.matchAll(/\| +([\d,]+) \|/g)].map(([, text = '']) =>
      Number(text.replaceAll(',', '')),
    )
    expect(numbers).toEqual(Object.values(listLimits))
  })

  it('hold for views', () => {
    const include = Object.fromEntries(
      names.slice(0, 6).map((name) => [name, { response: entry, access: 'public' } as const]),
    )
    expect(() => defineView(entry, { include })).toThrow('at most 5 includes')
  })
})

describe('a list with the total on request', () => {
  it('states whether another page follows, without the total', async () => {
    expect(await metaOf({ limit: '2' })).toEqual({ page: 1, limit: 2, hasNextPage: true, ids: 2 })
    expect(await metaOf({ limit: '2', page: '3' })).toEqual({
      page: 3,
      limit: 2,
      hasNextPage: false,
      ids: 1,
    })
    expect(await metaOf({ limit: '5' })).toMatchObject({ hasNextPage: false, ids: 5 })
    expect(await metaOf({ limit: '2', offset: '3' })).toEqual({
      limit: 2,
      offset: 3,
      hasNextPage: false,
      ids: 2,
    })
    expect(await metaOf({ limit: '2', total: 'false' })).not.toHaveProperty('total')
  })

  it('contains the total on request, also with a cursor', async () => {
    const total = 'true'
    expect(await metaOf({ limit: '2', total })).toEqual({
      page: 1,
      limit: 2,
      hasNextPage: true,
      total: 5,
      pages: 3,
      ids: 2,
    })
    expect(await metaOf({ limit: '2', offset: '1', total, f0: 'f0 3' })).toEqual({
      limit: 2,
      offset: 1,
      hasNextPage: false,
      total: 1,
      ids: 0,
    })
    expect(await metaOf({ limit: '2', cursor: '', total })).toMatchObject({ total: 5, limit: 2 })
    expect(await metaOf({ limit: '2', cursor: '' })).not.toHaveProperty('total')
  })

  it('counts only on request', async () => {
    counts = 0
    await metaOf({ limit: '2' })
    await metaOf({ limit: '2', offset: '1' })
    await metaOf({ limit: '2', cursor: '' })
    expect(counts).toBe(0)
    await metaOf({ limit: '2', total: 'true' })
    expect(counts).toBe(1)
  })

  it('is described in the document', () => {
    const { get } = Object(api.openapi?.paths)['/entries']
    const parameter = get.parameters.find(({ name }: { name: string }) => name === 'total')
    expect(parameter).toMatchObject({
      in: 'query',
      schema: { type: 'boolean', default: false, description: expect.any(String) },
    })
    expect(api.openapi?.components).toMatchObject({
      schemas: { PageOnRequestMeta: { required: ['page', 'limit', 'hasNextPage'] } },
    })
    expect(parameter.required).toBeUndefined()
  })

  it('rejects another value, and a list that always counts has no such parameter', async () => {
    await client.request.get('/entries').query({ total: 'yes' }).expect(400)
    expect(defineListQuery(entry).safeParse({ total: 'true' }).success).toBe(false)
    expect(() =>
      defineListQuery(entry, { total: 'onRequest', filters: { total: () => ({}) } }),
    ).toThrow(/'total': that is another parameter/)
  })
})
