import { createApi, createRegistry } from '@create-api/core'
import { createMetrics } from '@create-api/core/metrics'
import { createTestClient } from '@create-api/core/testing'
import { createJobs, defineJob, enqueue, type JobContext } from '@create-api/jobs'
import mongoose from 'mongoose'
import { expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { parseExposition, valueOf } from './exposition.ts'

const token = 'a-token-of-the-scraper'

it.each([
  { end: 'run', run: () => {} },
  { end: 'complete', run: (_input: object, { complete }: JobContext) => complete(async () => {}) },
])('counts attempts that $end ends, and measures how long jobs wait', async ({ run }) => {
  const job = defineJob({ name: 'measured', input: z.object({}), run })
  const api = createApi({
    routes: createRegistry(),
    auth: false,
    metrics: createMetrics({ token }),
    jobs: createJobs({ jobs: [job], worker: 'on', pollInterval: '50ms' }),
  })
  const client = await createTestClient(api)
  onTestFinished(() => client.stop())
  await enqueue(job, {})
  await expect
    .poll(async () => {
      const { text } = await client.request
        .get('/metrics')
        .set({ Authorization: `Bearer ${token}` })
        .expect(200)
      const samples = parseExposition(text)
      return [
        valueOf(samples, 'job_attempts_total', { job: 'measured', outcome: 'done' }),
        valueOf(samples, 'job_wait_seconds_count', { job: 'measured' }),
        valueOf(samples, 'job_lag_seconds', { job: 'measured' }),
      ]
    })
    .toEqual([1, 1, 0])
})

it('serves the other metrics while the database is away', async () => {
  const job = defineJob({ name: 'away', input: z.object({}), run() {} })
  const api = createApi({
    routes: createRegistry(),
    auth: false,
    metrics: createMetrics({ token }),
    jobs: createJobs({ jobs: [job], worker: 'off' }),
  })
  const client = await createTestClient(api)
  onTestFinished(() => client.stop())
  const findOne = vi.spyOn(mongoose.mongo.Collection.prototype, 'findOne')
  findOne.mockRejectedValueOnce(new Error('The database is away.'))
  const read = async () => {
    const { status, text } = await client.request
      .get('/metrics')
      .set({ Authorization: `Bearer ${token}` })
    const lag = valueOf(parseExposition(text), 'job_lag_seconds', { job: 'away' })
    return [status, text.includes('http_requests_in_flight'), lag]
  }
  expect(await read()).toEqual([200, true, Number.NaN])
  expect(await read()).toEqual([200, true, 0])
})
