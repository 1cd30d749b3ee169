import { type Doc, isDocument, withPath } from '../bson/document.ts'
import { requireMetadata, toMetadataName } from '../bson/metadata.ts'
import { isNumeric, toNumber } from '../bson/numeric.ts'
import { showValue } from '../bson/show-value.ts'
import { CommandError } from '../errors/command-error.ts'
import { type Collation } from './collation.ts'
import { compare, compareText } from './compare.ts'
import { documentKeys, expand } from './document-keys.ts'
import { FieldSet } from './field-set.ts'
import { parseFieldPath } from './field-path.ts'

export interface SortOrder<Key = unknown> {
  key(doc: Doc): Key
  compare(a: Key, b: Key): number
  // The top-level fields that keys consist of; undefined for all.
  fields?: ReadonlySet<string> | undefined
}

// An array sorts by its smallest element ascending, by its largest descending.
export function createSortOrder(pattern: Doc, collation?: Collation): SortOrder {
  const byMetadata = Object.entries(pattern).filter(([, direction]) => isMetadata(direction))
  if (byMetadata.length > 0) return metadataOrder(pattern, byMetadata, collation)
  requireSortPattern(pattern)
  return collation === undefined ? binaryOrder(pattern) : collatedOrder(pattern, collation)
}

function isMetadata(direction: unknown): direction is Doc {
  return isDocument(direction) && '$meta' in direction
}

// Sorts as if the metadata were fields: scores descending, distances ascending.
function metadataOrder(
  pattern: Doc,
  byMetadata: [string, unknown][],
  collation: Collation | undefined,
): SortOrder {
  const names = byMetadata.map(([path, direction]) => ({
    path: path.split('.'),
    name: toMetadataName(isMetadata(direction) ? direction['$meta'] : undefined),
  }))
  const directions = byMetadata.map(([path], i) => [path, names[i]?.name === 'textScore' ? -1 : 1])
  const order = createSortOrder({ ...pattern, ...Object.fromEntries(directions) }, collation)
  const withMetadata = (doc: Doc): Doc =>
    names.reduce((copy, { path, name }) => withPath(copy, path, requireMetadata(doc, name)), doc)
  return { key: (doc) => order.key(withMetadata(doc)), compare: (a, b) => order.compare(a, b) }
}

function requireSortPattern(pattern: Doc): void {
  for (const field of Object.keys(pattern)) {
    const direction = pattern[field]
    parseFieldPath(field)
    if (!isNumeric(direction)) {
      throw new CommandError(
        'Location15974',
        `Illegal key in $sort specification: ${field}: ${showValue(direction)}`,
      )
    }
    if (Math.abs(toNumber(direction)) !== 1) {
      throw new CommandError(
        'Location15975',
        '$sort key ordering must be 1 (for ascending) or -1 (for descending)',
      )
    }
  }
}

// Encoded keys: one native comparison of two strings for any number of fields.
function binaryOrder(pattern: Doc): SortOrder {
  const order: SortOrder<string> = {
    key: (doc) => {
      const { keys } = sortable(() => documentKeys(doc, pattern))
      return keys.reduce((least, key) => (key < least ? key : least))
    },
    compare: compareText,
    fields: fieldsOf(pattern),
  }
  return order
}

function collatedOrder(pattern: Doc, collation: Collation): SortOrder {
  const fields = Object.keys(pattern)
  const signs = fields.map((field) => Number(pattern[field]))
  const order: SortOrder<unknown[]> = {
    key: (doc) => {
      const { rows } = sortable(() => expand(doc, fields))
      return rows.reduce((least, row) => (order.compare(row, least) < 0 ? row : least))
    },
    compare: (a, b) => {
      for (let i = 0; i < signs.length; i++) {
        const result = compare(a[i], b[i], collation) * (signs[i] ?? 1)
        if (result !== 0) return result
      }
      return 0
    },
    fields: fieldsOf(pattern),
  }
  return order
}

function fieldsOf(pattern: Doc): ReadonlySet<string> | undefined {
  const fields = new FieldSet()
  for (const path of Object.keys(pattern)) fields.add(path)
  return fields.names
}

function sortable<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof CommandError) || error.codeName !== 'CannotIndexParallelArrays')
      throw error
    throw new CommandError('BadValue', 'cannot sort with keys that are parallel arrays', {
      cause: error,
    })
  }
}

interface Sorter<T> {
  // Equal items keep their order.
  add(item: T): void
  sorted(): T[]
}

// Sorts array elements by a pattern of their fields, or by their values.
export function createElementSort(
  pattern: unknown,
  collation: Collation | undefined,
): ((items: unknown[]) => unknown[]) | undefined {
  if (isDocument(pattern)) {
    const order = createSortOrder(pattern, collation)
    return (items) => sortBy(items, order, { doc: (item) => (isDocument(item) ? item : {}) })
  }
  const sign = isNumeric(pattern) ? toNumber(pattern) : 0
  if (Math.abs(sign) !== 1) return undefined
  return (items) => items.toSorted((a, b) => compare(a, b, collation) * sign)
}

interface SortOptions<T> {
  doc(item: T): Doc
  // Only the first `limit` items are wanted; about twice as many are held at most.
  limit?: number | undefined
}

export function createSorter<T>(order: SortOrder, options: SortOptions<T>): Sorter<T> {
  const limit = options.limit ?? Infinity
  let held: { key: unknown; item: T }[] = []
  const cut = () => {
    held = held.toSorted((a, b) => order.compare(a.key, b.key))
    if (held.length > limit) held.length = limit
  }
  return {
    add(item) {
      held.push({ key: order.key(options.doc(item)), item })
      // Holds more than requested, so that each sort drops many.
      if (held.length >= 2 * limit + 100) cut()
    },
    sorted() {
      cut()
      return held.map((entry) => entry.item)
    },
  }
}

export function sortBy<T>(items: Iterable<T>, order: SortOrder, options: SortOptions<T>): T[] {
  const sorter = createSorter(order, options)
  for (const item of items) sorter.add(item)
  return sorter.sorted()
}
