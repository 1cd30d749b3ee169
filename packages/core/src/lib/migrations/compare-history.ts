import { type MigrationRecord } from './ledger.ts'
import { MigrationError } from './migration-error.ts'
import { type MigrationFile } from './read-migrations.ts'

export type MigrationState =
  | 'applied'
  | 'pending'
  | 'unfinished'
  | 'reverting'
  | 'edited'
  | 'missing'
  | 'out of order'

export interface MigrationEntry {
  readonly name: string
  readonly state: MigrationState
  readonly file: MigrationFile | undefined
  readonly record: MigrationRecord | undefined
}

export interface HistoryOptions {
  /** Names whose state a person has looked at. */
  readonly accept?: readonly string[] | undefined
  /** Whether migrations of a newer version may be applied: during a rolling update, or after it was undone. */
  readonly allowNewer?: boolean
}

// Compares the files with what the database has, in the order of the names.
export function compareHistory(
  files: readonly MigrationFile[],
  records: readonly MigrationRecord[],
): readonly MigrationEntry[] {
  const names = new Set([...files.map(({ name }) => name), ...records.map(({ _id }) => _id)])
  const lastApplied =
    records
      .map(({ _id }) => _id)
      .toSorted()
      .at(-1) ?? ''
  return [...names].toSorted().map((name) => {
    const file = files.find((one) => one.name === name)
    const record = records.find(({ _id }) => _id === name)
    return { name, file, record, state: findState(name, file, record, lastApplied) }
  })
}

function findState(
  name: string,
  file: MigrationFile | undefined,
  record: MigrationRecord | undefined,
  lastApplied: string,
): MigrationState {
  if (!file) return 'missing'
  if (!record) return name < lastApplied ? 'out of order' : 'pending'
  if (record.checksum !== file.checksum && hasEffect(record)) return 'edited'
  if (record.state === 'applying') return 'unfinished'
  return record.state
}

// A migration that failed before anything was stored may be corrected.
function hasEffect({ position, state, step }: MigrationRecord): boolean {
  return state !== 'applying' || step > 0 || position !== undefined
}

// Migrations of a newer version: applied, not known here, and after all that are.
export function findNewer(entries: readonly MigrationEntry[]): readonly MigrationEntry[] {
  const lastKnown = entries.findLastIndex(({ file }) => file)
  return entries.slice(lastKnown + 1)
}

// Throws with every problem at once, and how to solve each.
export function requireHistory(
  entries: readonly MigrationEntry[],
  { accept = [], allowNewer = false }: HistoryOptions = {},
): void {
  const unknown = accept.find((name) => !entries.some((entry) => entry.name === name))
  if (unknown !== undefined) throw notFound(unknown, entries)
  const newer = allowNewer ? findNewer(entries) : []
  const problems = entries
    .filter((entry) => !newer.includes(entry) && !accept.includes(entry.name))
    .flatMap((entry) => describeProblem(entry, entries))
  const reverting = entries.filter(
    ({ name, state }) => state === 'reverting' && accept.includes(name),
  )
  const all = [...problems, ...reverting.flatMap((entry) => describeProblem(entry, entries))]
  if (all.length === 0) return
  throw new MigrationError(
    'migration_history',
    `The files and the database do not agree; nothing was changed:${all.map((line) => `\n  ${line}`).join('')}`,
  )
}

export function notFound(name: string, entries: readonly MigrationEntry[]): MigrationError {
  const names = entries.map((entry) => entry.name)
  const known = names.length === 0 ? 'There are none.' : `There are: ${names.join(', ')}.`
  return new MigrationError('migration_not_found', `There is no migration ${name}. ${known}`)
}

function describeProblem(
  { name, record, state }: MigrationEntry,
  entries: readonly MigrationEntry[],
): string[] {
  const accepting = `npx api migrate up --accept ${name}`
  switch (state) {
    case 'edited': {
      const done = record?.state === 'applied' ? 'applied' : 'partly applied'
      return [
        `${name} was edited after it was ${done}. Restore the file from version control and write a new migration for the change; if the edit changes nothing that it does: ${accepting}`,
      ]
    }
    case 'missing': {
      const done = record?.state === 'applied' ? 'applied' : 'begun but not completed'
      return [
        `${name} was ${done}, and its file is missing. Restore the file from version control; to forget the migration without reverting it: ${accepting}`,
      ]
    }
    case 'out of order': {
      const last = entries.findLast((entry) => entry.record)?.name ?? ''
      return [
        `${name} is older than ${last}, which was applied before. Rename the file to a time after it, so that every database has the same order; if the order does not matter: ${accepting}`,
      ]
    }
    case 'reverting':
      return [`${name} is partly reverted. Finish that first: npx api migrate down`]
    default:
      return []
  }
}
