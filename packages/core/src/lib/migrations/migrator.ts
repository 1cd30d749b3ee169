import { type Connection, type mongo } from 'mongoose'
import { hasTransactions } from '../database/connect.ts'
import {
  compareHistory,
  findNewer,
  type HistoryOptions,
  type MigrationEntry,
  notFound,
  requireHistory,
} from './compare-history.ts'
import { createLedger, type MigrationRecord } from './ledger.ts'
import { findLockOwner, type LockOwner, withLock } from './lock.ts'
import { MigrationError } from './migration-error.ts'
import { loadMigration, type MigrationFile, readMigrations } from './read-migrations.ts'
import {
  createRunner,
  type Direction,
  type DoneMigration,
  requireFile,
  type Runner,
  type RunnerHooks,
  findStart,
  toSteps,
} from './run-migration.ts'
import { type PlannedStep, planStep } from './run-steps.ts'

export interface MigratorOptions extends RunnerHooks {
  readonly connection: Connection
  /** Folder of the migrations. */
  readonly directory: string
  /** Name and version of the service, for the ledger. */
  readonly service: string
  readonly version: string
  /**
   * Milliseconds after which the lock of a process that has died is free.
   * @default 30000
   */
  readonly leaseMs?: number | undefined
  /** Stops after the current write. */
  readonly signal?: AbortSignal | undefined
  /** Called with the process that has the lock, while waiting for it. */
  readonly onWait?: ((owner: LockOwner) => void) | undefined
}

export interface UpOptions extends HistoryOptions {
  /** The last one to apply. */
  readonly to?: string | undefined
}

export interface DownOptions {
  /** How many to revert. */
  readonly count?: number | undefined
}

export interface PlannedMigration {
  readonly name: string
  /** Whether a run that was killed has begun it. */
  readonly isBegun: boolean
  readonly steps: readonly PlannedStep[]
}

export interface StatusEntry {
  readonly name: string
  readonly state: MigrationEntry['state']
  readonly record: MigrationRecord | undefined
}

export interface Migrator {
  status(): Promise<{ entries: readonly StatusEntry[]; running: LockOwner | undefined }>
  /** What `up` would do, without doing it. */
  planUp(options?: UpOptions): Promise<readonly PlannedMigration[]>
  /** What `down` would do, without doing it. */
  planDown(options?: DownOptions): Promise<readonly PlannedMigration[]>
  /** Applies what is pending, one process at a time. */
  up(options?: UpOptions): Promise<readonly DoneMigration[]>
  /** Reverts the last ones. */
  down(options?: DownOptions): Promise<readonly DoneMigration[]>
  /** Reverts the last one and applies it again. */
  redo(): Promise<readonly DoneMigration[]>
}

const defaultLeaseMs = 30_000

export function createMigrator(options: MigratorOptions): Migrator {
  const { connection, directory, signal = new AbortController().signal } = options
  const db = requireDatabase(connection)
  const ledger = createLedger(db)
  const files = (): readonly MigrationFile[] => readMigrations(directory)
  const compare = async (): Promise<readonly MigrationEntry[]> =>
    compareHistory(files(), await ledger.read())

  async function locked<Result>(work: (run: Runner) => Promise<Result>): Promise<Result> {
    const { leaseMs = defaultLeaseMs, onWait = () => {}, service, version } = options
    try {
      const lock = {
        client: connection.getClient(),
        db,
        owner: { service, version },
        transactions: await hasTransactions(connection),
        leaseMs,
        signal,
        onWait,
      }
      return await withLock(lock, (held) =>
        work(createRunner({ ...options, db, ledger, lock: held })),
      )
    } catch (error) {
      if (signal.aborted) throw stopped(error)
      throw error
    }
  }

  return {
    async status() {
      return { entries: await compare(), running: await findLockOwner(db) }
    },
    async planUp(upOptions) {
      const entries = selectPending(await compare(), upOptions)
      return Promise.all(entries.map((entry) => planEntry(db, entry, 'up')))
    },
    async planDown(downOptions) {
      const entries = selectApplied(await compare(), downOptions)
      return Promise.all(entries.map((entry) => planEntry(db, entry, 'down')))
    },
    up: (upOptions) =>
      locked(async (runner) => {
        const entries = await compare()
        const pending = selectPending(entries, upOptions)
        await runner.accept(entries, upOptions?.accept ?? [])
        return inOrder(pending, runner.apply)
      }),
    down: (downOptions) =>
      locked(async (runner) => inOrder(selectApplied(await compare(), downOptions), runner.revert)),
    redo: () =>
      locked(async (runner) => {
        const entries = selectApplied(await compare(), {})
        const reverted = await inOrder(entries, runner.revert)
        const pending = (await compare()).filter(({ name }) =>
          entries.some((entry) => entry.name === name),
        )
        return [...reverted, ...(await inOrder(pending, runner.apply))]
      }),
  }
}

// Finds the migrations to apply before a version starts, and those that a newer version has applied.
export async function findPending(
  connection: Connection,
  directory: string,
): Promise<{ pending: readonly string[]; newer: readonly string[] }> {
  const records = await createLedger(requireDatabase(connection)).read()
  const entries = compareHistory(readMigrations(directory), records)

  return {
    pending: listNames(selectPending(entries, { allowNewer: true })),
    newer: listNames(findNewer(entries)),
  }
}

function requireDatabase({ db }: Connection): mongo.Db {
  if (db) return db
  throw new Error('Mongoose is not connected.')
}

async function inOrder<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  for (const item of items) results.push(await work(item))
  return results
}

// Checks the history first. Throws MigrationError for a name that does not exist.
function selectPending(
  entries: readonly MigrationEntry[],
  { to, ...history }: UpOptions = {},
): readonly MigrationEntry[] {
  requireHistory(entries, history)
  if (to !== undefined && !entries.some(({ name }) => name === to)) throw notFound(to, entries)
  return entries.filter(
    ({ file, name, record }) =>
      file && record?.state !== 'applied' && (to === undefined || name <= to),
  )
}

// The last ones first.
function selectApplied(
  entries: readonly MigrationEntry[],
  { count = 1 }: DownOptions = {},
): readonly MigrationEntry[] {
  const begun = entries
    .filter(({ record }) => record)
    .toReversed()
    .slice(0, count)
  // Whatever their state: reverting is a way out of it. Only without a file there is no way.
  requireHistory(begun.filter(({ file }) => !file))
  return begun
}

async function planEntry(
  db: mongo.Db,
  { file, name, record }: MigrationEntry,
  direction: Direction,
): Promise<PlannedMigration> {
  const steps = toSteps(await loadMigration(requireFile(file, name)), name, direction)
  const { position, step } = findStart(record, direction)
  const planned = await Promise.all(
    steps.map((one, index) => planStep(db, one, index === step ? position : undefined)),
  )
  return { name, isBegun: step > 0 || position !== undefined, steps: planned.slice(step) }
}

function stopped(cause: unknown): MigrationError {
  return new MigrationError(
    'migration_stopped',
    'Stopped. What was done is stored; the next run continues there.',
    { cause },
  )
}

function listNames(entries: readonly MigrationEntry[]): readonly string[] {
  return entries.map(({ name }) => name)
}
