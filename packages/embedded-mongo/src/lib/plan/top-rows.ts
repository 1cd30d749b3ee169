import { type Doc } from '../bson/document.ts'
import { type Row } from '../catalog/row.ts'
import { CommandError } from '../errors/command-error.ts'
import { type Collation } from '../keys/collation.ts'
import { compare } from '../keys/compare.ts'
import { documentKeys, expand } from '../keys/document-keys.ts'

/** What a blocking sort needs to know. */
export interface SortOptions {
  pattern: Doc
  /** How many rows are wanted; 0 for all. */
  top: number
  collation?: Collation | undefined
}

/** Rows to be sorted. */
export interface TopRows {
  /** Takes a row; equals keep the order in which they come. */
  add(row: Row): void
  /** The rows in order, as many as are wanted. */
  sorted(): Row[]
}

/**
 * Sorts rows; with a limit only the best are held.
 *
 * @param options The order.
 * @returns Takes rows, then gives them sorted.
 */
export function createTopRows(options: SortOptions): TopRows {
  const { pattern, collation, top } = options
  if (!collation) return collect((row) => toSortKey(row.doc, pattern), compareText, top)
  const order = createOrder(pattern, collation)
  const paths = Object.keys(pattern)
  return collect(
    (row) => smallest(withSortError(() => expand(row.doc, paths)).rows, order),
    order,
    top,
  )
}

/**
 * A document's place under a sort pattern: its smallest key in an index of that pattern.
 *
 * @param doc The document.
 * @param pattern The order.
 * @returns A key; keys sort as the documents do.
 * @throws {CommandError} 2 when the pattern meets two independent arrays.
 */
export function toSortKey(doc: Doc, pattern: Doc): string {
  const { keys } = withSortError(() => documentKeys(doc, pattern))
  return keys.length === 1 ? (keys[0] ?? '') : smallest(keys, compareText)
}

function collect<K>(toKey: (row: Row) => K, order: (a: K, b: K) => number, top: number): TopRows {
  let held: { key: K; row: Row }[] = []
  const sort = (): void => {
    held = held.toSorted((a, b) => order(a.key, b.key))
    if (top > 0) held = held.slice(0, top)
  }
  return {
    add(row) {
      held.push({ key: toKey(row), row })
      if (top > 0 && held.length > 2 * top + 100) sort()
    },
    sorted() {
      sort()
      return held.map(({ row }) => row)
    },
  }
}

function createOrder(pattern: Doc, collation: Collation): (a: unknown[], b: unknown[]) => number {
  const directions = Object.values(pattern).map((direction) => (Number(direction) < 0 ? -1 : 1))
  return (a, b) => {
    for (const [i, direction] of directions.entries()) {
      const result = compare(a[i], b[i], collation) * direction
      if (result !== 0) return result
    }
    return 0
  }
}

function smallest<K>(keys: K[], order: (a: K, b: K) => number): K {
  return keys.reduce((least, key) => (order(key, least) < 0 ? key : least))
}

function compareText(a: string, b: string): number {
  if (a < b) return -1
  return a > b ? 1 : 0
}

function withSortError<T>(run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof CommandError) || error.code !== 171) throw error
    throw new CommandError(2, 'cannot sort with keys that are parallel arrays', { cause: error })
  }
}
