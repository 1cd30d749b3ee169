import { type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { mongo } from 'mongoose'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { findFreePort } from '../free-port.ts'
import { forkSource, nextMessage } from '../fork-source.ts'
import { type Changes, openChanges } from './read-changes.ts'

// A service with a live list, whose database is stopped, killed, suspended or replaced.
const folders: string[] = []
let port = 0
let database: ChildProcess
let service: ChildProcess
let url = ''
let lines = ''
let changes: Changes | undefined

const team = new mongo.ObjectId()

beforeAll(async () => {
  port = await findFreePort()
  await startDatabase(newFolder())
  const uri = `mongodb://127.0.0.1:${port}/app?directConnection=true`
  const file = path.join(import.meta.dirname, 'live.process.ts')
  const secret = randomBytes(32).toString('base64')
  service = forkSource(file, [uri, secret], {
    env: { ...process.env, NODE_ENV: 'test' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  service.stdout?.on('data', (bytes: Buffer) => (lines += bytes.toString()))
  service.stderr?.on('data', (bytes: Buffer) => (lines += bytes.toString()))
  ;({ url } = z.object({ url: z.string() }).parse(await nextMessage(service)))
})
afterEach(() => changes?.close())
afterAll(async () => {
  service.disconnect()
  await once(service, 'exit')
  await end('SIGTERM')
  for (const folder of folders) rmSync(folder, { recursive: true })
})

function newFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'live-faults-'))
  folders.push(folder)
  return folder
}

async function startDatabase(folder: string): Promise<void> {
  const file = path.join(import.meta.dirname, 'database.process.ts')
  database = forkSource(file, [folder, String(port)])
  await nextMessage(database)
}

async function end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  const ended = once(database, 'exit')
  if (signal === 'SIGTERM') database.disconnect()
  else database.kill(signal)
  await ended
}

async function write(state: string): Promise<void> {
  const client = await mongo.MongoClient.connect(
    `mongodb://127.0.0.1:${port}/app?directConnection=true`,
  )
  const entry = { team, group: 'a', state, price: 1, tags: [], version: 1, at: 1, __v: 0 }
  await client.db().collection('entries').insertOne(entry)
  await client.close()
}

const wasLogged = (text: string): Promise<void> =>
  expect.poll(() => lines, { timeout: 40_000 }).toContain(text)

interface Fault {
  readonly strike: () => Promise<void>
  readonly restore: () => Promise<void>
}

const faults: readonly (readonly [string, Fault])[] = [
  [
    'was stopped and started',
    {
      strike: () => end('SIGTERM'),
      restore: () => startDatabase(folders.at(-1) ?? ''),
    },
  ],
  [
    'was killed and started',
    { strike: () => end('SIGKILL'), restore: () => startDatabase(folders.at(-1) ?? '') },
  ],
  [
    'was suspended',
    {
      strike: async () => void database.kill('SIGSTOP'),
      restore: async () => void database.kill('SIGCONT'),
    },
  ],
  [
    'was replaced by another one',
    { strike: () => end('SIGTERM'), restore: () => startDatabase(newFolder()) },
  ],
]

describe('a live list continues after the database', () => {
  it.each(faults)('%s', { timeout: 60_000 }, async (_name, { strike, restore }) => {
    changes = await openChanges(`${url}/api/entries/changes`, { team: String(team) })
    expect(await changes.next()).toEqual({ type: 'reset' })
    await write('open')
    expect(await changes.next()).toMatchObject({ type: 'changed', data: { state: 'open' } })

    lines = ''
    await strike()
    await wasLogged('change stream interrupted')
    await restore()
    await wasLogged('change stream continues')
    await write('done')
    // The last change before the fault may come again.
    let next = await changes.next()
    while (next.data?.['state'] !== 'done') next = await changes.next()
  })
})
