import { createApi, createRegistry } from '@create-api/core'
import { createTenants } from '@create-api/core/tenants'
import { createTestClient, type TestClient } from '@create-api/core/testing'
import { createSignIn } from '@create-api/sign-in'
import { model } from 'mongoose'
import { afterAll, beforeAll, expect, it } from 'vitest'

let client: TestClient

const api = createApi({
  name: 'blog',
  routes: createRegistry(),
  tenants: createTenants(),
  auth: {
    signIn: createSignIn({
      required: async ({ id }) => (await model('Membership').exists({ user: id })) !== null,
    }),
  },
})

beforeAll(async () => {
  client = await createTestClient(api)
})

afterAll(async () => {
  await client.stop()
})

it('a factor can be required of members of organizations', async () => {
  const password = 'TestRiver42!'
  const { user, headers } = await client.signUp()
  await client.request.post('/api/orgs').set(headers).send({ name: 'Ada & Co' }).expect(201)
  const { user: other } = await client.signUp()
  const codes = []
  for (const { id, email } of [user, other]) {
    await api.auth?.users.update(id, { password })
    const { body } = await client.request.post('/api/v1/auth/login').send({ email, password })
    codes.push(body.code)
  }
  expect(codes).toEqual(['second_factor_setup_required', undefined])
})
