import { pathToFileURL } from 'node:url'
import type * as EmbeddedMongo from '@create-api/embedded-mongo'
import { StartError, toReason } from '../errors/start-error.ts'
import { findInProject } from '../runtime/optional-package.ts'
import { parseDatabaseUri } from './location.ts'

export interface DatabaseServer {
  readonly uri: string
  /** Stops the embedded server if this process started it. */
  stop(): Promise<void>
}

export async function startDatabaseServer(uri: string): Promise<DatabaseServer> {
  const location = parseDatabaseUri(uri)
  if (location.kind === 'server') return { uri: location.uri, stop: async () => {} }
  const { startEmbeddedMongo } = await import('@create-api/embedded-mongo').catch(importFromProject)
  const starting = startEmbeddedMongo({
    storage: location.kind === 'memory' ? { memory: true } : { directory: location.directory },
    // The database in use is announced when the API listens.
    onMessage: (message, kind) => {
      if (kind === 'warning') process.stderr.write(`${message}\n`)
    },
  })
  return starting.catch((error: unknown) => {
    throw new StartError(`The embedded database cannot start: ${toReason(error)}`, error)
  })
}

async function importFromProject(cause: unknown): Promise<typeof EmbeddedMongo> {
  const isMissing =
    cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND'
  if (!isMissing) throw cause
  const path = findInProject('@create-api/embedded-mongo')
  if (path !== undefined) return import(pathToFileURL(path).href)
  throw new StartError(
    'The embedded database is not installed. Install it (npm install --save-dev @create-api/embedded-mongo, without --save-dev for production) or set MONGODB_URI to a MongoDB server.',
    cause,
  )
}
