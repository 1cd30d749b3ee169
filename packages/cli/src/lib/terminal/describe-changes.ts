import { type Change } from '../files/change.ts'
import { formatDiff } from '../files/diff.ts'

// One line per file, beginning with the action; bookkeeping files have none.
export function describeChanges(changes: readonly Change[]): readonly string[] {
  const shown = changes.filter(({ quiet }) => quiet !== true)
  const width = Math.max(0, ...shown.map(({ path }) => path.length)) + 2
  return shown.map(({ action, detail, path }) => {
    const hasDetail = detail !== undefined && detail !== '' && action === 'update'
    return `  ${action.padEnd(10)} ${hasDetail ? path.padEnd(width) + detail : path}`
  })
}

export function toJsonFiles(changes: readonly Change[]): readonly object[] {
  return changes.map(({ action, path }) => ({ path, action }))
}

// With `all`, new files and conflicts too; otherwise only updated files.
export function formatDiffs(changes: readonly Change[], all: boolean): readonly string[] {
  const shown = changes.filter(
    ({ action, quiet }) => quiet !== true && (all ? action !== 'identical' : action === 'update'),
  )
  return shown.flatMap(({ path, before, after }) => {
    const diff = formatDiff(path, before ?? '', after ?? '')
    return diff.length === 0 ? [] : ['', ...diff]
  })
}
