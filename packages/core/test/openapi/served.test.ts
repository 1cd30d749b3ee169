import { expect, it } from 'vitest'
import { createApi, createRegistry } from '../../src/index.ts'
import { createTestClient } from '../../src/testing.ts'

it.each([
  [undefined, 200],
  [true, 200],
  [false, 404],
])('serves the document with serve: %s as %i', async (serve, status) => {
  const api = createApi({ name: 'served', routes: createRegistry(), openapi: { serve } })
  expect(api.openapi).toMatchObject({ openapi: '3.1.0' })
  const client = await createTestClient(api)
  try {
    await client.request.get('/openapi.json').expect(status)
    await client.request.get('/docs').expect(status)
  } finally {
    await client.stop()
  }
})
