import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type Connection } from 'mongoose'
import { StartError, toReason } from '../errors/start-error.ts'
import {
  type MigrationsConfig,
  type MigrationsFeature,
  type PendingSettings,
} from '../features/migrations.ts'
import { createMigrator, findPending, type Migrator, type MigratorOptions } from './migrator.ts'

/**
 * Adds migrations to an API. `onPending` decides whether pending ones stop the start, are logged or
 * are applied.
 * @param options - the folder of the migrations, and what the API does if some are pending
 * @returns the value of the option `migrations` of `createApi`, which checks the options
 * @example
 * ```ts
 * const directory = new URL('./migrations/', import.meta.url)
 *
 * export const api = createApi({ routes, migrations: createMigrations({ directory }) })
 * ```
 */
export function createMigrations(options: MigrationsConfig): MigrationsFeature {
  return { ...options, handlePending }
}

async function handlePending(connection: Connection, settings: PendingSettings): Promise<void> {
  const { logger, migrations } = settings
  const { directory, onPending } = migrations
  if (directory === undefined) return
  try {
    const { newer, pending } = await findPending(connection, directory)
    if (newer.length > 0) {
      logger.warn({ migrations: newer }, 'the database has migrations of a newer version')
    }
    if (pending.length === 0) return
    if (onPending === 'run') {
      await openMigrator(connection, settings, { directory }).up({ allowNewer: true })
      return
    }
    const text = describePending(pending)
    if (onPending === 'fail') throw new StartError(text, undefined)
    logger.warn({ migrations: pending }, text)
  } catch (error) {
    if (error instanceof StartError) throw error
    if (onPending !== 'warn') throw new StartError(toReason(error), error)
    logger.warn({ err: error }, 'the migrations cannot be compared with the database')
  }
}

function describePending(pending: readonly string[]): string {
  const what = pending.length === 1 ? '1 migration is' : `${pending.length} migrations are`
  return `${what} pending: ${pending.join(', ')}. Apply them before this version starts: npx api migrate up, or start one process with MIGRATIONS_ON_PENDING=run.`
}

export function openMigrator(
  connection: Connection,
  { logger, name }: Omit<PendingSettings, 'migrations'>,
  options: Partial<MigratorOptions> & Pick<MigratorOptions, 'directory'>,
): Migrator {
  let reportedAt = 0
  return createMigrator({
    service: name,
    version: readVersion(options.directory),
    onWait: (owner) => logger.info({ owner }, 'waiting for another process that runs migrations'),
    onStart: (migration, direction) => logger.info({ migration, direction }, 'migration started'),
    onProgress: ({ name: migration, ...progress }) => {
      if (performance.now() - reportedAt < 10_000) return
      reportedAt = performance.now()
      logger.info({ migration, ...progress }, 'migration in progress')
    },
    onDone: ({ name: migration, ...done }) => logger.info({ migration, ...done }, 'migration done'),
    connection,
    ...options,
  })
}

// Reads the version in the nearest package.json.
function readVersion(directory: string): string {
  const file = path.join(directory, 'package.json')
  if (existsSync(file)) {
    const { version }: { version?: unknown } = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof version === 'string') return version
  }
  const parent = path.dirname(directory)
  return parent === directory ? '' : readVersion(parent)
}
