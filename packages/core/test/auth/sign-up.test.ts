import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Api, createApi } from '../../src/lib/create-api.ts'
import { createRegistry } from '../../src/lib/routing/registry.ts'
import { findAccessFaults } from '../../src/lib/testing/access-matrix.ts'
import { createTestClient } from '../../src/lib/testing/create-test-client.ts'
import { silent } from './auth-fixture.ts'

describe('createTestClient with required own fields', () => {
  const model = { username: String, age: Number, country: String }
  function createOwn(input: z.ZodRawShape): Api {
    return createApi({
      routes: createRegistry(),
      environment: 'test',
      log: { logger: silent },
      database: { uri: 'embedded:memory', name: `own_${randomBytes(4).toString('hex')}` },
      auth: { identifier: 'username', userFields: { model, input, output: input }, limits: false },
    })
  }
  const input = {
    username: z.string().regex(/^[a-z0-9_-]{3,30}$/),
    age: z.int().min(1),
    country: z.enum(['DE', 'FR']),
  }

  it('fills them, and the access check passes', async () => {
    const api = createOwn(input)
    const testClient = await createTestClient(api)
    try {
      const { user } = await testClient.signUp({ fields: { country: 'FR' } })
      expect(user).toMatchObject({ country: 'FR', age: expect.any(Number) })
      expect((await testClient.signUp({ roles: ['admin'] })).user.id).not.toBe(user.id)
      expect(await findAccessFaults(api, testClient)).toEqual([])
    } finally {
      await testClient.stop()
    }
  })

  it('takes them from an option, and names the fix where it finds none', async () => {
    const strict = { ...input, username: z.string().regex(/^!{2}\w+$/) }
    const api = createOwn(strict)
    const fields = (unique: string): object => ({ username: `!!${unique}` })
    const testClient = await createTestClient(api, {
      fields: (unique) => ({ ...fields(unique) }),
    })
    try {
      expect((await testClient.signUp()).user).toMatchObject({ country: 'DE' })
    } finally {
      await testClient.stop()
    }
    const other = createOwn(strict)
    const without = await createTestClient(other)
    try {
      await expect(without.signUp()).rejects.toThrow(
        "signUp() has no value for the user field 'username' that its schema accepts. Pass one: createTestClient(api, { fields: (unique) => ({ username: … }) }).",
      )
    } finally {
      await without.stop()
    }
  })
})
