// The same failures with our migrations, migrate-mongo and umzug: node benchmarks/migrations/run.js [--rounds 5]
// Prints the table of docs/migrations.md. Needs `npm run build` and `npm ci --prefix benchmarks`.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import mongoose from 'mongoose'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } })
const rounds = Number(values.rounds)
const child = path.join(import.meta.dirname, 'child.js')
// Packages are found from here.
const home = path.join(import.meta.dirname, '../node_modules/.cache-')

const contenders = {
  ours: { tool: 'ours', lock: 'default', short: 1 },
  'migrate-mongo': { tool: 'migrate-mongo', lock: 'default', short: 'default' },
  'migrate-mongo, lockTtl': { tool: 'migrate-mongo', lock: 60, short: 1 },
  umzug: { tool: 'umzug', lock: 'default', short: 'default' },
}

// 600 documents in batches of 20, each of which takes a while.
const counting = {
  ours: `import { defineMigration, updateInBatches } from '@create-api/core/migrations'
export default defineMigration({
  up: updateInBatches({
    collection: 'posts',
    size: 20,
    change(document) {
      if (document.number % 20 === 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30)
      return { $inc: { changes: 1 } }
    },
  }),
})
`,
  'migrate-mongo': toLoop('db'),
  umzug: toLoop('db'),
}

function toLoop(argument) {
  return `export async function up(${argument}) {
  const posts = db.collection('posts')
  let ids = []
  for await (const { _id } of posts.find().sort({ _id: 1 })) {
    ids.push(_id)
    if (ids.length < 20) continue
    await new Promise((done) => setTimeout(done, 30))
    await posts.updateMany({ _id: { $in: ids } }, { $inc: { changes: 1 } })
    ids = []
  }
}
export async function down() {}
`
}

const scenarios = {
  'two processes at once': (run) =>
    repeat(run, async ({ start, outcome }) => {
      await Promise.all([start(), start()].map(({ result }) => result))
      return outcome()
    }),
  'killed in the middle, then run again': (run) =>
    repeat(run, async ({ countOnce, outcome, short, start }) => {
      const killed = start(short)
      await countOnce()
      killed.process.kill('SIGKILL')
      const { failed } = await start(short).result
      return failed === undefined ? outcome() : `refused: ${failed}`
    }),
  'suspended for longer than the lock': (run) =>
    repeat(run, async ({ countOnce, outcome, short, start }) => {
      const suspended = start(short)
      await countOnce()
      suspended.process.kill('SIGSTOP')
      await sleep(2500)
      const next = start(short)
      const { failed } = await next.result
      suspended.process.kill('SIGCONT')
      await suspended.result
      return failed === undefined ? outcome() : `refused: ${failed}`
    }),
  'a file was edited after it was applied': (run) =>
    afterFirst(run, ({ file, source }) => writeFileSync(file, `${source}// edited\n`)),
  'a file that was applied is missing': (run) =>
    afterFirst(run, ({ file }) => renameSync(file, `${file}.away`)),
  'a file is older than what was applied': (run) =>
    afterFirst(run, ({ directory, source }) =>
      writeFileSync(path.join(directory, '20200101000000-older.js'), source),
    ),
  'two files of the same time': (run) =>
    afterFirst(run, ({ directory, source }) =>
      writeFileSync(path.join(directory, '20260101000000-twin.js'), source),
    ),
}

const embedded = await startEmbeddedMongo({
  storage: { memory: true },
  port: 0,
  ttlIntervalMs: 200,
  onMessage: () => {},
})
const rows = []
for (const [title, scenario] of Object.entries(scenarios)) {
  const cells = []
  for (const contender of Object.values(contenders)) cells.push(await scenario(contender))
  rows.push([title, ...cells])
  process.stderr.write(`${title}: ${cells.join(' | ')}\n`)
}
const heading = ['', ...Object.keys(contenders)]
for (const row of [heading, heading.map(() => '---'), ...rows]) {
  process.stdout.write(`| ${row.join(' | ')} |\n`)
}
await embedded.stop()

// How often each result was seen.
async function repeat(contender, work) {
  const counts = new Map()
  for (let round = 0; round < rounds; round += 1) {
    const result = await inDatabase(contender, work)
    counts.set(result, (counts.get(result) ?? 0) + 1)
  }
  return [...counts].map(([result, count]) => `${result} (${count} of ${rounds})`).join('; ')
}

async function afterFirst(contender, change) {
  return inDatabase(contender, async (run) => {
    const first = await run.start().result
    if (first.failed !== undefined) throw new Error(first.failed)
    change(run)
    const { failed } = await run.start().result
    if (failed !== undefined) return 'refused, with the fix'
    const done = await run.outcome()
    return done === 'each document once' ? 'ignored' : 'applied'
  })
}

async function inDatabase({ lock, short, tool }, work) {
  const directory = mkdtempSync(home)
  const name = `compared_${path.basename(directory).replaceAll(/\W/g, '')}`
  const file = path.join(directory, '20260101000000-count.js')
  const source = counting[tool]
  writeFileSync(file, source)
  const connection = await mongoose.createConnection(embedded.uri, { dbName: name }).asPromise()
  const posts = connection.collection('posts')
  await posts.insertMany(Array.from({ length: 600 }, (_, number) => ({ number })))
  const processes = []
  try {
    return await work({
      directory,
      file,
      source,
      short,
      start(seconds = lock) {
        const args = [tool, embedded.uri, name, directory, String(seconds)]
        const started = fork(child, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
        processes.push(started)
        const result = Promise.race([
          once(started, 'message').then(([message]) => message),
          once(started, 'exit').then(([code]) => ({ failed: `exit ${code}` })),
        ])
        return { process: started, result }
      },
      async countOnce() {
        const deadline = Date.now() + 20_000
        while (Date.now() < deadline && (await posts.countDocuments({ changes: 1 })) < 100)
          await sleep(20)
      },
      async outcome() {
        const twice = await posts.countDocuments({ changes: { $gt: 1 } })
        const never = await posts.countDocuments({ changes: { $exists: false } })
        if (twice === 0 && never === 0) return 'each document once'
        return [twice > 0 && 'documents changed twice', never > 0 && 'documents left out']
          .filter(Boolean)
          .join(', ')
      },
    })
  } finally {
    for (const started of processes) started.kill('SIGKILL')
    await connection.close()
    rmSync(directory, { recursive: true, force: true })
  }
}
