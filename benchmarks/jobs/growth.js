// @ts-check
// How adding and running a job depend on the number of jobs that wait, for a later time or for a worker.
// Usage: node benchmarks/jobs/growth.js [most] (build the packages first)
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { createApi, createRegistry } from '@create-api/core'
import { createJobs, defineJob, enqueue } from '@create-api/jobs'
import mongoose from 'mongoose'
import { z } from 'zod'
import { readCpu, startDatabase } from './servers.js'

process.env['NODE_ENV'] = 'production'
const most = Number(process.argv[2] ?? 1_000_000)
const singles = 1000
const ran = 5000
let onRun = () => {}
const job = defineJob({ name: 'number', input: z.object({}), concurrency: 50, run: () => onRun() })
const sizes = [0, 10_000, 100_000, 1_000_000].filter((count) => count <= most)

console.log(`| Jobs that are due later | Adding a job | From adding to the start, median | 99th percentile | Memory of the database |
| --: | --: | --: | --: | --: |`)
for (const waiting of sizes) console.log(await measureLater(waiting))
console.log(`
| Jobs that are due | Run a second, of the first ${ran.toLocaleString('en')} | CPU of the service for one | CPU of the database |
| --: | --: | --: | --: |`)
for (const waiting of sizes.slice(1)) console.log(await measureDue(waiting))
process.exit()

/** @param {string} uri @param {'on' | 'off'} worker */
async function start(uri, worker) {
  const api = createApi({
    routes: createRegistry(),
    auth: false,
    database: { uri },
    log: { level: 'error' },
    jobs: createJobs({ jobs: [job], worker }),
  })
  await api.start({ port: 0, signals: false })
  return api
}

/** @param {number} waiting */
async function measureDue(waiting) {
  const server = await startDatabase()
  const filling = await start(server.url, 'off')
  await addWaiting(waiting, '1ms')
  await filling.stop()
  let [left, cpu, used, begun] = [ran, process.cpuUsage(), 0, 0]
  const finished = new Promise((resolve) => {
    onRun = () => {
      // What starts the worker is not counted.
      if (left === ran) {
        ;[cpu, used, begun] = [process.cpuUsage(), readCpu(server.pid), performance.now()]
      }
      left -= 1
      if (left === 0) resolve(performance.now())
    }
  })
  const api = await start(server.url, 'on')
  const seconds = (Number(await finished) - begun) / 1000
  const { system, user } = process.cpuUsage(cpu)
  const database = readCpu(server.pid) - used
  onRun = () => {}
  await api.stop()
  await server.stop()
  const micros = [(system + user) / ran, (database * 1e6) / ran].map(Math.round)
  const cells = [waiting, Math.round(ran / seconds)].map((count) => count.toLocaleString('en'))
  return `| ${[...cells, ...micros.map((value) => `${value} µs`)].join(' | ')} |`
}

/** @param {number} waiting */
async function measureLater(waiting) {
  const server = await startDatabase()
  const api = await start(server.url, 'on')
  await addWaiting(waiting, '300d')
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
/** @param {number} count @param {import('@create-api/core').Duration} after */
async function addWaiting(count, after) {
  const { id } = await enqueue(job, {}, { after })
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
