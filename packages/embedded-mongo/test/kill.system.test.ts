import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type Collection, MongoClient } from 'mongodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BuiltPackage, buildPackage } from './built.ts'
import { checkFolder } from './check-folder.ts'
import { temporaryFolder } from './fresh-server.ts'

// 200 rounds: KILL_ROUNDS=200 npx vitest run packages/embedded-mongo/test/kill.system.test.ts
const rounds = Number(process.env['KILL_ROUNDS'] ?? 5)
const writerCount = 10

interface Item {
  k: string
  n: number
  tags: number[]
}

/** What a key must hold: what was acknowledged, or what was on its way. */
interface Expected {
  acknowledged: Item | undefined
  inFlight: { outcome: Item | undefined } | undefined
}

let built: BuiltPackage
let running: ChildProcess | undefined

beforeAll(() => {
  built = buildPackage()
})

afterAll(() => {
  running?.kill('SIGKILL')
  built.remove()
})

describe('a data folder whose owner is killed', () => {
  it(`holds every acknowledged write, no partial document, no inconsistent index (${rounds} rounds)`, async () => {
    const directory = temporaryFolder()
    const expected = new Map<string, Expected>()
    let acknowledged = 0
    for (let round = 0; round < rounds; round += 1) {
      acknowledged += await killRound({ directory, expected, round })
      const found = checkFolder<Item>(directory, 'app.items')
      for (const [k, want] of expected) {
        const item = found.get(k)
        const allowed = [want.acknowledged, ...(want.inFlight ? [want.inFlight.outcome] : [])]
        expect(allowed.map((one) => strip(one))).toContainEqual(strip(item))
        expected.set(k, { acknowledged: item, inFlight: undefined })
      }
      expect([...found.keys()].filter((k) => !expected.has(k))).toEqual([])
    }
    process.stdout.write(`kill -9: ${rounds} rounds, ${acknowledged} acknowledged writes\n`)
    expect(acknowledged).toBeGreaterThan(rounds)
  }, 1_200_000)
})

async function killRound(run: {
  directory: string
  expected: Map<string, Expected>
  round: number
}): Promise<number> {
  const { child, uri } = await serve(run.directory)
  running = child
  const client = new MongoClient(uri, {
    serverSelectionTimeoutMS: 5000,
    maxPoolSize: writerCount + 1,
  })
  client.on('error', () => {})
  await client.connect()
  const items = client.db().collection<Item>('items')
  await items.createIndex({ k: 1 }, { unique: true })
  await items.createIndex({ tags: 1, n: -1 })
  const state = { isDead: false, acknowledged: 0 }
  const writers = Array.from({ length: writerCount }, (_, writer) =>
    write(items, state, { ...run, writer }),
  )
  const compacting = Math.random() < 0.4 ? compactOften(client, state) : undefined
  // By writes and not by time, which is different on each machine.
  await expect.poll(() => state.acknowledged, { interval: 1 }).toBeGreaterThan(Math.random() * 200)
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
  state.isDead = true
  // Closed first: operations that look for a server end at once.
  await client.close(true)
  await Promise.all(writers)
  await compacting
  return state.acknowledged
}

async function serve(directory: string): Promise<{ child: ChildProcess; uri: string }> {
  const script = fileURLToPath(new URL('serve-folder.mjs', import.meta.url))
  const child = fork(script, [built.folder, directory], { execArgv: [] })
  const [message] = await once(child, 'message')
  expect(message).toMatchObject({ role: 'owner' })
  return { child, uri: message.uri }
}

async function write(
  items: Collection<Item>,
  state: { isDead: boolean; acknowledged: number },
  run: { expected: Map<string, Expected>; round: number; writer: number },
): Promise<void> {
  const { expected, round, writer } = run
  for (let i = 0; !state.isDead; i += 1) {
    const own = [...expected.keys()].filter((key) => key.startsWith(`${writer}-`))
    const k = Math.random() < 0.4 || own.length === 0 ? `${writer}-${round}-${i}` : pick(own)
    const before = expected.get(k)?.acknowledged
    const outcome = Math.random() < 0.25 && before ? undefined : change(before, k)
    expected.set(k, { acknowledged: before, inFlight: { outcome } })
    try {
      await apply(items, { k, before, outcome })
    } catch {
      return
    }
    expected.set(k, { acknowledged: outcome, inFlight: undefined })
    state.acknowledged += 1
  }
}

async function apply(
  items: Collection<Item>,
  { k, before, outcome }: { k: string; before: Item | undefined; outcome: Item | undefined },
): Promise<void> {
  if (!outcome) await items.deleteOne({ k })
  else if (!before) await items.insertOne({ ...outcome })
  else {
    await items.updateOne({ k }, { $inc: { n: 1 }, $set: { tags: outcome.tags } })
  }
}

function change(before: Item | undefined, k: string): Item {
  const tags = Array.from({ length: Math.floor(Math.random() * 4) }, (_, i) => i * 3)
  return before ? { k, n: before.n + 1, tags } : { k, n: 0, tags }
}

async function compactOften(client: MongoClient, state: { isDead: boolean }): Promise<void> {
  while (!state.isDead) {
    try {
      await client.db('admin').command({ compact: 'all' })
    } catch {
      return
    }
  }
}

function strip(item: Item | undefined): Item | 'absent' {
  return item ? { k: item.k, n: item.n, tags: item.tags } : 'absent'
}

function pick(list: string[]): string {
  return list[Math.floor(Math.random() * list.length)] ?? ''
}
