import { existsSync } from 'node:fs'
import { createRequire as requireFrom } from 'node:module'
import { join } from 'node:path'
import { type EmbeddedMongo, startEmbeddedMongo } from '../host/start-embedded-mongo.ts'
import { type NamedDatabase } from './dump-database.ts'

interface Driver {
  MongoClient?: new (uri: string) => Client
}

export interface Client {
  db(name?: string): NamedDatabase
  startSession(options: { snapshot: true }): unknown
  connect(): Promise<unknown>
  close(): Promise<void>
}

// `role` for a data folder only.
export async function withClient<T>(
  place: string,
  use: (client: Client, role: EmbeddedMongo['role'] | undefined) => Promise<T>,
): Promise<T> {
  const mongo = isConnectionString(place)
    ? undefined
    : await startEmbeddedMongo({ storage: { directory: place }, onMessage: () => {} })
  const client = createClient(mongo?.uri ?? place)
  try {
    await client.connect()
    return await use(client, mongo?.role)
  } finally {
    await client.close()
    await mongo?.stop()
  }
}

// Uses the application's driver or Mongoose; this package does not depend on one.
function createClient(uri: string): Client {
  const load = requireFrom(join(process.cwd(), 'package.json'))
  for (const name of ['mongodb', 'mongoose']) {
    try {
      const loaded: Driver & { mongo?: Driver } = load(name)
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

function isConnectionString(place: string): boolean {
  return /^mongodb(?:\+srv)?:\/\//.test(place)
}

export function requireData(place: string): void {
  if (!isConnectionString(place)) requireDataFolder(place)
}

// Opening a missing folder would create an empty database there, so a mistyped name would look like
// one whose data is gone.
export function requireDataFolder(place: string): void {
  // The log is created shortly before the manifest.
  if (['manifest', 'log-1'].some((name) => existsSync(join(place, name)))) return
  throw new Error(
    `${place} is not a data folder: it has no manifest. Use the folder printed at startup, such as .data.`,
  )
}
