// @ts-check
// Compares bulk requests with single ones: time, CPU time and memory of a service that creates documents. The database runs in the
// process of this script, the service in another one.
// Usage: node benchmarks/bulk/run.js [documents] (build the packages first)
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { createApi, createRegistry, createRouter, post, success } from '@create-api/core'
import { withBulk } from '@create-api/core/bulk'
import { createDocument, setCreated, toOutputSchema, versioned } from '@create-api/core/resource'
import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import mongoose from 'mongoose'
import { z } from 'zod'

const connections = 50
const path = '/api/orders'
const script = fileURLToPath(import.meta.url)
const [role = '10000'] = process.argv.slice(2)
if (role === 'serve') await serve()
else await measure(Number(role))

/** @param {number} count */
async function measure(count) {
  const mongo = await startEmbeddedMongo({ storage: { memory: true } })
  const ways = {
    'single requests': sendSingle,
    'items of one request': (/** @type {string} */ url) => sendBulk(url, toItems(count), false),
    'an atomic request': (/** @type {string} */ url) => sendBulk(url, toItems(count), true),
    'lines of NDJSON': (/** @type {string} */ url) => sendLines(url, toItems(count)),
  }
  for (const [name, sendAll] of Object.entries(ways)) {
    // A new process for each, so that its memory is that of the requests.
    const service = fork(script, ['serve', String(count)], {
      env: { ...process.env, MONGODB_URI: mongo.uri, NODE_ENV: 'production' },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    const [url] = await once(service, 'message')
    await sendSingle(url, 500)
    service.send('begin')
    await once(service, 'message')
    const start = performance.now()
    await sendAll(url, count)
    const seconds = (performance.now() - start) / 1000
    service.send('report')
    const [{ cpu, memory, stored }] = await once(service, 'message')
    if (stored !== count + 500) throw new Error(`${name}: ${stored} documents are stored`)
    const micros = ((cpu / count) * 1e6).toFixed(0)
    console.log(
      `${count} documents as ${name}: ${seconds.toFixed(1)} s, ${micros} µs of CPU each, at most ${(memory / 1e6).toFixed(0)} MB of memory`,
    )
    service.disconnect()
    await once(service, 'exit')
  }
  await mongo.stop()
}

/** @param {number} i */
function toOrder(i) {
  return {
    customer: `customer-${i}@example.org`,
    status: 'open',
    total: i,
    note: `Order ${i}, to be delivered to the reception. `.padEnd(120, 'x'),
  }
}

/** @param {number} count */
function toItems(count) {
  return Array.from({ length: count }, (_, i) => ({ action: 'create', body: toOrder(i) }))
}

/** @param {string} url @param {number} count */
async function sendSingle(url, count) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  let next = 0
  const work = async () => {
    while (next < count) {
      const { status } = await send(url + path, JSON.stringify(toOrder(next++)), { agent })
      if (status !== 201) throw new Error(`The status is ${status}.`)
    }
  }
  await Promise.all(Array.from({ length: connections }, work))
  agent.destroy()
}

/** @param {string} url @param {object[]} items @param {boolean} atomic */
async function sendBulk(url, items, atomic) {
  const { status, text } = await send(`${url}${path}/bulk`, JSON.stringify({ atomic, items }))
  const { meta } = JSON.parse(text)
  if (status !== 200 || meta.failed > 0) throw new Error(`The response is ${text.slice(0, 500)}`)
}

/** @param {string} url @param {object[]} items */
async function sendLines(url, items) {
  const body = items.map((item) => `${JSON.stringify(item)}\n`).join('')
  const { text } = await send(`${url}${path}/bulk`, body, { type: 'application/x-ndjson' })
  const { report } = JSON.parse(text.trimEnd().split('\n').at(-1) ?? '')
  if (report.failed > 0) throw new Error(`The report is ${JSON.stringify(report)}`)
}

/**
 * @param {string} url
 * @param {string} body
 * @param {{ type?: string, agent?: Agent }} [options]
 */
async function send(url, body, { type = 'application/json', agent } = {}) {
  const headers = { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) }
  const outgoing = request(url, { method: 'POST', headers, agent })
  outgoing.end(body)
  const [response] = await once(outgoing, 'response')
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += chunk
  return { status: response.statusCode, text }
}

async function serve() {
  mongoose.set('transactionAsyncLocalStorage', true)
  const createOrder = z.strictObject({
    customer: z.string(),
    status: z.string(),
    total: z.number(),
    note: z.string(),
  })
  const order = toOutputSchema(createOrder)
  const schema = new mongoose.Schema(
    {
      customer: { type: String, required: true },
      status: { type: String, required: true },
      total: { type: Number, required: true },
      note: { type: String, required: true },
    },
    { timestamps: true },
  ).plugin(versioned)
  const OrderModel = mongoose.model('Order', schema)
  const router = createRouter(
    [
      post(
        '/',
        { body: createOrder, response: order, status: 201, etag: true },
        async (req, res) => {
          const document = await createDocument(OrderModel, req.valid.body, { scope: req.scope })
          success(setCreated(res, document), document)
        },
      ),
    ],
    { access: 'public', model: OrderModel },
  )
  const limit = Math.max(Number(process.argv[3]), 1)
  const orders = withBulk(router, { limit, bodyLimit: '200mb' })
  const routes = createRegistry().use(path, orders)
  const api = createApi({ name: 'orders', auth: false, rateLimit: false, routes })
  const { url } = await api.start({ port: 0 })
  await OrderModel.deleteMany()
  let highest = 0
  setInterval(() => {
    highest = Math.max(highest, process.memoryUsage().rss)
  }, 20).unref()
  let cpu = process.cpuUsage()
  process.on('message', async (message) => {
    if (message === 'begin') {
      cpu = process.cpuUsage()
      process.send?.('begun')
      return
    }
    const { user, system } = process.cpuUsage(cpu)
    const stored = await OrderModel.countDocuments()
    process.send?.({ cpu: (user + system) / 1e6, memory: highest, stored })
  })
  process.on('disconnect', () => void api.stop())
  process.send?.(url)
}
