import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { createMemoryStore } from '../storage/memory-store.ts'
import { startServer } from './create-server.ts'

/** Where the documents live. */
export type EmbeddedMongoStorage = { memory: true } | { directory: string }

/** Options of {@link startEmbeddedMongo}. */
export interface EmbeddedMongoOptions {
  /** Memory, or a folder that keeps the data. */
  storage: EmbeddedMongoStorage
}

/** A running database. */
export interface EmbeddedMongo {
  /** `mongodb://…`, for `mongoose.connect` and any other client. */
  uri: string
  /** `attached`: another process owns the folder. */
  role: 'owner' | 'attached'
  /** Owner: last sync and release; attached: detach only. */
  stop(): Promise<void>
}

/**
 * Starts a database that speaks MongoDB's wire protocol.
 *
 * @param options Where the data lives, and more.
 * @returns The address to connect to, and how to stop.
 */
export async function startEmbeddedMongo(options: EmbeddedMongoOptions): Promise<EmbeddedMongo> {
  void options
  const folder = join(tmpdir(), `embedded-mongo-${userInfo().uid}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `${randomBytes(8).toString('hex')}.sock`)
  const store = createMemoryStore()
  const server = await startServer({ store, listen: { path }, latencyMs: 0 })
  return {
    uri: `mongodb://${encodeURIComponent(path)}/app?directConnection=true`,
    role: 'owner',
    async stop() {
      await server.close()
    },
  }
}
