import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import path from 'node:path'
import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import mongoose from 'mongoose'
import { createClient } from 'redis'
import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { forkSource, nextMessage } from '../fork-source.ts'
import { createRedisServer, hasRedis } from '../limits/redis-server.ts'

const database = process.env['MONGODB_URI']
  ? { uri: process.env['MONGODB_URI'], stop: async () => {} }
  : await startEmbeddedMongo({ storage: { memory: true } })
const children: ChildProcess[] = []

async function startService(uri: string, env: Record<string, string>): Promise<string> {
  const child = forkSource(path.join(import.meta.dirname, 'service.process.ts'), [], {
    env: { ...process.env, MONGODB_URI: uri, LOG_LEVEL: 'silent', ...env },
  })
  children.push(child)
  const message = await nextMessage(child)
  return z.object({ url: z.string() }).parse(message).url
}

afterAll(async () => {
  for (const child of children) {
    child.disconnect()
    if (child.exitCode === null) await once(child, 'exit')
  }
  await database.stop()
})

const shared = { RATE_LIMIT: '50', RATE_LIMIT_WINDOW: '1d' }

async function ask(urls: readonly string[]): Promise<number[]> {
  const responses = await Promise.all(
    urls.flatMap((url) => Array.from({ length: 100 }, () => fetch(`${url}/api/notes`))),
  )
  return responses.map(({ status }) => status)
}

function expectExactly50(statuses: readonly number[]): void {
  expect(statuses.filter((status) => status === 200)).toHaveLength(50)
  expect(statuses.filter((status) => status === 429)).toHaveLength(150)
}

describe('rate limits of several processes', () => {
  it('RL-05 F-15 are exact together when they share the database', async () => {
    const name = `limits_${randomBytes(6).toString('hex')}`
    const uri = new URL(database.uri)
    uri.pathname = `/${name}`
    const env = { ...shared, RATE_LIMIT_STORE: 'mongodb' }
    const urls = await Promise.all([0, 1].map(() => startService(uri.href, env)))
    expectExactly50(await ask(urls))
    const connection = await mongoose.createConnection(uri.href).asPromise()
    const [count] = await connection.collection('rate_limits').find().toArray()
    expect(count).toMatchObject({ hits: 200 })
    await connection.dropDatabase()
    await connection.close()
  })

  it.skipIf(!hasRedis)('RL-05 F-15 are exact together when they share a Redis', async () => {
    const redis = await createRedisServer()
    await redis.start()
    const env = { ...shared, REDIS_URL: redis.url }
    const urls = await Promise.all([0, 1].map(() => startService(database.uri, env)))
    expectExactly50(await ask(urls))
    const client = await createClient({ url: redis.url }).connect()
    expect(await client.get('notes:limit:global:127.0.0.1')).toBe('200')
    await client.close()
    await redis.remove()
  })
})
