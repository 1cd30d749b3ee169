import { createJobs, defineJob, schedule } from '@create-api/jobs'
import mongoose from 'mongoose'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createTestBed, stored, until } from './fixture.ts'

const bed = createTestBed()
const job = defineJob({ name: 'report', input: z.object({ kind: z.string() }), run() {} })
const input = { kind: 'daily' }

function moveTo(next: Date): Promise<unknown> {
  return mongoose.connection.collection('queue_schedules').updateOne({}, { $set: { next } })
}

describe('schedule', () => {
  it('computes times in its time zone, also when the clock changes', () => {
    const { next } = schedule(job, { cron: '30 2 * * *', timeZone: 'Europe/Berlin', input })
    // 2026-03-29, 02:30 does not exist in Berlin.
    const days = ['2026-03-27T12:00Z', '2026-03-28T12:00Z', '2026-03-29T12:00Z'].map((text) =>
      next(new Date(text))?.toISOString(),
    )
    expect(days[0]).toBe('2026-03-28T01:30:00.000Z')
    expect(days[1]).toBe('2026-03-29T01:00:00.000Z')
    expect(days[2]).toBe('2026-03-30T00:30:00.000Z')
  })

  it.each([
    ['*/30 2 * * *', '2026-03-28T23:00Z', ['2026-03-30T00:00', '2026-03-30T00:30']],
    ['30 2 * * *', '2026-10-24T12:00Z', ['2026-10-25T00:30', '2026-10-26T01:30']],
    [
      '*/30 2 * * *',
      '2026-10-24T12:00Z',
      ['2026-10-25T00:00', '2026-10-25T00:30', '2026-10-25T01:00'],
    ],
  ])('runs %s after %s when the clock has changed', (cron, after, expected) => {
    const { next } = schedule(job, { cron, timeZone: 'Europe/Berlin', input })
    let time: Date | undefined = new Date(after)
    for (const text of expected) {
      time = time && next(time)
      expect(time?.toISOString().slice(0, 16)).toBe(text)
    }
  })

  it.each([
    ['cron', { cron: 'each day', input }],
    ['time zone', { cron: '@daily', timeZone: 'Berlin', input }],
    ['missed', { cron: '@daily', missed: 'never', input }],
    ['name', { cron: '@daily', name: 'two words', input }],
    ['input', { cron: '@daily', input: {} }],
  ])('rejects a %s that is not valid', (what, options) => {
    // @ts-expect-error -- what a program in JavaScript can pass
    expect(() => schedule(job, options)).toThrow(what)
  })

  it('adds the job once for each time, whatever the number of processes', async () => {
    const each = schedule(job, { cron: '* * * * * *', input })
    await bed.start({ jobs: [job], schedules: [each], pollInterval: '50ms' })
    const { config } = (await bed.start({ jobs: [job] })).api
    const other = createJobs({ jobs: [job], schedules: [each], pollInterval: '50ms' })
    const runtime = other.create({ works: true, logger: config.logger, instruments: undefined })
    await runtime.start()
    await until(async () => (await stored()).length >= 3)
    await runtime.stop(500)
    const times = (await stored()).map(({ scheduledFor }) => scheduledFor.getTime())
    expect(new Set(times).size).toBe(times.length)
    expect(times.every((time) => time % 1000 === 0)).toBe(true)
  })

  it('makes up for missed runs with one, or with none', async () => {
    const once = schedule(job, { cron: '0 3 * * *', input })
    const skip = schedule(job, { cron: '0 4 * * *', input, missed: 'skip', name: 'skipped' })
    const { api } = await bed.start({ jobs: [job], schedules: [once, skip], pollInterval: '1h' })
    await api.stop()
    const { api: second } = await bed.start({ jobs: [job], worker: 'off' })
    await mongoose.connection
      .collection('queue_schedules')
      .updateMany({}, { $set: { next: new Date('2026-01-01T03:00Z') } })
    await second.stop()
    await bed.start({ jobs: [job], schedules: [once, skip] })
    await until(async () => (await stored()).length > 0)
    await until(async () => {
      const schedules = await mongoose.connection.collection('queue_schedules').find().toArray()
      return schedules.every(({ next }) => next > new Date())
    })
    expect((await stored()).map(({ _id }) => _id)).toEqual(['report@2026-01-01T03:00:00.000Z'])
  })

  it('begins anew with a changed pattern, and leaves that of a newer process alone', async () => {
    const before = schedule(job, { cron: '0 3 * * *', input })
    const after = schedule(job, { cron: '0 3 * * *', timeZone: 'Asia/Tokyo', input })
    await bed.start({ jobs: [job], schedules: [before], pollInterval: '50ms' })
    const [first] = await stored('queue_schedules')
    const next = after.next(new Date())
    await mongoose.connection
      .collection('queue_schedules')
      .updateOne({}, { $set: { pattern: after.pattern } })
    await moveTo(new Date(0))
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(await stored()).toEqual([])
    const { config } = (await bed.start({ jobs: [job] })).api
    const newer = createJobs({ jobs: [job], schedules: [after] }).create({
      works: true,
      logger: config.logger,
      instruments: undefined,
    })
    await mongoose.connection
      .collection('queue_schedules')
      .updateOne({}, { $set: { pattern: 'x' } })
    await newer.start()
    await newer.stop(500)
    const [second] = await stored('queue_schedules')
    expect(second?.['next']).toEqual(next)
    expect(first?.['next']).not.toEqual(next)
  })
})

describe('createJobs', () => {
  it.each([
    [
      'two jobs or handlers',
      { jobs: [job, defineJob({ name: 'report', input: z.any(), run() {} })] },
    ],
    [
      'two schedules',
      {
        jobs: [job],
        schedules: [
          schedule(job, { cron: '@daily', input }),
          schedule(job, { cron: '@hourly', input }),
        ],
      },
    ],
    ['not among the jobs', { schedules: [schedule(job, { cron: '@daily', input })] }],
    ['lease', { lease: '10ms' }],
    ['pollInterval', { pollInterval: 'often' }],
  ])('rejects %s', (what, options) => {
    expect(() => createJobs(options)).toThrow(what)
  })

  it.each([
    ['name', { name: '' }],
    ['run', { run: undefined }],
    ['retries', { retries: -1 }],
    ['concurrency', { concurrency: 0 }],
    ['timeout', { timeout: '0s' }],
    ['backoff.first', { backoff: { first: 'soon' } }],
  ])('defineJob rejects a %s that is not valid', (what, options) => {
    // @ts-expect-error -- what a program in JavaScript can pass
    expect(() => defineJob({ name: 'job', input: z.any(), run() {}, ...options })).toThrow(what)
  })
})
