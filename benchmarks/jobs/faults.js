// @ts-check
// What queues do while their workers are killed and suspended, and have clocks that differ by minutes.
// Usage: node benchmarks/jobs/faults.js [faults] [ours|agenda|bullmq] (build the packages first; redis-server must be installed)
import { fork } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startDatabase, startRedis } from './servers.js'

process.env['NODE_ENV'] = 'production'
const faults = Number(process.argv[2] ?? 200)
const only = process.argv[3]
const minute = 60_000
const skews = [0, 7 * minute, -11 * minute]
const lease = 1000
const patience = 60_000

console.log(`| Queue | Jobs | Lost | Run more than once | Started while another process ran it | Written after another had taken over |
| --- | --: | --: | --: | --: | --: |`)
for (const [title, name, start] of [
  ['`@create-api/jobs`', 'ours', startDatabase],
  ['Agenda', 'agenda', startDatabase],
  ['BullMQ', 'bullmq', startRedis],
]) {
  const isChosen = only === undefined || only === name
  if (isChosen && typeof start === 'function') {
    console.log(await measure(String(title), String(name), start))
  }
}
process.exit()

/** @typedef {{ child: import('node:child_process').ChildProcess, running: Set<number>, isSuspended: boolean }} Worker */

/** @param {string} title @param {string} name @param {typeof startRedis} start */
async function measure(title, name, start) {
  const server = await start()
  /** @type {Set<number>} */
  const [added, done, repeated] = [new Set(), new Set(), new Set()]
  /** @type {Map<number, Worker>} */
  const owners = new Map()
  let [overlaps, stale] = [0, 0]
  /** @type {Worker[]} */
  let workers = []
  /** @type {{ open: import('./queues/queue.d.ts').OpenQueue }} */
  const { open } = await import(`./queues/${name}.js`)
  const queue = await open({ url: server.url, concurrency: 1, run() {} })
  for (const skew of skews) await addWorker(skew)
  let isAdding = true
  const adding = (async () => {
    for (let n = 0; isAdding; n += 1) {
      await queue.add(n)
      added.add(n)
      await sleep(25)
    }
  })()
  for (let fault = 0; fault < faults; fault += 1) {
    await sleep(randomInt(50, 400))
    const worker = workers[randomInt(workers.length)]
    if (!worker) throw new Error('no worker')
    if (fault % 3 === 0) await suspend(worker)
    else await replace(worker, skews[fault % skews.length] ?? 0)
  }
  isAdding = false
  await adding
  const deadline = performance.now() + patience
  while (done.size < added.size && performance.now() < deadline) await sleep(100)
  for (const { child } of workers) child.kill('SIGKILL')
  await server.stop()
  const cells = [added.size, added.size - done.size, repeated.size, overlaps, stale]
  return `| ${[title, ...cells].join(' | ')} |`

  /** @param {number} skew */
  async function addWorker(skew) {
    const script = path.join(import.meta.dirname, 'faults-worker.js')
    const child = fork(script, [name, server.url, String(lease), String(skew)])
    /** @type {Worker} */
    const worker = { child, running: new Set(), isSuspended: false }
    child.on('message', (/** @type {any} */ { started, wrote }) => {
      if (started !== undefined) onStart(worker, started)
      if (wrote !== undefined) onWrite(worker, wrote)
    })
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`A worker has ended with ${code}.`)
    })
    await Promise.race([once(child, 'message'), ended])
    ended.catch(() => {})
    workers = [...workers, worker]
  }

  /** @param {Worker} worker @param {number} n */
  function onStart(worker, n) {
    const owner = owners.get(n)
    if (owner) repeated.add(n)
    const isAlive = owner && workers.includes(owner) && !owner.isSuspended
    if (isAlive && owner !== worker && owner.running.has(n)) overlaps += 1
    owners.set(n, worker)
    worker.running.add(n)
  }

  /** @param {Worker} worker @param {number} n */
  function onWrite(worker, n) {
    worker.running.delete(n)
    if (owners.get(n) !== worker) stale += 1
    done.add(n)
  }

  /** @param {Worker} worker @param {number} skew */
  async function replace(worker, skew) {
    workers = workers.filter((one) => one !== worker)
    worker.child.kill('SIGKILL')
    await addWorker(skew)
  }

  // For longer than a lease.
  /** @param {Worker} worker */
  async function suspend(worker) {
    worker.isSuspended = true
    worker.child.kill('SIGSTOP')
    await sleep(2.5 * lease)
    worker.child.kill('SIGCONT')
    await sleep(50)
    worker.isSuspended = false
  }
}
