import { createApi, createRegistry } from '@create-api/core'
import { erasePerson, exportPerson } from '@create-api/core/personal-data'
import { createTestClient } from '@create-api/core/testing'
import { createSignIn } from '@create-api/sign-in'
import mongoose from 'mongoose'
import { expect, it } from 'vitest'

it('factors and devices are part of the data of a user, without secrets, and are erased', async () => {
  const api = createApi({
    routes: createRegistry(),
    auth: { signIn: createSignIn() },
    environment: 'test',
  })
  const client = await createTestClient(api)
  const auth = api.auth ?? expect.fail()
  const [ada, eve] = [await client.signUp(), await client.signUp()]
  const { Device, Factor, RecoveryCodes } = mongoose.models
  for (const { user } of [ada, eve]) {
    const times = { createdAt: new Date(), confirmedAt: new Date() }
    const factor = { kind: 'totp', name: `phone of ${user.email}`, secret: 'sealed', lastStep: 0 }
    await Factor?.create({ userId: user.id, ...factor, ...times })
    await Device?.create({ _id: `device ${user.id}`, userId: user.id, expiresAt: new Date() })
    await RecoveryCodes?.create({ _id: user.id, codes: ['digest'] })
  }
  const lines: string[] = []
  for await (const line of exportPerson(auth, ada.user.id)) lines.push(JSON.stringify(line))
  const text = lines.join('\n')
  expect(text).toContain(`phone of ${ada.user.email}`)
  expect(text).not.toMatch(new RegExp(`sealed|digest|${eve.user.email}`))
  await erasePerson(auth, ada.user.id)
  const { id } = ada.user
  const own = { $expr: { $in: [id, ['$userId', '$_id']] } }
  for (const model of [Device, Factor, RecoveryCodes]) {
    expect(await model?.collection.countDocuments(own)).toBe(0)
    expect(await model?.countDocuments()).toBeGreaterThan(0)
  }
  expect(await Factor?.findOne().lean()).toMatchObject({ userId: eve.user.id })
  await client.stop()
})
