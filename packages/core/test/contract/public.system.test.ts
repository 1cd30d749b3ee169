import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createTestClient, type TestClient } from '../../src/testing.ts'
import { renderGolden } from '../golden/render-golden.ts'
import { runContract, toExpected } from './run-contract.ts'

const { api } = await renderGolden('public')

// Read when the app is imported: the requests of a run come from one address in a few seconds.
vi.hoisted(() => {
  process.env['RATE_LIMIT'] = '1000000'
})

let client: TestClient

beforeAll(async () => {
  client = await createTestClient(api)
})

afterAll(() => client.stop())

it('the document and the public resource agree', async () => {
  const counts = await runContract(client, { only: /^\/api\/posts/ })
  // The requests met every operation, and both succeeded and were refused.
  expect([...counts.keys()]).toEqual(expect.arrayContaining(toExpected('/api/posts')))
})
