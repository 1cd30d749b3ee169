import { randomBytes } from 'node:crypto'
import express, { type Express } from 'express'
import mongoose, { type Connection } from 'mongoose'
import request from 'supertest'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { connectDatabase, type Database } from '../database/connect.ts'
import { errorHandler } from '../http/error-handler.ts'
import { createMongoStore } from './mongo-store.ts'
import { rateLimit, type RateLimitOptions } from './rate-limit.ts'

const logger = { error: () => {}, warn: () => {}, info: () => {} }
let database: Database
let connection: Connection

beforeAll(async () => {
  const uri = process.env['MONGODB_URI'] ?? 'embedded:memory'
  const name = `test_${randomBytes(6).toString('hex')}`
  database = await connectDatabase({ uri, name, logger })
  connection = database.connection
})

beforeEach(async () => {
  await connection.collection('rate_limits').deleteMany({})
})

afterAll(async () => {
  await connection.dropDatabase()
  await database.stop()
})

function createApp(options: RateLimitOptions): Express {
  const app = express()
  app.use(rateLimit({ logger, storeTimeoutMs: 20_000, ...options }), (_req, res) => {
    res.json({})
  })
  app.use(errorHandler({ logger }))
  return app
}

describe('createMongoStore', () => {
  it('RL-05 counts exactly for several limits that share the database', async () => {
    const apps = [0, 1].map(() => createApp({ limit: 10, window: '1h', store: createMongoStore() }))
    const servers = apps.map((app) => app.listen(0))
    const responses = await Promise.all(
      servers.flatMap((server) => Array.from({ length: 30 }, () => request(server).get('/'))),
    )
    for (const server of servers) server.close()
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(10)
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(50)
    expect(await connection.collection('rate_limits').countDocuments()).toBe(1)
  })

  it('RL-01 starts again with the next window', async () => {
    let now = 3_600_000 * 1000
    const store = createMongoStore({ connection, now: () => now })
    const app = createApp({ limit: 1, window: '60s', store, now: () => now })
    now += 20_000
    const first = await request(app).get('/').expect(200)
    expect(first.headers['ratelimit']).toBe('"global";r=0;t=40')
    const refused = await request(app).get('/').expect(429)
    expect(refused.headers['retry-after']).toBe('40')
    now += 40_000
    await request(app).get('/').expect(200)
  })

  it('lets the database remove windows that have ended', async () => {
    const store = createMongoStore({ collection: 'own_limits' })
    await request(createApp({ store })).get('/').expect(200)
    const indexes = (): Promise<unknown> => connection.collection('own_limits').indexes()
    await expect
      .poll(indexes)
      .toContainEqual(expect.objectContaining({ key: { expiresAt: 1 }, expireAfterSeconds: 0 }))
    const [count] = await connection.collection('own_limits').find().toArray()
    expect(count).toMatchObject({ hits: 1, expiresAt: expect.any(Date) })
  })

  it('undoes requests that succeeded, and resets a client', async () => {
    const store = createMongoStore()
    const app = createApp({ limit: 1, failuresOnly: true, store })
    for (let round = 0; round < 3; round++) {
      await request(app).get('/').expect(200)
      await expect
        .poll(async () => (await connection.collection('rate_limits').findOne())?.['hits'])
        .toBe(0)
    }
    const strict = createMongoStore()
    const limited = createApp({ name: 'strict', limit: 1, store: strict })
    await request(limited).get('/').expect(200)
    await request(limited).get('/').expect(429)
    await strict.resetKey('strict:127.0.0.1')
    await request(limited).get('/').expect(200)
  })

  it('RL-07 lets requests pass while there is no connection, and counts when there is', async () => {
    const alone = mongoose.createConnection()
    // Without its own timeout, the limit would wait as long as Mongoose does.
    alone.set('bufferTimeoutMS', 3_600_000)
    const app = createApp({
      limit: 1,
      storeTimeoutMs: 250,
      store: createMongoStore({ connection: alone }),
    })
    await request(app).get('/').expect(200)
    await request(app).get('/').expect(200)
    await alone.close()
  })
})
