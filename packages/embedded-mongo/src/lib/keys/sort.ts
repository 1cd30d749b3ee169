import { type Doc, isDocument } from '../bson/document.ts'
import { showValue } from '../bson/show-value.ts'
import { isNumeric, toNumber } from '../bson/numeric.ts'
import { CommandError, notImplemented } from '../errors/command-error.ts'
import { type Collation } from './collation.ts'
import { compare } from './compare.ts'
import { compareText } from './compare-text.ts'
import { documentKeys, expand } from './document-keys.ts'
import { parseFieldPath } from './field-path.ts'

/** The order a sort pattern gives to documents. */
export interface SortOrder<Key = unknown> {
  /** Reads the sort key of a document, once per document. */
  key(doc: Doc): Key
  /** Compares two sort keys. */
  compare(a: Key, b: Key): number
}

/**
 * Makes the order of a sort pattern. An array sorts by its smallest element ascending, by its
 * largest descending.
 * @param pattern - Such as `{ a: 1, "b.c": -1 }`.
 * @param collation - How text compares.
 * @returns The order.
 * @throws {CommandError} 2 or 15975 for a bad pattern, 238 for `$meta`.
 */
export function createSortOrder(pattern: Doc, collation?: Collation): SortOrder {
  requireSortPattern(pattern)
  return collation === undefined ? binaryOrder(pattern) : collatedOrder(pattern, collation)
}

function requireSortPattern(pattern: Doc): void {
  for (const field of Object.keys(pattern)) {
    const direction = pattern[field]
    if (isDocument(direction) && '$meta' in direction) throw notImplemented('$meta in a sort')
    parseFieldPath(field)
    if (!isNumeric(direction)) {
      throw new CommandError(
        15974,
        `Illegal key in $sort specification: ${field}: ${showValue(direction)}`,
      )
    }
    if (Math.abs(toNumber(direction)) !== 1) {
      throw new CommandError(
        15975,
        '$sort key ordering must be 1 (for ascending) or -1 (for descending)',
      )
    }
  }
}

// Encoded keys: one native comparison of two strings, however many fields.
function binaryOrder(pattern: Doc): SortOrder {
  const order: SortOrder<string> = {
    key: (doc) => {
      const { keys } = sortable(() => documentKeys(doc, pattern))
      return keys.reduce((least, key) => (key < least ? key : least))
    },
    compare: compareText,
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
  }
  return order
}

function sortable<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof CommandError) || error.code !== 171) throw error
    throw new CommandError(2, 'cannot sort with keys that are parallel arrays', { cause: error })
  }
}

/** Takes items, then gives the first of them sorted. */
export interface Sorter<T> {
  /** Takes an item; equals keep the order in which they come. */
  add(item: T): void
  sorted(): T[]
}

/**
 * Makes a sort of the elements of an array: by a pattern of their fields, or by their values.
 * @param pattern - A sort pattern, or 1 or -1.
 * @param collation - How text compares.
 * @returns The sort, which makes a new array; undefined for anything else.
 * @throws {CommandError} What {@link createSortOrder} throws.
 */
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

/** How items are sorted. */
export interface SortOptions<T> {
  /** Gives the document to sort by. */
  doc(item: T): Doc
  /**
   * How many of the first items are wanted; no more than about twice as many are held.
   * @default all
   */
  limit?: number | undefined
}

/**
 * Makes a sorter.
 * @param order - The order.
 * @param options - How to read a document, and how many are wanted.
 * @returns An empty sorter.
 */
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
      // A few more than wanted are held, so that each sort drops many.
      if (held.length >= 2 * limit + 100) cut()
    },
    sorted() {
      cut()
      return held.map((entry) => entry.item)
    },
  }
}

/**
 * Sorts, keeping equal documents in their order.
 * @param items - What to sort.
 * @param order - The order.
 * @param options - How to read a document, and how many are wanted.
 * @returns The first of the sorted items.
 */
export function sortBy<T>(items: Iterable<T>, order: SortOrder, options: SortOptions<T>): T[] {
  const sorter = createSorter(order, options)
  for (const item of items) sorter.add(item)
  return sorter.sorted()
}
