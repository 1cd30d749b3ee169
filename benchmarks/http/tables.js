// Figures from samples, and tables of them.

/** The middle value. */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** The mean of ratios. */
export function geometricMean(values) {
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
    // The peer takes no part in this workload.
    if (others.length === 0) continue
    const pairs = of(name, id).map((item, round) => [item[field], others[round]?.[field]])
    const values = pairs.map(([a, b]) => (field === 'cpuMicros' ? b / a : a / b))
    ratios[id] = median(values)
  }
  const all = Object.values(ratios)
  return { ...ratios, mean: geometricMean(all), least: Math.min(...all) }
}

/** A figure; none for a contender that takes no part in a workload, or in none. */
export function show(value, digits) {
  return Number.isFinite(value) ? value.toFixed(digits) : ''
}

/** A table; the first column holds names, the others figures. */
export function table(head, rows) {
  const align = head.map((_cell, index) => (index === 0 ? '---' : '--:'))
  return [head, align, ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('')
}

/**
 * The median of a field for each contender and workload.
 * @param samples - what was measured
 * @param field - `cpuMicros`, `perSecond`, `p50` or `p99`
 * @param digits - behind the point
 */
export function valueTable(samples, field, digits) {
  const ids = unique(samples, 'workload')
  const rows = unique(samples, 'name').map((name) => {
    const own = samples.filter((item) => item.name === name)
    const cells = ids.map((id) => own.filter((item) => item.workload === id))
    return [name, ...cells.map((items) => show(median(items.map((item) => item[field])), digits))]
  })
  return table(['', ...ids], rows)
}

/**
 * How much more one contender serves than each of its peers.
 * @param samples - what was measured
 * @param options - the contender, its peers and the field
 */
export function ratioTable(samples, { name, peers, field }) {
  const ids = unique(samples, 'workload')
  const rows = peers.map((peer) => {
    const ratios = toRatios(samples, { name, peer, field })
    return [peer, ...[...ids, 'mean', 'least'].map((id) => show(ratios[id], 2))]
  })
  return table(['of', ...ids, 'geometric mean', 'least'], rows)
}

/** The different values of a field, in the order of their first. */
export function unique(samples, field) {
  return [...new Set(samples.map((item) => item[field]))]
}
