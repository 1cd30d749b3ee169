import { randomUUID } from 'node:crypto'
import { Binary } from 'bson'
import { assume } from '../bson/assume.ts'
import { decode } from '../bson/decode.ts'
import { type Doc } from '../bson/document.ts'
import { encode } from '../bson/encode.ts'
import { createCollation } from '../keys/collation.ts'
import { catalogKey, catalogRange, countsKey, namespaceOf, toObjectKeyId } from '../storage/keys.ts'
import { scan } from '../storage/scan.ts'
import { type Reader, requireBytes, type Value } from '../storage/store.ts'
import { type View } from '../storage/view.ts'
import { type Collection, type Index } from './collection.ts'

/** A collection's size. */
export interface Counts {
  documents: number
  bytes: number
}

// Besides, it has the collation of the collection: its one option.
const ID_INDEX = { name: '_id_', key: { _id: 1 }, unique: true }

// Catalog values are replaced, never changed, so what was read from one stays true.
const read = new WeakMap<Buffer, Collection>()

/**
 * A collection by its name.
 *
 * @param reader What is seen.
 * @param namespace `database.collection`.
 * @returns The collection, `undefined` when there is none.
 */
export function findCollection(reader: Reader, namespace: string): Collection | undefined {
  const value = reader.get(catalogKey(namespace))
  return value === undefined ? undefined : toCollection(namespace, value)
}

/**
 * All collections, sorted by name.
 *
 * @param reader What is seen.
 * @param database Only of this database.
 * @returns The collections.
 */
export function listCollections(reader: Reader, database?: string): Collection[] {
  return [...scan(reader, catalogRange(database))].map(([key, value]) =>
    toCollection(namespaceOf(key), value),
  )
}

/**
 * Writes a collection's catalog entry.
 *
 * @param view Where to write.
 * @param collection The collection as it shall be.
 */
export function saveCollection(view: View, collection: Collection): void {
  view.put(catalogKey(collection.namespace), toValue(collection))
}

/**
 * How many documents and bytes a collection holds.
 *
 * @param reader What is seen; a view adds its pending changes.
 * @param collectionId Id of the collection.
 * @returns Its size.
 */
export function countsOf(reader: Reader | View, collectionId: string): Counts {
  const stored = parseCounts(reader.get(countsKey(collectionId)))
  const pending = 'counts' in reader ? reader.counts.get(collectionId) : undefined
  if (!pending) return stored
  return {
    documents: stored.documents + pending.documents,
    bytes: stored.bytes + pending.bytes,
  }
}

/**
 * Reads a stored size.
 *
 * @param value What lies under the collection's counts key.
 * @returns The size; zero when nothing was written yet.
 */
export function parseCounts(value: Value | undefined): Counts {
  if (typeof value !== 'string') return { documents: 0, bytes: 0 }
  const [documents, bytes] = value.split(' ').map(Number)
  return { documents: documents ?? 0, bytes: bytes ?? 0 }
}

/**
 * The stored form of a size.
 *
 * @param counts The size.
 * @returns What {@link parseCounts} reads.
 */
export function toCountsValue(counts: Counts): Value {
  return `${counts.documents} ${counts.bytes}`
}

/**
 * An unused collection with its index on `_id`.
 *
 * @param namespace `database.collection`.
 * @param ids Two unused ids: of the collection and of its first index.
 * @param options What `create` was given.
 * @returns The collection, not yet saved.
 */
export function newCollection(
  namespace: string,
  ids: [collection: number, index: number],
  options: Doc,
): Collection {
  const dot = namespace.indexOf('.')
  return {
    namespace,
    database: namespace.slice(0, dot),
    name: namespace.slice(dot + 1),
    id: toObjectKeyId(ids[0]),
    uuid: Buffer.from(randomUUID().replaceAll('-', ''), 'hex'),
    options,
    indexes: [toIndex({ ...options, ...ID_INDEX }, toObjectKeyId(ids[1]))],
  }
}

/**
 * An index from its description.
 *
 * @param spec `key`, `name` and options.
 * @param id Its unused id.
 * @param multikey Per field: arrays were seen.
 * @returns The index.
 */
export function toIndex(spec: Doc, id: string, multikey: boolean[] = []): Index {
  const { key, name, v: _version, ...options } = spec
  const pattern = assume<Doc>(key)
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
    sparse: options['sparse'] === true,
    hidden: options['hidden'] === true,
    collation: createCollation(assume<Doc | undefined>(options['collation'])),
    multikey: fields.map((_field, position) => multikey[position] ?? false),
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
  const stored = assume<StoredCollection>(decode(bytes))
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
