import { randomUUID } from 'node:crypto'
import { Binary } from 'bson'
import { decode, encode } from '../bson/codec.ts'
import { type Doc, isDocument } from '../bson/document.ts'
import { createCollation } from '../keys/collation.ts'
import { isEqual } from '../keys/compare.ts'
import { geoFieldsOf } from '../geo/geo-index.ts'
import { toTextIndex } from '../text/text-index.ts'
import {
  catalogKey,
  catalogRange,
  countsKey,
  documentRange,
  indexPrefix,
  namespaceOf,
  prefixRange,
  toObjectKeyId,
} from '../storage/keys.ts'
import { type Reader, requireBytes, scan, type Value } from '../storage/store.ts'
import { type View } from '../storage/view.ts'
import { type Collection, type Index } from './collection.ts'

interface Counts {
  documents: number
  bytes: number
}

// The index on _id also has the collection's collation.
const idIndex = { name: '_id_', key: { _id: 1 }, unique: true }

// Catalog values are replaced, never modified, so what was parsed from one stays valid.
const read = new WeakMap<Buffer, Collection>()

// `namespace` is `database.collection`.
export function findCollection(reader: Reader, namespace: string): Collection | undefined {
  const value = reader.get(catalogKey(namespace))
  return value === undefined ? undefined : toCollection(namespace, value)
}

export function listCollections(reader: Reader, database?: string): Collection[] {
  return [...scan(reader, catalogRange(database))].map(([key, value]) =>
    toCollection(namespaceOf(key), value),
  )
}

export function saveCollection(view: View, collection: Collection): void {
  view.put(catalogKey(collection.namespace), toValue(collection))
}

// Documents and bytes of a collection.
export function countsOf(reader: Reader | View, collectionId: string): Counts {
  const stored = parseCounts(reader.get(countsKey(collectionId)))
  const pending = 'counts' in reader ? reader.counts.get(collectionId) : undefined
  if (!pending) return stored
  return {
    documents: stored.documents + pending.documents,
    bytes: stored.bytes + pending.bytes,
  }
}

function parseCounts(value: Value | undefined): Counts {
  if (typeof value !== 'string') return { documents: 0, bytes: 0 }
  const [documents, bytes] = value.split(' ').map(Number)
  return { documents: documents ?? 0, bytes: bytes ?? 0 }
}

export function toCountsValue(counts: Counts): Value {
  return `${counts.documents} ${counts.bytes}`
}

export function newCollection(
  namespace: string,
  ids: [collection: number, index: number],
  options: Doc,
): Collection {
  const dot = namespace.indexOf('.')
  const { collation } = options
  const spec = collation === undefined ? idIndex : { collation, ...idIndex }
  return {
    namespace,
    database: namespace.slice(0, dot),
    name: namespace.slice(dot + 1),
    id: toObjectKeyId(ids[0]),
    uuid: Buffer.from(randomUUID().replaceAll('-', ''), 'hex'),
    options,
    indexes: [toIndex(spec, toObjectKeyId(ids[1]))],
  }
}

export function toIndex(spec: Doc, id: string, multikey: boolean[] = []): Index {
  const { key, name, v: _version, ...options } = spec
  const pattern = isDocument(key) ? key : {}
  const { collation, partialFilterExpression: partial } = options
  const fields = Object.entries(pattern).map(([path, direction]) => ({
    path,
    descending: Number(direction) < 0,
  }))
  return {
    id,
    name: String(name),
    pattern,
    fields,
    options,
    unique: options['unique'] === true,
    prepareUnique: options['prepareUnique'] === true,
    sparse: options['sparse'] === true,
    hidden: options['hidden'] === true,
    collation: isDocument(collation) ? createCollation(collation) : undefined,
    multikey: fields.map((_field, position) => multikey[position] ?? false),
    partialFilter: isDocument(partial) ? partial : undefined,
    text: pattern['_fts'] === 'text' ? toTextIndex(pattern, options) : undefined,
    geo: geoFieldsOf(pattern),
  }
}

function toValue(collection: Collection): Buffer {
  const value = encode({
    id: collection.id,
    uuid: new Binary(collection.uuid, 4),
    options: collection.options,
    indexes: collection.indexes.map((index) => ({
      id: index.id,
      multikey: index.multikey,
      spec: { key: index.pattern, name: index.name, ...index.options },
    })),
  })
  return value
}

function toCollection(namespace: string, value: Value): Collection {
  const bytes = requireBytes(value)
  const known = read.get(bytes)
  if (known) return known
  const dot = namespace.indexOf('.')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by toValue
  const stored = decode(bytes) as unknown as StoredCollection
  const collection: Collection = {
    namespace,
    database: namespace.slice(0, dot),
    name: namespace.slice(dot + 1),
    id: stored.id,
    uuid: Buffer.from(stored.uuid.buffer),
    options: stored.options,
    indexes: stored.indexes.map((index) => toIndex(index.spec, index.id, index.multikey)),
  }
  read.set(bytes, collection)
  return collection
}

interface StoredCollection {
  id: string
  uuid: Binary
  options: Doc
  indexes: { id: string; multikey: boolean[]; spec: Doc }[]
}

export function findIndex(collection: Collection, nameOrKey: unknown): Index | undefined {
  return collection.indexes.find(({ name, pattern }) =>
    isDocument(nameOrKey)
      ? isEqual(pattern, nameOrKey) &&
        Object.keys(pattern).join('\0') === Object.keys(nameOrKey).join('\0')
      : name === nameOrKey,
  )
}

export function dropCollection(view: View, collection: Collection): void {
  view.delete(catalogKey(collection.namespace))
  view.drop(documentRange(collection.id))
  for (const index of collection.indexes) dropIndexEntries(view, index)
  view.counts.delete(collection.id)
  view.delete(countsKey(collection.id))
  const { namespace, uuid } = collection
  view.schemaChanges.push({ kind: 'drop', namespace, uuid })
}

export function dropIndexEntries(view: View, index: Index): void {
  view.drop(prefixRange(indexPrefix(index.id)))
}
