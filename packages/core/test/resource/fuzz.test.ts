import { constantFrom, jsonValue, object, oneof, record, sample, string, tuple } from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createTestClient, type TestClient } from '../../src/testing.ts'
import { renderGolden } from '../golden/render-golden.ts'

const { api, PostModel } = await renderGolden('public')

// Read when the app is imported: the requests of a run come from one address in a few seconds.
vi.hoisted(() => {
  process.env['RATE_LIMIT'] = '1000000'
})

const seed = Number(process.env['FUZZ_SEED'] ?? 20_260_131)
// The long run has 10,000 of each: FUZZ_REQUESTS=10000.
const numRuns = Number(process.env['FUZZ_REQUESTS'] ?? 500)

let client: TestClient

beforeAll(async () => {
  client = await createTestClient(api)
  await client.request.post('/api/posts').send({ title: 'kept', body: 'kept' }).expect(201)
})

afterAll(() => client.stop())

const names = constantFrom(
  'title',
  'published',
  'createdAt',
  'sort',
  'page',
  'limit',
  'cursor',
  'q',
  'fields',
  '$where',
  '$or',
  '__proto__',
  'constructor',
  'filter',
  '_id',
  'id',
)
const operators = constantFrom(
  '',
  '[ne]',
  '[$ne]',
  '[in]',
  '[contains]',
  '[gte]',
  '[regex]',
  '[]',
  '[a][b]',
  '.x',
)
const values = oneof(
  string({ unit: 'binary' }),
  constantFrom(
    '1',
    'true',
    '',
    '{"$ne":null}',
    '2026-01-31T12:00:00Z',
    '-title',
    '(a+)+$',
    '\u0000',
    '%',
    '[object Object]',
  ),
)
const queries = tuple(names, operators, values, string({ maxLength: 5 })).map(
  ([name, operator, value, tail]) => {
    // Lone surrogates have no form in a URL.
    const text = `${encodeURIComponent(name + operator)}=${encodeURIComponent(Buffer.from(value).toString())}`
    return tail.includes('#') ? text : `${text}${encodeURIComponent(tail)}`
  },
)
const members = oneof(
  jsonValue({ maxDepth: 4 }),
  object({
    maxDepth: 3,
    key: constantFrom('$ne', '$gt', '$where', '$set', 'a.b', '__proto__', 'constructor', 'x'),
  }),
  constantFrom<unknown>(null, 1e308, -0, 'x'.repeat(10_001), '\u0000', [], {}),
)
const bodies = oneof(
  jsonValue({ maxDepth: 5 }),
  record({ title: members, body: members, published: members }, { requiredKeys: [] }),
  record(
    { title: string(), body: string(), $set: members, owner: members },
    { requiredKeys: ['title'] },
  ),
)

async function statusesOf(requests: readonly (readonly [string, RequestInit])[]) {
  const statuses = new Map<number, number>()
  for (const [url, init] of requests) {
    const { status } = await fetch(client.url + url, init)
    if (status >= 500) expect({ url, init, status }).toBe('no fault of the service')
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  return statuses
}

describe('a resource under random input', () => {
  it('VAL-02 returns a list or 400 for each query', async () => {
    const requests = sample(queries, { seed, numRuns }).map(
      (query) => [`/api/posts?${query}`, {}] as const,
    )
    const statuses = await statusesOf(requests)
    expect([...statuses.keys()].toSorted((a, b) => a - b)).toEqual([200, 400])
  })

  it('VAL-04 VAL-05 VAL-13 responses each body, and changes nothing it should not', async () => {
    const kept = await PostModel.findOne({ title: 'kept' }).lean()
    const before = Object.getOwnPropertyNames(Object.prototype)
    const headers = { 'content-type': 'application/json' }
    const requests = sample(bodies, { seed, numRuns }).flatMap((body) => {
      const init = { headers, body: JSON.stringify(body) }
      const id = '000000000000000000000000'
      return [
        ['/api/posts', { ...init, method: 'POST' }],
        [`/api/posts/${id}`, { ...init, method: 'PATCH' }],
      ] as const
    })
    const statuses = await statusesOf(requests)
    expect([...statuses.keys()].filter((status) => ![201, 400, 404, 422].includes(status))).toEqual(
      [],
    )
    expect(await PostModel.findOne({ title: 'kept' }).lean()).toEqual(kept)
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before)
    // Every stored document has the form of a post and no more.
    for (const post of await PostModel.collection.find().toArray()) {
      expect(Object.keys(post).toSorted((a, b) => a.localeCompare(b))).toEqual(
        ['__v', '_id', 'body', 'createdAt', 'published', 'title', 'updatedAt'].toSorted((a, b) =>
          a.localeCompare(b),
        ),
      )
      expect([typeof post['title'], typeof post['body'], typeof post['published']]).toEqual([
        'string',
        'string',
        'boolean',
      ])
    }
  })
})
