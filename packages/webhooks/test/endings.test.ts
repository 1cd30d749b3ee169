import { emit } from '@create-api/jobs/events'
import { type TestUser } from '@create-api/core/testing'
import mongoose from 'mongoose'
import { beforeEach, expect, it } from 'vitest'
import { postPublished } from './events.ts'
import { createBed } from './fixture.ts'
import { type Receiver, startReceiver } from './receiver.ts'

const bed = createBed()
let receiver: Receiver
let ada: TestUser

beforeEach(async () => {
  receiver = await startReceiver()
  ada = await bed.user()
})

async function create(path = '/api/webhooks'): Promise<string> {
  const input = { url: receiver.url, events: ['post.published'] }
  const { request } = bed.client()
  const { body } = await request.post(path).set(ada.headers).send(input).expect(201)
  return `${path}/${body.data.id}`
}

/** A message waits for its second attempt, and another event has not been handled. */
async function queue(audience: object): Promise<void> {
  receiver.respond = (_req, res) => res.writeHead(500).end()
  await emit(postPublished, { postId: 'p1', ...audience })
  await bed.run()
  expect(receiver.received).toHaveLength(1)
  receiver.respond = (_req, res) => res.writeHead(204).end()
  await emit(postPublished, { postId: 'p2', ...audience })
}

async function expectEnd(): Promise<void> {
  await bed.later()
  expect(receiver.received).toHaveLength(1)
}

/** As the person who receives the mails of the address. */
async function resetPassword(email: string): Promise<void> {
  const { request } = bed.client()
  await request.post('/api/v1/auth/forgot-password').send({ email }).expect(204)
  const find = () => bed.mails.find(({ kind, to }) => kind === 'reset-password' && to === email)
  await expect.poll(find).toBeDefined()
  const token = /token=([\w.-]+)/.exec(find()?.text ?? '')?.[1]
  const input = { token, password: 'AnotherRiver43!' }
  await request.post('/api/v1/auth/reset-password').send(input).expect(204)
}

const stored = (filter: object): Promise<number> =>
  mongoose.connection.collection('webhook_endpoints').countDocuments(filter)

it('the start warns of nothing', () => {
  expect(bed.warnings).toEqual([])
})

it('a disabled user receives nothing, and enables the endpoints after being enabled', async () => {
  const path = await create()
  await queue({ owner: ada.user.id })
  await bed.auth().users.update(ada.user.id, { disabled: true })
  await expectEnd()
  await bed.auth().users.update(ada.user.id, { disabled: false })
  await emit(postPublished, { postId: 'p3', owner: ada.user.id })
  await expectEnd()
  const { request } = bed.client()
  const { body } = await request.get(path).set(ada.headers).expect(200)
  expect(body.data).toMatchObject({ enabled: false, disabledReason: 'account' })
  await request.patch(path).set(ada.headers).send({ enabled: true }).expect(200)
  await emit(postPublished, { postId: 'p4', owner: ada.user.id })
  await bed.run()
  expect(receiver.received).toHaveLength(2)
})

it('the endpoints of a removed user are deleted', async () => {
  await create()
  await queue({ owner: ada.user.id })
  await bed.auth().removeUser(ada.user.id)
  expect(await stored({ owner: ada.user.id })).toBe(0)
  await expectEnd()
})

it('the endpoints of the person who registered an address before its owner are deleted', async () => {
  const { id, email } = ada.user
  await bed.auth().users.update(id, { emailVerified: false })
  await create()
  await queue({ owner: id })
  await resetPassword(email)
  expect(await stored({ owner: id })).toBe(0)
  await expectEnd()
})

it('a reset of the password keeps the endpoints of a verified address', async () => {
  const { id, email } = ada.user
  await bed.auth().users.update(id, { emailVerified: true })
  await create()
  await resetPassword(email)
  expect(await stored({ owner: id, disabledAt: null })).toBe(1)
})

it('the endpoints of an organization outlast the member who created them, and end with it', async () => {
  const { request } = bed.client()
  const { body } = await request.post('/api/orgs').set(ada.headers).send({ name: 'Acme' })
  const organization: string = body.data.id
  await create(`/api/orgs/${organization}/webhooks`)
  const bob = await bed.user()
  await bed.tenants().addMember({ organization, user: bob.user.id }, ['admin'])
  await bed.auth().removeUser(ada.user.id)
  await queue({ organization })
  await request.delete(`/api/orgs/${organization}`).set(bob.headers).expect(204)
  expect(await stored({ organization })).toBe(0)
  await expectEnd()
})
