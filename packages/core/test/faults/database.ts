import { randomBytes } from 'node:crypto'
import { startEmbeddedMongo } from '@create-api/embedded-mongo'
import mongoose, { type Connection } from 'mongoose'
import { type DatabaseProxy, startDatabaseProxy } from './database-proxy.ts'

/** A database behind a proxy, and a way to look at it that does not pass the proxy. */
export interface HurtDatabase {
  /** Address for the service, through the proxy. */
  readonly uri: string
  readonly proxy: DatabaseProxy
  readonly connection: Connection
  stop(): Promise<void>
}

/**
 * Starts a database with its own name on the server of `MONGODB_URI`, else on an embedded one.
 * @returns the database
 */
export async function startHurtDatabase(): Promise<HurtDatabase> {
  const server = process.env['MONGODB_URI']
  const embedded = server ? undefined : await startEmbeddedMongo({ storage: { memory: true } })
  const direct = server ?? embedded?.uri ?? ''
  const dbName = `faults_${randomBytes(4).toString('hex')}`
  const proxy = await startDatabaseProxy(direct)
  const uri = new URL(proxy.uri)
  uri.pathname = `/${dbName}`
  const connection = await mongoose.createConnection(direct, { dbName }).asPromise()
  return {
    uri: uri.href,
    proxy,
    connection,
    async stop() {
      await connection.dropDatabase()
      await connection.close()
      await proxy.stop()
      await embedded?.stop()
    },
  }
}
