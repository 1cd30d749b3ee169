// @ts-check
// Measures the embedded database against a floor: node benchmarks/db/run.js (build the package first).
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import { MongoClient, ObjectId } from 'mongodb'
import { startFloor } from './floor.js'

const SIZES = (process.env['BENCH_SIZES'] ?? '1000,10000,100000').split(',').map(Number)
const OPERATIONS = Number(process.env['BENCH_OPERATIONS'] ?? 600)
const ROUNDS = 3
const CONCURRENCY = 20
const STATUSES = ['draft', 'review', 'live', 'old']

/** @typedef {{ name: string, floor: object[], run: (things: import('mongodb').Collection<any>, i: number, size: number) => Promise<unknown>, indexed: boolean, share?: number }} Operation */

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
    floor: one,
    indexed: true,
    run: (things, i, size) => things.findOne({ _id: toId(spread(i, size)) }),
  },
  {
    name: 'findOne by unique index',
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
 * @param {Operation} operation
 * @param {import('mongodb').Collection<any>} things
 * @param {number} size
 */
async function measure(operation, things, size) {
  const count = Math.max(5, Math.round(OPERATIONS * (operation.share ?? 1)))
  for (let i = 0; i < Math.min(count, 100); i += 1) await operation.run(things, i, size)
  const samples = []
  let cpu = Infinity
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = process.cpuUsage()
    for (let i = 0; i < count; i += 1) {
      const start = performance.now()
      await operation.run(things, i, size)
      samples.push((performance.now() - start) * 1000)
    }
    const { user, system } = process.cpuUsage(before)
    cpu = Math.min(cpu, (user + system) / count)
  }
  const start = performance.now()
  const workers = Array.from({ length: CONCURRENCY }, async (_, worker) => {
    for (let i = worker; i < count; i += CONCURRENCY) await operation.run(things, i, size)
  })
  await Promise.all(workers)
  const perSecond = (count / (performance.now() - start)) * 1000
  samples.sort((a, b) => a - b)
  return { p50: samples[Math.floor(samples.length / 2)] ?? 0, cpu, perSecond }
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

async function measureStart() {
  const times = []
  for (let i = 0; i < 11; i += 1) {
    const start = performance.now()
    const mongo = await startEmbeddedMongo({ storage: { memory: true } })
    times.push(performance.now() - start)
    await mongo.stop()
  }
  times.sort((a, b) => a - b)
  return { firstMs: Math.max(...times), p50Ms: times[5] ?? 0 }
}

const start = await measureStart()
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
    floor.answer(operation.floor)
    const base = await measure(operation, floorThings, size)
    const found = await measure(operation, things, size)
    results.push({ size, name: operation.name, indexed: operation.indexed, base, found })
    process.stderr.write(`${size} ${operation.name}\n`)
  }
  await client.close()
  await mongo.stop()
}
await floorClient.close()
floor.close()
const folder = await measureFolder()
report({ start, folder, results })
process.exit(0)

/** @param {{ start: any, folder: any, results: any[] }} measured */
function report(measured) {
  const { start: starting, folder: disk, results: rows } = measured
  const date = new Date().toISOString().slice(0, 10)
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  const about = {
    date,
    commit,
    node: process.version,
    cpu: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`,
    command: 'npm run bench:db',
  }
  const smallest = SIZES[0]
  const lines = rows.map(({ size, name, base, found }) => {
    const first = rows.find((row) => row.size === smallest && row.name === name)
    return `| ${name} | ${size} | ${us(found.p50)} | ${(found.p50 / base.p50).toFixed(2)} | ${us(found.cpu - base.cpu)} | ${Math.round(found.perSecond)} | ${(found.p50 / first.found.p50).toFixed(2)} |`
  })
  const text = `# Embedded database

${Object.entries(about)
  .map(([key, value]) => `- ${key}: ${value}`)
  .join('\n')}

The floor is the same driver on a socket that answers with bytes made beforehand, in the same process
and run. \`added CPU\` is the CPU time per operation above the floor's. \`growth\` compares p50 with the
smallest collection. ${CONCURRENCY} at once for the throughput.

| operation | documents | p50 µs | × floor | added CPU µs | per second | growth |
|---|---|---|---|---|---|---|
${lines.join('\n')}

- Start of an empty database in memory, after the import: first ${starting.firstMs.toFixed(1)} ms, then p50 ${starting.p50Ms.toFixed(1)} ms.
- A folder of ${disk.size} documents (${mb(disk.dataBytes)} of BSON) with four indexes: ${mb(disk.diskBytes)} on disk,
  opened in ${(disk.openMs / 1000).toFixed(2)} s, ${mb(disk.rssBytes)} of memory added; loaded at ${Math.round(disk.documentsPerSecondLoaded)} documents a second.
`
  const target = new URL('../results/', import.meta.url)
  mkdirSync(target, { recursive: true })
  writeFileSync(new URL('db.md', target), text)
  writeFileSync(
    new URL('db.json', target),
    `${JSON.stringify({ ...about, ...measured }, undefined, 2)}\n`,
  )
  process.stdout.write(text)
}

/** @param {number} bytes */
function mb(bytes) {
  return `${(bytes / 1024 / 1024).toFixed(0)} MB`
}

/** @param {number} value */
function us(value) {
  return String(Math.round(value))
}
