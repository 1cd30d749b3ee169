// What each part of the framework adds to a request: node http/ladder.js
// Each rung of contenders/ladder.js is measured in three processes, in interleaved rounds.
import { contenders } from './contenders.js'
import { rungs } from './contenders/ladder.js'
import { bundleInternals } from './internals.js'
import { describe, describeRun } from './machine.js'
import { readOptions } from './options.js'
import { startLoad, startServer } from './processes.js'
import { publish } from './publish.js'
import { interleave, measureOnce } from './rounds.js'
import { median, show, table } from './tables.js'
import { workloads } from './workloads.js'

const processes = 3
const options = readOptions({ contenders, workloads, rounds: 20, ms: 60 })
const [get, valid, invalid] = ['W2', 'W4', 'W7'].map((id) => {
  const { token: _token, ...workload } = workloads.find((item) => item.id === id)
  return { ...workload, status: [200, 201, 422] }
})
await bundleInternals()
const load = startLoad()
const servers = []
try {
  for (const index of rungs.keys()) {
    for (let count = 0; count < processes; count++) {
      const server = await startServer('ladder', { extra: index, node: options.node })
      servers.push({ ...server, index })
    }
  }
  for (let pass = 0; pass < 2; pass++) for (const server of servers) await measure(server, 300)
  const samples = []
  for (const [server, round] of interleave(servers, options.rounds)) {
    const { cpuMicros } = await measure(server, options.ms)
    samples.push({ rung: server.index, pid: server.pid, round, cpuMicros })
  }
  const result = { ...describeRun(options), samples }
  publish(result, { options, prefix: 'ladder-', toMarkdown })
} finally {
  for (const process of [...servers, load]) await process.stop()
}

function measure(server, ms) {
  const workload = server.index < 16 ? get : server.index < 19 ? valid : invalid
  return measureOnce(load, server, { workload, warmMs: 30, ms })
}

function toMarkdown(result) {
  const costs = rungs.map((_name, index) => {
    const own = result.samples.filter(({ rung }) => rung === index)
    const pids = [...new Set(own.map(({ pid }) => pid))]
    return pids.map((pid) =>
      median(own.filter((item) => item.pid === pid).map(({ cpuMicros }) => cpuMicros)),
    )
  })
  const rows = rungs.map((name, index) => {
    const cost = median(costs[index])
    const before = index === 0 || index === 16 ? undefined : median(costs[index - 1])
    return [
      `${index + 1} ${name}`,
      show(cost, 1),
      before === undefined ? '' : show(cost - before, 1),
      costs[index].map((value) => show(value, 1)).join(', '),
    ]
  })
  return `# The ladder, Node ${result.node}

${describe(result)}
CPU microseconds of the server per request. Each rung has everything of those before it; those from 17 on are POST
requests with a body of 383 B to the server of rung 16.

${table(['rung', 'µs', 'more than before', `of ${processes} processes`], rows)}`
}
