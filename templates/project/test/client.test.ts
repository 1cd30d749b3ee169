import { createTestClient, type TestClient } from '@create-api/core/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { api } from '../src/app.js'
import { createClient } from '../src/client.js'

const credentials = { email: 'ada@example.com', password: 'correct horse battery staple' }
let service: TestClient

beforeAll(async () => {
  service = await createTestClient(api)
})

afterAll(async () => {
  await service.stop()
})

describe('the typed client', () => {
  it('registers, is logged in and logs out', async () => {
    const client = createClient({ url: service.url })
    await client.auth.register(credentials)
    expect(await client.auth.me()).toMatchObject({ email: credentials.email })
    await client.session.logout()
    expect(await client.session.isLoggedIn()).toBe(false)
  })

  it('knows the failures of each call by their codes', async () => {
    const { auth } = createClient({ url: service.url })
    const result = await auth.login({ ...credentials, password: 'another password' }).safe()
    expect(result).toMatchObject({ ok: false, error: { code: 'invalid_credentials', status: 401 } })
  })
})
