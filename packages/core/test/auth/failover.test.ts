import mongoose, { type Connection } from 'mongoose'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { forkSource, nextMessage } from '../fork-source.ts'
import { createClient, createTestService, type TestService } from './auth-fixture.ts'

// The long form, for nightly runs: FAILOVER_KILLS=20.
const kills = Number(process.env['FAILOVER_KILLS'] ?? 2)
const clients = 20

// The database must be a separate process, to be killed: only the embedded one can be.
describe.skipIf(process.env['MONGODB_URI'] !== undefined)('a database that is killed', () => {
  let directory: string
  let database: { child: ChildProcess; uri: string }
  let connection: Connection
  let service: TestService

  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'failover-'))
    database = await startFolder(directory)
    connection = await mongoose
      .createConnection(database.uri, { serverSelectionTimeoutMS: 2000 })
      .asPromise()
    service = await createTestService(connection)
  })
  afterAll(async () => {
    await connection.close()
    database.child.kill('SIGKILL')
    await rm(directory, { recursive: true, force: true })
  })

  it('REF-12 F-04 raises no false alarm about refresh tokens', { timeout: 120_000 }, async () => {
    const server = service.app.listen(0)
    const client = createClient(server)
    const newest = new Map<number, string>()
    for (let index = 0; index < clients; index++) {
      newest.set(index, (await client.register(`user${index}@x.io`)).refreshToken)
    }
    const end = new AbortController()
    const failures = new Set<number>()
    const work = Array.from({ length: clients }, async (_, index) => {
      while (!end.signal.aborted) {
        const { status, body } = await client.refresh(newest.get(index) ?? '')
        if (status === 200) newest.set(index, body.data.refreshToken)
        else failures.add(status)
        await wait(status === 200 ? 50 : 200)
      }
    })
    for (let kill = 0; kill < kills; kill++) {
      await wait(500)
      database.child.kill('SIGKILL')
      await once(database.child, 'exit')
      await wait(300)
      database = await startFolder(directory)
    }
    await wait(1000)
    end.abort()
    await Promise.all(work)
    expect([...failures].filter((status) => ![503, 504].includes(status))).toEqual([])
    const last = []
    for (const token of newest.values()) last.push((await client.refresh(token)).status)
    expect(last).toEqual(Array<number>(clients).fill(200))
    server.close()
    expect(service.events.filter(({ event }) => event === 'auth.refresh_replayed')).toEqual([])
    expect(await connection.collection('sessions').countDocuments({ revokedAt: null })).toBe(
      clients,
    )
  })
})

async function startFolder(directory: string): Promise<{ child: ChildProcess; uri: string }> {
  const child = forkSource(path.join(import.meta.dirname, 'folder-database.ts'), [directory], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const message = await nextMessage(child)
  return { child, uri: z.object({ uri: z.string() }).parse(message).uri }
}
