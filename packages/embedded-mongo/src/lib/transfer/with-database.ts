import { createRequire as requireFrom } from 'node:module'
import { join } from 'node:path'
import { assume } from '../bson/assume.ts'
import { startEmbeddedMongo } from '../host/start-embedded-mongo.ts'
import { isConnectionString } from './place.ts'
import { type TransferDatabase } from './transfer-database.ts'

interface Driver {
  MongoClient?: new (uri: string) => Client
}

interface Client {
  db(name?: string): TransferDatabase
  connect(): Promise<unknown>
  close(): Promise<void>
}

/** What a place is opened with. */
export interface DatabaseChoice {
  /** A data folder or a connection string. */
  place: string
  /** The database; without it the one of the connection string. */
  name?: string | undefined
}

/**
 * Connects to a database for as long as something is done with it.
 *
 * @param choice Which database.
 * @param use What to do.
 * @returns What `use` returns.
 * @throws {Error} Neither `mongodb` nor `mongoose` is installed in the working directory.
 */
export async function withDatabase<T>(
  choice: DatabaseChoice,
  use: (database: TransferDatabase) => Promise<T>,
): Promise<T> {
  const { place, name } = choice
  const mongo = isConnectionString(place)
    ? undefined
    : await startEmbeddedMongo({ storage: { directory: place }, onMessage: () => {} })
  const client = createClient(mongo?.uri ?? place)
  try {
    await client.connect()
    return await use(client.db(name))
  } finally {
    await client.close()
    await mongo?.stop()
  }
}

// The application has a driver, its own or Mongoose's; this package needs none otherwise.
function createClient(uri: string): Client {
  const load = requireFrom(join(process.cwd(), 'package.json'))
  for (const name of ['mongodb', 'mongoose']) {
    try {
      const loaded = assume<Driver & { mongo?: Driver }>(load(name))
      const MongoClient = loaded.MongoClient ?? loaded.mongo?.MongoClient
      if (MongoClient) return new MongoClient(uri)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND')) {
        throw error
      }
    }
  }
  throw new Error('Neither mongodb nor mongoose is installed here: npm install mongoose')
}
