import mongoose, { type Connection } from 'mongoose'
import { StartError, toReason } from '../errors/start-error.ts'
import { type Logger } from '../logging/logger.ts'
import { startDatabaseServer } from './database-server.ts'
import { type HeartbeatWatch, watchHeartbeat } from './heartbeat-watch.ts'
import { describeDatabase } from './location.ts'
import { keepCommandsApart } from './command-sharing.ts'

/** A connection to the database of an API. */
export interface Database {
  readonly connection: Connection
  /**
   * Checks that the database responds.
   * @param timeoutMs - timeout in milliseconds
   */
  ping(timeoutMs: number): Promise<void>
  /** Closes the connection, then the embedded server if this process started it. */
  stop(): Promise<void>
}

export interface ConnectOptions {
  /** A MongoDB server, `embedded:<folder>` or `embedded:memory`. */
  uri: string
  /** Logs reconnections. */
  logger: Pick<Logger, 'info' | 'warn'>
  /**
   * Name of the database; also separates tests on the embedded database.
   * @default the one in the URI, else 'app'
   */
  name?: string | undefined
  /**
   * Size of the connection pool.
   * @default 50
   */
  maxPoolSize?: number | undefined
  /**
   * Timeout of one operation in milliseconds.
   * @default 5000
   */
  operationTimeout?: number | undefined
  /**
   * Whether requests that arrive together share commands.
   * @default true
   */
  shareCommands?: boolean | undefined
  /**
   * Whether to build the indexes of every model.
   * @default true
   */
  indexes?: boolean | undefined
  /**
   * Runs before they are built, with the connection.
   * @default nothing
   */
  beforeIndexes?: ((connection: Connection) => Promise<void>) | undefined
}

// A silent server is abandoned after heartbeat and connect timeout: the driver then aborts the
// operations waiting for it, retries once with a new server selection, and fails. That bounds every
// operation by 6 s; the socket timeout is for an operation that hangs on a live server. A server that
// is gone is detected at once, but pending operations may fail half a second later, the driver's
// minimum pause between two checks, before the last selection: 2.5 s in all.
const waits = {
  heartbeatFrequencyMS: 1000,
  connectTimeoutMS: 2000,
  serverSelectionTimeoutMS: 1800,
  socketTimeoutMS: 30_000,
  waitQueueTimeoutMS: 2000,
}

export async function connectDatabase(options: ConnectOptions): Promise<Database> {
  const restoreSettings = keepSettings(mongoose.connection)
  const server = await startDatabaseServer(options.uri)
  let heartbeat: HeartbeatWatch | undefined
  const database: Database = {
    connection: mongoose.connection,
    ping: (timeoutMs) => pingDatabase(mongoose.connection, timeoutMs),
    async stop() {
      await heartbeat?.stop()
      await mongoose.disconnect()
      restoreSettings()
      await server.stop()
    },
  }
  try {
    mongoose.connection.set('maxTimeMS', options.operationTimeout ?? 5000)
    await mongoose
      .connect(server.uri, {
        dbName: options.name,
        maxPoolSize: options.maxPoolSize ?? 50,
        ...waits,
        bufferCommands: false,
        // Mongoose would build indexes in the background; `buildIndexes` waits for them.
        autoIndex: false,
        autoCreate: false,
      })
      .catch((error: unknown) => rejectConnection(error, options.uri))
    if (options.shareCommands === false) keepCommandsApart(mongoose.connection.getClient())
    await warnOfStandalone(mongoose.connection, options)
    // One connectTimeoutMS to connect, one for the response.
    const maxCheckSeconds = (2 * waits.connectTimeoutMS) / 1000
    heartbeat = watchHeartbeat(mongoose.connection.getClient(), maxCheckSeconds, options.logger)
    await options.beforeIndexes?.(mongoose.connection)
    if (options.indexes ?? true) await buildIndexes(mongoose.connection)
  } catch (error) {
    await database.stop()
    throw error
  }
  return database
}

// Rejects when nothing is connected or the database does not respond in time.
export async function pingDatabase({ db }: Connection, timeoutMs: number): Promise<void> {
  if (!db) throw new Error('Mongoose is not connected.')
  // The signal returns the connection to the pool; without it a hanging ping would keep it.
  const signal = AbortSignal.timeout(timeoutMs)
  await db.command({ ping: 1, maxTimeMS: timeoutMs }, { signal })
}

// A server has transactions if it belongs to a replica set or is a mongos.
export async function hasTransactions({ db }: Connection): Promise<boolean> {
  const { setName, msg } = (await db?.command({ hello: 1 })) ?? {}
  return setName !== undefined || msg === 'isdbgrid'
}

// Without a replica set the driver reports transactions as a problem of retryable writes.
async function warnOfStandalone(
  connection: Connection,
  { uri, logger }: ConnectOptions,
): Promise<void> {
  if (await hasTransactions(connection)) return
  logger.warn(
    {},
    `${describeDatabase(uri)} is not a replica set: transactions and change streams fail, and writes are not retried. Start mongod with --replSet rs0, run rs.initiate() once, and add replicaSet=rs0 to MONGODB_URI.`,
  )
}

function rejectConnection(error: unknown, uri: string): never {
  throw new StartError(
    `${describeDatabase(uri)} cannot be used: ${toReason(error)}. Start it, or correct MONGODB_URI; without MONGODB_URI development and tests use the embedded database.`,
    error,
  )
}

// Mongoose keeps options of a connection that is closed, and the application may open it again.
function keepSettings(connection: Connection): () => void {
  const config: Record<string, unknown> = connection.config
  const kept = { ...config }
  const maxTimeMS: unknown = connection.get('maxTimeMS')
  return () => {
    for (const name of Object.keys(config)) Reflect.deleteProperty(config, name)
    Object.assign(config, kept)
    connection.set('maxTimeMS', maxTimeMS)
  }
}

async function buildIndexes(connection: Connection): Promise<void> {
  for (const model of Object.values(connection.models)) {
    try {
      await model.ensureIndexes()
    } catch (cause) {
      const { collection, modelName } = model
      throw new StartError(
        `The indexes of ${modelName} (collection ${collection.name}) cannot be built: ${toReason(cause)}`,
        cause,
      )
    }
  }
}
