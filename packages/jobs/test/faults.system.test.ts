import { type ChildProcess, fork } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildSync } from 'esbuild'
import mongoose, { type Connection } from 'mongoose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

// JOB_FAULTS=200 is the long form.
const faults = Number(process.env['JOB_FAULTS'] ?? 8)
const minute = 60_000
const skews = [0, 7 * minute, -11 * minute]

// Bundled, because a process that compiles its sources takes seconds to start. Below the package, whose dependencies it imports.
const cache = path.resolve(import.meta.dirname, '../../../node_modules/.cache')
let scripts = ''
let folder = ''
let database: ChildProcess
let uri = ''
let connection: Connection
let workers: ChildProcess[] = []

beforeAll(async () => {
  mkdirSync(cache, { recursive: true })
  scripts = mkdtempSync(path.join(cache, 'job-faults-'))
  folder = mkdtempSync(path.join(tmpdir(), 'job-faults-'))
  buildSync({
    bundle: true,
    // Packages of the repository are bundled from source.
    external: ['mongoose', 'express', 'zod', 'croner', '@create-api/embedded-mongo', '@node-rs/*'],
    platform: 'node',
    format: 'esm',
    banner: {
      js: "import { createRequire as toRequire } from 'node:module'; const require = toRequire(import.meta.url);",
    },
    conditions: ['@create-api/source'],
    entryPoints: [path.join(import.meta.dirname, 'faults/worker.process.ts')],
    outExtension: { '.js': '.mjs' },
    outdir: scripts,
  })
  await startDatabase()
  connection = await mongoose
    .createConnection(uri, { dbName: 'faults', serverSelectionTimeoutMS: 20_000 })
    .asPromise()
})

afterAll(async () => {
  for (const child of workers) child.kill('SIGKILL')
  await connection.close()
  await endDatabase()
  rmSync(scripts, { recursive: true })
  rmSync(folder, { recursive: true })
})

async function startDatabase(): Promise<void> {
  const script = path.join(import.meta.dirname, 'faults/database.process.ts')
  const execArgv = ['--conditions=@create-api/source', '--import', 'tsx']
  database = fork(script, [folder], { execArgv })
  uri = String(await nextMessage(database))
}

async function endDatabase(): Promise<void> {
  database.kill('SIGTERM')
  await once(database, 'exit')
}

async function startWorker(index: number, producing = true): Promise<void> {
  const args = [uri, String(skews[index % skews.length]), producing ? 'yes' : 'no']
  const child = fork(path.join(scripts, 'worker.process.mjs'), args, { execArgv: [] })
  workers = [...workers, child]
  await nextMessage(child)
}

async function nextMessage(child: ChildProcess): Promise<unknown> {
  const [message] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`A process has ended with ${code}.`)
    }),
  ])
  return message
}

async function kill(child: ChildProcess): Promise<void> {
  workers = workers.filter((one) => one !== child)
  child.kill('SIGKILL')
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

// A process that is suspended for longer than its lease, and then goes on.
async function suspend(child: ChildProcess): Promise<void> {
  child.kill('SIGSTOP')
  await sleep(1500)
  child.kill('SIGCONT')
}

async function restartDatabase(): Promise<void> {
  await endDatabase()
  await sleep(randomInt(500))
  await startDatabase()
}

async function cause(fault: number): Promise<string> {
  const index = randomInt(workers.length)
  const child = workers[index]
  if (!child) throw new Error('no worker')
  if (fault % 8 === 5) {
    await restartDatabase()
    return 'restart'
  }
  if (fault % 4 === 2) {
    await suspend(child)
    return 'suspend'
  }
  await kill(child)
  await startWorker(fault)
  return 'kill'
}

const read = <T extends mongoose.mongo.Document>(name: string): Promise<T[]> =>
  connection.collection<T>(name).find().toArray() as Promise<T[]>

async function waitUntilEmpty(): Promise<void> {
  const open = { state: { $in: ['waiting', 'blocked', 'running'] } }
  const deadline = performance.now() + 60_000
  for (;;) {
    const jobs = await connection.collection('queue_jobs').countDocuments(open)
    const events = await connection.collection('outbox_events').countDocuments({ state: 'new' })
    if (jobs + events === 0) return
    if (performance.now() > deadline) {
      const left = await connection.collection('queue_jobs').find(open).limit(10).toArray()
      throw new Error(`${jobs} jobs and ${events} events are left: ${JSON.stringify(left)}`)
    }
    await sleep(100)
  }
}

describe('while processes are killed and suspended, and the database restarts', () => {
  it(
    `runs what was committed, in order, and nothing else (${faults} faults)`,
    { timeout: 300_000 + faults * 10_000 },
    async () => {
      await Promise.all(skews.map((_skew, index) => startWorker(index)))
      const caused: string[] = []
      for (let fault = 0; fault < faults; fault++) {
        await sleep(randomInt(50, 600))
        caused.push(await cause(fault))
      }
      await Promise.all(workers.map(kill))
      await startWorker(1, false)
      await waitUntilEmpty()
      expect(caused).toHaveLength(faults)
      await expectAll()
      process.stdout.write(`${await describeRun(caused)}\n`)
    },
  )
})

async function expectAll(): Promise<void> {
  const changes = await read<{ n: string }>('changes')
  const results = await read<{ n: string; attempt: number }>('results')
  const sort = (names: readonly { n: string }[]): string[] =>
    names.map(({ n }) => n).toSorted((a, b) => a.localeCompare(b))
  expect(changes.length).toBeGreaterThan(faults)
  // None is lost, none is there twice, none is from a transaction that was aborted.
  expect(sort(results)).toEqual(sort(changes))
  const counters = await read<{ _id: string; last: number }>('counters')
  const streams = await read<{ _id: string; seen: number[] }>('streams')
  expect(Object.fromEntries(streams.map(({ _id, seen }) => [_id, seen]))).toEqual(
    Object.fromEntries(
      counters.map(({ _id, last }) => [_id, Array.from({ length: last }, (_, n) => n + 1)]),
    ),
  )
  expect(await read('violations')).toEqual([])
  // A job that is started again has another number.
  const starts = await read<{ id: string; attempt: number }>('starts')
  const numbers = starts.map(({ attempt, id }) => `${id} ${attempt}`)
  expect(new Set(numbers).size).toBe(numbers.length)
  const dead = await connection.collection('queue_jobs').countDocuments({ state: { $ne: 'done' } })
  expect(dead).toBe(0)
}

async function describeRun(caused: readonly string[]): Promise<string> {
  const count = (kind: string): number => caused.filter((one) => one === kind).length
  const jobs = await connection.collection('queue_jobs').countDocuments()
  const again = await connection.collection('queue_jobs').countDocuments({ attempt: { $gt: 1 } })
  return `${count('kill')} kills, ${count('suspend')} suspensions, ${count('restart')} restarts: ${jobs} jobs, ${again} with more than one attempt`
}
