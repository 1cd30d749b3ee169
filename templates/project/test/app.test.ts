import { createTestClient, findAccessFaults, type TestClient } from '@create-api/core/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { api } from '../src/app.js'

let client: TestClient

beforeAll(async () => {
  client = await createTestClient(api)
})

afterAll(async () => {
  await client.stop()
})

describe('the service', () => {
  it.skipIf(!api.config.health)('is ready', async () => {
    await client.request.get('/health/ready').expect(200)
  })

  it('returns 404 for an unknown path', async () => {
    await client.request.get('/nothing').expect(404)
  })

  it.skipIf(!api.openapi)('describes itself', () => {
    expect(api.openapi?.openapi).toMatch(/^3\.1\./)
  })

  it('enforces the access of each route', async () => {
    expect(await findAccessFaults(api, client)).toEqual([])
  })

  it.skipIf(!api.auth)('knows users by their access tokens', async () => {
    const { accessToken, user } = await client.signUp()
    expect(await api.auth?.verifyAccessToken(accessToken)).toMatchObject({ user: { id: user.id } })
  })
})
