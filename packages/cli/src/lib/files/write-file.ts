import { join } from 'node:path'
import { applyChanges } from './apply.ts'
import { type Change, type WantedFile } from './change.ts'
import { withLock } from './lock.ts'
import { planChanges, readText } from './plan.ts'
import { type ConflictPolicy, settleConflicts } from './settle-conflicts.ts'

export interface WriteOptions extends ConflictPolicy {
  /** Write nothing. */
  readonly dryRun?: boolean | undefined
}

export async function writeFiles(
  root: string,
  files: readonly WantedFile[],
  { dryRun, ...policy }: WriteOptions,
): Promise<readonly Change[]> {
  if (dryRun) return planChanges(root, files)
  return withLock(root, async () => {
    const changes = await settleConflicts(planChanges(root, files), policy)
    applyChanges(root, changes)
    return changes
  })
}

// Writes a file whose text may depend on what it contains.
export async function writeFile(
  root: string,
  path: string,
  toText: (before: string | undefined) => string | Promise<string>,
): Promise<readonly Change[]> {
  return withLock(root, async () => {
    const before = readText(join(root, path))
    const text = await toText(before)
    const changes = planChanges(root, [
      before === undefined ? { kind: 'write', path, text } : { kind: 'edit', path, before, text },
    ])
    applyChanges(root, changes)
    return changes
  })
}
