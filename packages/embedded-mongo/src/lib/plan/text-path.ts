import { type Doc, isDocument } from '../bson/document.ts'
import { type Collection } from '../catalog/collection.ts'
import { CommandError } from '../errors/command-error.ts'
import { indexPrefix, prefixEnd } from '../storage/keys.ts'
import { textKey } from '../text/text-keys.ts'
import { type IndexPath } from './access-path.ts'
import { type Condition, type Conditions } from './conditions.ts'
import { type Query } from './query.ts'

// The terms of a $text that every match must fulfill, looked up in the text index.
export function toTextPath(
  collection: Collection,
  { filter, hint, matches }: Query,
  conditions: Conditions,
): IndexPath | undefined {
  const index = collection.indexes.find(({ text }) => text)
  if (!index?.text || !matches.text || !requiresText(filter)) return undefined
  if (hint !== undefined)
    throw new CommandError('BadValue', 'text and hint not allowed in same query')
  const values = index.text.prefix.map((path) => requireEquality(conditions.paths.get(path)))
  const keys = matches.text.terms.map((term) => indexPrefix(index.id) + textKey(values, term))
  return {
    kind: 'index',
    index,
    ranges: keys.toSorted().map((start) => ({ start, end: prefixEnd(start) })),
    reverse: false,
    points: values.length + 1,
    hasRange: false,
    isSorted: false,
    isExact: false,
  }
}

function requiresText(filter: Doc): boolean {
  return Object.entries(filter).some(
    ([name, value]) =>
      name === '$text' ||
      (name === '$and' &&
        Array.isArray(value) &&
        value.some((part) => isDocument(part) && requiresText(part))),
  )
}

function requireEquality(conditions: readonly Condition[] = []): unknown {
  const equality = conditions.find((one) => one.kind === 'in' && one.values.length === 1)
  if (equality?.kind === 'in') return equality.values[0]
  throw new CommandError(
    'NoQueryExecutionPlans',
    'error processing query: planner returned error: failed to use text index to satisfy $text ' +
      'query (if text index is compound, are equality predicates given for all prefix fields?)',
  )
}
