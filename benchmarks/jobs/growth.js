// @ts-check
// How adding and running a job depend on the number of jobs that wait for a later time.
// Usage: node benchmarks/jobs/growth.js [most] (build the packages first)
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { createApi, createRegistry } from '@create-api/core'
import { createJobs, defineJob, enqueue } from '@create-api/jobs'
import mongoose from 'mongoose'
import { z } from 'zod'
import { startDatabase } from './servers.js'

process.env['NODE_ENV'] = 'production'
const most = Number(process.argv[2] ?? 1_000_000)
const singles = 1000
let onRun = () => {}
const job = defineJob({ name: 'number', input: z.object({}), run: () => onRun() })

console.log(`| Waiting jobs | Adding a job | From adding to the start, median | 99th percentile | Memory of the database |
| --: | --: | --: | --: | --: |`)
for (const waiting of [0, 10_000, 100_000, 1_000_000].filter((count) => count <= most)) {
  console.log(await measure(waiting))
}
process.exit()

/** @param {number} waiting */
async function measure(waiting) {
  const server = await startDatabase()
  const api = createApi({
    routes: createRegistry(),
    auth: false,
    database: { uri: server.url },
    log: { level: 'error' },
    jobs: createJobs({ jobs: [job], worker: 'on' }),
  })
  await api.start({ port: 0, signals: false })
  await addWaiting(waiting)
  /** @type {number[]} */
  const [adding, starting] = [[], []]
  for (let n = 0; n < singles; n += 1) {
    const begun = performance.now()
    const started = new Promise((resolve) => {
      onRun = () => resolve(performance.now())
    })
    await enqueue(job, {})
    adding.push(performance.now() - begun)
    starting.push((await started) - begun)
    await sleep(2)
  }
  const memory = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]
  await api.stop()
  await server.stop()
  const times = [quantile(adding, 0.5), quantile(starting, 0.5), quantile(starting, 0.99)]
  return `| ${[
    waiting.toLocaleString('en'),
    ...times.map((ms) => `${ms.toFixed(2)} ms`),
    `${Math.round(Number(memory) / 1024)} MB`,
  ].join(' | ')} |`
}

// Copies of a job that `enqueue` has added.
/** @param {number} count */
async function addWaiting(count) {
  const { id } = await enqueue(job, {}, { after: '300d' })
  /** @type {import('mongoose').mongo.Collection<{ _id: string }>} */
  const jobs = mongoose.connection.collection('queue_jobs')
  const stored = await jobs.findOne({ _id: id })
  for (let at = 0; at < count; at += 10_000) {
    const size = Math.min(10_000, count - at)
    const copies = Array.from({ length: size }, () => ({
      ...stored,
      _id: new mongoose.mongo.ObjectId().toHexString(),
    }))
    await jobs.insertMany(copies)
  }
}

/** @param {number[]} values @param {number} part */
function quantile(values, part) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? Number.NaN
}
