import mongoose, { type Connection } from 'mongoose'
import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
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

// A database that can lose its primary. The embedded one is killed and started again; of the replica set of
// `MONGODB_URI`, the primary steps down.
interface Database {
  readonly uri: string
  interrupt(): Promise<void>
  stop(): Promise<void>
}

describe('a database that fails over', () => {
  let database: Database
  let connection: Connection
  let service: TestService

  beforeAll(async () => {
    const given = process.env['MONGODB_URI']
    database = given === undefined ? await openFolder() : openReplicaSet(given)
    const dbName = `failover_${randomBytes(6).toString('hex')}`
    connection = await mongoose
      .createConnection(database.uri, { dbName, serverSelectionTimeoutMS: 2000 })
      .asPromise()
    service = await createTestService(connection)
  })
  afterAll(async () => {
    await connection.dropDatabase()
    await connection.close()
    await database.stop()
  })

  it('REF-12 F-04 raises no false alarm about refresh tokens', async ({ skip }) => {
    skip(!(await canFailOver(connection)), 'the server is not a replica set of mongod')
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
      await database.interrupt()
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

async function canFailOver(connection: Connection): Promise<boolean> {
  if (process.env['MONGODB_URI'] === undefined) return true
  const admin = connection.getClient().db('admin')
  const { setName } = await admin.command({ hello: 1 })
  const { modules } = await admin.command({ buildInfo: 1 })
  return setName !== undefined && !modules.includes('embedded')
}

function openReplicaSet(uri: string): Database {
  return {
    uri,
    async interrupt() {
      const client = await mongoose.mongo.MongoClient.connect(uri)
      const command = { replSetStepDown: 5, secondaryCatchUpPeriodSecs: 2, force: true }
      await client.db('admin').command(command)
      // Served by the next primary.
      await client.db('admin').command({ ping: 1 })
      await client.close()
    },
    stop: async () => {},
  }
}

async function openFolder(): Promise<Database> {
  const directory = await mkdtemp(path.join(tmpdir(), 'failover-'))
  let running = await startFolder(directory)
  const kill = async (): Promise<void> => {
    const { child } = running
    if (child.signalCode === null && child.kill('SIGKILL')) await once(child, 'exit')
  }
  return {
    uri: running.uri,
    async interrupt() {
      await kill()
      await wait(300)
      running = await startFolder(directory)
    },
    async stop() {
      await kill()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

async function startFolder(directory: string): Promise<{ child: ChildProcess; uri: string }> {
  const child = forkSource(path.join(import.meta.dirname, 'folder-database.ts'), [directory], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const message = await nextMessage(child)
  return { child, uri: z.object({ uri: z.string() }).parse(message).uri }
}
