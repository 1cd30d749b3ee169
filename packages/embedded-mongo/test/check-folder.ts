import { findCollection } from '../src/lib/catalog/catalog.ts'
import { checkCollection } from '../src/lib/catalog/validate-collection.ts'
import { Row } from '../src/lib/catalog/collection.ts'
import { openFileStore } from '../src/lib/storage/file-store.ts'
import { documentRange, recordIdLength } from '../src/lib/storage/keys.ts'
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
  const { unreadable, hasWrongCounts, indexes } = checkCollection(store, collection)
  const isWrong = [...indexes.values()].some(({ missing, extra }) => missing + extra > 0)
  if (unreadable.length > 0 || hasWrongCounts || isWrong) {
    throw new Error(`${namespace}: documents, indexes and counts disagree`)
  }
  const rows = [...scan(store, documentRange(collection.id))].map(
    ([key, value]) => new Row(key.slice(-recordIdLength), requireBytes(value)),
  )
  return new Map(rows.map((row) => [String(row.doc['k']), row.doc as T]))
}
