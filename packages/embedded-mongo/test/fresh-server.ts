import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Db, MongoClient, type MongoClientOptions } from 'mongodb'
import { afterEach } from 'vitest'
import { type EmbeddedMongo, type EmbeddedMongoOptions, startEmbeddedMongo } from '../src/index.ts'

const cleanups: (() => Promise<unknown> | void)[] = []

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

/** A folder that is removed after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'embedded-mongo-test-'))
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A database that is stopped after the test. */
export async function start(options: Partial<EmbeddedMongoOptions> = {}): Promise<EmbeddedMongo> {
  const mongo = await startEmbeddedMongo({
    storage: { memory: true },
    onMessage: () => {},
    ...options,
  })
  cleanups.push(() => mongo.stop())
  return mongo
}

/** A client that is closed after the test. */
export async function connect(uri: string, options?: MongoClientOptions): Promise<MongoClient> {
  const client = await new MongoClient(uri, options).connect()
  cleanups.push(() => client.close())
  return client
}

/** The database of a fresh server in memory. */
export async function freshDatabase(options: Partial<EmbeddedMongoOptions> = {}): Promise<Db> {
  const { uri } = await start(options)
  return (await connect(uri)).db()
}
