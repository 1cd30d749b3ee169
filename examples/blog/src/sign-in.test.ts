import { createTestClient, type TestClient } from '@create-api/core/testing'
import { createTotpCode } from '@create-api/sign-in/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { api } from './app.js'

let client: TestClient

beforeAll(async () => {
  client = await createTestClient(api)
})

afterAll(async () => {
  await client.stop()
})

const path = '/api/v1/auth'

describe('signing in', () => {
  it('needs a code after the password once a factor is set up', async () => {
    const password = 'a long enough password'
    const { user } = await client.signUp()
    await api.auth?.users.update(user.id, { password })
    const account = { email: user.email, password }
    const first = await client.request.post(`${path}/login`).send(account).expect(200)
    const headers = { Authorization: `Bearer ${first.body.data.accessToken}` }
    const enrolled = await client.request
      .post(`${path}/factors/totp`)
      .set(headers)
      .send({})
      .expect(201)
    const { id, secret } = enrolled.body.data
    await client.request
      .post(`${path}/factors/${id}/confirm`)
      .set(headers)
      .send({ code: createTotpCode(secret) })
      .expect(200)
    const login = await client.request.post(`${path}/login`).send(account).expect(401)
    expect(login.body.code).toBe('second_factor_required')
    // The code of the next 30 seconds: each code works once.
    const code = createTotpCode(secret, Date.now() + 30_000)
    const { body } = await client.request
      .post(`${path}/second-factor`)
      .send({ token: login.body.token, code })
      .expect(200)
    expect(body.data.user.id).toBe(user.id)
  })

  it('lists no passkeys of a new user', async () => {
    const { headers } = await client.signUp()
    const { body } = await client.request.get(`${path}/passkeys`).set(headers).expect(200)
    expect(body.data).toEqual([])
  })

  it('lists no identities of a new user', async () => {
    const { headers } = await client.signUp()
    const { body } = await client.request.get(`${path}/identities`).set(headers).expect(200)
    expect(body.data).toEqual([])
  })
})
