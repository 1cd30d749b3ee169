import { model, Schema } from 'mongoose'
import supertest from 'supertest'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createApi, createRegistry, createRouter, defineRoute, success } from '../../src/index.ts'
import { setCreated, toOutputSchema, versioned } from '../../src/resource.ts'
import { createIdempotencyKeyModel } from '../../src/lib/http/idempotency.ts'
import { createTestClient, type TestClient } from '../../src/testing.ts'

const createOrder = z.strictObject({ item: z.string() })
const orderSchema = new Schema(
  { item: { type: String, required: true, unique: true } },
  { timestamps: true },
)
const OrderModel = model('Order', orderSchema.plugin(versioned))
let calls = 0
let gate: Promise<void> | undefined

const orders = createRouter(
  (['public', 'user'] as const).map((access) =>
    defineRoute({
      method: 'post',
      path: `/${access}`,
      access,
      body: createOrder,
      response: toOutputSchema(createOrder),
      status: 201,
      etag: true,
      idempotent: true,
      async handler(req, res) {
        calls += 1
        await gate
        if (req.valid.body.item === 'broken' && calls === 1) throw new Error('Once.')
        const created = (await OrderModel.create(req.valid.body)).toObject()
        success(setCreated(res, created), created)
      },
    }),
  ),
)

const large = createRouter([
  defineRoute({
    method: 'post',
    path: '/',
    access: 'public',
    response: z.array(z.string()),
    idempotent: true,
    handler(_req, res) {
      calls += 1
      success(
        res,
        Array.from({ length: 200_000 }, () => `${Math.random()}`.padEnd(100, 'ö')),
      )
    },
  }),
])

const api = createApi({
  name: 'orders',
  routes: createRegistry().use('/api/orders/large', large).use('/api/orders', orders),
  log: { level: 'silent' },
  trustProxy: 1,
})

const IdempotencyKeyModel = createIdempotencyKeyModel()
let client: TestClient
let count = 0

beforeAll(async () => {
  client = await createTestClient(api)
})

afterAll(() => client.stop())

beforeEach(() => {
  calls = 0
  gate = undefined
})

function order(key: string, item: string) {
  return client.request.post('/api/orders/public').set('Idempotency-Key', key).send({ item })
}

function toNew() {
  count += 1
  return { key: `"key-${count}"`, item: `item ${count}` }
}

describe('Idempotency-Key', () => {
  it('executes 20 identical requests once, and sends the same response to all', async () => {
    const { key, item } = toNew()
    const responses = await Promise.all(Array.from({ length: 20 }, () => order(key, item)))
    expect(calls).toBe(1)
    expect(await OrderModel.countDocuments({ item })).toBe(1)
    const refused = responses.filter(({ status }) => status === 409)
    for (const { body } of refused) expect(body.code).toBe('idempotency_conflict')
    const created = responses.filter(({ status }) => status === 201)
    expect(created.length + refused.length).toBe(20)
    const again = await order(key, item).expect(201)
    for (const { body, headers } of created) {
      expect(body).toEqual(again.body)
      for (const name of ['location', 'etag', 'content-type']) {
        expect(headers[name]).toBe(again.headers[name])
      }
    }
    expect(calls).toBe(1)
  })

  it('returns 409 while the first request runs', async () => {
    const { key, item } = toNew()
    let open = () => {}
    gate = new Promise((resolve) => (open = resolve))
    const first = order(key, item).then((response) => response)
    await expect.poll(() => calls).toBe(1)
    await order(key, item).expect(409)
    open()
    expect((await first).status).toBe(201)
  })

  it('returns 422 for another body, and accepts another key or none', async () => {
    const { key, item } = toNew()
    await order(key, item).expect(201)
    const { body } = await order(key, `${item} or other`).expect(422)
    expect(body.code).toBe('idempotency_key_reused')
    await order('another-key', `${item} with another key`).expect(201)
    await client.request
      .post('/api/orders/public')
      .send({ item: `${item} without` })
      .expect(201)
  })

  it('takes a quoted and a bare key for the same', async () => {
    const { item } = toNew()
    const first = await order('"6f1c9b9e"', item).expect(201)
    expect((await order('6f1c9b9e', item).expect(201)).body).toEqual(first.body)
  })

  it.each(['""', '"open', 'two words', `"${'x'.repeat(256)}"`, '"ä"'])(
    'returns 400 for the key %s',
    async (key) => {
      const { body, status } = await order(Buffer.from(key).toString('latin1'), 'x')
      expect(status).toBe(400)
      expect(body.errors).toMatchObject([{ in: 'header', pointer: '#/Idempotency-Key' }])
      expect(calls).toBe(0)
    },
  )

  it('stores rejected requests, but not failed ones', async () => {
    const { key, item } = toNew()
    await OrderModel.create({ item })
    await order(key, item).expect(409)
    await OrderModel.deleteOne({ item })
    expect((await order(key, item).expect(409)).body.code).toBe('duplicate')
    calls = 0
    await order('"broken"', 'broken').expect(500)
    await order('"broken"', 'broken').expect(201)
  })

  it('does not keep a body that was not valid', async () => {
    const { key, item } = toNew()
    const send = (body: object) =>
      client.request.post('/api/orders/public').set('Idempotency-Key', key).send(body)
    await send({ nope: 1 }).expect(422)
    await send({ item }).expect(201)
  })

  it('is limited to one user and one path', async () => {
    const { key, item } = toNew()
    await order(key, item).expect(201)
    const send = async (name: string) => {
      const user = await client.signUp()
      const agent = supertest.agent(client.url).set(user.headers)
      return agent.post('/api/orders/user').set('Idempotency-Key', key).send({ item: name })
    }
    const ada = await send(`${item} of Ada`)
    const bob = await send(`${item} of Bob`)
    expect([ada.status, bob.status]).toEqual([201, 201])
    expect(bob.body.data.id).not.toBe(ada.body.data.id)
  })

  it('separates anonymous callers by network', async () => {
    const { key, item } = toNew()
    const send = (address: string, name: string) => order(key, name).set('X-Forwarded-For', address)
    const first = await send('203.0.113.1', item).expect(201)
    const stranger = await send('203.0.113.2', `${item} of a stranger`).expect(201)
    expect(stranger.body.data.id).not.toBe(first.body.data.id)
    expect((await send('203.0.113.1', item).expect(201)).body).toEqual(first.body)
    // IPv6 counts by the network of a household.
    const third = await send('2001:db8::1', `${item} by IPv6`).expect(201)
    expect((await send('2001:db8::2', `${item} by IPv6`).expect(201)).body).toEqual(third.body)
  })

  it('does not overwrite the record when a slow request ends after another one took over', async () => {
    const records = createIdempotencyKeyModel()
    const { key, item } = toNew()
    let open = () => {}
    gate = new Promise((resolve) => (open = resolve))
    const slow = order(key, item).then((response) => response)
    await expect.poll(() => calls).toBe(1)
    const running = await records.findOne({ status: null })
    await records.updateOne({ _id: running?.id }, { $set: { lockedUntil: new Date(0) } })
    gate = undefined
    const quick = await order(key, item).expect(201)
    open()
    // Its work met the one that was done already.
    expect((await slow).status).toBe(409)
    expect((await order(key, item).expect(201)).body).toEqual(quick.body)
  })

  it('is not taken over while its request runs, however long', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] })
    let open = (): void => {}
    gate = new Promise((resolve) => (open = resolve))
    const { key, item } = toNew()
    const first = order(key, item).then((response) => response)
    await expect.poll(() => calls).toBe(1)
    for (let minutes = 0; minutes < 3; minutes++) {
      const [locked] = await IdempotencyKeyModel.find().sort('-lockedUntil').limit(1)
      vi.advanceTimersByTime(50_000)
      const lockedUntil = async (): Promise<number> => {
        const [renewed] = await IdempotencyKeyModel.find().sort('-lockedUntil').limit(1)
        return Number(renewed?.lockedUntil)
      }
      await expect.poll(lockedUntil).toBeGreaterThan(Number(locked?.lockedUntil))
    }
    await order(key, item).expect(409)
    open()
    const { body } = await first
    vi.useRealTimers()
    expect((await order(key, item).expect(201)).body).toEqual(body)
    expect(calls).toBe(1)
  })

  it('keeps a response that is larger than a document of the database', async () => {
    const send = () =>
      client.request.post('/api/orders/large').set('Idempotency-Key', 'large').buffer(true)
    const first = await send().expect(200)
    expect(first.text.length).toBeGreaterThan(20_000_000)
    const again = await send().expect(200)
    expect(again.text === first.text).toBe(true)
    expect(calls).toBe(1)
  })

  it('takes over from a process that died, and forgets after 24 hours', async () => {
    const records = createIdempotencyKeyModel()
    const { key, item } = toNew()
    await order(key, item).expect(201)
    const last = await records.findOne().sort({ expiresAt: -1 })
    const hours = (Number(last?.expiresAt) - Date.now()) / 3_600_000
    expect(Math.round(hours)).toBe(24)
    // As if the process had died in the middle, a minute and more ago.
    const died = { $unset: { status: true, body: true }, $set: { lockedUntil: new Date(0) } }
    await records.updateOne({ _id: last?.id }, died)
    await OrderModel.deleteOne({ item })
    await order(key, item).expect(201)
    expect(calls).toBe(2)
    await records.updateOne({ _id: last?.id }, { $set: { expiresAt: new Date(0) } })
    await order(key, `${item} of the next day`).expect(201)
    expect(calls).toBe(3)
  })
})
