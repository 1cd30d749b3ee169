import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Connection } from 'mongoose'
import { type Logger } from '../logging/logger.ts'
import { code, oneOf, option, type Options, parsedBy, type Values } from '../options/options.ts'

export const migrationOptions = {
  /** Folder of the migrations: `new URL('./migrations/', import.meta.url)` is right in sources and in compiled code. */
  directory: option(
    parsedBy<string, string | URL>(
      (value) => (value instanceof URL ? fileURLToPath(value) : path.resolve(String(value))),
      'must be a folder: a path or a file: URL',
    ),
  ),
  /**
   * What the API does at startup if migrations are pending: `fail` does not start, `warn` logs a
   * warning, `run` applies them first, in one process at a time.
   * @default 'fail' in production, else 'warn'
   */
  onPending: option(oneOf('fail', 'warn', 'run'), {
    env: 'MIGRATIONS_ON_PENDING',
    default: { production: 'fail', development: 'warn', test: 'warn' },
  }),
  handlePending: code<HandlePending>(),
}

type MigrationInputs = Options<typeof migrationOptions>

/** Options of the migrations, changes of stored documents that belong to a version of the code. */
export interface MigrationsConfig
  extends Required<Pick<MigrationInputs, 'directory'>>, Pick<MigrationInputs, 'onPending'> {}

/**
 * The migrations of an API: their options, and the function by which `createApi` handles pending
 * ones.
 */
export interface MigrationsFeature extends MigrationsConfig {
  /** Fails, warns or applies them, before indexes are built: a new index may need data that a migration corrects. */
  readonly handlePending: HandlePending
}

export type HandlePending = (connection: Connection, settings: PendingSettings) => Promise<void>

export interface MigrationsValues extends Values<typeof migrationOptions> {}

export interface PendingSettings {
  /** Name of the service. */
  readonly name: string
  readonly logger: Pick<Logger, 'info' | 'warn'>
  readonly migrations: MigrationsValues
}
