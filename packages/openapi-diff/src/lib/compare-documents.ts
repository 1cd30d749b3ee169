import { compareOperations, toSunset } from './compare-operations.ts'
import { type Difference, type Report } from './comparison.ts'
import { type Operation, readDocument } from './document.ts'
import { rules } from './rules.ts'

/** Options for {@link compareDocuments}. */
export interface CompareOptions {
  /**
   * The time of the comparison, in milliseconds since 1970.
   * @default Date.now()
   */
  readonly now?: number | undefined
}

/**
 * Lists the changes for clients between two OpenAPI documents (3.0 or newer). A change is breaking unless it
 * only widens what clients may send, or only narrows what they receive.
 *
 * An operation may be removed when its sunset, the date in `x-sunset`, has passed.
 *
 * References must point into their own document; bundle documents of several files first.
 *
 * @param before - the parsed document that clients were written for
 * @param after - the parsed document to be served
 * @param options - the time that sunsets are compared with
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
export function compareDocuments(
  before: unknown,
  after: unknown,
  options: CompareOptions = {},
): Difference[] {
  const { now = Date.now() } = options
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
    else if (pair.after === undefined) compareRemoved(report, pair.before, now)
    else {
      compareOperations({ ...documents, report }, { before: pair.before, after: pair.after })
    }
  }
  return differences
}

function compareRemoved(report: Report, { json }: Operation, now: number): void {
  const sunset = toSunset(json)
  if (sunset.time <= now) report('operation-sunset', '', `removed after its sunset ${sunset.text}`)
  else if (sunset.time === Infinity) report('operation-removed', '', 'removed')
  else report('operation-removed', '', `removed before its sunset ${sunset.text}`)
}
