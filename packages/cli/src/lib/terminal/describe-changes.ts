import { type Change } from '../files/change.ts'

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
