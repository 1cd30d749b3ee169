import { type Connection } from 'mongoose'
import { type Api } from './create-api.ts'
import { connectDatabase } from './database/connect.ts'

/**
 * Runs a script, such as a migration or an import, with the database of an API, without listening.
 * Indexes are not built, so that a script can correct the data before a new index is built.
 * @param api - the API, not started
 * @param action - the script; the models of the project are connected while it runs
 * @returns the result of the action
 * @throws Error when the API has no database or cannot connect to it; errors of the action are passed on
 * @example
 * ```ts
 * const count = await withDatabase(api, () => PostModel.countDocuments())
 * ```
 */
export async function withDatabase<Result>(
  api: Pick<Api, 'config'>,
  action: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const { database: settings, logger } = api.config
  if (settings === false) {
    throw new Error('This API has no database: createApi was called with database: false.')
  }
  const database = await connectDatabase({ ...settings, logger, indexes: false })
  try {
    return await action(database.connection)
  } finally {
    await database.stop()
  }
}
