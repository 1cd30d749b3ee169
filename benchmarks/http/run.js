// The benchmark: verifies every answer, then measures in interleaved rounds. See options.js.
import { writeFileSync } from 'node:fs'
import { contenders } from './contenders.js'
import { describeRun } from './machine.js'
import { readOptions } from './options.js'
import { mintToken, readMemory, startDatabase, startLoad, startServer } from './processes.js'
import { toMarkdown } from './report.js'
import { toRequest, verify, workloads as allWorkloads } from './workloads.js'

const options = readOptions()
const database = await startDatabase()
const tokens = {}
for (const name of options.names) tokens[name] = await mintToken(name)
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
finish()

async function measureAll(workloads, extra) {
  const servers = []
  for (const name of options.names)
    servers.push(await startServer(name, { extra, node: options.node }))
  try {
    if (extra === 0) keepMemory(servers, 'idle')
    await verifyAll(servers, workloads)
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

async function verifyAll(servers, workloads) {
  for (const { name, port } of servers) {
    for (const workload of workloads) {
      if (!takesPart(name, workload)) continue
      const fault = await verify(workload, {
        port,
        token: tokens[name],
        contender: contenders[name],
      })
      if (fault) throw new Error(`${name}, ${workload.id}: ${fault}`)
    }
  }
}

// Two passes over the mix, so that no server is optimised for one workload only.
async function warmUp(servers, workloads) {
  for (let pass = 0; pass < 2; pass++) {
    for (const workload of workloads) {
      for (const server of servers) {
        if (takesPart(server.name, workload)) await measure(server, workload)
      }
    }
  }
}

// A B C ... and back C B A ...: whoever disturbs the machine disturbs neighbours alike.
async function measureRounds(servers, workload) {
  for (let round = 0; round < options.rounds; round++) {
    const all = servers.filter(({ name }) => takesPart(name, workload))
    const order = round % 2 === 0 ? all : all.toReversed()
    for (const server of order) {
      const sample = await measure(server, workload)
      if (sample.errors + sample.unexpected > 0) {
        throw new Error(`${server.name}, ${workload.id}: ${JSON.stringify(sample)}`)
      }
      result.samples.push({ workload: workload.id, name: server.name, round, ...sample })
    }
    process.stderr.write(
      `${workload.id} ${workload.name}: round ${round + 1} of ${options.rounds}\n`,
    )
  }
}

function measure(server, workload) {
  const request = toRequest(workload, tokens[server.name])
  return load.measure(server, { request, statuses: workload.status, ms: options.ms })
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

function finish() {
  const json = JSON.stringify(result)
  if (options.json) {
    process.stdout.write(`${json}\n`)
    return
  }
  const markdown = toMarkdown(result)
  process.stdout.write(markdown)
  const major = result.node.split('.')[0].slice(1)
  const name = options.out ?? `node${major}${options.quick ? '-quick' : ''}`
  writeFileSync(new URL(`../results/${name}.json`, import.meta.url), `${json}\n`)
  writeFileSync(new URL(`../results/${name}.md`, import.meta.url), markdown)
}
