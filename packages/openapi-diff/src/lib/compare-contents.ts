import { compareSchemas, type SchemaComparison } from './compare-schemas.ts'
import { type Comparison, type Pair } from './comparison.ts'
import { isSame, type Json, objectAt } from './json.ts'

// Compares the bodies of a request or response, media type by media type.
export function compareContents(comparison: SchemaComparison, pair: Pair<Json>, at: string): void {
  const { report } = comparison
  const [earlier, later] = [objectAt(pair.before, 'content'), objectAt(pair.after, 'content')]
  const seen: Pair<unknown>[] = []
  for (const type of Object.keys({ ...earlier, ...later })) {
    if (!Object.hasOwn(later, type)) report('media-type-removed', at, `${type} removed`)
    else if (!Object.hasOwn(earlier, type)) report('media-type-added', at, `${type} new`)
    else {
      const before = objectAt(earlier, type)['schema']
      const after = objectAt(later, type)['schema']
      // Two media types of one schema differ in the same way: report it once.
      if (seen.some((other) => isSame(other, { before, after }))) continue
      seen.push({ before, after })
      compareSchemas(comparison, { before, after }, at)
    }
  }
}

// Errors are compared by status only: clients must expect any of them, in one format.
export function compareResponses(comparison: Comparison, pair: Pair<Json>): void {
  const { report } = comparison
  const [earlier, later] = [objectAt(pair.before, 'responses'), objectAt(pair.after, 'responses')]
  for (const status of Object.keys({ ...earlier, ...later })) {
    const success = /^[23]/.test(status)
    if (!Object.hasOwn(earlier, status)) report('status-added', status, 'new')
    else if (!Object.hasOwn(later, status)) {
      report(success ? 'status-removed' : 'error-status-removed', status, 'removed')
    } else if (success) {
      const before = comparison.before.resolve(earlier[status])
      const after = comparison.after.resolve(later[status])
      compareHeaders(comparison, { before, after }, status)
      compareContents({ ...comparison, direction: 'output' }, { before, after }, status)
    }
  }
}

function compareHeaders({ report }: Comparison, pair: Pair<Json>, status: string): void {
  const [earlier, later] = [objectAt(pair.before, 'headers'), objectAt(pair.after, 'headers')]
  for (const name of Object.keys({ ...earlier, ...later })) {
    const at = `${status}.header.${name}`
    if (!Object.hasOwn(later, name)) report('header-removed', at, 'removed')
    else if (!Object.hasOwn(earlier, name)) report('header-added', at, 'new')
  }
}
