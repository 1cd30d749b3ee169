import { type Connection } from 'mongoose'
import { type Api } from '../create-api.ts'
import { connectDatabase } from './connect.ts'
import { parseDatabaseUri } from './location.ts'

/**
 * Runs a script on the database of an API, without listening: a migration, an import. Indexes are
 * left as they are, so that data can be put right before a new index is built over them.
 * @param api - the API, not started
 * @param action - what to do; models of the project are connected while it runs
 * @returns what the action returns
 * @throws Error when the API has no database or it cannot be reached; what the action throws
 */
export async function withDatabase<Result>(
  api: Pick<Api, 'config'>,
  action: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const { database: settings, logger } = api.config
  if (settings === false) {
    throw new Error('This API has no database: createApi was called with database: false.')
  }
  const location = parseDatabaseUri(settings.uri)
  const database = await connectDatabase(location, { ...settings, logger, indexes: false })
  try {
    return await action(database.connection)
  } finally {
    await database.stop()
  }
}
