// The benchmark: verifies every answer, then measures in interleaved rounds. See options.js.
import { contenders } from './contenders.js'
import { describeRun } from './machine.js'
import { readOptions } from './options.js'
import { mintTokens, readMemory, startDatabase, startLoad, startServer } from './processes.js'
import { publish } from './publish.js'
import { toMarkdown } from './report.js'
import { interleave, measureOnce, verifyAll } from './rounds.js'
import { workloads as allWorkloads } from './workloads.js'

// Many short rounds: a virtual processor can be half as fast for a second or for a minute, and only
// what is measured close together meets the same one.
const options = readOptions({ contenders, workloads: allWorkloads, rounds: 15, ms: 100 })
const warmUpMs = 500
const database = await startDatabase()
const tokens = {}
for (const name of options.names) tokens[name] = await mintTokens(name)
const load = startLoad()
const result = { ...describeRun(options), samples: [], memory: {}, startUp: {} }

// Servers with 200 more routes are others than those without.
for (const extra of [0, 40]) {
  const workloads = options.workloads.filter((workload) => (workload.extra ?? 0) === extra)
  if (workloads.length > 0) await measureAll(workloads, extra)
}
await measureStartUp()
await load.stop()
await database.stop()
publish(result, { options, toMarkdown })

async function measureAll(workloads, extra) {
  const servers = []
  for (const name of options.names)
    servers.push(await startServer(name, { extra, node: options.node }))
  try {
    if (extra === 0) keepMemory(servers, 'idle')
    await verifyEach(servers, workloads)
    await warmUp(
      servers,
      allWorkloads.filter((item) => !item.extra || item.extra === extra),
    )
    for (const workload of workloads) await measureRounds(servers, workload)
    if (extra === 0) keepMemory(servers, 'loaded')
  } finally {
    for (const server of servers) await server.stop()
  }
}

function takesPart(name, { id }) {
  return contenders[name].only?.includes(id) ?? true
}

function keepMemory(servers, state) {
  for (const { name, pid } of servers) {
    result.memory[name] = { ...result.memory[name], [state]: readMemory(pid) }
  }
}

async function verifyEach(servers, workloads) {
  for (const server of servers) {
    const { name } = server
    const own = workloads.filter((workload) => takesPart(name, workload))
    await verifyAll(server, own, { token: tokens[name], contender: contenders[name] })
  }
}

// Two passes over the mix, so that no server is optimised for one workload only.
async function warmUp(servers, workloads) {
  for (let pass = 0; pass < 2; pass++) {
    for (const workload of workloads) {
      for (const server of servers) {
        if (takesPart(server.name, workload)) await measure(server, workload, warmUpMs)
      }
    }
  }
}

async function measureRounds(servers, workload) {
  const all = servers.filter(({ name }) => takesPart(name, workload))
  for (const [server, round] of interleave(all, options.rounds)) {
    const sample = await measure(server, workload)
    result.samples.push({ workload: workload.id, name: server.name, round, ...sample })
  }
  process.stderr.write(`${workload.id} ${workload.name}\n`)
}

function measure(server, workload, ms = options.ms) {
  const { asksDatabase } = contenders[server.name]
  const token = tokens[server.name]
  return measureOnce(load, server, { workload, token, warmMs: 100, ms, asksDatabase })
}

async function measureStartUp() {
  for (let round = 0; round < Math.min(3, options.rounds); round++) {
    for (const name of options.names) {
      const server = await startServer(name, { node: options.node })
      ;(result.startUp[name] ??= []).push(server.startUpMs)
      await server.stop()
    }
  }
}
