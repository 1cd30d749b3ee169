import { type ClientSession, type mongo } from 'mongoose'
import { toReason } from '../errors/start-error.ts'
import { type MigrationEntry } from './compare-history.ts'
import { type Migration } from './define-migration.ts'
import { type Ledger, type MigrationRecord } from './ledger.ts'
import { type HeldLock } from './lock.ts'
import { MigrationError } from './migration-error.ts'
import { loadMigration, type MigrationFile } from './read-migrations.ts'
import { type MigrationProgress, runSteps } from './run-steps.ts'

export type Direction = 'up' | 'down'

/** A migration that was applied or reverted. */
export interface DoneMigration {
  /** Name of the migration. */
  readonly name: string
  /** `up` if it was applied, `down` if it was reverted. */
  readonly direction: Direction
  /** Duration in milliseconds. */
  readonly durationMs: number
  /** Number of documents that its batches have changed. */
  readonly documents: number
}

export interface RunnerHooks {
  readonly onStart?: ((name: string, direction: Direction) => void) | undefined
  readonly onProgress?: ((progress: MigrationProgress) => void) | undefined
  readonly onDone?: ((done: DoneMigration) => void) | undefined
}

export interface Runner {
  readonly apply: (entry: MigrationEntry) => Promise<DoneMigration>
  readonly revert: (entry: MigrationEntry) => Promise<DoneMigration>
  /** Stores that a person has looked at these: a new checksum, or a file that is gone. */
  accept(entries: readonly MigrationEntry[], names: readonly string[]): Promise<void>
}

interface RunnerOptions extends RunnerHooks {
  readonly service: string
  readonly version: string
  readonly db: mongo.Db
  readonly ledger: Ledger
  readonly lock: HeldLock
}

export function createRunner(options: RunnerOptions): Runner {
  const { ledger, lock } = options

  async function run(entry: MigrationEntry, direction: Direction): Promise<DoneMigration> {
    const { name } = entry
    const file = requireFile(entry.file, name)
    const steps = toSteps(await loadMigration(file), name, direction)
    const from = findStart(entry.record, direction)
    options.onStart?.(name, direction)
    const started = performance.now()
    await lock.fenced((session) => begin(entry, file, { ...options, direction, session }))
    const documents = await runSteps({
      ...options,
      name,
      steps,
      from,
      onProgress: (progress) => options.onProgress?.(progress),
      finish: (session, elapsedMs) => finish(name, { ledger, direction, session, elapsedMs }),
    }).catch((cause: unknown) => {
      throw describeFailure(cause, { name, direction, signal: lock.signal })
    })
    const done = { name, direction, durationMs: Math.round(performance.now() - started), documents }
    options.onDone?.(done)
    return done
  }

  return {
    apply: (entry) => run(entry, 'up'),
    revert: (entry) => run(entry, 'down'),
    async accept(entries, names) {
      for (const { file, name, record } of entries) {
        if (!names.includes(name) || !record) continue
        await lock.fenced((session) =>
          file
            ? ledger.write(name, { $set: { checksum: file.checksum } }, session)
            : ledger.remove(name, session),
        )
      }
    },
  }
}

interface Write {
  readonly ledger: Ledger
  readonly direction: Direction
  readonly session: ClientSession | undefined
}

interface Beginning extends Write {
  readonly service: string
  readonly version: string
}

interface Ending extends Write {
  readonly elapsedMs: number
}

async function begin(
  { name, record }: MigrationEntry,
  { checksum }: MigrationFile,
  { direction, ledger, service, session, version }: Beginning,
): Promise<void> {
  const state = direction === 'up' ? 'applying' : 'reverting'
  const common = { checksum, state, service, version } as const
  const isResumed = record?.state === state
  await ledger.write(
    name,
    isResumed
      ? { $set: common }
      : {
          $set: { ...common, step: 0, documents: 0, durationMs: 0 },
          $unset: { position: '', seen: '' },
          $currentDate: { startedAt: true },
        },
    session,
  )
}

function finish(name: string, { direction, elapsedMs, ledger, session }: Ending): Promise<void> {
  if (direction === 'down') return ledger.remove(name, session)
  return ledger.write(
    name,
    {
      $set: { state: 'applied' },
      $unset: { position: '', seen: '' },
      $inc: { step: 1, durationMs: elapsedMs },
      $currentDate: { appliedAt: true },
    },
    session,
  )
}

function describeFailure(
  cause: unknown,
  { direction, name, signal }: { direction: Direction; name: string; signal: AbortSignal },
): unknown {
  if (signal.aborted && signal.reason instanceof MigrationError) return signal.reason
  if (cause instanceof MigrationError && cause.code === 'migration_lock_lost') return cause
  if (signal.aborted) return cause
  const reason = toReason(cause).replace(/\.$/, '')
  const text = `${name} failed (${direction}): ${reason}. Correct the cause and run it again; it continues after what is stored.`
  return new MigrationError('migration_failed', text, { cause })
}

// Finds the position at which a run that was killed has stopped.
export function findStart(
  record: MigrationRecord | undefined,
  direction: Direction,
): Pick<MigrationRecord, 'step' | 'position' | 'seen'> {
  if (record?.state === (direction === 'up' ? 'applying' : 'reverting')) return record
  return { step: 0 }
}

export function toSteps(
  { down, up }: Migration,
  name: string,
  direction: Direction,
): Migration['up'] {
  if (direction === 'up') return up
  if (down) return down
  throw new MigrationError(
    'migration_irreversible',
    `${name} has no down, so it cannot be reverted. Write a new migration that undoes it, or restore a backup.`,
  )
}

export function requireFile(file: MigrationFile | undefined, name: string): MigrationFile {
  if (file) return file
  throw new Error(`${name} has no file.`)
}
