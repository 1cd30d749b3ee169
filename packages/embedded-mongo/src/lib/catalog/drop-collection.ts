import { catalogKey, countsKey, documentRange, indexPrefix, prefixRange } from '../storage/keys.ts'
import { type View } from '../storage/view.ts'
import { type Collection, type Index } from './collection.ts'

/**
 * Removes a collection with its documents and indexes.
 *
 * @param view Where to write.
 * @param collection The collection.
 */
export function dropCollection(view: View, collection: Collection): void {
  view.delete(catalogKey(collection.namespace))
  view.drop(documentRange(collection.id))
  for (const index of collection.indexes) dropIndexEntries(view, index)
  view.counts.delete(collection.id)
  view.delete(countsKey(collection.id))
  view.schemaChanges.push({ kind: 'drop', namespace: collection.namespace })
}

/**
 * Removes the entries of an index.
 *
 * @param view Where to write.
 * @param index The index.
 */
export function dropIndexEntries(view: View, index: Index): void {
  view.drop(prefixRange(indexPrefix(index.id)))
}
