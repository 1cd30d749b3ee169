// @ts-check
// Measures the embedded database against a floor: node benchmarks/db/run.js (build the package first).
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import { MongoClient, ObjectId } from 'mongodb'
import { startFloor } from './floor.js'
import { report } from './report.js'

const SIZES = (process.env['BENCH_SIZES'] ?? '1000,10000,100000').split(',').map(Number)
const OPERATIONS = Number(process.env['BENCH_OPERATIONS'] ?? 600)
const ROUNDS = 7
const WARM_UP = 1500
const CONCURRENCY = 20
const STATUSES = ['draft', 'review', 'live', 'old']

/** @typedef {{ name: string, floor: object[], isRead?: boolean, run: (things: import('mongodb').Collection<any>, i: number, size: number) => Promise<unknown>, indexed: boolean, share?: number }} Operation */

/** @param {number} i */
function toId(i) {
  return new ObjectId(i.toString(16).padStart(24, '0'))
}

/** @param {number} i */
function toThing(i) {
  return {
    _id: toId(i),
    email: `user${i}@example.org`,
    status: STATUSES[i % STATUSES.length],
    createdAt: new Date(1_700_000_000_000 + ((i * 7919) % 1_000_000) * 1000),
    score: i % 100,
    title: `Thing number ${i}`,
    body: 'x'.repeat(150),
    tags: [`t${i % 10}`, `t${i % 7}`],
  }
}

const one = [toThing(1)]
const page = Array.from({ length: 20 }, (_, i) => toThing(i))
let inserted = 10_000_000

/** @type {Operation[]} */
const OPERATIONS_TO_MEASURE = [
  {
    name: 'insertOne',
    floor: [],
    indexed: true,
    run: (things) => things.insertOne(toThing((inserted += 1))),
  },
  {
    name: 'findOne by _id',
    isRead: true,
    floor: one,
    indexed: true,
    run: (things, i, size) => things.findOne({ _id: toId(spread(i, size)) }),
  },
  {
    name: 'findOne by unique index',
    isRead: true,
    floor: one,
    indexed: true,
    run: (things, i, size) => things.findOne({ email: `user${spread(i, size)}@example.org` }),
  },
  {
    name: 'page of 20, indexed sort',
    floor: page,
    indexed: true,
    run: (things, i) =>
      things
        .find({})
        .sort({ createdAt: -1, _id: -1 })
        .skip(i % 50)
        .limit(20)
        .toArray(),
  },
  {
    name: 'page of 20, filter and sort',
    floor: page,
    indexed: true,
    run: (things, i) =>
      things
        .find({ status: STATUSES[i % 4] })
        .sort({ createdAt: -1, _id: -1 })
        .limit(20)
        .toArray(),
  },
  {
    name: 'updateOne by _id',
    floor: [],
    indexed: true,
    run: (things, i, size) =>
      things.updateOne({ _id: toId(spread(i, size)) }, { $inc: { score: 1 } }),
  },
  {
    name: 'aggregate: match a unique key, group',
    floor: one,
    indexed: true,
    run: (things, i, size) =>
      things
        .aggregate([
          { $match: { email: `user${spread(i, size)}@example.org` } },
          { $group: { _id: '$status', n: { $sum: 1 }, score: { $avg: '$score' } } },
        ])
        .toArray(),
  },
  {
    name: 'aggregate: group all by status',
    floor: one,
    indexed: false,
    share: 0.01,
    run: (things) =>
      things
        .aggregate([{ $group: { _id: '$status', n: { $sum: 1 }, score: { $avg: '$score' } } }])
        .toArray(),
  },
]

/**
 * @param {number} i
 * @param {number} size
 */
function spread(i, size) {
  return (i * 7919) % size
}

/**
 * Measures an operation against the floor, in turns: what disturbs one disturbs the other.
 *
 * @param {Operation} operation
 * @param {{ floor: import('mongodb').Collection<any>, things: import('mongodb').Collection<any> }} targets
 * @param {number} size
 */
async function measure(operation, { floor, things }, size) {
  const count = Math.max(5, Math.round(OPERATIONS * (operation.share ?? 1)))
  const warmUp = Math.max(5, Math.round(WARM_UP * (operation.share ?? 1)))
  await runRound(operation, floor, { size, count: warmUp })
  await runRound(operation, things, { size, count: warmUp })
  const rounds = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const base = await runRound(operation, floor, { size, count })
    const found = await runRound(operation, things, { size, count })
    rounds.push({ base, found })
  }
  const start = performance.now()
  const workers = Array.from({ length: CONCURRENCY }, async (_, worker) => {
    for (let i = worker; i < count; i += CONCURRENCY) await operation.run(things, i, size)
  })
  await Promise.all(workers)
  return {
    // Of the quietest rounds: noise of the machine only ever adds.
    p50: Math.min(...rounds.map(({ found }) => found.p50)),
    floorP50: Math.min(...rounds.map(({ base }) => base.p50)),
    addedCpu:
      Math.min(...rounds.map(({ found }) => found.cpu)) -
      Math.min(...rounds.map(({ base }) => base.cpu)),
    perSecond: (count / (performance.now() - start)) * 1000,
  }
}

/**
 * @param {Operation} operation
 * @param {import('mongodb').Collection<any>} things
 * @param {{ size: number, count: number }} options
 */
async function runRound(operation, things, { size, count }) {
  const samples = []
  const before = process.cpuUsage()
  for (let i = 0; i < count; i += 1) {
    const start = performance.now()
    await operation.run(things, i, size)
    samples.push((performance.now() - start) * 1000)
  }
  const { user, system } = process.cpuUsage(before)
  return { p50: median(samples), cpu: (user + system) / count }
}

/** @param {number[]} values */
function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

/** @param {import('mongodb').Collection<any>} things @param {number} size */
async function fill(things, size) {
  for (let from = 0; from < size; from += 1000) {
    const length = Math.min(1000, size - from)
    await things.insertMany(Array.from({ length }, (_, i) => toThing(from + i)))
  }
}

/** @param {import('mongodb').Collection<any>} things */
async function index(things) {
  await things.createIndex({ email: 1 }, { unique: true })
  await things.createIndex({ createdAt: -1, _id: -1 })
  await things.createIndex({ status: 1, createdAt: -1, _id: -1 })
}

/** What memory and disk a folder of the largest size takes; in this process, from the built package. */
async function measureFolder() {
  const size = Math.max(...SIZES)
  const directory = mkdtempSync(join(tmpdir(), 'bench-db-'))
  const open = () => startEmbeddedMongo({ storage: { directory }, onMessage: () => {} })
  const first = await open()
  const client = await MongoClient.connect(first.uri)
  const things = client.db().collection('things')
  await index(things)
  const loading = performance.now()
  await fill(things, size)
  const loadSeconds = (performance.now() - loading) / 1000
  await client.db('admin').command({ compact: 'all' })
  const { dataSize } = await client.db().stats()
  await client.close()
  await first.stop()
  const diskBytes = readdirSync(directory).reduce(
    (sum, file) => sum + statSync(join(directory, file)).size,
    0,
  )
  const script = `
    import { startEmbeddedMongo } from '@create-api/embedded-mongo'
    await new Promise((resolve) => setTimeout(resolve, 50))
    const before = process.memoryUsage().rss
    const start = performance.now()
    const mongo = await startEmbeddedMongo({ storage: { directory: ${JSON.stringify(directory)} }, onMessage: () => {} })
    const ms = performance.now() - start
    process.stdout.write(JSON.stringify({ ms, rss: process.memoryUsage().rss - before }))
    await mongo.stop()
  `
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: new URL('.', import.meta.url),
    encoding: 'utf8',
  })
  const { ms, rss } = JSON.parse(output)
  rmSync(directory, { recursive: true })
  return {
    size,
    documentsPerSecondLoaded: size / loadSeconds,
    dataBytes: dataSize,
    diskBytes,
    openMs: ms,
    rssBytes: rss,
  }
}

/** How long the start of an empty database takes in a new process, after the import. */
function measureStart() {
  const folder = mkdtempSync(join(tmpdir(), 'bench-db-'))
  const start = (/** @type {string} */ storage) => {
    const times = Array.from({ length: 9 }, (_, i) => {
      const script = `
        import { startEmbeddedMongo } from '@create-api/embedded-mongo'
        const start = performance.now()
        const mongo = await startEmbeddedMongo({ storage: ${storage.replace('NEW', join(folder, String(i)))}, onMessage: () => {} })
        process.stdout.write(String(performance.now() - start))
        await mongo.stop()
      `
      const options = {
        cwd: new URL('.', import.meta.url),
        encoding: /** @type {const} */ ('utf8'),
      }
      return Number(execFileSync(process.execPath, ['--input-type=module', '-e', script], options))
    })
    return { bestMs: Math.min(...times), p50Ms: median(times) }
  }
  const found = { memory: start('{ memory: true }'), folder: start("{ directory: 'NEW' }") }
  rmSync(folder, { recursive: true })
  return found
}

const start = measureStart()
const floor = await startFloor()
const floorClient = await MongoClient.connect(floor.uri, { maxPoolSize: CONCURRENCY })
const floorThings = floorClient.db().collection('things')
const results = []
for (const size of SIZES) {
  const mongo = await startEmbeddedMongo({ storage: { memory: true } })
  const client = await MongoClient.connect(mongo.uri, { maxPoolSize: CONCURRENCY })
  const things = client.db().collection('things')
  await index(things)
  await fill(things, size)
  for (const operation of OPERATIONS_TO_MEASURE) {
    floor.setDocuments(operation.floor)
    const found = await measure(operation, { floor: floorThings, things }, size)
    const { name, indexed, isRead = false } = operation
    results.push({ size, name, indexed, isRead, ...found })
    process.stderr.write(`${size} ${operation.name}\n`)
  }
  await client.close()
  await mongo.stop()
}
await floorClient.close()
floor.close()
const folder = await measureFolder()
const isMet = report(
  { start, folder, results },
  { sizes: SIZES, rounds: ROUNDS, concurrency: CONCURRENCY },
)
process.exit(isMet ? 0 : 1)
