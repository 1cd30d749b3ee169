import { setTimeout as sleep } from 'node:timers/promises'
import { createApi, createRegistry } from '@create-api/core'
import { createJobs, defineJob, enqueue } from '@create-api/jobs'
import { defineEvent, emit, on } from '@create-api/jobs/events'
import { runJobs } from '@create-api/jobs/testing'
import mongoose from 'mongoose'
import { describe, expect, it, vi } from 'vitest'
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

describe('a process that learns of its lease when it has ended', () => {
  it('does not start the job', async () => {
    const attempts: number[] = []
    const job = defineJob({
      name: 'late',
      input,
      run: (_input, { attempt }) => void attempts.push(attempt),
    })
    await bed.start({ jobs: [job], lease: '1s' })
    await enqueue(job, { n: 1 })
    const original = Reflect.get(mongoose.mongo.Collection.prototype, 'findOneAndUpdate')
    // As if the process were suspended while it waits for the reply.
    const claim = vi.spyOn(mongoose.mongo.Collection.prototype, 'findOneAndUpdate')
    claim.mockImplementation(async function delayed(this: mongoose.mongo.Collection, ...args) {
      const reply = await Reflect.apply(original, this, args)
      if (reply?.['attempt'] === 1) await sleep(1200)
      return reply
    })
    try {
      await until(async () => (await stored())[0]?.['state'] === 'done')
    } finally {
      claim.mockRestore()
    }
    expect(attempts).toEqual([2])
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
