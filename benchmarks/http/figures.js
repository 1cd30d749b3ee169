// Writes the figures of docs/performance.md from the results: node http/figures.js
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { median, show, table, toRatios } from './tables.js'

const majors = ['24', '20']
const peers = {
  'express-hand': 'Express by hand, secret as a string',
  'express-key': 'Express by hand, secret as a KeyObject',
  'ultimate-express': 'ultimate-express, secret as a KeyObject',
  fastify: 'Fastify',
  'nest-fastify': 'NestJS on Fastify',
  'raw-full': 'raw node:http, same features',
}
const own = {
  ours: 'stateless, as the peers',
  'ours-no-cache': 'stateless, without the token cache',
  'ours-strict': 'strict, the default: session and user from the database',
  'fastify-strict': 'Fastify by hand with the same two reads, lean by Mongoose',
}
const tokenWorkloads = ['W4', 'W5', 'W7']
const document = new URL('../../docs/performance.md', import.meta.url)

const results = majors.map((major) => read(`node${major}`))
const marked = /(<!-- figures -->\n)[^]*(<!-- end of figures -->)/
const text = readFileSync(document, 'utf8')
writeFileSync(
  document,
  text.replace(marked, (_all, open, close) => `${open}\n${write()}\n${close}`),
)
const { status } = spawnSync('npm', ['run', 'format', '--', 'docs/performance.md'], {
  cwd: new URL('../..', import.meta.url),
  stdio: 'inherit',
})
process.exitCode = status ?? 1

function read(name) {
  const file = new URL(`../results/${name}.json`, import.meta.url)
  if (!existsSync(file))
    throw new Error(`No results/${name}.json: run node benchmarks/http/all.js.`)
  return JSON.parse(readFileSync(file, 'utf8'))
}

function write() {
  const [first] = results
  const { cpu, processors } = first.machine
  const versions = results.map(({ node }) => node).join(' and ')
  return [
    `${cpu}, ${processors} processors, Node ${versions}, commit ${first.commit}. Requests per CPU-second of the server
process, as a multiple of each peer's: geometric mean of the eight workloads, and the least of them.\n`,
    ratios(),
    'What a token costs, in CPU microseconds of the server per request (create, me, invalid body):\n',
    tokens(),
    'From the start of the process to the first response, and resident memory after the load:\n',
    resources(),
  ].join('\n')
}

function ratios() {
  const head = majors.flatMap((major) => [`Node ${major}`, 'least', 'without token cache'])
  const rows = Object.entries(peers).map(([peer, label]) => {
    const cells = results.flatMap(({ samples }) => {
      const [ours, uncached] = ['ours', 'ours-no-cache'].map((name) =>
        toRatios(samples, { name, peer, field: 'cpuMicros' }),
      )
      return [ours.mean, ours.least, uncached.mean]
    })
    return [label, ...cells.map((value) => show(value, 1))]
  })
  return table(['of', ...head], [...rows, ...['express-hand', 'fastify'].map(mounted)])
}

function mounted(peer) {
  const cells = results.flatMap(({ samples }) => {
    const found = toRatios(samples, { name: 'ours-mounted', peer, field: 'cpuMicros' })
    return [show(found.mean, 1), show(found.least, 1), '']
  })
  return [`mounted in an app that owns its server, against ${peers[peer]}`, ...cells]
}

function tokens() {
  const head = majors.flatMap((major) => tokenWorkloads.map((id) => `${id}, Node ${major}`))
  const rows = Object.entries(own).map(([name, label]) => [
    label,
    ...results.flatMap(({ samples }) => tokenWorkloads.map((id) => toCost(samples, name, id))),
  ])
  return table(['', ...head], rows)
}

function toCost(samples, name, id) {
  const found = samples.filter((item) => item.name === name && item.workload === id)
  return show(median(found.map(({ cpuMicros }) => cpuMicros)), 0)
}

function resources() {
  const names = ['ours', 'express-hand', 'fastify', 'nest-fastify']
  const head = majors.flatMap((major) => [`ms, Node ${major}`, 'MB'])
  const rows = names.map((name) => {
    const cells = results.flatMap(({ startUp, memory }) => [
      median(startUp[name] ?? []),
      memory[name]?.loaded,
    ])
    return [name, ...cells.map((value) => show(value, 0))]
  })
  return table(['', ...head], rows)
}
