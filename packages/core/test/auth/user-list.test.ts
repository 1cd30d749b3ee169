import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestService, startTestDatabase, type TestDatabase } from './auth-fixture.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await startTestDatabase()
})
afterAll(() => database.stop())

it('users.list returns users in the order of their addresses, with a role of before, too', async () => {
  const { auth } = await createTestService(database.connection)
  for (const name of ['cy', 'ada', 'bob']) {
    const password = 'TestRiver42!'
    await auth.createUser({
      email: `${name}@x.io`,
      password,
      roles: name === 'bob' ? ['admin'] : [],
    })
  }
  // As stored when a user had one role.
  const users = database.connection.collection('users')
  await users.updateOne({ email: 'cy@x.io' }, { $set: { role: 'admin' }, $unset: { roles: 1 } })
  const list = async (options?: object): Promise<string[]> =>
    (await auth.users.list(options)).map(({ email }) => email)
  expect(await list()).toEqual(['ada@x.io', 'bob@x.io', 'cy@x.io'])
  expect(await list({ limit: 1, after: 'ada@x.io' })).toEqual(['bob@x.io'])
  expect(await list({ role: 'admin' })).toEqual(['bob@x.io', 'cy@x.io'])
  for (const wrong of [
    { role: { $ne: 'admin' } },
    { after: { $gt: '' } },
    { limit: 0 },
    { skip: 1 },
  ]) {
    await expect(list(wrong)).rejects.toMatchObject({ code: 'validation_failed' })
  }
})
