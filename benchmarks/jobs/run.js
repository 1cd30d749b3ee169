// @ts-check
// Compares the queue with BullMQ and Agenda: time and CPU time of adding and running jobs, and the time until a job starts.
// Usage: node benchmarks/jobs/run.js [jobs] [ours|agenda|bullmq] (build the packages first; redis-server must be installed)
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { cpus, loadavg } from 'node:os'
import path from 'node:path'
import { readCpu, startDatabase, startRedis } from './servers.js'

const count = Number(process.argv[2] ?? 50_000)
const only = process.argv[3]
console.log(`# Jobs

\`node benchmarks/jobs/run.js ${count}\`

${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model.trim()}, load ${loadavg()[0]?.toFixed(1)} before
the run. ${count} jobs that do nothing, added by 50 calls at once and run by one process with a concurrency of 50. The embedded database, in
memory, and Redis, without persistence, are other processes. "Start" is the time from the call that adds a job until it runs, on an
idle worker.

| Queue | Jobs added a second | CPU of a job, process + server | Jobs run a second | CPU of a job, process + server | Start, median | Start, 99th percentile |
| --- | --: | --: | --: | --: | --: | --: |`)
for (const [title, queue, start] of [
  ['`@create-api/jobs`', 'ours', startDatabase],
  ['Agenda', 'agenda', startDatabase],
  ['BullMQ', 'bullmq', startRedis],
]) {
  const isChosen = only === undefined || only === queue
  if (isChosen && typeof start === 'function') {
    console.log(await measure(String(title), String(queue), start))
  }
}

/** @param {string} title @param {string} queue @param {typeof startRedis} start */
async function measure(title, queue, start) {
  const server = await start()
  const worker = fork(
    path.join(import.meta.dirname, 'worker.js'),
    [queue, server.url, String(count)],
    { env: { ...process.env, NODE_ENV: 'production' } },
  )
  let used = readCpu(server.pid)
  const result = await new Promise((resolve, reject) => {
    worker.once('exit', (code) => reject(new Error(`${queue} ended with ${code}`)))
    worker.on('message', (/** @type {any} */ message) => {
      if ('phase' in message) {
        const now = readCpu(server.pid)
        worker.send(now - used)
        used = now
      } else resolve(message)
    })
  })
  await once(worker, 'exit')
  await server.stop()
  const { added, latency, ran } = result
  const times = [latency.median, latency.p99].map((ms) => `${ms.toFixed(1)} ms`)
  return `| ${[title, ...toCells(added), ...toCells(ran), ...times].join(' | ')} |`
}

/** @param {{ seconds: number, cpu: number, server: number }} phase */
function toCells({ cpu, seconds, server }) {
  const rate = Math.round(count / seconds).toLocaleString('en')
  return [rate, `${toMicros(cpu)} + ${toMicros(server)} µs`]
}

/** @param {number} seconds */
function toMicros(seconds) {
  return Math.round((seconds / count) * 1e6)
}
