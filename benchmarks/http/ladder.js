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
  const processesOf = (index) => {
    const own = result.samples.filter(({ rung }) => rung === index)
    const pids = [...new Set(own.map(({ pid }) => pid))]
    return pids.map((pid) => own.filter((item) => item.pid === pid))
  }
  const all = rungs.map((_name, index) => processesOf(index))
  const rows = rungs.map((name, index) => {
    const costs = all[index].map((samples) => median(samples.map(({ cpuMicros }) => cpuMicros)))
    // The first POST is another request than those before it.
    const more =
      index === 0 || index === 16 ? '' : show(toDifference(all[index - 1], all[index]), 1)
    const each = costs.map((value) => show(value, 1)).join(', ')
    return [`${index + 1} ${name}`, show(median(costs), 1), more, each]
  })
  return `# The ladder, Node ${result.node}

${describe(result)}
CPU microseconds of the server per request. Each rung has everything of those before it; those from 17 on are POST
requests with a body of 383 B to the server of rung 16. Differences are medians of those within one round.

${table(['rung', 'µs', 'more than before', `of ${processes} processes`], rows)}`
}

function toDifference(before, after) {
  const pairs = after.flatMap((samples, process) =>
    samples.map(({ cpuMicros }, round) => cpuMicros - before[process][round].cpuMicros),
  )
  return median(pairs)
}
