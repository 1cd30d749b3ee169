import { documentRange, RECORD_ID_LENGTH } from '../storage/keys.ts'
import { scan } from '../storage/scan.ts'
import { requireBytes } from '../storage/store.ts'
import { type View } from '../storage/view.ts'
import { type Collection, type Index } from './collection.ts'
import { duplicateKey } from './duplicate-key.ts'
import { indexEntries } from './index-entries.ts'
import { Row } from './row.ts'

/**
 * Fills a new index from the documents that are there.
 *
 * @param view Where to read and write.
 * @param collection The collection, still without the index.
 * @param index The empty index.
 * @returns The index with its multikey flags.
 * @throws {CommandError} 11000 when two documents share a key of a unique index.
 */
export function buildIndex(view: View, collection: Collection, index: Index): Index {
  const multikey = [...index.multikey]
  for (const [place, value] of scan(view, documentRange(collection.id))) {
    const row = new Row(place.slice(-RECORD_ID_LENGTH), requireBytes(value))
    const entries = indexEntries(index, row.doc)
    for (const [position, flag] of entries.multikey.entries()) multikey[position] ||= flag
    for (const key of entries.keys) {
      if (index.unique && view.get(key) !== undefined) {
        throw duplicateKey(collection, index, { doc: row.doc, key })
      }
      view.put(index.unique ? key : key + row.recordId, row.recordId)
    }
  }
  return { ...index, multikey }
}
