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

interface Keyed<K> {
  key: K
  row: Row
}

/**
 * Sorts rows; with a limit only the best are kept.
 *
 * @param rows Rows in insertion order, which decides between equals.
 * @param options The order.
 * @returns The sorted rows.
 */
export function sortRows(rows: Iterable<Row>, options: SortOptions): Row[] {
  const { pattern, collation } = options
  if (collation) {
    const order = createOrder(pattern, collation)
    return sortBy(rows, options, {
      toKey: (row) => smallest(expand(row.doc, Object.keys(pattern)).rows, order),
      order,
    })
  }
  return sortBy(rows, options, { toKey: (row) => toSortKey(row.doc, pattern), order: compareText })
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

function sortBy<K>(
  rows: Iterable<Row>,
  { top }: SortOptions,
  by: { toKey: (row: Row) => K; order: (a: K, b: K) => number },
): Row[] {
  const sorted = (list: Keyed<K>[]): Keyed<K>[] => list.toSorted((a, b) => by.order(a.key, b.key))
  let kept: Keyed<K>[] = []
  for (const row of rows) {
    kept.push({ key: by.toKey(row), row })
    if (top > 0 && kept.length > 2 * top + 100) kept = sorted(kept).slice(0, top)
  }
  const all = sorted(kept).map(({ row }) => row)
  return top > 0 ? all.slice(0, top) : all
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
