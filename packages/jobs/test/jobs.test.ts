import { setTimeout as sleep } from 'node:timers/promises'
import { defineJob, enqueue, PermanentError } from '@create-api/jobs'
import mongoose from 'mongoose'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createTestBed, stored, until } from './fixture.ts'

const bed = createTestBed()
const input = z.object({ n: z.number() })

describe('a job', () => {
  it('is run soon after it was added, with its parsed input', async () => {
    const ran: unknown[] = []
    const job = defineJob({
      name: 'greet',
      input: z.object({ name: z.string().trim() }),
      run: ({ name }, { attempt, id }) => void ran.push({ name, attempt, id }),
    })
    await bed.start({ jobs: [job], pollInterval: '1h' })
    const { id, isNew } = await enqueue(job, { name: ' Ada ' })
    await until(() => ran.length > 0)
    expect(isNew).toBe(true)
    expect(ran).toEqual([{ name: 'Ada', attempt: 1, id }])
    await until(async () => (await stored())[0]?.['state'] === 'done')
  })

  it('stores operators and dollar signs as they are', async () => {
    const ran: unknown[] = []
    const job = defineJob({
      name: 'raw',
      input: z.record(z.string(), z.unknown()),
      run: (value) => void ran.push(value),
    })
    await bed.start({ jobs: [job] })
    const value = { text: '$$NOW', $set: { a: '$b' }, at: new Date(0) }
    await enqueue(job, value)
    await until(() => ran.length > 0)
    expect(ran).toEqual([value])
  })

  it('belongs to the transaction of the caller', async () => {
    const ran: number[] = []
    const job = defineJob({ name: 'count', input, run: ({ n }) => void ran.push(n) })
    await bed.start({ jobs: [job] })
    const aborted = mongoose.connection.transaction(async (session) => {
      await enqueue(job, { n: 1 }, { session })
      throw new Error('abort')
    })
    await expect(aborted).rejects.toThrow('abort')
    await mongoose.connection.transaction(async (session) => {
      await enqueue(job, { n: 2 }, { session })
      await sleep(50)
      expect(ran).toEqual([])
    })
    await until(() => ran.length > 0)
    await sleep(50)
    expect(ran).toEqual([2])
  })

  it('belongs to the surrounding transaction with transactionAsyncLocalStorage', async () => {
    const job = defineJob({ name: 'count', input, run() {} })
    await bed.start({ jobs: [job], worker: 'off' })
    mongoose.set('transactionAsyncLocalStorage', true)
    try {
      const aborted = mongoose.connection.transaction(async () => {
        await enqueue(job, { n: 1 })
        throw new Error('abort')
      })
      await expect(aborted).rejects.toThrow('abort')
    } finally {
      mongoose.set('transactionAsyncLocalStorage', false)
    }
    expect(await stored()).toEqual([])
  })

  it('is retried after a growing time, and is dead after the last retry', async () => {
    const times: number[] = []
    const job = defineJob({
      name: 'fail',
      input,
      retries: 2,
      backoff: { first: '60ms', max: '80ms' },
      run() {
        times.push(performance.now())
        throw new Error('no luck')
      },
    })
    const { lines } = await bed.start({ jobs: [job] })
    await enqueue(job, { n: 1 })
    await until(async () => (await stored())[0]?.['state'] === 'dead')
    const [first = 0, second = 0, third = 0] = times
    expect(times).toHaveLength(3)
    expect(second - first).toBeGreaterThanOrEqual(30)
    expect(third - second).toBeGreaterThanOrEqual(40)
    const [record] = await stored()
    expect(record).toMatchObject({ attempt: 3, failures: 3, error: { message: 'no luck' } })
    expect(record).not.toHaveProperty('due')
    expect(lines).toContain('error: job failed')
  })

  it('is not retried after a PermanentError or with an input that no longer matches', async () => {
    const permanent = defineJob({
      name: 'permanent',
      input,
      run() {
        throw new PermanentError('There is no such user.')
      },
    })
    const changed = defineJob({ name: 'changed', input, run() {} })
    const before = defineJob({ name: 'changed', input: z.string(), run() {} })
    await bed.start({ jobs: [permanent, changed] })
    await enqueue(permanent, { n: 1 })
    await enqueue(before, 'text')
    await until(async () => (await stored()).every(({ state }) => state === 'dead'))
    const messages = (await stored()).map(({ error }) => error.message)
    expect(messages[0]).toBe('There is no such user.')
    expect(messages[1]).toContain('The input of the job changed is not valid.')
  })

  it('with a key is added once while it is open', async () => {
    const ran: number[] = []
    const job = defineJob({
      name: 'keyed',
      input,
      key: ({ n }) => String(n),
      run: ({ n }) => void ran.push(n),
    })
    await bed.start({ jobs: [job], worker: 'off' })
    const all = await Promise.all(Array.from({ length: 20 }, () => enqueue(job, { n: 7 })))
    expect(new Set(all.map(({ id }) => id)).size).toBe(1)
    expect(all.filter(({ isNew }) => isNew)).toHaveLength(1)
    expect((await enqueue(job, { n: 8 })).isNew).toBe(true)
    await mongoose.connection
      .collection('queue_jobs')
      .updateMany({}, { $set: { state: 'done' }, $unset: { unique: '', due: '' } })
    expect((await enqueue(job, { n: 7 })).isNew).toBe(true)
  })

  it('runs at its time, and others before it', async () => {
    const ran: string[] = []
    const job = defineJob({ name: 'timed', input: z.string(), run: (text) => void ran.push(text) })
    await bed.start({ jobs: [job], pollInterval: '1h' })
    const startedAt = performance.now()
    await enqueue(job, 'later', { after: '300ms' })
    await enqueue(job, 'never', { at: new Date(Date.now() + 3_600_000) })
    await enqueue(job, 'now')
    await until(() => ran.length === 2)
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(290)
    expect(ran).toEqual(['now', 'later'])
  })

  it('runs as often at the same time as its concurrency allows', async () => {
    let running = 0
    let most = 0
    let done = 0
    const job = defineJob({
      name: 'parallel',
      input,
      concurrency: 3,
      async run() {
        running += 1
        most = Math.max(most, running)
        if (done < 9) await until(() => most === 3)
        running -= 1
        done += 1
      },
    })
    await bed.start({ jobs: [job] })
    for (let n = 0; n < 12; n++) await enqueue(job, { n })
    await until(() => done === 12)
    expect(most).toBe(3)
  })

  it('is aborted at its timeout', async () => {
    const reasons: unknown[] = []
    const job = defineJob({
      name: 'slow',
      input,
      timeout: '50ms',
      retries: 0,
      async run(_input, { signal }) {
        await sleep(5000, undefined, { signal }).catch(() => {})
        reasons.push(signal.reason)
        signal.throwIfAborted()
      },
    })
    await bed.start({ jobs: [job] })
    await enqueue(job, { n: 1 })
    await until(async () => (await stored())[0]?.['state'] === 'dead')
    expect(reasons).toMatchObject([{ code: 'job_timeout' }])
  })
})

describe('context.complete', () => {
  it('stores the writes of the job and its end together', async () => {
    const job = defineJob({
      name: 'transfer',
      input,
      async run({ n }, { attempt, complete }) {
        await complete(async (session) => {
          await mongoose.connection.collection('results').insertOne({ n, attempt }, { session })
          if (attempt === 1) throw new Error('after the write')
        })
      },
      backoff: { first: '10ms' },
    })
    await bed.start({ jobs: [job] })
    await enqueue(job, { n: 1 })
    await until(async () => (await stored())[0]?.['state'] === 'done')
    expect(await stored('results')).toMatchObject([{ n: 1, attempt: 2 }])
  })

  it('rejects a second completion and fences what another process has taken over', async () => {
    const errors: unknown[] = []
    const job = defineJob({
      name: 'fenced',
      input,
      async run(_input, { attempt, complete, fenced, id }) {
        if (attempt > 1) {
          await complete(async () => {})
          await complete(async () => {}).catch((error: unknown) => errors.push(error))
          return
        }
        // As if this process had not renewed its lease.
        await mongoose.connection
          .collection<{ _id: string }>('queue_jobs')
          .updateOne({ _id: id }, { $set: { due: new Date(0) } })
        await until(async () => (await stored())[0]?.['attempt'] === 2)
        await fenced(async (session) => {
          await mongoose.connection.collection('results').insertOne({}, { session })
        }).catch((error: unknown) => errors.push(error))
      },
    })
    await bed.start({ jobs: [job] })
    await enqueue(job, { n: 1 })
    await until(() => errors.length === 2)
    expect(errors).toMatchObject([{ code: 'job_lease_lost' }, { code: 'job_lease_lost' }])
    expect(await stored('results')).toEqual([])
    await until(async () => (await stored())[0]?.['state'] === 'done')
  })
})

describe('stopping', () => {
  it('waits for running jobs and takes no more', async () => {
    const ran: number[] = []
    const job = defineJob({
      name: 'drain',
      input,
      concurrency: 1,
      async run({ n }) {
        await sleep(200)
        ran.push(n)
      },
    })
    const { api } = await bed.start({ jobs: [job] })
    await enqueue(job, { n: 1 })
    await enqueue(job, { n: 2 })
    await until(async () => (await stored())[0]?.['state'] === 'running')
    await api.stop()
    expect(ran).toEqual([1])
  })

  it('aborts a job that takes too long, and returns it to the queue without a failure', async () => {
    const attempts: number[] = []
    const job = defineJob({
      name: 'long',
      input,
      async run(_input, { attempt, signal }) {
        attempts.push(attempt)
        if (attempt === 1) await sleep(60_000, undefined, { signal })
      },
    })
    const { api } = await bed.start({ jobs: [job] })
    await enqueue(job, { n: 1 })
    await until(() => attempts.length === 1)
    await api.stop()
    await bed.start({ jobs: [job], lease: '1h' })
    await until(() => attempts.length === 2)
    expect(attempts).toEqual([1, 2])
    await until(async () => (await stored())[0]?.['state'] === 'done')
    expect(await stored()).toMatchObject([{ failures: 0 }])
  })
})
