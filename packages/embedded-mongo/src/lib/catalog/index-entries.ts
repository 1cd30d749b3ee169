import { type Doc } from '../bson/document.ts'
import { showValue } from '../bson/show-value.ts'
import { CommandError } from '../errors/command-error.ts'
import { documentKeys, expand } from '../keys/document-keys.ts'
import { encodeKey } from '../keys/encode-key.ts'
import { compileFilter } from '../query/compile-filter.ts'
import { requireGeometries } from '../geo/geo-index.ts'
import { textKeys } from '../text/text-keys.ts'
import { documentRange, indexPrefix, recordIdLength } from '../storage/keys.ts'
import { requireBytes, scan } from '../storage/store.ts'
import { type View } from '../storage/view.ts'
import { type Collection, type Index, Row } from './collection.ts'

interface IndexEntries {
  // Whole keys of the tree, without the record id.
  keys: string[]
  // Per field: an array lies on its path.
  multikey: boolean[]
}

const none: IndexEntries = { keys: [], multikey: [] }

// A changed index is a new object, so what is compiled from one stays valid.
const readers = new WeakMap<Index, (doc: Doc) => IndexEntries>()

// None when the index is sparse or partial and leaves the document out.
export function indexEntries(index: Index, doc: Doc): IndexEntries {
  let reader = readers.get(index)
  if (!reader) {
    reader = createReader(index)
    readers.set(index, reader)
  }
  return reader(doc)
}

function createReader(index: Index): (doc: Doc) => IndexEntries {
  const { id, pattern, partialFilter, sparse, collation, text } = index
  const prefix = indexPrefix(id)
  const isHashed = Object.values(pattern).includes('hashed')
  const isMember = partialFilter && compileFilter(partialFilter, { now: new Date(0), collation })
  return (doc) => {
    if (isMember && !isMember(doc)) return none
    if (text) {
      const multikey = index.fields.map(({ path }) => path === '_fts')
      return { keys: textKeys(text, doc).map((key) => prefix + key), multikey }
    }
    if (index.geo.length > 0) {
      requireGeometries(index.geo, doc, index.options)
      return none
    }
    const { keys, multikey, present } = documentKeys(doc, pattern, collation)
    if (isHashed && multikey.includes(true)) throw hashedArray(pattern, multikey)
    if (sparse && !present) return none
    return { keys: keys.map((key) => prefix + key), multikey }
  }
}

function hashedArray(pattern: Doc, multikey: boolean[]): CommandError {
  const path = Object.keys(pattern)[multikey.indexOf(true)]
  return new CommandError(
    'Location16766',
    `hashed indexes do not currently support array values. Found array at path: ${path}`,
  )
}

export function buildIndex(view: View, collection: Collection, index: Index): Index {
  const multikey = [...index.multikey]
  for (const [place, value] of scan(view, documentRange(collection.id))) {
    const row = new Row(place.slice(-recordIdLength), requireBytes(value))
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

// The ids of documents that share a key, in groups.
export function findDuplicates(view: View, collection: Collection, index: Index): unknown[][] {
  const idsByKey = new Map<string, unknown[]>()
  for (const [place, value] of scan(view, documentRange(collection.id))) {
    const { doc } = new Row(place.slice(-recordIdLength), requireBytes(value))
    for (const key of new Set(indexEntries(index, doc).keys)) {
      const ids = idsByKey.get(key)
      if (ids) ids.push(doc['_id'])
      else idsByKey.set(key, [doc['_id']])
    }
  }
  return [...idsByKey.values()].filter((ids) => ids.length > 1)
}

export function duplicateKey(
  collection: Collection,
  index: Index,
  hit: { doc: Doc; key: string },
): CommandError {
  const values = keyValues(index, hit)
  const keyValue = Object.fromEntries(index.fields.map(({ path }, i) => [path, values[i] ?? null]))
  const shown = index.fields
    .map(({ path }, i) => `${path}: ${showValue(values[i] ?? null)}`)
    .join(', ')
  return new CommandError(
    'DuplicateKey',
    `E11000 duplicate key error collection: ${collection.namespace} index: ${index.name} dup key: { ${shown} }`,
    { details: { keyPattern: index.pattern, keyValue } },
  )
}

function keyValues(index: Index, { doc, key }: { doc: Doc; key: string }): unknown[] {
  const { rows } = expand(
    doc,
    index.fields.map((field) => field.path),
  )
  const expected = key.slice(indexPrefix(index.id).length)
  const toKey = (row: unknown[]): string =>
    row.map((value, i) => encodeKey(value, index.fields[i]?.descending, index.collation)).join('')
  return rows.find((row) => toKey(row) === expected) ?? []
}
