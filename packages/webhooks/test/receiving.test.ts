import { createApi, createRegistry, createRouter, post, success } from '@create-api/core'
import { createTestClient, type TestClient } from '@create-api/core/testing'
import { createReplayStore, receiverErrors, verifyWebhook } from '@create-api/webhooks/receive'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const other = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
const handled: string[] = []
let status = 200
let hold: Promise<void> | undefined
let client: TestClient

const receive = (replays: boolean): ReturnType<typeof createRouter> =>
  createRouter([
    post(
      '/',
      {
        access: 'public',
        readBody: verifyWebhook({
          secrets: [secret, other],
          limit: 1000,
          ...(replays && { replays: createReplayStore({ source: 'shop' }) }),
        }),
        body: z.object({ type: z.string() }),
        response: z.object({ type: z.string() }),
        errors: [receiverErrors.invalid_webhook_signature, receiverErrors.webhook_in_progress],
      },
      async (req, res) => {
        await hold
        if (status !== 200) throw new Error('The handler fails.')
        handled.push(req.valid.body.type)
        success(res, req.valid.body)
      },
    ),
  ])

const api = createApi({
  name: 'shop',
  environment: 'test',
  auth: false,
  log: { level: 'silent' },
  rateLimit: false,
  routes: createRegistry().use('/api/hook', receive(true)).use('/api/plain', receive(false)),
})

beforeAll(async () => {
  client = await createTestClient(api)
})
afterAll(() => client.stop())
beforeEach(() => {
  handled.length = 0
  status = 200
  hold = undefined
})

let count = 0

interface Sent {
  readonly id?: string
  readonly key?: string
  readonly at?: Date
  readonly path?: string
  readonly body?: string
  readonly headers?: Record<string, string>
}

async function send(sent: Sent = {}): Promise<{ status: number; body: { code?: string } }> {
  const { at = new Date(), body = '{"type":"paid"}', key = secret, path = 'hook' } = sent
  const { id = `msg_${(count += 1)}` } = sent
  return client.request
    .post(`/api/${path}`)
    .set({
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(key).sign(id, at, body),
      ...sent.headers,
    })
    .send(body)
}

it('a message that the official library has signed is handled', async () => {
  expect(await send()).toMatchObject({ status: 200, body: { data: { type: 'paid' } } })
  expect(await send({ key: other, path: 'plain' })).toMatchObject({ status: 200 })
  expect(handled).toEqual(['paid', 'paid'])
})

it('the bytes are verified, not what they mean', async () => {
  const body = '{ "type":\t"caf\\u00e9",  "n": 1.0 }'
  expect(await send({ body })).toMatchObject({ status: 200, body: { data: { type: 'café' } } })
})

const minutes = (n: number): Date => new Date(Date.now() + n * 60_000)
const refused: [string, Sent][] = [
  ['another secret', { key: `whsec_${Buffer.alloc(32, 1).toString('base64')}` }],
  ['a time that is too old', { at: minutes(-6) }],
  ['a time that is too new', { at: minutes(6) }],
  ['another time', { headers: { 'webhook-timestamp': String(Math.floor(Date.now() / 1000) - 9) } }],
  ['a time that is not a number', { headers: { 'webhook-timestamp': '1e9' } }],
  ['another id', { headers: { 'webhook-id': 'msg_other' } }],
  ['an id with spaces', { headers: { 'webhook-id': 'a b' } }],
  ['no signature', { headers: { 'webhook-signature': '' } }],
  ['another version', { headers: { 'webhook-signature': 'v2,AAAA' } }],
  ['a part of a signature', { headers: { 'webhook-signature': 'v1,AAAA' } }],
]

it.each(refused)('%s is refused', async (_name, sent) => {
  expect(await send(sent)).toMatchObject({
    status: 401,
    body: { code: 'invalid_webhook_signature' },
  })
  expect(handled).toEqual([])
})

it('one valid signature among others is enough', async () => {
  const at = new Date()
  const id = 'msg_several'
  const valid = new Webhook(secret).sign(id, at, '{"type":"paid"}')
  const headers = { 'webhook-signature': `v1a,AAAA v1,AAAA ${valid}` }
  expect(await send({ at, id, headers })).toMatchObject({ status: 200 })
})

it('a body that is too large or not JSON is refused', async () => {
  const large = JSON.stringify({ type: 'a'.repeat(2000) })
  expect(await send({ body: large })).toMatchObject({ status: 413 })
  expect(await send({ body: '{"type"' })).toMatchObject({ status: 400 })
  expect(await send({ body: '{}' })).toMatchObject({ status: 422 })
})

it('a message that was handled is acknowledged and not handled again', async () => {
  expect(await send({ id: 'msg_once' })).toMatchObject({ status: 200 })
  expect(await send({ id: 'msg_once' })).toMatchObject({ status: 204 })
  expect(handled).toEqual(['paid'])
  expect(await send({ id: 'msg_once', path: 'plain' })).toMatchObject({ status: 200 })
})

it('a message whose handler has failed is handled when it is sent again', async () => {
  status = 500
  expect(await send({ id: 'msg_failed' })).toMatchObject({ status: 500 })
  status = 200
  expect(await send({ id: 'msg_failed' })).toMatchObject({ status: 200 })
  expect(handled).toEqual(['paid'])
})

it('of two requests at the same time, one handles the message', async () => {
  let release = (): void => {}
  hold = new Promise((resolve) => (release = resolve))
  const first = send({ id: 'msg_twice' })
  const second = send({ id: 'msg_twice' })
  const early = await Promise.race([first, second])
  expect(early).toMatchObject({ status: 409, body: { code: 'webhook_in_progress' } })
  release()
  await Promise.all([first, second])
  expect(handled).toEqual(['paid'])
})

it('options that are not valid are named', () => {
  expect(() => verifyWebhook({ secrets: [] })).toThrow('secrets')
  expect(() => verifyWebhook({ secrets: ['whsec_short'] })).toThrow('whsec_')
  expect(() => verifyWebhook({ secrets: [secret], tolerance: 'x' })).toThrow('tolerance')
  expect(() => verifyWebhook({ secrets: [secret], limit: 0 })).toThrow('limit')
  expect(() => createReplayStore({ source: '' })).toThrow('source')
})
