// @ts-check
// Measures a large folder of the embedded database: how long a new process takes to open it, the memory of that
// process, and reads without an index.
// Usage: node scripts/measure/database.js [documents] [indexes besides that of _id, up to 3] (build the package first)
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import { MongoClient } from 'mongodb'

const rounds = 5
/** @type {import('mongodb').IndexSpecification[]} */
const indexKeys = [{ customer: 1 }, { createdAt: -1, _id: -1 }, { status: 1, createdAt: -1 }]
const cities = ['Basel', 'Berlin', 'Graz', 'Linz', 'Paris', 'Turin', 'Vienna', 'Zurich']

/** @type {Record<string, (orders: import('mongodb').Collection) => Promise<unknown>>} */
const reads = {
  'filter and sort': (orders) =>
    orders.find({ city: 'Graz' }).sort({ total: -1 }).limit(20).toArray(),
  group: (orders) =>
    orders
      .aggregate([{ $group: { _id: '$city', orders: { $sum: 1 }, total: { $sum: '$total' } } }])
      .toArray(),
}

/** @param {number} i */
function toOrder(i) {
  return {
    customer: `customer-${(i * 7919) % 100_003}@example.org`,
    city: cities[(i * 31) % cities.length],
    status: ['open', 'paid', 'sent', 'closed'][i % 4],
    total: ((i * 104_729) % 1_000_003) / 100,
    items: i % 9,
    createdAt: new Date(1_700_000_000_000 + i * 1000),
    updatedAt: new Date(1_700_000_000_000 + i * 1000),
    note: `Order ${i}, to be delivered to the reception. `.padEnd(170, 'x'),
  }
}

const [role = '300000', ...values] = process.argv.slice(2)
if (role === 'fill') await fill(values[0] ?? '', Number(values[1]), Number(values[2]))
else if (role === 'open') await open(values[0] ?? '')
else measure(Number(role), Number(values[0] ?? 3))

/** @param {number} documents @param {number} indexes */
function measure(documents, indexes) {
  const folder = mkdtempSync(join(tmpdir(), 'measure-'))
  try {
    const script = fileURLToPath(import.meta.url)
    const run = (/** @type {string[]} */ ...args) =>
      execFileSync(process.execPath, [script, ...args], { encoding: 'utf8' }).trim()
    const filled = run('fill', folder, String(documents), String(indexes))
    console.log(`${documents} documents, ${indexes + 1} indexes: ${filled}`)
    const bytes = readdirSync(folder).map((name) => statSync(join(folder, name)).size)
    console.log(`on disk: ${toMegabytes(bytes.reduce((sum, size) => sum + size, 0))}`)
    for (let round = 0; round < rounds; round += 1) console.log(run('open', folder))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** @param {string} directory @param {number} documents @param {number} indexes */
async function fill(directory, documents, indexes) {
  const mongo = await startEmbeddedMongo({ storage: { directory }, onMessage: () => {} })
  const client = await MongoClient.connect(mongo.uri)
  const orders = client.db().collection('orders')
  for (const keys of indexKeys.slice(0, indexes)) await orders.createIndex(keys)
  const start = performance.now()
  for (let from = 0; from < documents; from += 1000) {
    const length = Math.min(1000, documents - from)
    await orders.insertMany(Array.from({ length }, (_, i) => toOrder(from + i)))
  }
  const seconds = (performance.now() - start) / 1000
  const { avgObjSize } = await client.db().stats()
  console.log(
    `${Math.round(avgObjSize)} bytes each, inserted in ${seconds.toFixed(1)} s, ${toMegabytes(process.memoryUsage().rss)} of memory`,
  )
  await client.close()
  await mongo.stop()
}

/** @param {string} directory */
async function open(directory) {
  const start = performance.now()
  const mongo = await startEmbeddedMongo({ storage: { directory }, onMessage: () => {} })
  const opened = performance.now() - start
  const { user, system } = process.cpuUsage()
  const { rss } = process.memoryUsage()
  const client = await MongoClient.connect(mongo.uri)
  const orders = client.db().collection('orders')
  const found = [
    `opened in ${opened.toFixed(0)} ms (CPU ${((user + system) / 1000).toFixed(0)} ms)`,
  ]
  found.push(`${toMegabytes(rss)} of memory`)
  for (const [name, read] of Object.entries(reads)) {
    /** @type {Awaited<ReturnType<typeof timeOf>>[]} */
    const times = []
    for (let i = 0; i < 7; i += 1) times.push(await timeOf(() => read(orders)))
    const least = (/** @type {'ms' | 'cpuMs'} */ key) =>
      Math.min(...times.map((time) => time[key])).toFixed(0)
    found.push(`${name} ${least('ms')} ms (CPU ${least('cpuMs')} ms)`)
  }
  found.push(`${toMegabytes(process.memoryUsage().rss)} afterwards`)
  console.log(found.join(', '))
  await client.close()
  await mongo.stop()
}

/** @param {() => Promise<unknown>} run */
async function timeOf(run) {
  const start = performance.now()
  const before = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(before)
  return { ms: performance.now() - start, cpuMs: (user + system) / 1000 }
}

/** @param {number} bytes */
function toMegabytes(bytes) {
  return `${(bytes / 1e6).toFixed(0)} MB`
}
