import mongoose, { type Connection } from 'mongoose'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { openTestServer, type TestServer } from '../server.ts'

/**
 * Gives a test file its own connection and database; models and documents go after each test.
 * @returns The connection, usable inside tests.
 */
export function useConnection(): Connection {
  const connection = mongoose.createConnection()
  let server: TestServer
  beforeAll(async () => {
    server = await openTestServer()
    const dbName = `embedded_mongoose_${process.pid}_${Math.floor(Math.random() * 1e9)}`
    await connection.openUri(server.uri, { dbName })
  })
  afterEach(async () => {
    connection.deleteModel(/.*/)
    await connection.dropDatabase()
  })
  afterAll(async () => {
    await connection.close()
    await server.stop()
  })
  return connection
}
