// @ts-check
// Measures lists that are sent as a whole: time, CPU time and memory of a service that sends all documents of a
// collection. The database runs in the process of this script, the service in another one.
// Usage: node benchmarks/exports/run.js [documents] [megabytes of the heap] (build the packages first)
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { get as requestGet } from 'node:http'
import { fileURLToPath } from 'node:url'
import { createApi, createRegistry, createRouter, get } from '@create-api/core'
import { csv, ndjson, sendList } from '@create-api/core/exports'
import { defineListQuery, findPage, listMeta, toOutputSchema } from '@create-api/core/resource'
import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import { MongoClient } from 'mongodb'
import mongoose from 'mongoose'
import { z } from 'zod'

const script = fileURLToPath(import.meta.url)
const [role = '100000', heap] = process.argv.slice(2)
if (role === 'serve') await serve()
else await measure(Number(role))

/** @param {number} documents */
async function measure(documents) {
  const mongo = await startEmbeddedMongo({ storage: { memory: true } })
  await fill(mongo.uri, documents)
  const service = fork(script, ['serve'], {
    // Without a limit, memory follows from how seldom the garbage collector runs.
    execArgv: heap === undefined ? [] : [`--max-old-space-size=${heap}`, '--max-semi-space-size=2'],
    env: { ...process.env, MONGODB_URI: mongo.uri, LOG_LEVEL: 'error' },
  })
  const [url] = await once(service, 'message')
  for (const type of ['text/csv', 'application/x-ndjson']) {
    const start = performance.now()
    const bytes = await receive(`${url}/api/orders`, type)
    const seconds = (performance.now() - start) / 1000
    service.send('report')
    const [report] = await once(service, 'message')
    console.log(
      `${documents} documents as ${type}: ${(bytes / 1e6).toFixed(0)} MB in ${seconds.toFixed(1)} s, ${report}`,
    )
  }
  service.disconnect()
  await once(service, 'exit')
  await mongo.stop()
}

/** @param {string} uri @param {number} documents */
async function fill(uri, documents) {
  const client = await MongoClient.connect(uri)
  const orders = client.db().collection('orders')
  for (let from = 0; from < documents; from += 1000) {
    const length = Math.min(1000, documents - from)
    await orders.insertMany(Array.from({ length }, (_, i) => toOrder(from + i)))
  }
  await client.close()
}

/** @param {number} i */
function toOrder(i) {
  const createdAt = new Date(1_700_000_000_000 + i * 1000)
  return {
    customer: `customer-${i}@example.org`,
    status: ['open', 'paid', 'sent', 'closed'][i % 4],
    total: i / 100,
    address: { street: `Street ${i % 300}`, city: 'Graz' },
    note: `Order ${i}, to be "delivered" to the reception. `.padEnd(120, 'x'),
    createdAt,
    updatedAt: createdAt,
  }
}

/** @param {string} url @param {string} type */
async function receive(url, type) {
  const [response] = await once(requestGet(url, { headers: { Accept: type } }), 'response')
  let bytes = 0
  for await (const chunk of response) bytes += chunk.length
  return bytes
}

async function serve() {
  const order = toOutputSchema(
    z.strictObject({
      customer: z.string(),
      status: z.string(),
      total: z.number(),
      address: z.strictObject({ street: z.string(), city: z.string() }),
      note: z.string(),
    }),
  )
  const address = new mongoose.Schema(
    { street: { type: String, required: true }, city: { type: String, required: true } },
    { _id: false },
  )
  const schema = new mongoose.Schema(
    {
      customer: { type: String, required: true },
      status: { type: String, required: true },
      total: { type: Number, required: true },
      address: { type: address, required: true },
      note: { type: String, required: true },
    },
    { timestamps: true },
  )
  const OrderModel = mongoose.model('Order', schema)
  const query = defineListQuery(order)
  const router = createRouter(
    [
      get(
        '/',
        { query, response: order.array(), meta: listMeta, formats: [csv(), ndjson()] },
        (req, res) =>
          sendList(res, req.valid.query, (page) => findPage(OrderModel, page, { scope: {} })),
      ),
    ],
    { access: 'public' },
  )
  const routes = createRegistry().use('/api/orders', router)
  const api = createApi({ name: 'orders', auth: false, rateLimit: false, routes })
  const { url } = await api.start({ port: 0 })
  let highest = 0
  setInterval(() => {
    highest = Math.max(highest, process.memoryUsage().rss)
  }, 20).unref()
  let cpu = process.cpuUsage()
  process.on('message', () => {
    const { user, system } = process.cpuUsage(cpu)
    const memory = `at most ${(highest / 1e6).toFixed(0)} MB of memory`
    process.send?.(`${((user + system) / 1e6).toFixed(1)} s of CPU, ${memory}`)
    cpu = process.cpuUsage()
    highest = 0
  })
  process.on('disconnect', () => void api.stop())
  process.send?.(url)
}
