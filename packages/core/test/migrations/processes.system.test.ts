import { type ChildProcess, fork as forkNode } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import path from 'node:path'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import { buildSync } from 'esbuild'
import mongoose, { type Connection, type mongo } from 'mongoose'
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  onTestFinished,
} from 'vitest'
import { forkSource } from '../fork-source.ts'
import { createMigrationFolder } from './migration-folder.ts'

// MIGRATION_ROUNDS=50 and MIGRATION_DOCUMENTS=1000000 are the long form.
const rounds = Number(process.env['MIGRATION_ROUNDS'] ?? 2)
const documentCount = Number(process.env['MIGRATION_DOCUMENTS'] ?? 20_000)
const script = path.join(import.meta.dirname, 'migrate.process.ts')

let embedded: Awaited<ReturnType<typeof startEmbeddedMongo>>
let connection: Connection
let db: mongo.Db

beforeAll(async () => {
  embedded = await startEmbeddedMongo({ storage: { memory: true }, port: 0, onMessage: () => {} })
})

afterAll(() => embedded.stop())

beforeEach(async () => {
  const dbName = `processes_${randomBytes(4).toString('hex')}`
  connection = await mongoose.createConnection(embedded.uri, { dbName }).asPromise()
  if (!connection.db) throw new Error('not connected')
  db = connection.db
})

afterEach(() => connection.close())

interface Migrating {
  readonly child: ChildProcess
  readonly messages: Message[]
  /** Resolves when a message arrives that is accepted, or rejects when the process ends before. */
  until(accept: (message: Message) => boolean): Promise<Message>
}

interface Message {
  readonly ready?: true
  readonly started?: string
  readonly waitsFor?: number
  readonly documents?: number
  readonly done?: readonly string[]
  readonly failed?: string
  /** The most memory that the process has had, in megabytes. */
  readonly megabytes?: number
}

const hour = 3_600_000

function fork(
  directory: string,
  { leaseMs = 30_000, skew = 0, pauseMs = 0, compiled = false } = {},
): Migrating {
  const numbers = [leaseMs, skew, pauseMs].map(String)
  const args = [embedded.uri, connection.name, directory, ...numbers]
  const child = compiled
    ? forkNode(path.join(directory, '../migrate.process.js'), args)
    : forkSource(script, args)
  onTestFinished(() => void child.kill('SIGKILL'))
  const messages: Message[] = []
  child.on('message', (message: Message) => messages.push(message))
  return {
    child,
    messages,
    until: (accept) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          const found = messages.find((message) => accept(message))
          if (found) resolve(found)
        }
        child.on('message', check)
        child.once('exit', () => reject(new Error(`It exited after ${JSON.stringify(messages)}.`)))
        check()
      }),
  }
}

const isResult = ({ done, failed }: Message): boolean => done !== undefined || failed !== undefined

// Each document counts how often it was changed, and each function how often it was run.
const counting = {
  '20260101000000-count': `{
    up: updateInBatches({ collection: 'posts', update: { $inc: { changes: 1 } }, size: 20 }),
  }`,
  '20260102000000-run': `{
    async up({ db, session }) {
      await db.collection('runs').insertOne({}, { session })
    },
  }`,
  '20260103000000-index': `{ up: buildIndex('posts', { changes: 1 }) }`,
}

// As in production: one migration and the process that runs it, without a compiler in memory.
function compileMigration(migrations: Readonly<Record<string, string>>): string {
  const cache = path.join(import.meta.dirname, '../../../../node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(path.join(cache, 'migrations-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const { directory } = createMigrationFolder(migrations)
  const [name = ''] = Object.keys(migrations)
  const source = path.join(directory, `${name}.ts`)
  // A bundler takes a URL for the address of a server.
  writeFileSync(source, readFileSync(source, 'utf8').replace('file://', ''))
  const entryPoints = {
    'migrate.process': script,
    [`migrations/${name}`]: source,
  }
  const options = { bundle: true, packages: 'external', platform: 'node', format: 'esm' } as const
  buildSync({ ...options, entryPoints, outdir: folder, conditions: ['@create-api/source'] })
  return path.join(folder, 'migrations')
}

async function insertPosts(total: number): Promise<void> {
  const posts = Array.from({ length: total }, (_, index) => ({ index }))
  await db.collection('posts').insertMany(posts)
}

async function expectOnce(total: number): Promise<void> {
  expect(await db.collection('posts').countDocuments({ changes: 1 })).toBe(total)
  expect(await db.collection('runs').countDocuments()).toBe(1)
  const indexes = await db.collection('posts').indexes()
  expect(indexes).toMatchObject([{}, { name: 'changes_1' }])
  expect(indexes[1]?.hidden).not.toBe(true)
  const records = await db.collection('migrations').find().sort({ _id: 1 }).toArray()
  expect(records).toMatchObject([
    { state: 'applied', documents: total },
    { state: 'applied' },
    { state: 'applied' },
  ])
}

describe('migrations', () => {
  it(
    `are run exactly once by two processes at once, whatever their clocks say (${rounds} rounds)`,
    { timeout: 300_000 * rounds },
    async () => {
      const { directory } = createMigrationFolder(counting)
      for (let round = 0; round < rounds; round += 1) {
        await db.dropDatabase()
        await insertPosts(200)
        const processes = [fork(directory, { skew: hour }), fork(directory, { skew: -hour })]
        const results = await Promise.all(processes.map((one) => one.until(isResult)))
        const names = results.flatMap(({ done }) => done ?? [])
        expect(results.map(({ failed }) => failed)).toEqual([undefined, undefined])
        expect(names).toEqual(Object.keys(counting))
        await expectOnce(200)
      }
    },
  )

  it(
    `are completed by the next run after a kill at a random moment (${rounds} rounds)`,
    { timeout: 300_000 * rounds },
    async () => {
      const { directory } = createMigrationFolder(counting)
      const leaseMs = 1500
      for (let round = 0; round < rounds; round += 1) {
        await db.dropDatabase()
        await insertPosts(400)
        const killed = fork(directory, { leaseMs, skew: hour })
        await killed.until(({ ready }) => ready === true)
        await sleep(randomInt(0, 250))
        killed.child.kill('SIGKILL')
        const next = fork(directory, { leaseMs, skew: -hour })
        const { failed } = await next.until(isResult)
        expect(failed).toBeUndefined()
        await expectOnce(400)
      }
    },
  )

  it('wait for the process that has the lock, and say which it is', async () => {
    const { directory } = createMigrationFolder({
      '20260101000000-wait': `{
        up: outsideTransaction(async ({ db }) => {
          while (!(await db.collection('go').findOne())) await new Promise((done) => setTimeout(done, 20))
        }),
      }`,
    })
    const first = fork(directory, { leaseMs: 600 })
    await first.until(({ started }) => started !== undefined)
    const second = fork(directory, { leaseMs: 600 })
    // Longer than the lease of the first, which it renews.
    expect(await second.until(({ waitsFor }) => waitsFor !== undefined)).toEqual({
      waitsFor: first.child.pid,
    })
    await sleep(1200)
    expect(second.messages.some(isResult)).toBe(false)
    await db.collection('go').insertOne({})
    expect(await first.until(isResult)).toMatchObject({ done: ['20260101000000-wait'] })
    expect(await second.until(isResult)).toMatchObject({ done: [] })
  })
})

describe('a migration in batches', () => {
  it(
    `changes ${documentCount} documents in less than 150 MB of memory`,
    { timeout: 300_000 + documentCount },
    async () => {
      const directory = compileMigration({
        '20260101000000-fill': `{
          up: updateInBatches({
            collection: 'posts',
            filter: { price: null },
            update: [{ $set: { price: { $add: ['$number', 1] } } }],
          }),
        }`,
      })
      const title = 'A title of the usual length'
      for (let count = 0; count < documentCount; count += 10_000) {
        const posts = Array.from({ length: 10_000 }, (_, index) => ({
          number: count + index,
          title,
        }))
        await db.collection('posts').insertMany(posts, { ordered: false })
      }
      const started = performance.now()
      const { megabytes = 0, failed } = await fork(directory, { compiled: true }).until(isResult)
      const seconds = Math.round((performance.now() - started) / 1000)
      // oxlint-disable-next-line no-console -- the figures of the long form
      if (documentCount > 20_000) console.log({ documents: documentCount, megabytes, seconds })
      expect(failed).toBeUndefined()
      expect(megabytes).toBeGreaterThan(20)
      expect(megabytes).toBeLessThan(150)
      const [range] = await db
        .collection('posts')
        .aggregate([
          {
            $group: {
              _id: null,
              count: { $sum: 1 },
              sum: { $sum: '$price' },
              last: { $max: '$price' },
            },
          },
        ])
        .toArray()
      const sum = (documentCount * (documentCount + 1)) / 2
      expect(range).toMatchObject({ count: documentCount, sum, last: documentCount })
    },
  )
})

describe('a process that was suspended for longer than its lease', () => {
  it(`stops before its next write (${rounds} rounds)`, { timeout: 300_000 * rounds }, async () => {
    const { directory } = createMigrationFolder(counting)
    const leaseMs = 900
    for (let round = 0; round < rounds; round += 1) {
      await db.dropDatabase()
      await insertPosts(3000)
      // Every fifth time at a random moment, mostly within a transaction: the server keeps that open
      // for up to 60 s, and the next process waits for it.
      const isRandom = round % 5 === 4
      const old = fork(directory, { leaseMs, pauseMs: isRandom ? 0 : 300 })
      await old.until(({ documents }) => documents !== undefined)
      if (isRandom) await sleep(randomInt(0, 100))
      old.child.kill('SIGSTOP')
      const isEarly = old.messages.some(isResult)
      const next = fork(directory, { leaseMs })
      expect((await next.until(isResult)).failed).toBeUndefined()
      await expectOnce(3000)
      const before = await db.collection('migrations').find().toArray()
      old.child.kill('SIGCONT')
      const { failed } = await old.until(isResult)
      if (!isEarly) expect(failed).toBe('migration_lock_lost')
      await expectOnce(3000)
      expect(await db.collection('migrations').find().toArray()).toEqual(before)
    }
  })
})
