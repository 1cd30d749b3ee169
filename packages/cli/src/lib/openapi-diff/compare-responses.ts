import { compareContents } from './compare-contents.ts'
import { type Comparison, type Pair } from './difference.ts'
import { type Json, objectAt } from './json.ts'

/**
 * Compares what an operation answers. Errors are compared by their status only: they all have one
 * form, and a client has to expect any of them.
 *
 * @param comparison the documents
 * @param pair the operation in both
 */
export function compareResponses(comparison: Comparison, pair: Pair<Json>): void {
  const { report } = comparison
  const known = objectAt(pair.before, 'responses')
  const answered = objectAt(pair.after, 'responses')
  for (const status of Object.keys({ ...known, ...answered })) {
    const success = /^[23]/.test(status)
    if (!(status in known)) report('status-added', status, 'new')
    else if (!(status in answered)) {
      report(success ? 'status-removed' : 'error-status-removed', status, 'removed')
    } else if (success) {
      const before = comparison.before.resolve(known[status])
      const after = comparison.after.resolve(answered[status])
      compareHeaders(comparison, { before, after }, status)
      compareContents(
        comparison,
        { before: objectAt(before, 'content'), after: objectAt(after, 'content') },
        { direction: 'output', at: status },
      )
    }
  }
}

function compareHeaders({ report }: Comparison, pair: Pair<Json>, status: string): void {
  const known = objectAt(pair.before, 'headers')
  const answered = objectAt(pair.after, 'headers')
  for (const name of Object.keys({ ...known, ...answered })) {
    const at = `${status}.header.${name}`
    if (!(name in answered)) report('header-removed', at, 'removed')
    else if (!(name in known)) report('header-added', at, 'new')
  }
}
