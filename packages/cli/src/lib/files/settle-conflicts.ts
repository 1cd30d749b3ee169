import { CliError } from '../errors/cli-error.ts'
import { type Change } from './change.ts'
import { countDifferences } from './diff.ts'

export type ConflictChoice = 'overwrite' | 'keep'

export interface ConflictPolicy {
  /** Overwrite every file that differs. */
  readonly force?: boolean | undefined
  /** Keep every file that differs. */
  readonly skipExisting?: boolean | undefined
  /** Asks for each file; only in a terminal. */
  readonly ask?: ((change: Change) => Promise<ConflictChoice>) | undefined
}

export async function settleConflicts(
  changes: readonly Change[],
  policy: ConflictPolicy,
): Promise<readonly Change[]> {
  const conflicts = changes.filter(({ action }) => action === 'conflict')
  if (conflicts.length === 0) return changes
  if (policy.force) return changes.map((change) => settled(change, 'overwrite'))
  if (policy.skipExisting) return changes.map((change) => settled(change, 'keep'))
  if (policy.ask === undefined) throw conflictError(conflicts)
  const decided: Change[] = []
  for (const change of changes) {
    const choice = change.action === 'conflict' ? await policy.ask(change) : 'keep'
    decided.push(settled(change, choice))
  }
  return decided
}

function settled(change: Change, choice: ConflictChoice): Change {
  return change.action === 'conflict' ? { ...change, action: choice } : change
}

function conflictError(conflicts: readonly Change[]): CliError {
  const width = Math.max(...conflicts.map(({ path }) => path.length))
  const details = conflicts.map(({ path, before = '', after = '' }) => {
    const { added, removed } = countDifferences(before, after)
    return `  conflict   ${path.padEnd(width)}   (+${added} −${removed})`
  })
  const count = conflicts.length === 1 ? '1 file differs' : `${conflicts.length} files differ`
  return new CliError('CONFLICT', `${count} from what would be generated; nothing was written`, {
    details,
    hint: 'to see the differences: --dry-run --verbose    to keep your files: --skip-existing    to overwrite them: --force',
    files: conflicts.map(({ path }) => path),
  })
}
