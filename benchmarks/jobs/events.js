// @ts-check
// What `emitChanges` adds to the writes of a resource, without HTTP.
// Usage: node benchmarks/jobs/events.js [documents] (build the packages first)
import { createApi, createRegistry } from '@create-api/core'
import {
  createDocument,
  deleteDocument,
  replaceDocument,
  versioned,
} from '@create-api/core/resource'
import { createJobs } from '@create-api/jobs'
import { emitChanges, on } from '@create-api/jobs/events'
import mongoose from 'mongoose'
import { z } from 'zod'
import { readCpu, startDatabase } from './servers.js'

process.env['NODE_ENV'] = 'production'
const count = Number(process.argv[2] ?? 2000)
const connections = 20
const rounds = 5
const scope = {}
const input = z.object({ title: z.string(), body: z.string() })
const server = await startDatabase()
const schema = new mongoose.Schema({ title: String, body: String }, { timestamps: true })
schema.plugin(versioned)
const Plain = mongoose.model('Plain', schema)
const Observed = mongoose.model('Observed', schema.clone())
const { created } = emitChanges(Observed)
const handler = on(created, { name: 'read', run() {} })
const api = createApi({
  routes: createRegistry(),
  auth: false,
  database: { uri: server.url },
  log: { level: 'error' },
  jobs: createJobs({ handlers: [handler], worker: 'off' }),
})
await api.start({ port: 0, signals: false })

/** @type {Map<string, number[][]>} */
const figures = new Map()
for (let round = 0; round <= rounds; round += 1) {
  for (const [name, model] of Object.entries({ without: Plain, with: Observed })) {
    /** @type {import('mongoose').Types.ObjectId[]} */
    const ids = []
    await measure(`create, ${name}`, round, async () => {
      const { _id } = await createDocument(model, { title: 'a', body: 'b'.repeat(200) }, { scope })
      ids.push(_id)
    })
    let at = 0
    await measure(`replace, ${name}`, round, async () => {
      await replaceDocument(
        model,
        { _id: ids[at++] },
        { schema: input, input: { title: 'c', body: 'd' }, scope },
      )
    })
    at = 0
    await measure(`delete, ${name}`, round, async () => {
      await deleteDocument(model, { _id: ids[at++] }, { scope })
    })
  }
}
console.log(`| Write, and events | Milliseconds | CPU of the service | CPU of the database |
| --- | --: | --: | --: |`)
for (const [name, values] of figures) {
  const [ms = 0, service = 0, database = 0] = [0, 1, 2].map((at) => {
    const sorted = values.map((figure) => figure[at] ?? 0).toSorted((a, b) => a - b)
    return sorted[Math.floor(sorted.length / 2)] ?? 0
  })
  const micros = [service, database].map((value) => `${Math.round(value)} µs`)
  console.log(`| ${[name, ms.toFixed(2), ...micros].join(' | ')} |`)
}
await api.stop()
await server.stop()

// The first round prepares connections and compiled functions.
/** @param {string} name @param {number} round @param {() => Promise<void>} write */
async function measure(name, round, write) {
  const [cpu, database, start] = [process.cpuUsage(), readCpu(server.pid), performance.now()]
  let left = count
  const work = async () => {
    while (left-- > 0) await write()
  }
  await Promise.all(Array.from({ length: connections }, work))
  const { system, user } = process.cpuUsage(cpu)
  if (round === 0) return
  const seconds = readCpu(server.pid) - database
  const figure = [
    (performance.now() - start) / count,
    (system + user) / count,
    (seconds * 1e6) / count,
  ]
  figures.set(name, [...(figures.get(name) ?? []), figure])
}
