import { randomBytes } from 'node:crypto'
import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import mongoose from 'mongoose'
import request from 'supertest'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createApi, createRegistry, type Api } from '../../src/index.ts'
import { startStandaloneProxy, type StandaloneProxy } from './standalone-proxy.ts'

type Embedded = Awaited<ReturnType<typeof startEmbeddedMongo>>

let embedded: Embedded
let proxy: StandaloneProxy
let api: Api
let log = ''

beforeAll(async () => {
  embedded = await startEmbeddedMongo({ storage: { memory: true }, port: 0, onMessage: () => {} })
  proxy = await startStandaloneProxy(Number(new URL(embedded.uri).port))
})

afterEach(() => api.stop())

afterAll(async () => {
  await proxy.stop()
  await embedded.stop()
})

async function start(uri: string): Promise<void> {
  log = ''
  api = createApi({
    routes: createRegistry(),
    log: { level: 'warn', format: 'json', stream: { write: (text) => void (log += text) } },
    server: { drainDelay: 0 },
    database: { uri, name: `standalone_${randomBytes(4).toString('hex')}` },
    auth: { secrets: [randomBytes(32).toString('base64')] },
  })
  await api.start({ port: 0, signals: false })
}

describe('a MongoDB server without a replica set', () => {
  it('is used with a warning that says what does not work, and how to change it', async () => {
    await start(proxy.uri)
    const account = { email: 'ada@example.com', password: 'long-River-42-stones' }
    const path = '/api/v1/auth'
    await request(api.app).post(`${path}/register`).send(account).expect(201)
    const { body } = await request(api.app).post(`${path}/login`).send(account).expect(200)
    const { accessToken, refreshToken } = body.data.tokens ?? body.data
    await request(api.app).get(`${path}/me`).auth(accessToken, { type: 'bearer' }).expect(200)
    await request(api.app).post(`${path}/refresh-token`).send({ refreshToken }).expect(200)
    expect(log).toContain(
      'is not a replica set: transactions and change streams fail, and writes are not retried. Start mongod with --replSet rs0, run rs.initiate() once, and add replicaSet=rs0 to MONGODB_URI.',
    )
    expect(log.match(/not a replica set/g)).toHaveLength(1)
    expect(log).not.toContain('"level":"error"')
  })

  // The driver's text for transactions; the warning at start names the cause.
  it('fails in transactions and change streams only', async () => {
    await start(proxy.uri)
    const { connection } = mongoose
    const model = connection.model('StandaloneItem', new mongoose.Schema({ n: Number }))
    await model.create({ n: 1 })
    await model.updateMany({}, { n: 2 })
    await expect(
      connection.transaction((session) => model.create([{ n: 3 }], { session })),
    ).rejects.toThrow('does not support retryable writes')
    await expect(connection.collection('items').watch().next()).rejects.toThrow(
      'only supported on replica sets',
    )
  })
})

describe('a replica set', () => {
  it('causes no warning', async () => {
    await start(embedded.uri)
    expect(log).not.toContain('replica set')
  })
})
