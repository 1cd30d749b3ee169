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
  it('is ready', async () => {
    await client.request.get('/').expect(200)
    await client.request.get('/health/ready').expect(200)
  })

  it('returns 404 as a problem document', async () => {
    const { body } = await client.request
      .get('/nothing')
      .expect(404)
      .expect('content-type', /application\/problem\+json/)
    expect(body).toMatchObject({ status: 404, code: 'not_found', requestId: expect.any(String) })
  })

  it('describes itself', async () => {
    const { body } = await client.request.get('/openapi.json').expect(200)
    expect(body.openapi).toMatch(/^3\.1\./)
  })

  it('enforces the access of each route', async () => {
    expect(await findAccessFaults(api, client)).toEqual([])
  })

  it('signs users up and knows them again', async () => {
    const { headers, user } = await client.signUp()
    const { body } = await client.request.get('/api/v1/auth/me').set(headers).expect(200)
    expect(JSON.stringify(body.data)).toContain(user.id)
  })
})
