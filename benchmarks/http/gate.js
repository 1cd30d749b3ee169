// Fails when a workload costs more, against hand-written Express in the same run, than recorded:
// node http/gate.js; with --record it writes the record of this version of Node.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { mintTokens, startDatabase, startLoad, startServer } from './processes.js'
import { interleave, measureOnce, verifyAll } from './rounds.js'
import { median } from './tables.js'
import { workloads } from './workloads.js'

// With a KeyObject: what a string secret costs depends on OpenSSL, and moves from run to run.
const [ours, peer] = ['ours', 'express-key']
// Another machine has another ratio: 0.6 to 1 of the recorded ones were measured for the same code.
const least = 0.6
const attempts = 3
const file = new URL('../results/gate.json', import.meta.url)
const major = `node${process.versions.node.split('.')[0]}`

const database = await startDatabase()
const load = startLoad()
const tokens = { [ours]: await mintTokens(ours), [peer]: await mintTokens(peer) }
try {
  if (process.argv.includes('--record')) await record()
  else await check()
} finally {
  for (const process of [load, database]) await process.stop()
}

// Servers with 200 more routes are others than those without.
async function onEach(visit) {
  const results = []
  for (const extra of [0, 40]) {
    const servers = []
    try {
      for (const name of [peer, ours]) servers.push(await startServer(name, { extra }))
      const own = workloads.filter((workload) => (workload.extra ?? 0) === extra)
      await prepare(servers, own)
      for (const workload of own) results.push(await visit(workload, servers))
    } finally {
      for (const server of servers) await server.stop()
    }
  }
  return results
}

async function prepare(servers, own) {
  for (const server of servers) await verifyAll(server, own, { token: tokens[server.name] })
  // Over the mix, so that no server is optimised for one workload only.
  const mix = [...workloads.filter(({ extra }) => !extra), ...own.filter(({ extra }) => extra)]
  for (let pass = 0; pass < 2; pass++) {
    for (const workload of mix) for (const server of servers) await cost(server, workload)
  }
}

async function cost(server, workload) {
  const task = { workload, token: tokens[server.name], ms: 150 }
  const { cpuMicros } = await measureOnce(load, server, task)
  return cpuMicros
}

// How much more ours serves per CPU-second, the middle of five rounds.
async function ratio(workload, servers) {
  const costs = { [ours]: [], [peer]: [] }
  for (const [server] of interleave(servers, 5)) {
    costs[server.name].push(await cost(server, workload))
  }
  return median(costs[peer].map((value, round) => value / costs[ours][round]))
}

async function record() {
  const known = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  const entries = await onEach(async (workload, servers) => {
    const ratios = []
    for (let attempt = 0; attempt < attempts; attempt++) ratios.push(await ratio(workload, servers))
    return [workload.id, toHundredths(median(ratios))]
  })
  known[major] = Object.fromEntries(entries)
  writeFileSync(file, `${JSON.stringify(known, undefined, 2)}\n`)
  console.log(known[major])
}

async function check() {
  const recorded = JSON.parse(readFileSync(file, 'utf8'))[major]
  if (!recorded) {
    console.log(`no record for ${major}: run with --record`)
    process.exitCode = 1
    return
  }
  const results = await onEach((workload, servers) =>
    checkOne(workload, { servers, recorded: recorded[workload.id] }),
  )
  const failed = results.filter((passed) => !passed).length
  console.log(`${results.length - failed} passed, ${failed} failed`)
  process.exitCode = failed > 0 ? 1 : 0
}

// One disturbed moment is no regression: it fails only when it fails every time.
async function checkOne(workload, { servers, recorded }) {
  const { id, name } = workload
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const found = await ratio(workload, servers)
    const passed = found >= recorded * least
    const verdict = passed ? 'ok' : `under ${least * 100} % of`
    console.log(`${id} ${name}: ${found.toFixed(2)} × ${peer}, ${verdict} (recorded ${recorded})`)
    if (passed) return true
  }
  return false
}

function toHundredths(value) {
  return Math.round(value * 100) / 100
}
