// Fails when a workload costs more, against hand-written Express in the same run, than recorded:
// node http/gate.js; with --record it writes the record of this version of Node.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { mintTokens, startDatabase, startLoad, startServer } from './processes.js'
import { median } from './tables.js'
import { interleave, measureOnce, verifyAll } from './rounds.js'
import { workloads as all } from './workloads.js'

// With a KeyObject: what a string secret costs depends on OpenSSL, and moves from run to run.
const [ours, peer] = ['ours', 'express-key']
const least = 0.8
const attempts = 3
const file = new URL('../results/gate.json', import.meta.url)
const major = `node${process.versions.node.split('.')[0]}`
const workloads = all.filter((workload) => !workload.extra)

const database = await startDatabase()
const load = startLoad()
const servers = [await startServer(peer), await startServer(ours)]
const tokens = { [ours]: await mintTokens(ours), [peer]: await mintTokens(peer) }
try {
  await prepare()
  if (process.argv.includes('--record')) await record()
  else await check()
} finally {
  for (const process of [...servers, load, database]) await process.stop()
}

async function prepare() {
  for (const server of servers) await verifyAll(server, workloads, { token: tokens[server.name] })
  for (let pass = 0; pass < 2; pass++) {
    for (const workload of workloads) for (const server of servers) await cost(server, workload)
  }
}

async function cost(server, workload) {
  const task = { workload, token: tokens[server.name], ms: 150 }
  const { cpuMicros } = await measureOnce(load, server, task)
  return cpuMicros
}

// How much more ours serves per CPU-second, the middle of five rounds.
async function ratio(workload) {
  const costs = { [ours]: [], [peer]: [] }
  for (const [server] of interleave(servers, 5)) {
    costs[server.name].push(await cost(server, workload))
  }
  return median(costs[peer].map((value, round) => value / costs[ours][round]))
}

async function record() {
  const known = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  known[major] = {}
  for (const workload of workloads) {
    const ratios = []
    for (let attempt = 0; attempt < attempts; attempt++) ratios.push(await ratio(workload))
    known[major][workload.id] = toHundredths(median(ratios))
  }
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
  const results = []
  for (const workload of workloads) results.push(await checkOne(workload, recorded[workload.id]))
  const failed = results.filter((passed) => !passed).length
  console.log(`${results.length - failed} passed, ${failed} failed`)
  process.exitCode = failed > 0 ? 1 : 0
}

// One disturbed moment is no regression: it fails only when it fails every time.
async function checkOne({ id, name, ...workload }, recorded) {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const found = await ratio({ id, name, ...workload })
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
