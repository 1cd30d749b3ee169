import { setTimeout as sleep } from 'node:timers/promises'
import { enqueue } from '@create-api/jobs'
import { type BullMqQueue, forwardToBullMq } from '@create-api/jobs/bullmq'
import { Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import mongoose from 'mongoose'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { createTestBed, until } from '../../../packages/jobs/test/fixture.ts'
import { createRedisServer, hasRedis } from '../limits/redis-server.ts'

const bed = createTestBed()
const input = z.object({ n: z.int() })

describe.skipIf(!hasRedis)('a job for BullMQ', () => {
  const server = createRedisServer()
  let queue: Queue
  let connection: Redis
  let done: unknown[]
  let worker: Worker

  beforeAll(async () => {
    const redis = await server
    await redis.start()
    connection = new Redis(redis.url, { maxRetriesPerRequest: null })
    // Refused while it is down.
    connection.on('error', () => {})
    queue = new Queue('numbers', { connection })
    done = []
    worker = new Worker('numbers', async ({ data, id, name }) => done.push({ name, id, data }), {
      connection,
    })
    worker.on('error', () => {})
  })
  afterAll(async () => {
    await worker.close()
    await queue.close()
    connection.disconnect()
    await (await server).remove()
  })

  it('is done by its worker, exactly if the transaction is committed', async () => {
    const job = forwardToBullMq({ name: 'number', input, queue })
    await bed.start({ jobs: [job] })
    await mongoose.connection.createCollection('numbers')
    const { id } = await mongoose.connection.transaction(async (session) => {
      await mongoose.connection.collection('numbers').insertOne({ n: 1 }, { session })
      return enqueue(job, { n: 1 }, { session })
    })
    const aborted = mongoose.connection.transaction(async (session) => {
      await enqueue(job, { n: 2 }, { session })
      throw new Error('no')
    })
    await expect(aborted).rejects.toThrow('no')
    await until(() => done.length > 0)
    await sleep(100)
    expect(done.splice(0)).toEqual([{ name: 'number', id, data: { n: 1 } }])
  })

  it('is one job for BullMQ, also if its process ended after it was handed over', async () => {
    let attempts = 0
    const interrupted: BullMqQueue = {
      async add(...args) {
        await queue.add(...args)
        attempts += 1
        if (attempts === 1) throw new Error('interrupted')
      },
    }
    const job = forwardToBullMq({
      name: 'once',
      input,
      queue: interrupted,
      backoff: { first: '10ms' },
    })
    await bed.start({ jobs: [job] })
    await enqueue(job, { n: 3 })
    await until(() => attempts === 2)
    await sleep(100)
    expect(done.splice(0)).toHaveLength(1)
  })

  it('waits for Redis', async () => {
    const redis = await server
    const quick = { timeout: '300ms', backoff: { max: '100ms' } } as const
    const job = forwardToBullMq({ name: 'later', input, queue, options: { attempts: 3 }, ...quick })
    await bed.start({ jobs: [job] })
    await redis.kill()
    onTestFinished(() => void done.splice(0))
    const { id } = await enqueue(job, { n: 4 })
    const stored = mongoose.connection.collection<{ _id: string; failures: number }>('queue_jobs')
    await until(async () => ((await stored.findOne({ _id: id }))?.failures ?? 0) > 0)
    await redis.start()
    await until(() => done.length > 0)
    expect(done).toEqual([{ name: 'later', id, data: { n: 4 } }])
  })
})

it('needs a queue', () => {
  // @ts-expect-error -- what JavaScript may pass
  expect(() => forwardToBullMq({ name: 'none', input, queue: {} })).toThrow(
    'forwardToBullMq({ queue }) of none must be a Queue of BullMQ.',
  )
})
