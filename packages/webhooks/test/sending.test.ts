import { emit } from '@create-api/jobs/events'
import { type TestUser } from '@create-api/core/testing'
import mongoose from 'mongoose'
import { Webhook } from 'standardwebhooks'
import { beforeEach, describe, expect, it } from 'vitest'
import { postPublished } from './events.ts'
import { brokenEvent, createBed } from './fixture.ts'
import { type Received, type Receiver, startReceiver } from './receiver.ts'

const bed = createBed()
let receiver: Receiver
let ada: TestUser

beforeEach(async () => {
  receiver = await startReceiver()
  ada = await bed.user()
})

interface Endpoint {
  readonly id: string
  readonly secret: string
}

async function create(user = ada, path = '/api/webhooks'): Promise<Endpoint> {
  const { body } = await bed
    .client()
    .request.post(path)
    .set(user.headers)
    .send({ url: receiver.url, events: ['post.published'] })
    .expect(201)
  return body.data
}

async function call(method: 'get' | 'post' | 'patch' | 'delete', path: string, body?: object) {
  const request = bed.client().request[method](`/api/webhooks/${path}`).set(ada.headers)
  return body ? request.send(body) : request
}

async function deliveries(id: string): Promise<Record<string, unknown>[]> {
  return (await call('get', `${id}/deliveries`)).body.data
}

// By the official library.
function verify(secret: string, message: Received | undefined): unknown {
  return new Webhook(secret).verify(message?.body ?? '', message?.headers ?? {})
}

const publishPost = (owner = ada.user.id): Promise<string> =>
  emit(postPublished, { postId: 'p1', owner })

describe('sending', () => {
  it('a message is verified by the official library', async () => {
    const { id, secret } = await create()
    const event = await publishPost()
    await bed.run()
    const [message] = receiver.received
    expect(verify(secret, message)).toMatchObject({
      type: 'post.published',
      data: { postId: 'p1' },
    })
    // What the schema does not have stays here.
    expect(message?.body).not.toContain('internal')
    expect(message?.headers).toMatchObject({
      'webhook-id': `msg_${event}`,
      'content-type': 'application/json',
    })
    expect(await deliveries(id)).toMatchObject([
      { type: 'post.published', state: 'delivered', attempts: [{ status: 204, error: null }] },
    ])
  })

  it('only endpoints of the audience receive it, and only events that they chose', async () => {
    const bob = await bed.user()
    await create(bob)
    const { id } = await create()
    await mongoose.connection
      .collection('webhook_endpoints')
      .updateOne({ _id: new mongoose.Types.ObjectId(id) }, { $set: { events: ['broken'] } })
    await publishPost()
    await emit(postPublished, { postId: 'p1' })
    await bed.run()
    expect(receiver.received).toEqual([])
    await publishPost(bob.user.id)
    await bed.run()
    expect(receiver.received).toHaveLength(1)
  })

  it('an organization has its own endpoints, which administrators manage', async () => {
    const { request } = bed.client()
    const { body } = await request.post('/api/orgs').set(ada.headers).send({ name: 'Acme' })
    const organization: string = body.data.id
    const path = `/api/orgs/${organization}/webhooks`
    await create(ada, path)
    await emit(postPublished, { postId: 'p1', organization })
    await publishPost()
    await bed.run()
    expect(receiver.received).toHaveLength(1)
    const bob = await bed.user()
    await request.get(path).set(bob.headers).expect(404)
    await request
      .get('/api/webhooks')
      .set(ada.headers)
      .expect(200, /"data":\[\]/)
  })

  it('data that does not match its schema is a dead job, not a message', async () => {
    const { id } = await create()
    await call('patch', id, { events: ['broken'] })
    await emit(brokenEvent, { owner: ada.user.id })
    const ran = await bed.run()
    expect(ran).toMatchObject([{ name: 'webhooks', outcome: 'dead' }])
    expect(String(ran[0]?.error)).toContain('does not match its schema')
    expect(receiver.received).toEqual([])
  })

  it('each attempt is signed anew, with the same id', async () => {
    const { id, secret } = await create()
    receiver.respond = (_req, res) => res.writeHead(500).end()
    await publishPost()
    await bed.run()
    expect(await deliveries(id)).toMatchObject([{ state: 'pending', attempts: [{ status: 500 }] }])
    receiver.respond = (_req, res) => res.writeHead(200).end('thanks')
    await bed.later()
    const [first, second] = receiver.received
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
    expect(second?.body).toBe(first?.body)
    verify(secret, second)
    expect(await deliveries(id)).toMatchObject([
      { state: 'delivered', attempts: [{ status: 500 }, { status: 200 }], nextAttemptAt: null },
    ])
  })

  it('attempts follow the schedule, or a longer Retry-After', async () => {
    const { id } = await create()
    await publishPost()
    const delays: number[] = []
    for (let attempt = 0; attempt < 10; attempt++) {
      receiver.respond = (_req, res) => {
        res.writeHead(503, attempt === 3 ? { 'retry-after': '36000' } : {}).end()
      }
      await (attempt === 0 ? bed.run() : bed.later())
      const [delivery] = await deliveries(id)
      const next = delivery?.['nextAttemptAt']
      if (typeof next !== 'string') break
      delays.push((Date.parse(next) - Date.now()) / 1000)
    }
    const least = [5, 300, 1800, 36_000, 18_000, 36_000, 50_400, 72_000, 86_400]
    expect(delays).toHaveLength(least.length)
    for (const [index, seconds] of least.entries()) {
      expect(delays[index]).toBeGreaterThan(seconds - 5)
      expect(delays[index]).toBeLessThan(seconds * 1.1 + 1)
    }
    expect(await deliveries(id)).toMatchObject([{ state: 'failed' }])
    expect(receiver.received).toHaveLength(10)
  })

  it('410 disables the endpoint at once, with a mail, and cancels what waits', async () => {
    const { id } = await create()
    receiver.respond = (_req, res) => res.writeHead(500).end()
    await publishPost()
    await bed.run()
    receiver.respond = (_req, res) => res.writeHead(410).end()
    await publishPost()
    await bed.run()
    expect((await call('get', id)).body.data).toMatchObject({
      enabled: false,
      disabledReason: 'gone',
    })
    const mails = bed.mails.filter(({ to }) => to === `${ada.user.id}@example.com`)
    expect(mails).toMatchObject([{ kind: 'webhook-disabled' }])
    expect(mails[0]?.text).toContain(receiver.url)
    await bed.later()
    expect(await deliveries(id)).toMatchObject([{ state: 'failed' }, { state: 'cancelled' }])
    await publishPost()
    await bed.run()
    expect(receiver.received).toHaveLength(2)
  })

  it('an endpoint that failed for three days is disabled; a success begins anew', async () => {
    const { id } = await create()
    const endpoints = mongoose.connection.collection('webhook_endpoints')
    const filter = { _id: new mongoose.Types.ObjectId(id) }
    const longAgo = new Date(Date.now() - 4 * 86_400_000)
    await endpoints.updateOne(filter, { $set: { failingSince: longAgo } })
    await publishPost()
    await bed.run()
    expect(await endpoints.findOne(filter)).toMatchObject({ failingSince: null, disabledAt: null })
    receiver.respond = (_req, res) => res.writeHead(500).end()
    await publishPost()
    await bed.run()
    expect((await call('get', id)).body.data).toMatchObject({ enabled: true })
    await endpoints.updateOne(filter, { $set: { failingSince: longAgo } })
    await bed.later()
    expect((await call('get', id)).body.data).toMatchObject({
      enabled: false,
      disabledReason: 'failing',
    })
    expect(bed.mails.filter(({ to }) => to.startsWith(ada.user.id))).toHaveLength(1)
    const { body } = await call('patch', id, { enabled: true })
    expect(body.data).toMatchObject({ enabled: true, disabledReason: null })
  })

  it('a redirect is a failure, and so is a name that now has a private address', async () => {
    const { id } = await create()
    receiver.respond = (_req, res) => res.writeHead(302, { location: 'http://127.0.0.1/' }).end()
    await publishPost()
    await bed.run()
    bed.names.set('rebind.example', ['8.8.8.8'])
    await call('patch', id, { url: 'http://rebind.example/' })
    bed.names.set('rebind.example', ['10.0.0.1'])
    await bed.later()
    expect(await deliveries(id)).toMatchObject([
      { attempts: [{ status: 302 }, { status: null, error: expect.stringContaining('public') }] },
    ])
  })
})

describe('endpoints', () => {
  it('the secret is shown once, and stored encrypted', async () => {
    const { id, secret } = await create()
    expect(secret).toMatch(/^whsec_/)
    const read = await call('get', id)
    expect(JSON.stringify(read.body)).not.toContain('secret')
    const stored = await mongoose.connection
      .collection('webhook_endpoints')
      .findOne({ _id: new mongoose.Types.ObjectId(id) })
    expect(JSON.stringify(stored)).not.toContain(secret.slice(6))
  })

  it('after a rotation both secrets are valid, and then the new one', async () => {
    const { id, secret } = await create()
    const { body } = await call('post', `${id}/rotate-secret`)
    await publishPost()
    await bed.run()
    const [message] = receiver.received
    for (const each of [secret, body.data.secret]) {
      verify(each, message)
    }
    const past = new Date(Date.now() - 1000)
    await mongoose.connection
      .collection('webhook_endpoints')
      .updateOne(
        { _id: new mongoose.Types.ObjectId(id) },
        { $set: { 'secrets.1.expiresAt': past } },
      )
    await publishPost()
    await bed.run()
    const last = receiver.received.at(-1)
    verify(body.data.secret, last)
    expect(() => verify(secret, last)).toThrow('matching')
  })

  it('test events and redeliveries are sent, with the id of the message', async () => {
    const { id } = await create()
    const { body } = await call('post', `${id}/test`)
    expect(body.data).toMatchObject({ type: 'webhook.test', state: 'pending' })
    const again = `${id}/deliveries/${body.data.id}/redeliver`
    expect((await call('post', again)).body.code).toBe('webhook_pending')
    await bed.run()
    expect((await call('post', again)).status).toBe(202)
    await bed.run()
    const [first, second] = receiver.received
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
    await call('patch', id, { enabled: false })
    expect((await call('post', again)).body.code).toBe('webhook_disabled')
    expect((await call('post', `${id}/test`)).body.code).toBe('webhook_disabled')
  })

  it.each([
    'http://localhost/',
    'https://10.0.0.1/',
    'https://0xa.1/',
    'ftp://a.example/',
    'x',
    ...['\r\n', '\t', '\0', '\x7f', ' '].flatMap((text) => [
      `${text}http://127.0.0.1/`,
      `http://127.0.0.1/${text}`,
      `http://127.0.0.1/a${text}b`,
    ]),
  ])('the URL %j is refused', async (url) => {
    const response = await call('post', '', { url, events: ['post.published'] })
    expect(response.status).toBe(422)
    expect(response.body.errors).toMatchObject([{ pointer: '#/url' }])
    const { id } = await create()
    expect((await call('patch', id, { url })).status).toBe(422)
  })

  it('names that resolve to nothing and to private addresses get the same error', async () => {
    bed.names.set('private.example', ['192.168.0.1'])
    const errors = []
    for (const host of ['private.example', 'unknown.example']) {
      const input = { url: `https://${host}/`, events: ['post.published'] }
      const { body } = await call('post', '', input)
      errors.push(body.errors)
    }
    expect(errors[0]).toEqual(errors[1])
  })

  it('an unknown event is refused, and more endpoints than allowed', async () => {
    const unknown = await call('post', '', { url: receiver.url, events: ['unknown'] })
    expect(unknown.status).toBe(422)
    const input = { url: receiver.url, events: ['post.published'] }
    const responses = await Promise.all(Array.from({ length: 6 }, () => call('post', '', input)))
    const { body } = await call('get', '')
    expect(body.data.length).toBeLessThanOrEqual(3)
    expect(responses.map(({ status }) => status)).toContain(409)
  })

  it('routes whose access states no owner create no endpoint', async () => {
    const input = { url: receiver.url, events: ['post.published'] }
    const { request } = bed.client()
    await request.post('/api/everyone').set(ada.headers).send(input).expect(500)
    expect((await request.get('/api/everyone').set(ada.headers)).body.data).toEqual(
      expect.not.arrayContaining([expect.objectContaining({ url: receiver.url })]),
    )
  })

  it('a secret that no key opens is an error of the job, until it is rotated', async () => {
    const { id } = await create()
    const filter = { _id: new mongoose.Types.ObjectId(id) }
    const sealed = 'v1.AAAA.AAAA.AAAA'
    await mongoose.connection
      .collection('webhook_endpoints')
      .updateOne(filter, { $set: { 'secrets.0.sealed': sealed } })
    await publishPost()
    const [, attempt] = await bed.run()
    expect(String(attempt?.error)).toContain('cannot be decrypted')
    await call('post', `${id}/rotate-secret`)
    await bed.later()
    expect(receiver.received).toHaveLength(1)
  })

  it('a deleted endpoint receives nothing, and has no log', async () => {
    const { id } = await create()
    await publishPost()
    expect((await call('delete', id)).status).toBe(204)
    await bed.run()
    expect(receiver.received).toEqual([])
    expect((await call('get', `${id}/deliveries`)).status).toBe(404)
  })

  it('other users reach none of the routes of an endpoint', async () => {
    const { id } = await create()
    const { body } = await call('post', `${id}/test`)
    const bob = await bed.user()
    const { request } = bed.client()
    const path = `/api/webhooks/${id}`
    const responses = [
      await request.get(path).set(bob.headers),
      await request.patch(path).set(bob.headers).send({ enabled: false }),
      await request.delete(path).set(bob.headers),
      await request.post(`${path}/rotate-secret`).set(bob.headers),
      await request.post(`${path}/test`).set(bob.headers),
      await request.get(`${path}/deliveries`).set(bob.headers),
      await request.post(`${path}/deliveries/${body.data.id}/redeliver`).set(bob.headers),
    ]
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 7 }, () => 404))
  })
})
