import { type Doc } from '../bson/document.ts'
import { errorText } from '../errors/error-text.ts'
import { documentRange, indexPrefix, prefixRange, recordIdLength } from '../storage/keys.ts'
import { type Reader, requireBytes, scan } from '../storage/store.ts'
import { countsOf } from './catalog.ts'
import { type Collection, type Index, Row } from './collection.ts'
import { indexEntries } from './index-entries.ts'
import { isValid } from './validator.ts'

interface CollectionCheck {
  documents: number
  // Documents that cannot be read.
  unreadable: { recordId: string; reason: string }[]
  // Documents that the validator does not match.
  noncompliant: number
  // The counts differ from what was found.
  hasWrongCounts: boolean
  indexes: Map<Index, IndexCheck>
}

interface IndexCheck {
  keys: number
  // Entries that documents should have, and entries that belong to no document.
  missing: number
  extra: number
}

// Reads everything that is stored for a collection and compares it, one document at a time.
export function checkCollection(reader: Reader, collection: Collection): CollectionCheck {
  const found = { documents: 0, bytes: 0, noncompliant: 0 }
  const unreadable: CollectionCheck['unreadable'] = []
  const checks = new Map(collection.indexes.map((index) => [index, { present: 0, missing: 0 }]))
  for (const [key, value] of scan(reader, documentRange(collection.id))) {
    const row = new Row(key.slice(-recordIdLength), requireBytes(value))
    found.documents += 1
    found.bytes += row.raw.length
    const { doc, reason } = read(row)
    if (!doc) unreadable.push({ recordId: row.recordId, reason })
    else {
      if (!isValid(collection, doc)) found.noncompliant += 1
      for (const [index, check] of checks) checkEntries(reader, index, { check, row })
    }
  }
  const counts = countsOf(reader, collection.id)
  return {
    documents: found.documents,
    unreadable,
    noncompliant: found.noncompliant,
    hasWrongCounts:
      unreadable.length === 0 &&
      (counts.documents !== found.documents || counts.bytes !== found.bytes),
    indexes: new Map([...checks].map(([index, check]) => [index, toResult(reader, index, check)])),
  }
}

function read(row: Row): { doc: Doc; reason?: never } | { doc?: never; reason: string } {
  try {
    return { doc: row.doc }
  } catch (error) {
    return { reason: errorText(error) }
  }
}

// Of the entries that the documents should have.
interface EntryCounts {
  present: number
  missing: number
}

function checkEntries(
  reader: Reader,
  index: Index,
  { check, row }: { check: EntryCounts; row: Row },
): void {
  for (const key of indexEntries(index, row.doc).keys) {
    const value = reader.get(index.unique ? key : key + row.recordId)
    if (value?.toString() === row.recordId) check.present += 1
    else check.missing += 1
  }
}

function toResult(reader: Reader, index: Index, { present, missing }: EntryCounts): IndexCheck {
  const entries = scan(reader, prefixRange(indexPrefix(index.id)))
  let keys = 0
  while (!entries.next().done) keys += 1
  return { keys, missing, extra: keys - present }
}
