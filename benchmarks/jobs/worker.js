// @ts-check
// The process of a queue: adds jobs, runs them, and then adds single ones to an idle worker.
// Usage: node worker.js <queue> <url> <jobs>
import { setTimeout as sleep } from 'node:timers/promises'

const [name, url = '', text = ''] = process.argv.slice(2)
const count = Number(text)
const concurrency = 50
const singles = 500

/** @type {{ open: import('./queues/queue.d.ts').OpenQueue }} */
const { open } = await import(`./queues/${name}.js`)
/** @type {(n: number) => void} */
let onRun = () => {}
const queue = await open({ url, concurrency, run: (n) => onRun(n) })
// The indexes, connections and compiled functions.
for (let n = 0; n < 200; n += 1) await queue.add(-1)

const added = await measure('add', async () => {
  let next = 0
  const add = async () => {
    while (next < count) await queue.add(next++)
  }
  await Promise.all(Array.from({ length: concurrency }, add))
})
const ran = await measure('run', async () => {
  const seen = new Set()
  await new Promise((resolve, reject) => {
    onRun = (n) => {
      if (n < 0) return
      seen.add(n)
      if (seen.size === count) resolve(undefined)
    }
    queue.work().catch(reject)
  })
})
await sleep(2000)
/** @type {number[]} */
const waits = []
for (let n = 0; n < singles; n += 1) {
  const begun = performance.now()
  const started = new Promise((resolve) => {
    onRun = () => resolve(performance.now())
  })
  await queue.add(n)
  waits.push((await started) - begun)
  await sleep(5)
}
waits.sort((a, b) => a - b)
const latency = { median: waits[singles / 2], p99: waits[Math.floor(singles * 0.99)] }
process.send?.({ added, ran, latency })
await queue.close()
process.exit()

/** @param {string} phase @param {() => Promise<void>} work */
async function measure(phase, work) {
  await tell(phase)
  const before = process.cpuUsage()
  const start = performance.now()
  await work()
  const seconds = (performance.now() - start) / 1000
  const { system, user } = process.cpuUsage(before)
  const server = await tell(phase)
  return { seconds, cpu: (system + user) / 1e6, server }
}

// Returns the CPU seconds of the server since the last call.
/** @param {string} phase @returns {Promise<number>} */
function tell(phase) {
  return new Promise((resolve) => {
    process.once('message', (used) => resolve(Number(used)))
    process.send?.({ phase })
  })
}
