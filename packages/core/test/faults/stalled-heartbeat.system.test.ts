import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connectDatabase, type Database } from '../../src/lib/database/connect.ts'
import { type DatabaseProxy, startDatabaseProxy } from './database-proxy.ts'

// A heartbeat that is written while its connection closes never ends, and the driver starts no
// other: a service that lost its database at that moment never found it again.
describe('a heartbeat that never ends', () => {
  const sockets: Socket[] = []
  const collect = (message: unknown): void => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as Node documents it
    sockets.push((message as { socket: Socket }).socket)
  }
  let server: Awaited<ReturnType<typeof startEmbeddedMongo>>
  let proxy: DatabaseProxy
  let database: Database
  let heartbeats = 0
  let lines: string[][] = []
  const logger = {
    warn: (_: object, message: string) => void lines.push(['warn', message]),
    info: (_: object, message: string) => void lines.push(['info', message]),
  }

  beforeEach(async () => {
    server = await startEmbeddedMongo({ storage: { memory: true } })
    proxy = await startDatabaseProxy(server.uri)
    subscribe('net.client.socket', collect)
    database = await connectDatabase({ uri: proxy.uri, logger })
    unsubscribe('net.client.socket', collect)
    await stall()
    database.connection.getClient().on('serverHeartbeatStarted', () => heartbeats++)
  })
  afterEach(async () => {
    sockets.length = 0
    lines = []
    await database.stop()
    await proxy.stop()
    await server.stop()
  })

  // The first connection is the heartbeat's; its event comes just before it writes.
  async function stall(): Promise<void> {
    await new Promise<void>((resolve) => {
      database.connection.getClient().once('serverHeartbeatStarted', () => {
        sockets[0]?.destroy()
        resolve()
      })
    })
    heartbeats = 0
  }

  it('F-05 costs nothing while the database is known, and then no more than a moment', async () => {
    await wait(7000)
    await database.ping(500)
    expect(heartbeats).toBe(0)
    proxy.cut()
    await expect(database.ping(500)).rejects.toThrow()
    await wait(2000)
    proxy.pass()
    const isReached = (): Promise<boolean> =>
      database.ping(500).then(
        () => true,
        () => false,
      )
    await expect.poll(isReached, { interval: 200 }).toBe(true)
    expect(database.connection.readyState).toBe(1)
    expect(heartbeats).toBeGreaterThan(0)
    expect(lines).toEqual([
      ['warn', 'database heartbeat stalled, reconnecting'],
      ['info', 'reconnected to the database'],
    ])
  })

  it('F-05 does not prevent a stop while the database is down', async () => {
    proxy.cut()
    await expect(database.ping(500)).rejects.toThrow()
    await expect.poll(() => heartbeats).toBeGreaterThan(0)
    await database.stop()
    heartbeats = 0
    proxy.pass()
    await wait(3000)
    expect(database.connection.readyState).toBe(0)
    expect(heartbeats).toBe(0)
    expect(lines.length).toBe(1)
  })
})
