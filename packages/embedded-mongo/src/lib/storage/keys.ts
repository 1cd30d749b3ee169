import { type KeyRange } from './store.ts'

// Latin1 characters, each one byte. Ids of collections and indexes are shorter.
export const recordIdLength = 6
const objectIdLength = 4

// The first byte of a key says what it holds.
const catalog = '\x00'
const document = '\x01'
const indexKind = '\x02'
const counts = '\x03'
const retry = '\x04'
export const lastKeyKind = 4

// Of the keys of documents and index entries, by their first byte.
export function isNumerousKind(kind: number): boolean {
  return kind === document.charCodeAt(0) || kind === indexKind.charCodeAt(0)
}

// Big-endian, so that keys sort as the numbers do.
export function toBytes(value: number, length: number): string {
  let bytes = ''
  let rest = value
  for (let index = 0; index < length; index += 1) {
    bytes = String.fromCharCode(rest % 256) + bytes
    rest = Math.floor(rest / 256)
  }
  return bytes
}

export function fromBytes(bytes: string): number {
  let value = 0
  for (let index = 0; index < bytes.length; index += 1) {
    value = value * 256 + bytes.charCodeAt(index)
  }
  return value
}

export function toObjectKeyId(value: number): string {
  return toBytes(value, objectIdLength)
}

export function catalogKey(namespace: string): string {
  return catalog + toLatin1(namespace)
}

export function namespaceOf(key: string): string {
  return Buffer.from(key.slice(1), 'latin1').toString('utf8')
}

export function catalogRange(database?: string): KeyRange {
  if (database === undefined) return prefixRange(catalog)
  return prefixRange(`${catalog}${toLatin1(database)}.`)
}

export function documentKey(collectionId: string, recordId: string): string {
  return document + collectionId + recordId
}

// Documents in insertion order.
export function documentRange(collectionId: string): KeyRange {
  return prefixRange(document + collectionId)
}

export function indexPrefix(indexId: string): string {
  return indexKind + indexId
}

export function countsKey(collectionId: string): string {
  return counts + collectionId
}

// The reply of a session's last retryable write.
export function retryKey(sessionId: string): string {
  return retry + sessionId
}

export function retryRange(): KeyRange {
  return prefixRange(retry)
}

export function prefixRange(prefix: string): KeyRange {
  return { start: prefix, end: prefixEnd(prefix) }
}

// The first key after all that start with the prefix: its last byte incremented; bytes at their
// maximum are cut off.
export function prefixEnd(prefix: string): string {
  let end = prefix.length
  while (end > 0 && prefix.charCodeAt(end - 1) === 0xff) end -= 1
  if (end === 0) return '\u0100'
  return prefix.slice(0, end - 1) + String.fromCharCode(prefix.charCodeAt(end - 1) + 1)
}

function toLatin1(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}
