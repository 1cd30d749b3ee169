// What a request costs with more routes, connections, bytes, records or tokens.
import { findPosts, postIds } from '../fixtures.js'
import { startServers } from '../processes.js'
import { measureInTurn, verifyAll } from '../rounds.js'
import { valid, workloads } from '../workloads.js'

const [, record, page, create, me] = workloads

// Each as workloads that differ in one thing.
const subjects = [
  {
    id: 'routes',
    title: 'Routes: the last of them is requested',
    steps: [10, 100, 1000, 5000].map((count) => ({
      ...record,
      step: count,
      extra: count / 5,
      path: `/api/res${count / 5 - 1}/${postIds[7]}`,
    })),
  },
  {
    id: 'connections',
    title: 'Connections, each with a request in progress: one record',
    steps: [10, 100, 500, 2000].map((count) => ({
      ...record,
      step: count,
      connections: count,
    })),
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

export const mostTokens = 20_000
const figures = { cpuMicros: 'µs', memory: 'MB' }

/** The tables of requests to contenders without a database. */
export const requests = subjects.map(({ id, title, steps }) => ({
  id,
  title,
  figures,
  async measure(context) {
    const samples = []
    for (const workload of steps) samples.push(...(await measureStep(id, workload, context)))
    return samples
  },
}))

function toCreate(length) {
  const body = { ...valid, body: 'x'.repeat(length) }
  return {
    ...create,
    step: Buffer.byteLength(JSON.stringify(body)),
    body,
    check: ({ data }) => data.body.length === length,
  }
}

// In fresh processes, so that no step finds the memory of the one before.
function measureStep(subject, workload, { options, load, tokens }) {
  const { step, extra, connections, tokens: count = 1 } = workload
  const { names, node, rounds, ms } = options
  // Without tokens there is no cache of them to do without.
  const own = names.filter((name) => name !== 'ours-no-cache' || subject === 'tokens')
  const toTask = ({ name }) => ({
    workload,
    token: tokens[name].slice(0, count),
    ms,
    connections,
  })
  return startServers(own, { extra, node }, async (servers) => {
    for (const server of servers) await verifyAll(server, [workload], toTask(server))
    const samples = await measureInTurn(load, servers, { rounds, toTask })
    return samples.map((sample) => ({ step, ...sample }))
  })
}
