import { type KeyRange } from './store.ts'

/** Bytes of a record id and of the ids of collections and indexes, as latin1 characters. */
export const RECORD_ID_LENGTH = 6
const OBJECT_ID_LENGTH = 4

/** First byte of every key: what lies under it. */
const CATALOG = '\x00'
const DOCUMENT = '\x01'
const INDEX = '\x02'
const COUNTS = '\x03'
const RETRY = '\x04'

/**
 * A number as big-endian bytes, so that keys sort as the numbers do.
 *
 * @param value A whole number from 0.
 * @param length How many bytes.
 * @returns One latin1 character per byte.
 */
export function toBytes(value: number, length: number): string {
  let bytes = ''
  let rest = value
  for (let index = 0; index < length; index += 1) {
    bytes = String.fromCharCode(rest % 256) + bytes
    rest = Math.floor(rest / 256)
  }
  return bytes
}

/**
 * The number that {@link toBytes} wrote.
 *
 * @param bytes One latin1 character per byte.
 * @returns The number.
 */
export function fromBytes(bytes: string): number {
  let value = 0
  for (let index = 0; index < bytes.length; index += 1) {
    value = value * 256 + bytes.charCodeAt(index)
  }
  return value
}

/**
 * The id of a collection or index.
 *
 * @param value Its number.
 * @returns Four bytes.
 */
export function toObjectKeyId(value: number): string {
  return toBytes(value, OBJECT_ID_LENGTH)
}

/**
 * Where a collection's catalog entry lies.
 *
 * @param namespace `database.collection`.
 * @returns The key.
 */
export function catalogKey(namespace: string): string {
  return CATALOG + toLatin1(namespace)
}

/**
 * The namespace a catalog key was made from.
 *
 * @param key A key of the catalog.
 * @returns `database.collection`.
 */
export function namespaceOf(key: string): string {
  return Buffer.from(key.slice(1), 'latin1').toString('utf8')
}

/**
 * The catalog entries of one database, or of all.
 *
 * @param database Name of the database; without it, all.
 * @returns The range.
 */
export function catalogRange(database?: string): KeyRange {
  if (database === undefined) return prefixRange(CATALOG)
  return prefixRange(`${CATALOG}${toLatin1(database)}.`)
}

/**
 * Where a document lies.
 *
 * @param collectionId Id of its collection.
 * @param recordId Its record id.
 * @returns The key.
 */
export function documentKey(collectionId: string, recordId: string): string {
  return DOCUMENT + collectionId + recordId
}

/**
 * All documents of a collection, in the order of their insertion.
 *
 * @param collectionId Id of the collection.
 * @returns The range.
 */
export function documentRange(collectionId: string): KeyRange {
  return prefixRange(DOCUMENT + collectionId)
}

/**
 * What all entries of an index begin with.
 *
 * @param indexId Id of the index.
 * @returns The prefix.
 */
export function indexPrefix(indexId: string): string {
  return INDEX + indexId
}

/**
 * Where a collection's count of documents and bytes lies.
 *
 * @param collectionId Id of the collection.
 * @returns The key.
 */
export function countsKey(collectionId: string): string {
  return COUNTS + collectionId
}

/**
 * Where the reply of a session's last retryable write lies.
 *
 * @param sessionId The session's bytes.
 * @returns The key.
 */
export function retryKey(sessionId: string): string {
  return RETRY + sessionId
}

/**
 * All remembered replies.
 *
 * @returns The range.
 */
export function retryRange(): KeyRange {
  return prefixRange(RETRY)
}

/**
 * All keys that begin with a prefix.
 *
 * @param prefix The common beginning.
 * @returns The range.
 */
export function prefixRange(prefix: string): KeyRange {
  return { start: prefix, end: prefixEnd(prefix) }
}

/**
 * The first key after all that begin with a prefix.
 *
 * @param prefix The common beginning.
 * @returns The prefix with its last byte raised; bytes that cannot be raised are cut off.
 */
export function prefixEnd(prefix: string): string {
  let end = prefix.length
  while (end > 0 && prefix.charCodeAt(end - 1) === 0xff) end -= 1
  if (end === 0) return '\u0100'
  return prefix.slice(0, end - 1) + String.fromCharCode(prefix.charCodeAt(end - 1) + 1)
}

function toLatin1(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}
