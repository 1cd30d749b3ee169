import mongoose, { type Connection } from 'mongoose'
import { setTimeout as wait } from 'node:timers/promises'
import { type Response } from 'supertest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DatabaseProxy, startDatabaseProxy } from '../faults/database-proxy.ts'
import {
  createClient,
  createTestService,
  startTestDatabase,
  type TestDatabase,
  type TestService,
} from './auth-fixture.ts'

const timeout = { status: 504, code: 'timeout', retryAfter: '5' }

function toOutcome({ status, body, headers }: Response): typeof timeout {
  return { status, code: body.code, retryAfter: headers['retry-after'] ?? '' }
}

// The driver never settles a command that is written while its connection closes: the socket reports
// this only to the callback of the write. A test cannot cause that moment reliably, so a proxy before the
// database loses the command instead.
describe('a command that gets no reply', () => {
  let database: TestDatabase
  let proxy: DatabaseProxy
  let connection: Connection
  let service: TestService

  beforeAll(async () => {
    database = await startTestDatabase()
    proxy = await startDatabaseProxy(database.uri)
    const { dbName } = database.connection.getClient().options
    connection = await mongoose.createConnection(proxy.uri, { dbName }).asPromise()
    service = await createTestService(connection)
  })
  afterAll(async () => {
    await proxy.stop()
    await connection.close()
    await database.stop()
  })

  it('F-05 prevents no later refresh of the session, and raises no alarm', async () => {
    const server = service.app.listen(0)
    const client = createClient(server)
    const { refreshToken } = await client.register('ada@x.io')
    proxy.lose('findAndModify')
    const first = client.refresh(refreshToken).then(toOutcome)
    await wait(100)
    const joined = client.refresh(refreshToken).then(toOutcome)
    expect(await Promise.all([first, joined])).toEqual([timeout, timeout])
    const { status, body } = await client.refresh(refreshToken)
    expect(status).toBe(200)
    expect((await client.refresh(body.data.refreshToken)).status).toBe(200)
    expect(service.events.filter(({ event }) => event === 'auth.refresh_replayed')).toEqual([])
    server.close()
  })

  it('F-05 fails the requests of the same batched read, and no others', async () => {
    const server = service.app.listen(0)
    const client = createClient(server)
    const { accessToken } = await client.register('bob@x.io')
    proxy.lose('users')
    const lost = client.me(accessToken).then(toOutcome)
    await wait(100)
    expect((await client.me(accessToken)).status).toBe(200)
    expect(await lost).toEqual(timeout)
    server.close()
  })
})
