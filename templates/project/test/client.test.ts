import { createMemoryStore } from '@create-api/client'
import { createTestClient, type TestClient } from '@create-api/core/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { api } from '../src/app.js'
import { createClient } from '../src/client.js'

let service: TestClient

beforeAll(async () => {
  service = await createTestClient(api)
})

afterAll(async () => {
  await service.stop()
})

// The tests of built-in routes are skipped when the service replaces these.
const builtIn = new Set(api.routes.map(({ route }) => route.operationId))

interface BuiltIn {
  auth?: { me: () => Promise<unknown> & { safe(): Promise<unknown> } }
}

function toBuiltIn(client: object): BuiltIn {
  return client
}

describe('the typed client', () => {
  it('begins without a session', async () => {
    const { session } = createClient({ url: service.url })
    expect(await session.isLoggedIn()).toBe(false)
  })

  it.skipIf(!builtIn.has('logout'))('continues a session and logs out', async () => {
    const { accessToken, refreshToken } = await service.signUp()
    const storage = createMemoryStore()
    await storage.write({ accessToken, refreshToken, expiresAt: Date.now() + 60_000 })
    const { session } = createClient({ url: service.url, storage })
    expect(await session.isLoggedIn()).toBe(true)
    await session.logout()
    expect(await session.isLoggedIn()).toBe(false)
  })

  it.skipIf(!builtIn.has('me'))('sends the token of a user', async () => {
    const { headers, user } = await service.signUp()
    const { auth } = toBuiltIn(createClient({ url: service.url, headers }))
    expect(await auth?.me()).toMatchObject({ email: user.email })
  })

  it.skipIf(!builtIn.has('me'))('returns failures', async () => {
    const { auth } = toBuiltIn(createClient({ url: service.url }))
    expect(await auth?.me().safe()).toMatchObject({ ok: false, error: { status: 401 } })
  })
})
