import { countsOf, findCollection } from '../src/lib/catalog/catalog.ts'
import { Row } from '../src/lib/catalog/collection.ts'
import { indexEntries } from '../src/lib/catalog/index-entries.ts'
import { openFileStore } from '../src/lib/storage/file-store.ts'
import { documentRange, indexPrefix, prefixRange, recordIdLength } from '../src/lib/storage/keys.ts'
import { requireBytes, scan, type Store } from '../src/lib/storage/store.ts'

/**
 * Opens a folder without the network and looks whether documents, indexes and counts agree.
 * @returns The documents by their field `k`.
 */
export function checkFolder<T>(directory: string, namespace: string): Map<string, T> {
  const store = openFileStore({ directory, warn: () => {} })
  try {
    return checkStore<T>(store, namespace)
  } finally {
    void store.close()
  }
}

/** The same for an open store. */
export function checkStore<T>(store: Store, namespace: string): Map<string, T> {
  const collection = findCollection(store, namespace)
  if (!collection) return new Map()
  const rows = [...scan(store, documentRange(collection.id))].map(
    ([key, value]) => new Row(key.slice(-recordIdLength), requireBytes(value)),
  )
  for (const index of collection.indexes) {
    const wanted = rows.flatMap((row) =>
      indexEntries(index, row.doc).keys.map((key) =>
        index.unique ? `${key}=${row.recordId}` : `${key}${row.recordId}=${row.recordId}`,
      ),
    )
    const found = [...scan(store, prefixRange(indexPrefix(index.id)))].map(
      ([key, value]) => `${key}=${value.toString()}`,
    )
    if (wanted.toSorted().join('\n') !== found.toSorted().join('\n')) {
      throw new Error(`${namespace}: index ${index.name} is out of step`)
    }
  }
  const { documents, bytes } = countsOf(store, collection.id)
  const sum = rows.reduce((total, row) => total + row.raw.length, 0)
  if (documents !== rows.length || bytes !== sum) {
    throw new Error(
      `${namespace}: counts say ${documents} and ${bytes}, not ${rows.length} and ${sum}`,
    )
  }
  return new Map(rows.map((row) => [String(row.doc['k']), row.doc as T]))
}
