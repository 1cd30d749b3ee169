import { MongoClient } from 'mongodb'
import { startEmbeddedMongo } from '../src/index.ts'

/** A MongoDB to run cases against. */
export interface TestServer {
  uri: string
  /** What the run prints: which server responded. */
  name: string
  /** It is ours, and so refuses by name what it lacks: cases of that are not for others. */
  isEmbedded: boolean
  stop(): Promise<void>
}

/**
 * Opens the MongoDB that MONGODB_URI names, else an embedded database in memory: the same cases
 * tell whether both give the same results.
 * @returns The server the cases run against.
 */
export async function openTestServer({ port }: { port?: number } = {}): Promise<TestServer> {
  const uri = process.env['MONGODB_URI']
  if (uri !== undefined && uri !== '') {
    const isEmbedded = await isOurs(uri)
    const kind = isEmbedded ? 'an embedded database' : 'a MongoDB server'
    return { uri, isEmbedded, name: `${kind} at MONGODB_URI`, stop: () => Promise.resolve() }
  }
  const embedded = await startEmbeddedMongo({ storage: { memory: true }, port })
  return {
    uri: embedded.uri,
    isEmbedded: true,
    name: 'the embedded database',
    stop: () => embedded.stop(),
  }
}

async function isOurs(uri: string): Promise<boolean> {
  const client = await MongoClient.connect(uri)
  try {
    const { modules = [] } = await client.db('admin').command({ buildInfo: 1 })
    return modules.includes('embedded')
  } finally {
    await client.close()
  }
}
