// The results of the HTTP benchmark as Markdown: medians of paired ratios, geometric means over the
// workloads.
import { describe } from './machine.js'
import { median, ratioTable, show, table, unique, valueTable } from './tables.js'

const peers = [
  'express-hand',
  'express-key',
  'ultimate-express',
  'fastify',
  'nest-fastify',
  'raw-full',
]

/** The whole report. */
export function toMarkdown(result) {
  const { samples } = result
  const names = unique(samples, 'name')
  return [
    `# HTTP benchmark, Node ${result.node}\n\n${describe(result)}`,
    `## CPU microseconds per request\n\n${valueTable(samples, 'cpuMicros', 0)}`,
    ...ratioTables(samples, names),
    `## Requests per second\n\n${valueTable(samples, 'perSecond', 0)}`,
    `## 99th percentile of latency, milliseconds\n\n${valueTable(samples, 'p99', 1)}`,
    `## Memory and start-up\n\n${resources(result, names)}`,
  ].join('\n')
}

function ratioTables(samples, names) {
  const ours = names.filter((name) => name.startsWith('ours'))
  const present = peers.filter((peer) => names.includes(peer))
  const peersOf = (name) => (name === 'ours-strict' ? [...present, 'fastify-strict'] : present)
  return [
    ['cpuMicros', 'Requests per CPU-second, as a multiple'],
    ['perSecond', 'Requests per second, as a multiple'],
  ].flatMap(([field, title]) =>
    ours.map(
      (name) =>
        `## ${name}: ${title}\n\n${ratioTable(samples, { name, peers: peersOf(name), field })}`,
    ),
  )
}

function resources({ memory, startUp }, names) {
  return table(
    ['', 'idle MB', 'after load MB', 'start-up ms'],
    names.map((name) => [
      name,
      show(memory[name]?.idle, 0),
      show(memory[name]?.loaded, 0),
      show(median(startUp[name] ?? []), 0),
    ]),
  )
}
