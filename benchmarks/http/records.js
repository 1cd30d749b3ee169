// Records of a database, ours against the same service by hand: node http/records.js
// MONGODB_URI names a database of its own; without it the embedded one serves.
import { isDeepStrictEqual } from 'node:util'
import mongoose from 'mongoose'
import { databaseContenders } from './contenders.js'
import { fill } from './contenders/records/model.js'
import { count, databaseName, knownId, toId } from './contenders/records/posts.js'
import { describe, describeRun } from './machine.js'
import { readOptions } from './options.js'
import { startDatabase, startLoad, startServer } from './processes.js'
import { publish } from './publish.js'
import { interleave, measureOnce, verifyAll } from './rounds.js'
import { ratioTable, valueTable } from './tables.js'
import { valid } from './workloads.js'

const posts = '/api/posts'
const status = [200]
const range = (length, toItem) => Array.from({ length }, (_, index) => toItem(index))

const headers = { 'Content-Type': 'application/json' }
const records = [knownId, ...range(count, toId)].map((id) => `${posts}/${id}`)

// Each has many paths, which requests take in turn.
const reads = [
  {
    id: 'D1',
    name: 'one record',
    paths: records,
    status,
    check: ({ data }) => data.id === knownId,
  },
  {
    id: 'D2',
    name: 'page of 20',
    paths: range(count / 20, (index) => `${posts}?page=${index + 1}&limit=20`),
    status,
    check: ({ data, meta }) => data.length === 20 && meta.total === count,
  },
  {
    id: 'D3',
    name: 'page of 20, filter and sort',
    paths: range(count / 40, (index) => `${posts}?published=true&sort=-views&page=${index + 1}`),
    status,
    check: ({ data, meta }) => data.every(({ published }) => published) && meta.total === count / 2,
  },
  {
    id: 'D4',
    name: 'page of 100',
    paths: range(count / 100, (index) => `${posts}?page=${index + 1}&limit=100`),
    status,
    check: ({ data }) => data.length === 100,
  },
]

// Before each measurement the collection is filled anew, for `extra` with more than can be deleted until it ends.
const extra = 10_000
const isStored =
  (body) =>
  ({ data }) =>
    Object.entries(body).every(([name, value]) => isDeepStrictEqual(data[name], value))
const title = { title: 'Another title' }
const writes = [
  {
    id: 'D5',
    name: 'create',
    method: 'POST',
    paths: [posts],
    headers,
    body: valid,
    status: [201],
    check: isStored(valid),
  },
  {
    id: 'D6',
    name: 'replace',
    method: 'PUT',
    paths: records,
    headers,
    body: valid,
    status,
    check: isStored(valid),
  },
  {
    id: 'D7',
    name: 'patch',
    method: 'PATCH',
    paths: records,
    headers,
    body: title,
    status,
    check: isStored(title),
  },
  {
    id: 'D8',
    name: 'delete',
    method: 'DELETE',
    paths: range(count + extra, (index) => `${posts}/${toId(index)}`),
    extra,
    status: [204],
    check: () => true,
  },
].map((workload) => ({ ...workload, isWrite: true }))

const workloads = [...reads, ...writes].flatMap(toCases)

// Different paths, for reads one path, and one request at a time.
function toCases({ id, name, paths, ...workload }) {
  const [path] = paths
  const toCase = (initial, own) => ({ ...workload, path, ...own, id: id.replace('D', initial) })
  return [
    toCase('D', { paths, name }),
    ...(workload.isWrite ? [] : [toCase('S', { name: `${name}, the same for all` })]),
    toCase('O', { paths, name: `${name}, one connection`, connections: 1 }),
  ]
}

// Guards read the database, too: see share.js.
const { 'ours-guarded': _guarded, ...contenders } = databaseContenders
const options = readOptions({ contenders, workloads })
const { MONGODB_URI: given } = process.env
const database = await startDatabase(given)
await mongoose.connect(process.env.BENCHMARK_DATABASE, { dbName: databaseName })
await fill()
const load = startLoad()
const servers = []
try {
  for (const name of options.names) servers.push(await startServer(name, { node: options.node }))
  for (const workload of workloads) await verify(workload)
  const samples = await measureAll()
  const { version } = await mongoose.connection.db.admin().serverInfo()
  const served = given === undefined ? 'the embedded database' : `MongoDB ${version}`
  const result = { ...describeRun(options), database: served, samples }
  const prefix = given === undefined ? 'records-' : 'records-mongodb-'
  publish(result, { options, prefix, toMarkdown })
} finally {
  for (const process of [...servers, load]) await process.stop()
  await mongoose.connection.dropDatabase()
  await mongoose.disconnect()
  await database.stop()
}

// That all answers to reads are the same says more than each check.
async function verify(workload) {
  const { id, isWrite, path } = workload
  const answers = []
  for (const server of servers) {
    if (isWrite) await fill()
    await verifyAll(server, [workload], { contender: { bare: true } })
    if (isWrite) continue
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`)
    answers.push(await response.json())
  }
  if (isWrite) await fill()
  if (!answers.every((answer) => isDeepStrictEqual(answer, answers[0]))) {
    throw new Error(`${id}: the answers differ`)
  }
}

async function measureAll() {
  const { ms, rounds } = options
  const samples = []
  const measure = async (server, workload) => {
    const { connections, extra: more, isWrite } = workload
    if (isWrite) await fill(more)
    const task = { workload, ms, asksDatabase: true, connections }
    const sample = await measureOnce(load, server, task)
    if (isWrite) await fill()
    return sample
  }
  for (let pass = 0; pass < 2; pass++) {
    for (const workload of workloads) {
      for (const server of servers) await measure(server, workload)
    }
  }
  for (const workload of options.workloads) {
    for (const [server, round] of interleave(servers, rounds)) {
      const sample = await measure(server, workload)
      samples.push({ workload: workload.id, name: server.name, round, ...sample })
    }
    process.stderr.write(`${workload.id} ${workload.name}\n`)
  }
  return samples
}

function toMarkdown({ samples, ...result }) {
  const peers = ['express-documents', 'express-lean', 'fastify-lean', 'fastify-driver']
  const compare = (heading, pattern, field) => {
    const own = samples.filter(({ workload }) => pattern.test(workload))
    if (own.length === 0) return []
    return [`${heading}:\n\n${ratioTable(own, { name: 'ours-records', peers, field })}`]
  }
  const ratios = (field) =>
    [
      ...compare('Reads, different records and pages', /^D[1-4]/, field),
      ...compare('Reads, the same for all requests', /^S/, field),
      ...compare('Reads with one connection, different records and pages', /^O[1-4]/, field),
      ...compare('Writes', /^D[5-8]/, field),
      ...compare('Writes with one connection', /^O[5-8]/, field),
    ].join('\n')
  const list = workloads.map(({ id, name }) => `${id} ${name}`).join(', ')
  return [
    `# Records of a database, Node ${result.node}\n\n${describe(result)}`,
    `Through Mongoose, of ${count} records in ${result.database}: ${list}.\n`,
    `## Requests per CPU-second of the server process, as a multiple\n\n${ratios('cpuMicros')}`,
    `## Requests per second, as a multiple\n\n${ratios('perSecond')}`,
    `## CPU microseconds per request\n\n${valueTable(samples, 'cpuMicros', 0)}`,
    `## Requests per second\n\n${valueTable(samples, 'perSecond', 0)}`,
    `## Milliseconds until the response, median\n\n${valueTable(samples, 'p50', 2)}`,
  ].join('\n')
}
