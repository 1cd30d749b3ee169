import { encodeKey } from '../keys/encode-key.ts'
import { documentKey, indexPrefix, prefixEnd } from '../storage/keys.ts'
import { scan } from '../storage/scan.ts'
import { type KeyRange, requireBytes } from '../storage/store.ts'
import { type View } from '../storage/view.ts'
import { listCollections } from './catalog.ts'
import { type Collection, type Index } from './collection.ts'
import { writeRecord } from './records.ts'
import { Row } from './row.ts'

/**
 * Removes the documents whose time is over, found in the ranges of the TTL indexes themselves.
 *
 * @param view Where to read and write.
 * @param now The current time.
 */
export function expireDocuments(view: View, now: Date): void {
  for (const collection of listCollections(view)) {
    for (const index of collection.indexes) {
      const seconds = index.options['expireAfterSeconds']
      if (seconds === undefined) continue
      const limit = new Date(now.getTime() - Number(seconds) * 1000)
      for (const row of findExpired(view, { collection, index, limit })) {
        writeRecord(view, collection.namespace, { before: row })
      }
    }
  }
}

function findExpired(
  view: View,
  { collection, index, limit }: { collection: Collection; index: Index; limit: Date },
): Row[] {
  // Each date of an array has an entry, so the earliest decides; other types lie outside the range.
  const recordIds = new Set<string>()
  for (const [, value] of scan(view, expiredRange(index, limit))) recordIds.add(value.toString())
  return [...recordIds].map(
    (recordId) => new Row(recordId, requireBytes(view.get(documentKey(collection.id, recordId)))),
  )
}

function expiredRange({ id, fields }: Index, limit: Date): KeyRange {
  const prefix = indexPrefix(id)
  const isDescending = fields[0]?.descending === true
  const key = encodeKey(limit, isDescending)
  const dates = prefix + key.slice(0, 1)
  return isDescending
    ? { start: prefix + key, end: prefixEnd(dates) }
    : { start: dates, end: prefixEnd(prefix + key) }
}
