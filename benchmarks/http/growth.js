// What a request costs when there is more of something: routes, connections, bytes, records, tokens.
// node http/growth.js
import { contenders } from './contenders.js'
import { findPosts, postIds } from './fixtures.js'
import { describe, describeRun } from './machine.js'
import { readOptions } from './options.js'
import { mintTokens, readMemory, startDatabase, startLoad, startServer } from './processes.js'
import { publish } from './publish.js'
import { interleave, measureOnce, verifyAll } from './rounds.js'
import { median, show, table, unique } from './tables.js'
import { valid, workloads as all } from './workloads.js'

const chosen = ['ours', 'ours-no-cache', 'express-key', 'fastify']
const [, record, page, create, me] = all

// Each as workloads that differ in one thing.
const subjects = [
  {
    id: 'routes',
    title: 'Routes: the last of them is asked for',
    steps: [5, 200, 2000].map((count) => ({
      ...record,
      step: count,
      extra: count === 5 ? 0 : count / 5,
      path: count === 5 ? record.path : `/api/res${count / 5 - 1}/${postIds[7]}`,
    })),
  },
  {
    id: 'connections',
    title: 'Connections, each with a request on its way: one record',
    steps: [10, 100, 1000, 10_000].map((count) => ({ ...record, step: count, connections: count })),
  },
  {
    id: 'body',
    title: 'Bytes of the body: create, JWT',
    steps: [100, 1000, 10_000, 90_000].map((length) => toCreate(length)),
  },
  {
    id: 'list',
    title: 'Records of the list',
    steps: [1, 10, 100].map((limit) => ({
      ...page,
      step: limit,
      path: `/api/posts?page=1&limit=${limit}`,
      check: ({ data }) => data.length === findPosts({ page: 1, limit }).data.length,
    })),
  },
  {
    id: 'tokens',
    title: 'Different tokens, in turn: me',
    steps: [1, 1000, 4000, 20_000].map((count) => ({ ...me, step: count, tokens: count })),
  },
]

// Long enough for the compiler of a fresh process.
const warmUpMs = 1500

const options = readOptions({
  contenders: Object.fromEntries(chosen.map((name) => [name, contenders[name]])),
  workloads: subjects,
  rounds: 3,
})
const most = Math.max(...subjects.at(-1).steps.map(({ tokens }) => tokens))
const database = await startDatabase()
const tokens = {}
for (const name of options.names) tokens[name] = await mintTokens(name, most)
const load = startLoad()
const result = { ...describeRun(options), connections: undefined, samples: [] }
try {
  for (const subject of options.workloads) {
    for (const workload of subject.steps) await measureStep(subject.id, workload)
  }
} finally {
  await load.stop()
  await database.stop()
}
publish(result, { options, prefix: 'growth-', toMarkdown })

function toCreate(length) {
  const body = { ...valid, body: 'x'.repeat(length) }
  return {
    ...create,
    step: Buffer.byteLength(JSON.stringify(body)),
    body,
    check: ({ data }) => data.body.length === length,
  }
}

// Without tokens there is no cache of them to do without.
function takesPart(name, subject) {
  return name !== 'ours-no-cache' || subject === 'tokens'
}

// In fresh processes, so that no step finds the memory of the one before.
async function measureStep(subject, workload) {
  const { step, extra = 0, connections, tokens: count = 1 } = workload
  const { ms, rounds, node } = options
  const servers = []
  try {
    for (const name of options.names) {
      if (takesPart(name, subject)) servers.push(await startServer(name, { extra, node }))
    }
    const toTask = ({ name }) => {
      return { workload, token: tokens[name].slice(0, count), ms, connections }
    }
    for (const server of servers) await verifyAll(server, [workload], toTask(server))
    for (const server of servers) {
      await measureOnce(load, server, { ...toTask(server), ms: warmUpMs })
    }
    for (const [server, round] of interleave(servers, rounds)) {
      const sample = await measureOnce(load, server, toTask(server))
      const { name } = server
      const memory = readMemory(server.pid)
      result.samples.push({ subject, step, name, round, memory, ...sample })
    }
  } finally {
    for (const server of servers) await server.stop()
  }
  process.stderr.write(`${subject}: ${step}\n`)
}

function toMarkdown({ samples, ...about }) {
  const measured = subjects.filter(({ id }) => samples.some(({ subject }) => subject === id))
  return [
    `# What grows, Node ${about.node}\n\n${describe(about)}`,
    'CPU microseconds of the server per request; the last column is the last figure over the first. Behind them resident memory in MB.\n',
    ...measured.map(({ id, title }) => {
      const own = samples.filter(({ subject }) => subject === id)
      return `## ${title}\n\n${toTable(own)}`
    }),
  ].join('\n')
}

function toTable(samples) {
  const steps = unique(samples, 'step')
  const rows = unique(samples, 'name').map((name) => {
    const of = (field) =>
      steps.map((step) => {
        const own = samples.filter((item) => item.name === name && item.step === step)
        return median(own.map((item) => item[field]))
      })
    const micros = of('cpuMicros')
    const growth = micros.at(-1) / micros[0]
    const cells = micros.map((value) => show(value, 0))
    return [name, ...cells, `× ${show(growth, 2)}`, ...of('memory').map((value) => show(value, 0))]
  })
  const head = ['', ...steps.map(String), 'growth', ...steps.map((step) => `MB at ${step}`)]
  return table(head, rows)
}
