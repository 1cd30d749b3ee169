import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Auth } from '../../src/lib/create-auth.ts'
import { compileSnippet } from '../compile-snippet.ts'
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

describe('users.findBy and users.findMany', () => {
  const userFields = {
    model: {
      handle: { type: String, unique: true, sparse: true },
      plan: String,
      age: Number,
      place: { city: String },
      pin: { type: String, select: false },
      extra: {},
    },
    input: { handle: z.string().toLowerCase().min(2) },
  }
  let auth: Auth
  const ids = new Map<string, string>()

  beforeAll(async () => {
    auth = (await createTestService(database.connection, { modelPrefix: 'Find', userFields })).auth
    for (const [index, handle] of ['cy', 'ada', 'bob'].entries()) {
      const email = `${handle}@x.io`
      const user = await auth.createUser({ email, password: 'TestRiver42!', fields: { handle } })
      const fields = { plan: index === 0 ? 'free' : 'paid', age: 40 + index, pin: '1234' }
      await auth.users.update(user.id, { fields: { ...fields, place: { city: 'Oslo' } } })
      ids.set(handle, user.id)
    }
  })

  it('find by the value of a custom field, in the form of its schema', async () => {
    expect(await auth.users.findBy('handle', 'ADA')).toEqual(
      await auth.users.findByEmail('ada@x.io'),
    )
    expect(await auth.users.findBy('handle', 'eve')).toBeUndefined()
    expect(await auth.users.findBy('age', '41')).toMatchObject({ email: 'ada@x.io' })
    expect(await auth.users.findBy('plan', 'paid')).toMatchObject({ email: 'ada@x.io' })
    expect(await auth.users.findBy('place', { city: 'Oslo' })).toMatchObject({ email: 'ada@x.io' })
  })

  it('find several by their ids or by values, in the order of their addresses', async () => {
    const emails = async (...call: Parameters<Auth['users']['findMany']>): Promise<string[]> =>
      (await auth.users.findMany(...call)).map(({ email }) => email)
    const [cy = '', ada = '', bob = ''] = ids.values()
    expect(await emails([cy, bob.toUpperCase(), cy])).toEqual(['bob@x.io', 'cy@x.io'])
    expect(await emails(['nowhere', '', ada, '0'.repeat(24)])).toEqual(['ada@x.io'])
    expect(await emails([])).toEqual([])
    expect(await emails({ plan: 'paid' })).toEqual(['ada@x.io', 'bob@x.io'])
    expect(await emails({ plan: 'paid', age: 42 })).toEqual(['bob@x.io'])
    expect(await emails({ plan: 'paid' }, { limit: 1 })).toEqual(['ada@x.io'])
    expect(await emails({ plan: 'paid' }, { limit: 1, after: 'ada@x.io' })).toEqual(['bob@x.io'])
    expect(await emails({ extra: null })).toEqual(['ada@x.io', 'bob@x.io', 'cy@x.io'])
    const wrong = auth.users.findMany({ plan: 'paid' }, { limit: 0 })
    await expect(wrong).rejects.toMatchObject({ code: 'validation_failed' })
  })

  it.each([undefined, { $ne: null }, { $gt: '' }, { $exists: true }, /./, ['ada', 'bob'], () => 1])(
    'find none by the value %s',
    async (value) => {
      for (const field of ['handle', 'plan', 'age', 'place', 'extra']) {
        expect(await auth.users.findBy(field, value)).toBeUndefined()
        expect(await auth.users.findMany({ [field]: value })).toEqual([])
      }
    },
  )

  it.each(['email', 'passwordHash', '_id', 'place.city', '$where', '__proto__', 'nope'])(
    'refuse %s, which is not a custom field',
    async (field) => {
      const message = `no field ${field}. Own fields: handle, plan, age, place, pin, extra.`
      await expect(auth.users.findBy(field, 'x')).rejects.toThrow(message)
      const filter = Object.fromEntries([[field, 'x']])
      await expect(auth.users.findMany(filter)).rejects.toThrow(message)
    },
  )

  it('refuse a filter without a field, which every user would match', async () => {
    await expect(auth.users.findMany({})).rejects.toThrow('Use users.list')
  })

  it('leave out hidden fields and the hash of the password', async () => {
    const found = await auth.users.findBy('pin', '1234')
    expect(found?.fields['pin']).toBeUndefined()
    expect(JSON.stringify([found, await auth.users.findMany({ plan: 'paid' })])).not.toMatch(
      /1234|argon2/,
    )
  })

  it('have the types of the fields that the application declares', () => {
    const check = (code: string): string[] =>
      compileSnippet(`
        import { type User } from '@create-api/core'
        import { type Auth } from '@create-api/core/auth'
        declare module '@create-api/core' { interface User { handle: string; age: number } }
        export async function use({ users }: Auth, caller: User): Promise<unknown> { ${code} }
      `)
    const right = `
      const found = await users.findBy('handle', 'ada')
      const many = await users.findMany({ age: 41 })
      const own: string = caller.handle
      const byId = await users.findMany(many.map(({ id }) => id))
      const { handle, age }: { handle: string; age: number } = found?.fields ?? many[0].fields
      return [own, handle, age, byId, found?.fields['plan']]`
    expect(check(right)).toEqual([])
    expect(check("return users.findBy('hanlde', 'ada')")).toHaveLength(1)
    expect(check("return users.findBy('age', 'ada')")).toHaveLength(1)
    expect(check("return users.findMany({ age: 'ada' })")).toHaveLength(1)
    expect(check("return users.findMany({ hanlde: 'ada' })")).toHaveLength(1)
  })
})
