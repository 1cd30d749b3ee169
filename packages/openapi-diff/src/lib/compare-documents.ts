import { compareOperations } from './compare-operations.ts'
import { type Difference, type Report } from './comparison.ts'
import { readDocument } from './document.ts'
import { rules } from './rules.ts'

/**
 * Lists the changes for clients between two OpenAPI documents (3.0 or newer). A change is breaking unless it
 * only widens what clients may send, or only narrows what they receive.
 *
 * References must point into their own document; bundle documents of several files first.
 *
 * @param before - the parsed document that clients were written for
 * @param after - the parsed document to be served
 * @returns every difference, grouped by operation; empty if nothing changes for clients
 * @throws {DocumentError} when one of the two is not an OpenAPI 3 document or has a reference that
 * leads nowhere
 * @example
 * ```ts
 * import { readFileSync } from 'node:fs'
 * import { compareDocuments } from '@create-api/openapi-diff'
 *
 * const [before, after] = ['old.json', 'new.json'].map((file) => JSON.parse(readFileSync(file, 'utf8')))
 * const breaking = compareDocuments(before, after).filter((difference) => difference.breaking)
 * ```
 */
export function compareDocuments(before: unknown, after: unknown): Difference[] {
  const documents = {
    before: readDocument(before, 'before'),
    after: readDocument(after, 'after'),
  }
  const earlier = documents.before.operations
  const later = documents.after.operations
  const differences: Difference[] = []
  for (const key of new Set([...earlier.keys(), ...later.keys()])) {
    const pair = { before: earlier.get(key), after: later.get(key) }
    const operation = pair.after?.name ?? pair.before?.name ?? key
    const report: Report = (rule, at, message) => {
      differences.push({ rule, breaking: rules[rule].breaking, operation, at, message })
    }
    if (pair.before === undefined) report('operation-added', '', 'new')
    else if (pair.after === undefined) report('operation-removed', '', 'removed')
    else {
      compareOperations({ ...documents, report }, { before: pair.before, after: pair.after })
    }
  }
  return differences
}
