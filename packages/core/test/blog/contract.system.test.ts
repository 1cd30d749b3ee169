import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { api } from '../../../../examples/blog/src/app.js'
import { createTestClient, type TestClient } from '../../src/testing.ts'
import { runContract, toExpected } from '../contract/run-contract.ts'

// Read when the app is imported: the requests of a run come from one address in a few seconds.
vi.hoisted(() => {
  process.env['RATE_LIMIT'] = '1000000'
})

let client: TestClient

beforeAll(async () => {
  client = await createTestClient(api)
})

afterAll(() => client.stop())

it('the document and the blog agree', async () => {
  const requests = Number(process.env['CONTRACT_REQUESTS'] ?? 2000)
  const only = /^\/api\/(authors|posts)/
  const counts = await runContract(client, { only, requests, refersTo: /^\/api\/authors\// })
  const sent = [...counts.values()].reduce((sum, count) => sum + count, 0)
  expect(sent).toBeGreaterThanOrEqual(requests)
  // The requests met every operation, and both succeeded and were refused.
  const expected = [
    ...toExpected('/api/authors'),
    ...toExpected('/api/posts'),
    ...toExpected('/api/posts/{postId}/comments'),
  ]
  expect(expected.filter((line) => !counts.has(line))).toEqual([])
})
