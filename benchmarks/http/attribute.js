// Whose time it was: the samples of a CPU profile by the nearest frame that belongs to somebody.

const driver = /node_modules\/(mongodb|mongoose|bson|kareem|mquery|mpath|sift)\//
const application = /benchmarks\/http\/contenders\//
const http = /^node:(_http|internal\/http)/
const framework = /packages\/core\/|node_modules\//

/**
 * Sums the samples of a profile.
 * @param profile - of the inspector's Profiler
 * @returns the shares of all time that was not idle, without the collector, of whose work the
 * profile does not say for whom it was: `driver` (with Mongoose), `application`, `framework` (with
 * Express and its packages), `http` (Node's own, with its writes), `node` (the rest of Node: sockets,
 * ticks, native code)
 */
export function attribute({ nodes, samples, timeDeltas }) {
  const parents = new Map()
  const byId = new Map(nodes.map((node) => [node.id, node]))
  for (const { id, children = [] } of nodes) for (const child of children) parents.set(child, id)
  const owners = new Map()
  const find = (id) => {
    if (!owners.has(id)) owners.set(id, toOwner(byId.get(id)) ?? find(parents.get(id)))
    return owners.get(id)
  }
  const sums = { driver: 0, application: 0, framework: 0, http: 0, node: 0, nobody: 0 }
  for (const [index, id] of samples.entries()) sums[find(id)] += timeDeltas[index]
  const { nobody: _nobody, ...known } = sums
  const total = Object.values(known).reduce((sum, value) => sum + value, 0)
  return Object.fromEntries(Object.entries(known).map(([name, value]) => [name, value / total]))
}

function toOwner({ callFrame: { functionName, url } }) {
  if (isNobody(functionName, url)) return 'nobody'
  if (functionName === '(root)' || functionName === '(program)') return 'node'
  if (driver.test(url)) return 'driver'
  if (application.test(url)) return 'application'
  if (http.test(url)) return 'http'
  return framework.test(url) ? 'framework' : undefined
}

function isNobody(functionName, url) {
  // The last is the profiler's own.
  return (
    functionName === '(idle)' ||
    functionName === '(garbage collector)' ||
    (functionName === 'dispatch' && url === '')
  )
}
