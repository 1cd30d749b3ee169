import mongoose, { model, Schema } from 'mongoose'
import { randomBytes } from 'node:crypto'
import request from 'supertest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Mail } from '../../src/lib/auth/mail/mailer.ts'
import { type Api, createApi } from '../../src/lib/create-api.ts'
import { createRouter } from '../../src/lib/routing/create-router.ts'
import { defineRoute } from '../../src/lib/route/define-route.ts'
import { createRegistry } from '../../src/lib/routing/registry.ts'
import { success } from '../../src/lib/response/success.ts'

// A resource that stores a secret: it may be in the database and nowhere else.
const Webhook = model(
  'CanaryWebhook',
  new Schema({
    apiKey: { type: String, unique: true, required: true, maxlength: 80 },
    signingSecret: { type: String, select: false },
  }),
)
const shown = z.object({ id: z.string() })
const webhooks = createRouter([
  defineRoute({
    method: 'post',
    path: '/',
    access: 'public',
    body: z.strictObject({ apiKey: z.string().max(100), signingSecret: z.string().max(100) }),
    response: shown,
    status: 201,
    async handler(req, res) {
      const [webhook] = await Webhook.create([req.valid.body])
      success(res.status(201), { id: String(webhook?.id) })
    },
  }),
  defineRoute({
    method: 'get',
    path: '/:id',
    access: 'public',
    params: z.object({ id: z.string() }),
    async handler(req, res) {
      await Webhook.findById({ $ne: req.valid.params.id })
      success(res)
    },
  }),
  defineRoute({
    method: 'post',
    path: '/call',
    access: 'public',
    body: z.strictObject({ url: z.string(), token: z.string() }),
    handler(req) {
      const { token, url } = req.valid.body
      throw new Error(`cannot reach ${url}`, { cause: new Error(`refused ${token}`) })
    },
  }),
])

let log = ''
const mails: Mail[] = []
const responses: { place: string; text: string }[] = []
const canaries = new Map<string, string>()
let api: Api

// Long, random and valid as a password: it cannot occur by chance.
function canary(place: string): string {
  const known = canaries.get(place)
  if (known !== undefined) return known
  const made = `Cnry${randomBytes(12).toString('hex')}`
  canaries.set(place, made)
  return made
}

async function send(place: string, call: request.Test): Promise<request.Response> {
  const response = await call
  responses.push({ place, text: response.text + JSON.stringify(response.headers) })
  return response
}

function post(path: string, body?: object | string): request.Test {
  const call = request(api.app).post(path).set('Content-Type', 'application/json')
  return typeof body === 'string' ? call.send(body) : call.send(body ?? {})
}

const auth = '/api/v1/auth'
const email = 'ada@example.org'

beforeAll(async () => {
  api = createApi({
    routes: createRegistry().use('/api/webhooks', webhooks),
    environment: 'production',
    database: { uri: 'embedded:memory', name: `canary_${randomBytes(4).toString('hex')}` },
    trustProxy: 1,
    server: { drainDelay: 0 },
    log: { level: 'debug', format: 'json', stream: { write: (text) => void (log += text) } },
    accessLog: { format: 'json' },
    auth: {
      secrets: [canary('JWT_SECRET').padEnd(44, 'x7Qz')],
      limits: false,
      apiKeys: {},
      mail: {
        appUrl: 'https://app.example.com',
        mailer: {
          async send(mail) {
            mails.push(mail)
            throw new Error(
              `smtps://user:${canary('SMTP_URL')}@smtp.example.com refused ${mail.link}`,
            )
          },
        },
      },
    },
  })
  await api.start({ port: 0, signals: false })
})
afterAll(() => api.stop())

describe('secrets', () => {
  it('LGG-01 reach no log line, response or document, wherever they are sent', async () => {
    const password = canary('password')
    const { body } = await request(api.app).post(`${auth}/register`).send({ email, password })
    const { accessToken, refreshToken } = body.data
    const bearer = { Authorization: `Bearer ${accessToken}` }

    await send('right password', post(`${auth}/login`, { email, password }))
    await send('taken address', post(`${auth}/register`, { email, password: canary('taken') }))
    await send('wrong password', post(`${auth}/login`, { email, password: canary('wrong') }))
    await send(
      'password as address',
      post(`${auth}/login`, { email: canary('as address'), password }),
    )
    await send(
      'password as object',
      post(`${auth}/login`, { email, password: { $ne: canary('object') } }),
    )
    await send(
      'unknown field',
      post(`${auth}/register`, { email, password, pin: canary('unknown field') }),
    )
    await send(
      'long password',
      post(`${auth}/register`, { email, password: canary('long').repeat(9) }),
    )
    await send('malformed JSON', post(`${auth}/login`, `{"password":"${canary('malformed')}`))
    await send('trailing text', post(`${auth}/login`, `{} ${canary('trailing')}`))
    await send('too deep', post(`${auth}/login`, '['.repeat(40) + `"${canary('deep')}"`))
    await send(
      'other type',
      post(`${auth}/login`, canary('form')).set('Content-Type', 'text/plain'),
    )
    const change = { currentPassword: canary('current'), newPassword: canary('new') }
    await send('change password', post(`${auth}/change-password`, change).set(bearer))
    await send('reset token', post(`${auth}/reset-password`, { token: canary('reset'), password }))
    await send('refresh token', post(`${auth}/refresh-token`, { refreshToken: canary('refresh') }))
    await send(
      'altered token',
      post(`${auth}/refresh-token`, { refreshToken: refreshToken + canary('altered') }),
    )
    await send('forgot password', post(`${auth}/forgot-password`, { email }))
    await send('operator', post('/api/webhooks', { apiKey: { $gt: canary('operator') } }))

    const { user } = body.data
    const issued = await api.auth?.apiKeys.create(user.id, { name: 'ci', scopes: ['user'] })
    const key = issued?.key ?? ''
    const mistyped = `${key.slice(0, -1)}!`
    canaries.set('API key', key.slice(5, -4))

    const get = (path: string): request.Test => request(api.app).get(auth + path)
    await send('bearer', get('/me').set('Authorization', `Bearer ${canary('bearer')}`))
    await send(
      'bearer, extended',
      get('/me').set('Authorization', `Bearer ${accessToken}${canary('extended')}`),
    )
    await send('basic', get('/me').set('Authorization', `Basic ${btoa(`ada:${canary('basic')}`)}`))
    await send('cookie', get('/me').set('Cookie', `__Host-refresh=${canary('cookie')}`))
    await send('api key header', get('/me').set('X-Api-Key', canary('api key header')))
    await send('csrf header', get('/me').set('X-Csrf-Token', canary('csrf header')))
    await send('proxy credentials', get('/me').set('Proxy-Authorization', canary('proxy header')))
    await send('user agent', get('/me').set('User-Agent', `curl ${refreshToken}`))
    for (const name of ['access_token', 'password', 'api_key', '%74oken', 'sessionId', 'code']) {
      await send(`query ${name}`, get(`/me?${name}=${canary(`query ${name}`)}`).set(bearer))
    }
    await send('token in the path', get(`/${accessToken}/${refreshToken}`))
    await send('API key', get('/sessions').set('Authorization', `Bearer ${key}`))
    await send('mistyped API key', get('/me').set('Authorization', `Bearer ${mistyped}`))
    await send('API key in the path', get(`/${key}/${mistyped}?page=${key}`))
    await send('API key as user agent', get('/me').set('User-Agent', `curl ${key}`))
    await send('API key as address', post(`${auth}/login`, { email: key, password }))
    await send('new API key', post(`${auth}/keys`, { name: key, scopes: [key] }).set(bearer))

    const hook = { apiKey: canary('kept key'), signingSecret: canary('kept secret') }
    expect((await send('kept', post('/api/webhooks', hook))).status).toBe(201)
    expect((await send('duplicate', post('/api/webhooks', hook))).status).toBe(409)
    const invalid = { ...hook, apiKey: canary('long key').padEnd(90, '.') }
    await send('refused by the model', post('/api/webhooks', invalid))
    await send('cast', request(api.app).get(`/api/webhooks/${accessToken}`))
    const token = `${accessToken} ${key}`
    const call = { url: `https://u:${canary('url')}@example.com`, token }
    expect((await send('failure', post('/api/webhooks/call', call))).status).toBe(500)

    await api.auth?.stop()
    const documents = await readDocuments()
    const links = mails.map(({ link }) => new URL(link ?? '').searchParams.get('token') ?? '')
    expect(links).toHaveLength(2)
    for (const [index, link] of links.entries()) canaries.set(`link ${index}`, link)
    const [, payload = '', signature = ''] = accessToken.split('.')
    canaries.set('access token', payload).set('signature', signature)
    canaries.set('refresh token', refreshToken.split('.')[3])

    // The run has caused errors of e-mail, server and client. Lines are written after the responses.
    await expect.poll(() => log.split('"msg":"request"').length).toBeGreaterThan(responses.length)
    for (const said of ['e-mail could not be sent', 'cannot reach', 'auth.login_failed']) {
      await expect.poll(() => log).toContain(said)
    }
    expect(findLeaks(documents)).toEqual([])
  })
})

interface Documents {
  readonly name: string
  readonly text: string
}

async function readDocuments(): Promise<Documents[]> {
  const collections = (await mongoose.connection.db?.collections()) ?? []
  return Promise.all(
    collections.map(async (collection) => ({
      name: collection.collectionName,
      text: JSON.stringify(await collection.find({}).toArray()),
    })),
  )
}

function findLeaks(documents: readonly Documents[]): string[] {
  const leaks: string[] = []
  for (const [place, secret] of canaries) {
    const line = log.split('\n').find((text) => text.includes(secret))
    if (line !== undefined) leaks.push(`${place} in the log: ${line}`)
    for (const response of responses) {
      if (response.text.includes(secret))
        leaks.push(`${place} in the response to ${response.place}`)
    }
    for (const { name, text } of documents) {
      const isKept = name === Webhook.collection.name && place.startsWith('kept')
      if (!isKept && text.includes(secret)) leaks.push(`${place} in the collection ${name}`)
    }
  }
  return leaks
}
