import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { hostname } from 'node:os'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Collection, MongoServerError } from 'mongodb'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type BuiltPackage, buildPackage } from './built.ts'
import { connect, start, temporaryFolder } from './fresh-server.ts'

interface Member {
  child: ChildProcess
  uri: string
  role: string
}

let built: BuiltPackage
const members: Member[] = []

beforeAll(() => {
  built = buildPackage()
})

afterAll(() => built.remove())

afterEach(async () => {
  for (const { child } of members.splice(0)) await kill(child)
})

async function join4(directory: string): Promise<Member[]> {
  return Promise.all([1, 2, 3, 4].map(() => launch(directory)))
}

async function launch(directory: string, ...port: string[]): Promise<Member> {
  const script = fileURLToPath(new URL('serve-folder.mjs', import.meta.url))
  const child = fork(script, [built.folder, directory, ...port], { execArgv: [] })
  const [message] = await once(child, 'message')
  const member: Member = { child, ...message }
  child.on('message', (news) => Object.assign(member, news))
  members.push(member)
  return member
}

// The driver never settles a command that meets its connection while it closes (decision 040), as one
// can that is sent at the moment in which the owner dies: then another one is sent.
async function insertOnce(things: Collection<{ _id: number }>, n: number): Promise<boolean> {
  const inserted = things.insertOne({ _id: n }).then(
    () => true,
    (error: unknown) => error instanceof MongoServerError && error.code === 11000,
  )
  return Promise.race([inserted, wait(3000, false)])
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

describe('several processes on one folder', () => {
  it('have at most one owner at any time, and clients continue when it is killed', async () => {
    const directory = temporaryFolder()
    let alive = await join4(directory)
    const { uri } = await start({ storage: { directory } })
    const client = await connect(uri)
    const things = client.db().collection<{ _id: number }>('things')
    for (let n = 0; alive.length > 0; n += 1) {
      const owners = (): Member[] => alive.filter(({ role }) => role === 'owner')
      await expect.poll(() => owners().length).toBeLessThanOrEqual(1)
      const [owner] = owners()
      if (!owner) break
      await kill(owner.child)
      alive = alive.filter((member) => member !== owner)
      // The driver retries once; the new owner may need longer than that.
      await expect.poll(() => insertOnce(things, n)).toBe(true)
      expect(await things.countDocuments()).toBe(n + 1)
    }
  })

  // The way of Windows, where there is no socket file: the port is found again.
  it('keep the port of a killed owner, and hand it over to the one attached', async () => {
    const directory = temporaryFolder()
    const first = await launch(directory, '0')
    expect(first).toMatchObject({ role: 'owner', uri: expect.stringContaining('//127.0.0.1:') })
    await kill(first.child)
    const second = await launch(directory, '0')
    expect(second).toMatchObject({ role: 'owner', uri: first.uri })
    const third = await launch(directory, '0')
    expect(third).toMatchObject({ role: 'attached', uri: first.uri })
    const things = (await connect(first.uri)).db().collection<{ _id: number }>('things')
    await things.insertOne({ _id: 1 })
    await kill(second.child)
    await expect.poll(() => third.role).toBe('owner')
    await expect.poll(() => insertOnce(things, 2)).toBe(true)
    expect(await things.distinct('_id')).toEqual([1, 2])
  })

  it('reject a folder another host has just used', async () => {
    const directory = temporaryFolder()
    const foreign = { uri: 'mongodb://x/', pid: 1, host: 'elsewhere', heartbeat: Date.now() }
    writeFileSync(join(directory, 'server.json'), JSON.stringify(foreign))
    await expect(start({ storage: { directory } })).rejects.toThrow(
      /in use by process 1 on the host elsewhere/,
    )
    const old = { ...foreign, heartbeat: Date.now() - 60_000 }
    writeFileSync(join(directory, 'server.json'), JSON.stringify(old))
    expect(await start({ storage: { directory } })).toMatchObject({ role: 'owner' })
    expect(hostname()).not.toBe('elsewhere')
  })
})

describe('the built package', () => {
  it('serves a folder, and lets the process end by itself after a disconnect', async () => {
    const directory = temporaryFolder()
    const script = fileURLToPath(new URL('use-and-end.mjs', import.meta.url))
    const child = fork(script, [built.folder, directory], { execArgv: [], stdio: 'pipe' })
    let output = ''
    child.stdout?.on('data', (chunk) => {
      output += String(chunk)
    })
    const [code] = await once(child, 'exit')
    expect({ code, output }).toEqual({ code: 0, output: 'found 1\n' })
  })
})
