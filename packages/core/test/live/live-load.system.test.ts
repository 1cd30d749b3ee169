import { type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type ClientRequest, request } from 'node:http'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { mongo } from 'mongoose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { forkSource, nextMessage } from '../fork-source.ts'
import { createRandom } from '../random.ts'

// Many subscribers of a few scopes, in two processes, while documents are written and connections are lost. The long run:
// LIVE_SECONDS=300 LIVE_SUBSCRIBERS=1000 LIVE_SCOPES=20 LIVE_WRITES=100 LIVE_DISCONNECTS=500
const seconds = Number(process.env['LIVE_SECONDS'] ?? 60)
const subscriberCount = Number(process.env['LIVE_SUBSCRIBERS'] ?? 200)
const scopeCount = Number(process.env['LIVE_SCOPES'] ?? 10)
const writesPerSecond = Number(process.env['LIVE_WRITES'] ?? 50)
const disconnects = Number(process.env['LIVE_DISCONNECTS'] ?? 100)
const processCount = Number(process.env['LIVE_PROCESSES'] ?? 2)
const queryCount = Number(process.env['LIVE_QUERIES'] ?? 8)
// One of so many subscribers has a scope of text, which only the database compares.
const textShare = Number(process.env['LIVE_TEXT_SHARE'] ?? 3)
const documentsPerScope = 40

const random = createRandom(Number(process.env['LIVE_SEED'] ?? 7))
const teams = Array.from({ length: scopeCount }, () => new mongo.ObjectId())
const states = ['open', 'done'] as const
const tagNames = ['a', 'b', 'c'] as const
const queries = [
  '',
  'state=open',
  'state[ne]=open',
  'price[gte]=5',
  'price[lt]=3&state=done',
  'tags=a',
  'tags[ne]=b',
  'tags[in]=a,c',
] as const

let database: ChildProcess
let client: mongo.MongoClient
let entries: mongo.Collection
const secret = randomBytes(32).toString('base64')
const services: { child: ChildProcess; url: string }[] = []

beforeAll(async () => {
  database = forkSource(path.join(import.meta.dirname, 'database.process.ts'))
  const { uri } = z.object({ uri: z.string() }).parse(await nextMessage(database))
  client = await mongo.MongoClient.connect(uri)
  entries = client.db('app').collection('entries')
  for (let n = 0; n < processCount; n += 1) {
    const file = path.join(import.meta.dirname, 'live.process.ts')
    const child = forkSource(file, [uri, secret], {
      env: { ...process.env, NODE_ENV: 'test', NODE_OPTIONS: '--expose-gc' },
    })
    const { url } = z.object({ url: z.string() }).parse(await nextMessage(child))
    services.push({ child, url })
  }
})
afterAll(async () => {
  for (const { child } of services) await stop(child)
  await client.close()
  await stop(database)
})

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.disconnect()
  await ended
}

interface Entry {
  readonly id: string
  readonly team: string
  readonly group: string
  readonly version: number
  readonly at: number
}

// A client that keeps its list current, and notes what it must not see.
class Subscriber {
  readonly #scope: Readonly<Record<string, string>>
  readonly #query: string
  readonly faults: string[] = []
  readonly delays: number[] = []
  readonly #seen = new Map<string, number>()
  page = new Map<string, Entry>()
  resets = 0
  messages = 0
  #id: string | undefined
  #since: ((page: Map<string, Entry>) => void)[] = []
  #reading: Promise<void> | undefined
  #connection: ClientRequest | undefined
  #isClosed = false

  constructor(scope: Readonly<Record<string, string>>, query: string) {
    this.#scope = scope
    this.#query = query
  }

  get isCurrent(): boolean {
    return this.#reading === undefined && this.resets > 0
  }

  connect(): void {
    if (this.#isClosed) return
    const { url } = random.pick(services as [(typeof services)[0]])
    const headers = { ...this.#scope, ...(this.#id && { 'last-event-id': this.#id }) }
    const connection = request(`${url}/api/entries/changes?${this.#query}`, {
      headers,
      agent: false,
    })
    this.#connection = connection
    connection.on('error', () => {})
    connection.on('response', (response) => {
      const { statusCode = 0 } = response
      if (statusCode !== 200 && statusCode < 500) this.faults.push(`status ${statusCode}`)
      let text = ''
      response.setEncoding('utf8')
      response.on('error', () => {})
      response.on('data', (piece: string) => {
        const blocks = (text + piece).split('\n\n')
        text = blocks.pop() ?? ''
        for (const block of blocks) this.#take(block)
      })
    })
    connection.on('close', () => void sleep(random.below(1000)).then(() => this.connect()))
    connection.end()
  }

  disconnect(): void {
    this.#connection?.destroy()
  }

  close(): void {
    this.#isClosed = true
    this.disconnect()
  }

  #take(block: string): void {
    for (const line of block.split('\n')) {
      if (line.startsWith('id: ')) this.#id = line.slice(4)
      if (line.startsWith('data: ')) this.#apply(JSON.parse(line.slice(6)))
    }
  }

  #apply(event: { type: string; data?: Entry; id?: string }): void {
    this.messages += 1
    const { data, id = '' } = event
    if (event.type === 'reset') {
      this.resets += 1
      this.#since = []
      this.#reading = this.#read(this.#since)
    } else if (data) {
      this.#check(data)
      const before = this.#seen.get(data.id) ?? 0
      if (data.version < before) this.faults.push(`${data.id}: ${data.version} after ${before}`)
      if (data.version > before) this.delays.push(Date.now() - data.at)
      this.#seen.set(data.id, data.version)
      this.#change((page) => page.set(data.id, data))
    } else {
      // The id of a document that has never been in the scope is not sent.
      if (!moves.get(id)?.has(this.#key)) this.faults.push(`removed ${id}, which was never there`)
      this.#change((page) => page.delete(id))
    }
  }

  get #key(): string {
    return this.#scope['team'] ?? this.#scope['group'] ?? ''
  }

  #check(entry: Entry): void {
    const { group, team } = this.#scope
    if (team !== undefined && entry.team !== team) this.faults.push(`foreign ${entry.id}`)
    if (group !== undefined && entry.group !== group) this.faults.push(`foreign ${entry.id}`)
  }

  #change(change: (page: Map<string, Entry>) => void): void {
    this.#since.push(change)
    change(this.page)
  }

  async #read(since: ((page: Map<string, Entry>) => void)[]): Promise<void> {
    const page = await this.readList()
    if (this.#since !== since) return
    for (const change of since) change(page)
    this.page = page
    this.#reading = undefined
    this.#since = []
  }

  async readList(): Promise<Map<string, Entry>> {
    const page = new Map<string, Entry>()
    let cursor: string | undefined = ''
    while (cursor !== undefined) {
      const { url } = random.pick(services as [(typeof services)[0]])
      const list = `${url}/api/entries?limit=100&cursor=${cursor}&${this.#query}`
      const response = await fetch(list, { headers: this.#scope })
      if (response.status >= 500) {
        // The database has not replied in time, on a machine with too much work.
        await response.body?.cancel()
        await sleep(500)
        continue
      }
      const { data, meta } = z
        .object({
          data: z.array(z.custom<Entry>()),
          meta: z.object({ nextCursor: z.string().optional() }),
        })
        .parse(await response.json())
      for (const entry of data) page.set(entry.id, entry)
      cursor = meta.nextCursor
    }
    return page
  }
}

// The scopes that a document has been in.
const moves = new Map<string, Set<string>>()

function note(id: mongo.ObjectId, team: mongo.ObjectId): void {
  const known = moves.get(id.toHexString()) ?? new Set()
  moves.set(id.toHexString(), known.add(team.toHexString()).add(toGroup(team)))
}

function toGroup(team: mongo.ObjectId): string {
  return `group-${teams.indexOf(team)}`
}

const ids: mongo.ObjectId[] = []

function toFields() {
  const tags = tagNames.filter(() => random.below(2) === 0)
  return { state: random.pick(states), price: random.below(10), tags, at: Date.now() }
}

async function create(): Promise<void> {
  const team = random.pick(teams as [mongo.ObjectId])
  const _id = new mongo.ObjectId()
  note(_id, team)
  ids.push(_id)
  await entries.insertOne({ _id, team, group: toGroup(team), version: 1, ...toFields() })
}

async function write(): Promise<void> {
  const kind = random.below(10)
  if (kind === 0 || ids.length === 0) return create()
  const at = random.below(ids.length)
  const _id = ids[at]
  if (!_id) return
  if (kind === 1 && ids.length > documentsPerScope * scopeCount * 0.8) {
    ids.splice(at, 1)
    await entries.deleteOne({ _id })
  } else if (kind < 4) {
    const team = random.pick(teams as [mongo.ObjectId])
    note(_id, team)
    const fields = { team, group: toGroup(team), at: Date.now() }
    await entries.updateOne({ _id }, { $set: fields, $inc: { version: 1 } })
  } else {
    await entries.updateOne({ _id }, { $set: toFields(), $inc: { version: 1 } })
  }
}

async function measureMemory(): Promise<number> {
  let sum = 0
  for (const { child } of services) {
    const reply = nextMessage(child)
    child.send('memory')
    const { heapUsed, external } = z
      .object({ heapUsed: z.number(), external: z.number() })
      .parse(await reply)
    sum += heapUsed + external
  }
  return sum / 1_000_000
}

describe('a live list with many subscribers', () => {
  it(
    `shows ${subscriberCount} subscribers of ${scopeCount} scopes what is theirs, in order and complete`,
    async () => {
      for (let n = 0; n < documentsPerScope * scopeCount; n += 1) await create()
      const subscribers = Array.from({ length: subscriberCount }, (_, n) => {
        const team = teams[n % scopeCount] ?? new mongo.ObjectId()
        const scope: Record<string, string> =
          n % textShare === 0 ? { group: toGroup(team) } : { team: team.toHexString() }
        const query = queries[Math.floor(n / scopeCount) % queryCount]
        return new Subscriber(scope, query ?? '')
      })
      for (const subscriber of subscribers) {
        subscriber.connect()
        await sleep(5)
      }
      await waitUntil(() => subscribers.every(({ isCurrent }) => isCurrent))

      const memory: number[] = []
      const begin = performance.now()
      let [written, lost] = [0, 0]
      const pending = new Set<Promise<void>>()
      while (performance.now() - begin < seconds * 1000) {
        const elapsed = (performance.now() - begin) / 1000
        while (written < elapsed * writesPerSecond) {
          written += 1
          const writing: Promise<void> = write().finally(() => pending.delete(writing))
          pending.add(writing)
        }
        for (; lost < (elapsed / seconds) * disconnects; lost += 1) {
          random.pick(subscribers as [Subscriber]).disconnect()
        }
        if (memory.length <= (elapsed * 10) / seconds) memory.push(await measureMemory())
        await sleep(5)
      }
      await Promise.all(pending)

      const expected = new Map<Subscriber, string>()
      const isComplete = (subscriber: Subscriber): boolean =>
        toText(subscriber.page) === expected.get(subscriber)
      for (const subscriber of subscribers) {
        expected.set(subscriber, toText(await subscriber.readList()))
      }
      await waitUntil(() => subscribers.every(isComplete)).catch(() => undefined)
      const incomplete = subscribers.filter((subscriber) => !isComplete(subscriber))
      for (const subscriber of subscribers) subscriber.close()
      const delays = subscribers
        .flatMap((subscriber) => subscriber.delays)
        .toSorted((a, b) => a - b)
      const resets = subscribers.reduce((sum, one) => sum + one.resets, 0) - subscriberCount
      const messages = subscribers.reduce((sum, one) => sum + one.messages, 0)
      const at = (share: number): number | undefined => delays[Math.floor(delays.length * share)]
      const report = { written, lost, messages, resets, p50: at(0.5), p99: at(0.99), memory }
      process.stderr.write(`${JSON.stringify(report)}\n`)
      expect(subscribers.flatMap(({ faults }) => faults)).toEqual([])
      expect(incomplete.length).toBe(0)
      expect(messages).toBeGreaterThan(written)
      expect(Math.max(...memory.slice(-3))).toBeLessThan(Math.max(...memory.slice(1, 4)) * 1.3 + 10)
    },
    (seconds + 300) * 1000,
  )
})

function toText(page: ReadonlyMap<string, Entry>): string {
  return JSON.stringify([...page.values()].toSorted((a, b) => a.id.localeCompare(b.id)))
}

async function waitUntil(isDone: () => boolean): Promise<void> {
  const deadline = performance.now() + 60_000
  while (!isDone()) {
    if (performance.now() > deadline) throw new Error('not in time')
    await sleep(50)
  }
}
