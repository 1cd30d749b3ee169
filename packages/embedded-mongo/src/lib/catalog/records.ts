import { type Doc, isDocument } from '../bson/document.ts'
import { documentKey, prefixRange, recordIdLength } from '../storage/keys.ts'
import { scan } from '../storage/store.ts'
import { type View } from '../storage/view.ts'
import { findCollection, saveCollection } from './catalog.ts'
import { type Collection, type Index, type Row } from './collection.ts'
import { duplicateKey, indexEntries } from './index-entries.ts'

// Without `before` an insert, without `after` a delete.
export interface RecordChange {
  before?: Row | undefined
  after?: Row | undefined
  // The client sent a whole document, not modifiers.
  replaced?: boolean | undefined
  // The server removes it on its own; change streams do not report it.
  isImplicit?: boolean | undefined
}

// Writes the document with all its index entries, or throws and writes none of it.
export function writeRecord(view: View, namespace: string, change: RecordChange): void {
  const collection = findCollection(view, namespace)
  if (!collection) throw new Error(`The collection ${namespace} is gone`)
  const { after } = change
  const plans = collection.indexes.map((index) => planIndex(index, change))
  for (const { index, added } of plans) requireUnique(view, { collection, index, added, after })
  for (const { index, added, removed } of plans)
    writeEntries(view, index, { added, removed, change })
  writeDocument(view, collection, change)
  saveMultikey(view, collection, plans)
}

function writeDocument(
  view: View,
  { id, namespace, uuid, options }: Collection,
  { before, after, replaced = false, isImplicit = false }: RecordChange,
): void {
  const key = documentKey(id, (after ?? before)?.recordId ?? '')
  if (after) view.put(key, after.raw)
  else view.delete(key)
  view.count(id, {
    documents: Number(after !== undefined) - Number(before !== undefined),
    bytes: bytesOf(after) - bytesOf(before),
  })
  if (isImplicit) return
  view.changes.push({
    namespace,
    collectionId: id,
    before: before?.raw,
    after: after?.raw,
    replaced,
    uuid,
    hasImages: keepsImages(options),
  })
}

function keepsImages({ changeStreamPreAndPostImages: images }: Doc): boolean {
  return isDocument(images) && images['enabled'] === true
}

function bytesOf(row: Row | undefined): number {
  return row?.raw.length ?? 0
}

interface IndexPlan {
  index: Index
  added: string[]
  removed: string[]
  multikey: boolean[]
}

function planIndex(index: Index, change: RecordChange): IndexPlan {
  const old = change.before ? indexEntries(index, change.before.doc).keys : []
  const { keys, multikey } = change.after
    ? indexEntries(index, change.after.doc)
    : { keys: [], multikey: [] }
  if (old.length === 0 || keys.length === 0) return { index, added: keys, removed: old, multikey }
  const [before, after] = [new Set(old), new Set(keys)]
  return {
    index,
    added: keys.filter((key) => !before.has(key)),
    removed: old.filter((key) => !after.has(key)),
    multikey,
  }
}

function requireUnique(
  view: View,
  write: { collection: Collection; index: Index; added: string[]; after: Row | undefined },
): void {
  const { collection, index, added, after } = write
  if (!(index.unique || index.prepareUnique) || !after) return
  for (const key of added) {
    if (isTaken(view, index, key)) throw duplicateKey(collection, index, { doc: after.doc, key })
  }
}

// The record itself has none of the keys that are added.
function isTaken(view: View, index: Index, key: string): boolean {
  if (index.unique) return view.get(key) !== undefined
  const length = key.length + recordIdLength
  return [...scan(view, prefixRange(key))].some(([entry]) => entry.length === length)
}

function writeEntries(
  view: View,
  index: Index,
  write: { added: string[]; removed: string[]; change: RecordChange },
): void {
  const recordId = (write.change.after ?? write.change.before)?.recordId ?? ''
  // A unique index leaves the record id out of its keys: one `get` finds and enforces.
  const suffix = index.unique ? '' : recordId
  for (const key of write.removed) view.delete(key + suffix)
  for (const key of write.added) view.put(key + suffix, recordId)
}

function saveMultikey(view: View, collection: Collection, plans: IndexPlan[]): void {
  const isNews = ({ index, multikey }: IndexPlan): boolean =>
    multikey.some((flag, position) => flag && !index.multikey[position])
  if (!plans.some(isNews)) return
  const indexes = plans.map(({ index, multikey }) => ({
    ...index,
    multikey: index.multikey.map((flag, position) => flag || multikey[position] === true),
  }))
  saveCollection(view, { ...collection, indexes })
}
