import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { forkSource, nextMessage } from '../fork-source.ts'
import { createRandom } from '../random.ts'

const kills = Number(process.env['BULK_KILLS'] ?? 10)
const size = 300

let folder: string
let child: ChildProcess
let url: string

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'bulk-faults-'))
  await start()
})
afterEach(async () => {
  if (child.exitCode !== null || child.signalCode !== null) await start()
})
afterAll(async () => {
  const ended = once(child, 'exit')
  child.disconnect()
  await ended
  rmSync(folder, { recursive: true })
})

async function start(): Promise<void> {
  child = forkSource(path.join(import.meta.dirname, 'bulk.process.ts'), [`embedded:${folder}`], {
    env: { ...process.env, NODE_ENV: 'test' },
  })
  url = z.object({ url: z.string() }).parse(await nextMessage(child)).url
}

async function kill(): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

const toItem = (batch: string, number: number, text = 'x'): object => ({
  action: 'create',
  body: { batch, number, text },
})

function toItems(batch: string, count = size): object[] {
  return Array.from({ length: count }, (_, number) => toItem(batch, number))
}

function sendAtomic(items: readonly object[]): Promise<Response> {
  return fetch(`${url}/api/entries/bulk`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ atomic: true, items }),
  })
}

function openLines(resource: string): ClientRequest {
  const outgoing = httpRequest(`${url}/api/${resource}/bulk`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-ndjson' },
    agent: false,
  })
  return outgoing.on('error', () => {})
}

async function toResponse(outgoing: ClientRequest): Promise<IncomingMessage> {
  const [incoming] = await once(outgoing, 'response')
  return incoming
}

async function readStored(batch: string): Promise<number[]> {
  const response = await fetch(`${url}/api/entries?batch=${batch}`)
  return z.object({ data: z.array(z.number()) }).parse(await response.json()).data
}

const result = z.object({ line: z.number(), status: z.number() })

// Sends lines, and ends the process at a line. Returns the lines that are reported as stored.
async function importUntil(batch: string, last: number): Promise<number[]> {
  const outgoing = openLines('entries')
  outgoing.end(
    toItems(batch)
      .map((item) => `${JSON.stringify(item)}\n`)
      .join(''),
  )
  const incoming = await toResponse(outgoing)
  const closed = new Promise((resolve) => void incoming.once('close', resolve))
  const stored: number[] = []
  let ended: Promise<void> | undefined
  let rest = ''
  incoming.on('error', () => {})
  incoming.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const parsed = result.safeParse(JSON.parse(line))
      if (parsed.data?.status === 201) stored.push(parsed.data.line - 1)
    }
    if (stored.length >= last) ended ??= kill()
  })
  await closed
  await ended
  return stored
}

describe('a service that is killed', () => {
  it(`stores all items of an atomic request or none, in ${Math.ceil(kills / 2)} attempts`, async () => {
    const random = createRandom(11).next
    const begin = performance.now()
    expect((await sendAtomic(toItems('whole'))).status).toBe(200)
    const duration = performance.now() - begin
    const counts = new Map<number, number>()
    for (let attempt = 0; attempt < kills / 2; attempt++) {
      const batch = `atomic-${attempt}`
      const response = sendAtomic(toItems(batch)).then(
        ({ status }) => status,
        () => undefined,
      )
      await wait(random() * duration * 1.1)
      await kill()
      const status = await response
      await start()
      const { length } = await readStored(batch)
      expect([0, size]).toContain(length)
      if (status === 200) expect(length).toBe(size)
      counts.set(length, (counts.get(length) ?? 0) + 1)
    }
    expect(counts.get(0)).toBeGreaterThan(0)
  }, 600_000)

  it(`has stored what it has reported, in ${Math.floor(kills / 2)} attempts`, async () => {
    const random = createRandom(12).below
    for (let attempt = 0; attempt < Math.floor(kills / 2); attempt++) {
      const batch = `lines-${attempt}`
      const reported = await importUntil(batch, 1 + random(size - 50))
      await start()
      const stored = await readStored(batch)
      expect(stored.slice(0, reported.length)).toEqual(reported)
      expect(stored).toEqual(stored.map((_, index) => index))
      expect(stored.length).toBeLessThan(size)
    }
  }, 600_000)
})

describe('10,000 items', () => {
  it('are stored in one transaction, or none of them', async () => {
    const items = toItems('many', 10_000)
    const faulty = [...items.slice(0, -1), toItem('many', -1, 'x'.repeat(9000))]
    const refused = await sendAtomic(faulty)
    expect(refused.status).toBe(422)
    expect(await refused.json()).toMatchObject({
      errors: [{ pointer: '#/items/9999/body/text', code: 'too_big' }],
    })
    expect(await readStored('many')).toEqual([])
    const stored = await sendAtomic(items)
    expect(await stored.json()).toMatchObject({ meta: { succeeded: 10_000, failed: 0 } })
    expect(await readStored('many')).toHaveLength(10_000)
  })
})

describe('an import of 200 MB', () => {
  it('is not held in memory, also for a client that reads slowly', async () => {
    const text = 'x'.repeat(4000)
    const count = 50_000
    const source = Readable.from(
      (function* () {
        for (let number = 0; number < count; number++) {
          yield `${JSON.stringify(toItem('large', number, text))}\n`
        }
      })(),
    )
    const before = await readUsed()
    const outgoing = openLines('samples')
    source.pipe(outgoing)
    const incoming = await toResponse(outgoing)
    let report = ''
    let lines = 0
    let highest = 0
    for await (const line of createInterface({ input: incoming })) {
      report = line
      if (++lines % 2500 !== 0) continue
      await wait(50)
      highest = Math.max(highest, await readUsed())
    }
    expect(JSON.parse(report)).toEqual({ report: { lines: count, succeeded: count, failed: 0 } })
    expect(highest).toBeGreaterThan(0)
    expect(highest - before).toBeLessThan(20_000_000)
  })
})

async function readUsed(): Promise<number> {
  child.send('memory')
  return z.object({ used: z.number() }).parse(await nextMessage(child)).used
}
