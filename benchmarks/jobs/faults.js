// @ts-check
// What queues do while their workers are killed and suspended, and have clocks that differ by minutes.
// Usage: node benchmarks/jobs/faults.js [faults] [ours|agenda|bullmq] (build the packages first; redis-server must be installed)
import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { startDatabase, startRedis } from './servers.js'
import { Team } from './team.js'

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

/** @param {string} title @param {string} name @param {typeof startRedis} start */
async function measure(title, name, start) {
  const server = await start()
  /** @type {{ open: import('./queues/queue.d.ts').OpenQueue }} */
  const { open } = await import(`./queues/${name}.js`)
  const queue = await open({ url: server.url, concurrency: 1, run() {} })
  const team = new Team([name, server.url, String(lease)])
  for (const skew of skews) await team.add(skew)
  const stop = new AbortController()
  const adding = addJobs(queue, stop.signal)
  for (let fault = 0; fault < faults; fault += 1) {
    await sleep(randomInt(50, 400))
    if (fault % 3 === 0) await team.suspendOne()
    else await team.replaceOne(skews[fault % skews.length] ?? 0)
  }
  stop.abort()
  const added = await adding
  const deadline = performance.now() + patience
  while (team.done.size < added && performance.now() < deadline) await sleep(100)
  team.kill()
  await server.stop()
  const { done, overlaps, repeated, stale } = team
  const cells = [added, added - done.size, repeated.size, overlaps, stale]
  return `| ${[title, ...cells].join(' | ')} |`
}

/** @param {import('./queues/queue.d.ts').Queue} queue @param {AbortSignal} signal */
async function addJobs(queue, signal) {
  let count = 0
  while (!signal.aborted) {
    await queue.add(count)
    count += 1
    await sleep(25)
  }
  return count
}
