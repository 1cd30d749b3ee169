import mongoose, { type Connection } from 'mongoose'
import { StartError, toReason } from '../errors/start-error.ts'
import { type Logger } from '../logging/logger.ts'
import { startDatabaseServer } from './database-server.ts'
import { type HeartbeatWatch, watchHeartbeat } from './heartbeat-watch.ts'
import { type DatabaseLocation, describeDatabase } from './location.ts'

/** A connected database. */
export interface Database {
  readonly connection: Connection
  /**
   * Asks the database whether it answers.
   * @param timeoutMs - how long to wait
   */
  ping(timeoutMs: number): Promise<void>
  /** Closes the connection, then the embedded server if this process started it. */
  stop(): Promise<void>
}

/** Options for {@link connectDatabase}. */
export interface ConnectOptions {
  /** Says when the connection had to be made anew. */
  logger: Pick<Logger, 'info' | 'warn'>
  /**
   * Name of the database; for an embedded one it also separates tests.
   * @default the one in the URI, else 'app'
   */
  name?: string | undefined
  /**
   * Size of the connection pool.
   * @default 50
   */
  maxPoolSize?: number | undefined
  /**
   * Time in milliseconds after which one operation gives up.
   * @default 5000
   */
  operationTimeout?: number | undefined
  /**
   * Whether to build the indexes of every model.
   * @default true
   */
  indexes?: boolean | undefined
}

// A server that has fallen silent is given up after heartbeat and connect timeout: the driver then
// breaks off what waits for it, tries once more for a server selection, and fails. That bounds
// every operation by 6 s; the socket timeout is for one that hangs while its server lives.
// One that is gone is noticed at once, but what was under way may fail up to half a second later,
// the driver's least pause between two checks, before its last selection: 2.5 s in all.
const waits = {
  heartbeatFrequencyMS: 1000,
  connectTimeoutMS: 2000,
  serverSelectionTimeoutMS: 1800,
  socketTimeoutMS: 30_000,
  waitQueueTimeoutMS: 2000,
}

/**
 * Connects Mongoose's default connection with bounded waits and safe settings, and builds every
 * index before it returns, so that no request is served without its unique indexes.
 * @param location - where the documents lie
 * @param options - log, name, pool and time limit
 * @returns the database
 * @throws StartError when the database cannot be reached or an index cannot be built
 */
export async function connectDatabase(
  location: DatabaseLocation,
  options: ConnectOptions,
): Promise<Database> {
  // Filters never take operators from input, and an unknown field never matches everything.
  mongoose.set({
    strictQuery: 'throw',
    sanitizeFilter: true,
    runValidators: true,
    maxTimeMS: options.operationTimeout ?? 5000,
  })
  const server = await startDatabaseServer(location)
  let heartbeat: HeartbeatWatch | undefined
  const database: Database = {
    connection: mongoose.connection,
    async ping(timeoutMs) {
      // Aborted, it gives its connection back: one that hangs would keep it for long.
      const signal = AbortSignal.timeout(timeoutMs)
      await mongoose.connection.db?.command({ ping: 1, maxTimeMS: timeoutMs }, { signal })
    },
    async stop() {
      await heartbeat?.stop()
      await mongoose.disconnect()
      await server.stop()
    },
  }
  try {
    await mongoose
      .connect(server.uri, {
        dbName: options.name,
        maxPoolSize: options.maxPoolSize ?? 50,
        ...waits,
        bufferCommands: false,
        // Mongoose would build them once in the life of a model, in the background; we wait for them.
        autoIndex: false,
        autoCreate: false,
      })
      .catch((error: unknown) => rejectConnection(error, location))
    // One connectTimeoutMS to connect, one for the answer.
    const longestCheck = (2 * waits.connectTimeoutMS) / 1000
    heartbeat = watchHeartbeat(mongoose.connection.getClient(), longestCheck, options.logger)
    if (options.indexes ?? true) await buildIndexes(mongoose.connection)
  } catch (error) {
    await database.stop()
    throw error
  }
  return database
}

function rejectConnection(error: unknown, location: DatabaseLocation): never {
  throw new StartError(
    `${describeDatabase(location)} cannot be used: ${toReason(error)}. Start it, or correct MONGODB_URI; without MONGODB_URI development and tests use the embedded database.`,
    error,
  )
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
