import { startEmbeddedMongo } from '../../src/index.ts'

/** The database the cases run against. */
export interface TestServer {
  uri: string
  /** What it is, for the report. */
  name: string
  stop(): Promise<void>
}

/**
 * Opens the MongoDB that MONGODB_URI names, else an embedded database in memory: the same cases
 * tell whether both give the same answers.
 */
export async function openTestServer(): Promise<TestServer> {
  const uri = process.env['MONGODB_URI']
  if (uri !== undefined && uri !== '') {
    return { uri, name: 'the MongoDB of MONGODB_URI', stop: () => Promise.resolve() }
  }
  const server = await startEmbeddedMongo({ storage: { memory: true } })
  return { uri: server.uri, name: 'the embedded database', stop: () => server.stop() }
}
