// Results as Markdown: medians of paired ratios, geometric means over the workloads.

const peers = ['express-hand', 'express-key', 'fastify', 'nest-fastify', 'raw-full']

/** The middle value. */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

function geometricMean(values) {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length)
}

/**
 * How much more one contender serves than another: in each round, then the median of rounds.
 * @param field - `cpuMicros` for requests per CPU-second, `perSecond` for requests per second
 */
export function toRatios(samples, { name, peer, field }) {
  const own = samples.filter((item) => item.name === name)
  const ids = [...new Set(own.map(({ workload }) => workload))]
  const of = (who, id) => samples.filter((item) => item.name === who && item.workload === id)
  const ratios = {}
  for (const id of ids) {
    const others = of(peer, id)
    const pairs = of(name, id).map((item, round) => [item[field], others[round]?.[field]])
    const values = pairs.map(([a, b]) => (field === 'cpuMicros' ? b / a : a / b))
    ratios[id] = median(values)
  }
  const all = Object.values(ratios)
  return { ...ratios, mean: geometricMean(all), least: Math.min(...all) }
}

// A contender that takes no part in a workload has no figure there.
function show(value, digits) {
  return value === undefined || Number.isNaN(value) ? '' : value.toFixed(digits)
}

function table(head, rows) {
  const align = head.map((_cell, index) => (index === 0 ? '---' : '--:'))
  return [head, align, ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('')
}

/** The whole report. */
export function toMarkdown(result) {
  const { samples } = result
  const names = [...new Set(samples.map(({ name }) => name))]
  const ids = [...new Set(samples.map(({ workload }) => workload))]
  const field = (key, digits) =>
    table(
      ['', ...ids],
      names.map((name) => [
        name,
        ...ids.map((id) => {
          const own = samples.filter((item) => item.name === name && item.workload === id)
          return show(median(own.map((item) => item[key])), digits)
        }),
      ]),
    )
  return [
    `# HTTP benchmark, Node ${result.node}\n\n${describe(result)}`,
    `## CPU microseconds per request\n\n${field('cpuMicros', 0)}`,
    ...ratioTables(samples, names, ids),
    `## Requests per second\n\n${field('perSecond', 0)}`,
    `## 99th percentile of latency, milliseconds\n\n${field('p99', 1)}`,
    `## Memory and start-up\n\n${resources(result, names)}`,
  ].join('\n')
}

function describe({ date, commit, command, machine, rounds, ms, connections, versions }) {
  const list = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  return `${date}, commit ${commit}, \`${command}\`. ${machine.cpu}, ${machine.processors} processors, ${machine.memoryGB} GB, load ${machine.loadBefore.toFixed(1)} before the run; server and load generator ${machine.pinned ? 'pinned to one processor each' : 'not pinned'}; ${rounds} rounds of ${ms} ms, ${connections} connections; no wrong status, no connection error. ${list.join(', ')}.\n`
}

function ratioTables(samples, names, ids) {
  const ours = names.filter((name) => name.startsWith('ours'))
  const present = peers.filter((peer) => names.includes(peer))
  return [
    ['cpuMicros', 'Requests per CPU-second, as a multiple'],
    ['perSecond', 'Requests per second, as a multiple'],
  ].flatMap(([field, title]) =>
    ours.map((name) => {
      const rows = present.map((peer) => {
        const ratios = toRatios(samples, { name, peer, field })
        return [peer, ...[...ids, 'mean', 'least'].map((id) => show(ratios[id], 2))]
      })
      return `## ${name}: ${title}\n\n${table(['of', ...ids, 'geometric mean', 'least'], rows)}`
    }),
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
