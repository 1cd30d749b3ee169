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

// Reads everything that is stored for a collection and compares it.
export function checkCollection(reader: Reader, collection: Collection): CollectionCheck {
  const { rows, unreadable } = readRows(reader, collection)
  const counts = countsOf(reader, collection.id)
  const bytes = rows.reduce((sum, { raw }) => sum + raw.length, 0)
  return {
    documents: rows.length + unreadable.length,
    unreadable,
    noncompliant: rows.filter(({ doc }) => !isValid(collection, doc)).length,
    hasWrongCounts:
      unreadable.length === 0 && (counts.documents !== rows.length || counts.bytes !== bytes),
    indexes: new Map(collection.indexes.map((index) => [index, checkIndex(reader, index, rows)])),
  }
}

function readRows(
  reader: Reader,
  { id }: Collection,
): { rows: Row[]; unreadable: CollectionCheck['unreadable'] } {
  const rows: Row[] = []
  const unreadable: CollectionCheck['unreadable'] = []
  for (const [key, value] of scan(reader, documentRange(id))) {
    const recordId = key.slice(-recordIdLength)
    const row = new Row(recordId, requireBytes(value))
    try {
      void row.doc
      rows.push(row)
    } catch (error) {
      unreadable.push({ recordId, reason: errorText(error) })
    }
  }
  return { rows, unreadable }
}

function checkIndex(reader: Reader, index: Index, rows: readonly Row[]): IndexCheck {
  const missing = new Map<string, string>()
  for (const { doc, recordId } of rows) {
    for (const key of indexEntries(index, doc).keys) {
      missing.set(index.unique ? key : key + recordId, recordId)
    }
  }
  const check = { keys: 0, extra: 0 }
  for (const [key, value] of scan(reader, prefixRange(indexPrefix(index.id)))) {
    check.keys += 1
    if (missing.get(key) === value.toString()) missing.delete(key)
    else check.extra += 1
  }
  return { ...check, missing: missing.size }
}
