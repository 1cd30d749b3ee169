import { startEmbeddedMongo } from '../src/index.ts'

/** A MongoDB to run cases against. */
export interface TestServer {
  uri: string
  /** What the run prints: which server answered. */
  name: string
  stop(): Promise<void>
}

/**
 * Opens the server the cases run against.
 * @returns The server `MONGODB_URI` names, otherwise an embedded one in memory.
 */
export async function openTestServer(): Promise<TestServer> {
  const uri = process.env['MONGODB_URI']
  if (uri !== undefined && uri !== '') {
    return { uri, name: 'the server of MONGODB_URI', stop: () => Promise.resolve() }
  }
  const embedded = await startEmbeddedMongo({ storage: { memory: true } })
  return { uri: embedded.uri, name: 'the embedded database', stop: () => embedded.stop() }
}
