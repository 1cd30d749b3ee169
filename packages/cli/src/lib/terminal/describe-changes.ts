import { type Change } from '../files/change.ts'
import { toUnifiedDiff } from '../files/diff.ts'

/**
 * Writes one line a file, the verb first.
 *
 * @param changes what became of each file
 * @returns the lines; bookkeeping files have none
 */
export function describeChanges(changes: readonly Change[]): readonly string[] {
  const shown = changes.filter(({ quiet }) => quiet !== true)
  const width = Math.max(0, ...shown.map(({ path }) => path.length)) + 2
  return shown.map(({ action, detail, path }) => {
    const told = detail !== undefined && detail !== '' && action === 'update'
    return `  ${action.padEnd(10)} ${told ? path.padEnd(width) + detail : path}`
  })
}

/**
 * Lists files for `--json`.
 *
 * @param changes what became of each file
 * @returns path and action of each, bookkeeping files included
 */
export function toJsonFiles(changes: readonly Change[]): readonly object[] {
  return changes.map(({ action, path }) => ({ path, action }))
}

/**
 * Shows what would change in each file.
 *
 * @param changes the plan
 * @param all new files and conflicts, too; without it only files that are edited
 * @returns unified diffs, an empty line before each
 */
export function toDiffs(changes: readonly Change[], all: boolean): readonly string[] {
  const shown = changes.filter(
    ({ action, quiet }) => quiet !== true && (all ? action !== 'identical' : action === 'update'),
  )
  return shown.flatMap(({ path, before, after }) => {
    const diff = toUnifiedDiff(path, before ?? '', after ?? '')
    return diff.length === 0 ? [] : ['', ...diff]
  })
}
