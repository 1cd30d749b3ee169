import { setTimeout as sleep } from 'node:timers/promises'
import { createApi, createRegistry } from '@create-api/core'
import { createJobs, defineJob, enqueue } from '@create-api/jobs'
import { defineEvent, emit, on } from '@create-api/jobs/events'
import { runJobs } from '@create-api/jobs/testing'
import mongoose from 'mongoose'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createTestBed, stored, until } from './fixture.ts'

interface Control {
  _id: string
  paused: boolean
}

const bed = createTestBed()
const input = z.object({ n: z.number() })
const idle = defineJob({ name: 'idle', input, run() {} })

describe('WORKER', () => {
  it('only runs jobs and opens no port', async () => {
    const { api } = await bed.start({ jobs: [idle], worker: 'only' })
    await enqueue(idle, { n: 1 })
    await until(async () => (await stored())[0]?.['state'] === 'done')
    expect(api.server).toBeUndefined()
  })

  it('off runs none', async () => {
    const { api } = await bed.start({ jobs: [idle], worker: 'off' })
    await enqueue(idle, { n: 1 })
    await sleep(300)
    expect((await stored())[0]?.['state']).toBe('waiting')
    expect(await runJobs(api)).toMatchObject([{ name: 'idle', outcome: 'done' }])
  })

  it.each([
    ['without jobs', { jobs: { worker: 'only' } }, 'createJobs'],
    [
      'without a database',
      { jobs: createJobs({ worker: 'only' }), database: false },
      'database: false',
    ],
  ] as const)('only is refused %s', (_title, config, problem) => {
    // @ts-expect-error -- what a program in JavaScript can pass
    expect(() => createApi({ routes: createRegistry(), auth: false, ...config })).toThrow(problem)
  })
})

describe('a job whose process ended', () => {
  it('is taken by another one, and is dead after its retries', async () => {
    const job = defineJob({ name: 'fatal', input, retries: 1, run() {} })
    await bed.start({ jobs: [job], worker: 'off' })
    const { id } = await enqueue(job, { n: 1 })
    // As a process that was killed during its second attempt leaves it.
    await mongoose.connection
      .collection<{ _id: string }>('queue_jobs')
      .updateOne(
        { _id: id },
        { $set: { state: 'running', attempt: 2, failures: 1, token: 2, due: new Date(0) } },
      )
    const { api } = await bed.start({ jobs: [job], worker: 'off' })
    const [ran] = await runJobs(api)
    expect(ran).toMatchObject({ attempt: 3, outcome: 'dead', error: { code: 'job_interrupted' } })
    expect((await stored())[0]).toMatchObject({
      state: 'dead',
      error: { message: expect.stringContaining('The last of 2 attempts') },
    })
  })
})

describe('a process that learns of its leases when they have ended', () => {
  it('starts none of the jobs, taken one by one or together', async () => {
    const attempts: number[] = []
    const job = defineJob({
      name: 'late',
      input,
      run: (_input, { attempt }) => void attempts.push(attempt),
    })
    await bed.start({ jobs: [job], lease: '1s' })
    // The worker knows the time of the database, so that it takes the first job alone.
    await enqueue(job, { n: 0 })
    await until(() => attempts.length === 1)
    const restores = ['findOneAndUpdate', 'bulkWrite'].map(delayFirstClaim)
    try {
      await mongoose.connection.transaction(async (session) => {
        for (const n of [1, 2, 3]) await enqueue(job, { n }, { session, at: new Date(0) })
      })
      await until(async () => (await stored()).every(({ state }) => state === 'done'))
    } finally {
      for (const restore of restores) restore()
    }
    const [first, ...others] = attempts
    expect(first).toBe(1)
    // The first attempt of each has ended with its lease, the second also where it was of the other kind.
    expect(others).toHaveLength(3)
    expect(Math.min(...others)).toBeGreaterThan(1)
  })
})

// As if the process were suspended while it waits for the reply. Returns what undoes it.
function delayFirstClaim(method: string): () => void {
  const { prototype } = mongoose.mongo.Collection
  const original = Reflect.get(prototype, method)
  let isFirst = true
  async function delayed(this: mongoose.mongo.Collection, ...args: unknown[]): Promise<unknown> {
    // The options may hold a session.
    const isClaim = JSON.stringify(args.slice(0, 2)).includes('"state":"running","owner"')
    const reply: unknown = await Reflect.apply(original, this, args)
    const isDelayed = isFirst && isClaim && reply !== null
    if (!isDelayed) return reply
    isFirst = false
    await sleep(1200)
    return reply
  }
  Reflect.set(prototype, method, delayed)
  return () => Reflect.set(prototype, method, original)
}

describe('jobs that are due at once', () => {
  it('each run once, the first ones first, as many at the same time as the job allows', async () => {
    const begun: number[] = []
    const most = { running: 0 }
    let running = 0
    const job = defineJob({
      name: 'many',
      input,
      concurrency: 7,
      async run({ n }) {
        begun.push(n)
        running += 1
        most.running = Math.max(most.running, running)
        await sleep(n % 3)
        running -= 1
      },
    })
    await bed.start({ jobs: [job], worker: 'off' })
    for (let n = 0; n < 200; n += 1) await enqueue(job, { n })
    await bed.start({ jobs: [job] })
    await until(async () => (await stored()).every(({ state }) => state === 'done'))
    expect(most.running).toBe(7)
    expect(begun).toEqual(Array.from({ length: 200 }, (_, n) => n))
  })
})

describe('jobs that end together', () => {
  it('are done, except for one that another process has taken', async () => {
    const ids: string[] = []
    const job = defineJob({
      name: 'together',
      input,
      async run(_input, { id }) {
        ids.push(id)
        await until(() => isTaken)
      },
    })
    let isTaken = false
    const { lines } = await bed.start({ jobs: [job], lease: '1h' })
    for (const n of [1, 2, 3, 4, 5]) await enqueue(job, { n })
    await until(() => ids.length === 5)
    const [lost] = ids
    await mongoose.connection
      .collection<{ _id: string | undefined }>('queue_jobs')
      .updateOne({ _id: lost }, { $set: { owner: 'another', token: 2 } })
    isTaken = true
    await until(async () => (await stored()).filter(({ state }) => state === 'done').length === 4)
    await until(() => lines.some((line) => line.includes('lost')))
    expect((await stored()).find(({ _id }) => _id === lost)).toMatchObject({ state: 'running' })
    expect(lines.filter((line) => line.includes('lost'))).toHaveLength(1)
  })
})

describe('runJobs', () => {
  it('runs what jobs and handlers add, and with later what is due later', async () => {
    const said = defineEvent('said', z.string())
    const first = defineJob({
      name: 'first',
      input,
      async run({ n }) {
        await emit(said, `n is ${n}`)
        if (n > 1) throw new Error('later')
      },
    })
    const second = on(said, { name: 'second', run: () => enqueue(idle, { n: 2 }) })
    const options = { jobs: [first, idle], handlers: [second], worker: 'off' } as const
    const { api } = await bed.start(options)
    await enqueue(first, { n: 1 })
    await enqueue(first, { n: 1 }, { after: '1h' })
    const names = (await runJobs(api)).map(({ name }) => name)
    expect(names).toEqual(['first', 'second', 'idle'])
    expect(await runJobs(api)).toEqual([])
    expect((await runJobs(api, { later: true })).map(({ name }) => name)).toEqual(names)
  })

  it('explains that the API has no jobs', async () => {
    const api = createApi({ routes: createRegistry(), auth: false })
    await expect(runJobs(api)).rejects.toThrow('This API has no jobs')
  })

  it('rejects enqueue without a connection, and times that are not valid', async () => {
    const connection = mongoose.createConnection()
    const alone = enqueue(idle, { n: 1 }, { connection })
    await expect(alone).rejects.toThrow('Mongoose is not connected')
    const both = enqueue(idle, { n: 1 }, { at: new Date(), after: '1h' })
    await expect(both).rejects.toThrow('either at or after')
    await expect(enqueue(idle, { n: 1 }, { at: new Date('x') })).rejects.toThrow('valid Date')
    // @ts-expect-error -- the type of n
    await expect(enqueue(idle, { n: 'x' })).rejects.toMatchObject({ code: 'job_input' })
  })
})

describe('a paused job', () => {
  it('waits until it is resumed', async () => {
    const ran: number[] = []
    const job = defineJob({ name: 'paused', input, run: ({ n }) => void ran.push(n) })
    await bed.start({ jobs: [job], pollInterval: '50ms' })
    const controls = mongoose.connection.collection<Control>('queue_controls')
    await controls.insertOne({ _id: 'paused', paused: true })
    await sleep(200)
    await enqueue(job, { n: 1 })
    await sleep(200)
    expect(ran).toEqual([])
    await controls.deleteOne({ _id: 'paused' })
    await until(() => ran.length > 0)
  })
})
