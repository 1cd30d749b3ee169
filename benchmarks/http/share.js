// What the framework takes of a request that checks session and user and reads the database:
// node http/share.js
import mongoose from 'mongoose'
import { attribute } from './attribute.js'
import { databaseContenders } from './contenders.js'
import { fill } from './contenders/records/model.js'
import { databaseName, knownId } from './contenders/records/posts.js'
import { describe, describeRun } from './machine.js'
import { readOptions } from './options.js'
import { mintTokens, startDatabase, startLoad, startServer } from './processes.js'
import { publish } from './publish.js'
import { measureOnce, verifyAll } from './rounds.js'
import { median, table } from './tables.js'
import { valid, workloads as known } from './workloads.js'

const name = 'ours-guarded'
const most = 0.15
const posts = '/api/posts'
const guarded = { status: [200], token: true }
const me = known.find(({ id }) => id === 'W5')
const create = known.find(({ id }) => id === 'W4')
const workloads = [
  { ...me, id: 'S1', name: 'me' },
  {
    ...guarded,
    id: 'S2',
    name: 'one record',
    path: `${posts}/${knownId}`,
    check: ({ data }) => data.id === knownId,
  },
  {
    ...guarded,
    id: 'S3',
    name: 'page of 20',
    path: `${posts}?page=1&limit=20`,
    check: ({ data }) => data.length === 20,
  },
  { ...create, id: 'S4', name: 'create', check: ({ data }) => data.title === valid.title },
]

const options = readOptions({ contenders: { [name]: databaseContenders[name] }, workloads })
const database = await startDatabase()
await mongoose.connect(process.env.BENCHMARK_DATABASE, { dbName: databaseName })
await fill()
const [token] = await mintTokens(name)
const load = startLoad()
const server = await startServer(name, { node: options.node })
const result = { ...describeRun(options), rows: [] }
try {
  await verifyAll(server, workloads, { token, contender: {} })
  for (const workload of [...workloads, ...workloads]) await run(workload)
  for (const workload of options.workloads) result.rows.push(await measure(workload))
} finally {
  for (const process of [server, load, database]) await process.stop()
  await mongoose.disconnect()
}
publish(result, { options, prefix: 'share-', toMarkdown })
if (result.rows.some(({ shares }) => shares.framework > most)) process.exitCode = 1

function run(workload) {
  return measureOnce(load, server, {
    workload,
    token,
    ms: options.ms,
    asksDatabase: true,
    databasePid: database.pid,
  })
}

// What it costs is measured without the profiler.
async function measure(workload) {
  const costs = []
  for (let round = 0; round < options.rounds; round++) costs.push(await run(workload))
  await server.startProfile()
  for (let round = 0; round < options.rounds; round++) await run(workload)
  const ofProcess = attribute(await server.stopProfile())
  process.stderr.write(`${workload.id} ${workload.name}\n`)
  const micros = median(costs.map((one) => one.cpuMicros))
  const ofDatabase = median(costs.map((one) => one.databaseMicros))
  const all = micros + ofDatabase
  const shares = { database: ofDatabase / all }
  for (const [owner, share] of Object.entries(ofProcess)) shares[owner] = (share * micros) / all
  return { id: workload.id, name: workload.name, micros, database: ofDatabase, shares }
}

function toMarkdown({ rows, ...about }) {
  const owners = Object.keys(rows[0].shares)
  const head = ['', 'CPU µs of the service', 'of the database', ...owners.map((one) => `${one} %`)]
  const lines = rows.map(({ id, name: title, micros, database: other, shares }) => [
    `${id} ${title}`,
    micros.toFixed(0),
    other.toFixed(0),
    ...owners.map((owner) => (shares[owner] * 100).toFixed(1)),
  ])
  return `# The framework's share, Node ${about.node}

${describe(about)}
Each request reads session and user from the embedded database, then its records. The CPU time of both
processes is the request's; that of the service is divided by a profile: each sample belongs to the
nearest frame of somebody. \`driver\` is Mongoose with MongoDB's driver, \`framework\` is @create-api/core with
Express and its packages, \`http\` is Node's own with its writes to sockets, \`node\` the rest of Node. The
collector is spread over all.

${table(head, lines)}
\`framework\` has to stay under ${most * 100} %.
`
}
