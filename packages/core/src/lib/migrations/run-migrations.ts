import { type Api } from '../create-api.ts'
import { withDatabase } from '../with-database.ts'
import { openMigrator } from './create-migrations.ts'
import { type Migrator, type MigratorOptions } from './migrator.ts'
import { type DoneMigration } from './run-migration.ts'

/** Options of {@link runMigrations}. */
export interface RunMigrationsOptions {
  /**
   * Stops after the write under way; the next run continues there.
   * @default never
   */
  signal?: AbortSignal | undefined
}

/**
 * Applies the pending migrations of an API without starting it, one process at a time; it waits for another process that
 * does so. Progress is logged.
 * @param api - the API, not started, with `migrations`
 * @param options - a signal
 * @returns the migrations that this process has applied
 * @throws MigrationError with cause and fix
 * @example
 * ```ts
 * const stop = new AbortController()
 * process.once('SIGTERM', () => stop.abort())
 * await runMigrations(api, { signal: stop.signal })
 * ```
 */
export async function runMigrations(
  api: Pick<Api, 'config'>,
  options: RunMigrationsOptions = {},
): Promise<readonly DoneMigration[]> {
  return withMigrator(api, options, (migrator) => migrator.up())
}

// For the command line, which reports progress itself and knows the folder of older projects.
export function withMigrator<Result>(
  api: Pick<Api, 'config'>,
  options: Partial<MigratorOptions>,
  work: (migrator: Migrator) => Promise<Result>,
): Promise<Result> {
  return withDatabase(api, (connection) => {
    const directory = options.directory ?? api.config.migrations.directory
    if (directory === undefined) {
      throw new Error(
        "This API has no migrations: createApi({ migrations: createMigrations({ directory: new URL('./migrations/', import.meta.url) }) }), imported from '@create-api/core/migrations'.",
      )
    }
    return work(openMigrator(connection, api.config, { ...options, directory }))
  })
}
