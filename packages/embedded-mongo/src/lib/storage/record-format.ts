import { crc32 } from 'node:zlib'
import { lastKeyKind } from './keys.ts'
import { type Batch, type Value } from './store.ts'

export type FileKind = 'log' | 'snapshot'

// A file with a higher version is rejected.
export const formatVersion = 1

// Magic, kind, version.
export const fileHeaderLength = 16
// Length, checksum, how much of the file was synced.
export const recordHeaderLength = 14

const magic = 'EMBMONGO'
const kindLength = 4

const deleteRecord = 0
const putBytes = 1
const putText = 2
const dropRecord = 3
const endRecord = 4

export interface RecordVisitor {
  // Where the entry starts in the content of the record.
  put(content: Buffer, start: number): void
  delete(key: string): void
  drop(start: string, end: string): void
  // The file is complete: the last record of a snapshot.
  end(): void
}

export function fileHeader(kind: FileKind): Buffer {
  const header = Buffer.alloc(fileHeaderLength)
  header.write(magic, 0, 'latin1')
  header.write(kind.slice(0, kindLength), magic.length, 'latin1')
  header.writeUInt32BE(formatVersion, magic.length + kindLength)
  return header
}

export function checkFileHeader(header: Buffer, kind: FileKind): 'valid' | 'damaged' | number {
  const expected = fileHeader(kind)
  const start = magic.length + kindLength
  if (header.length < fileHeaderLength) return 'damaged'
  if (!header.subarray(0, start).equals(expected.subarray(0, start))) return 'damaged'
  const version = header.readUInt32BE(start)
  if (version > formatVersion) return version
  return version === formatVersion ? 'valid' : 'damaged'
}

// A record with one operation that deletes a key of one byte; the end of a snapshot is shorter, but
// nothing follows it.
export const minRecordBytes = recordHeaderLength + 6

// Whether a record may start here: it fits into the file, states that no more was synced than what
// precedes it, and the operations that are among the bytes fill it.
export function isRecordStart(
  bytes: Buffer,
  at: number,
  file: { offset: number; size: number },
): boolean {
  const content = at + recordHeaderLength
  // Checked first, because it rules out nearly every byte.
  if ((bytes[content] ?? endRecord) >= endRecord || (bytes[content + 5] ?? 255) > lastKeyKind)
    return false
  const end = content + bytes.readUInt32BE(at)
  if (file.offset + end > file.size) return false
  if (bytes.readUIntBE(at + 8, 6) > file.offset + at) return false
  let offset: number | undefined = content
  while (offset !== undefined && offset < end && offset < bytes.length - 5) {
    offset = operationEnd(bytes, offset)
  }
  return offset !== undefined && offset <= end
}

// Where an operation ends, by the lengths that are among the bytes; undefined if it is none.
function operationEnd(bytes: Buffer, start: number): number | undefined {
  const kind = bytes[start] ?? endRecord
  const keyLength = bytes.readUInt32BE(start + 1)
  if (kind >= endRecord || keyLength === 0) return undefined
  const keyEnd = start + 5 + keyLength
  if (kind === deleteRecord) return keyEnd
  return keyEnd + 4 + (keyEnd + 4 <= bytes.length ? bytes.readUInt32BE(keyEnd) : 0)
}

// `synced` is how many bytes of the file are known to be on disk.
export function encodeBatch({ drops, puts }: Batch, synced: number): Buffer {
  let length = recordHeaderLength
  for (const [start, end] of drops) length += entryLength(start, end)
  for (const [key, value] of puts) length += entryLength(key, value)
  const record = Buffer.allocUnsafe(length)
  let at = recordHeaderLength
  for (const [key, value] of drops) at = writeEntry(record, at, { kind: dropRecord, key, value })
  for (const [key, value] of puts) at = writeEntry(record, at, { key, value })
  return seal(record, synced)
}

export function encodeEnd(): Buffer {
  const record = Buffer.alloc(recordHeaderLength + 1, endRecord)
  return seal(record, 0)
}

// An entry: its kind, the length of its key, the key, and if it has a value, its length and the value.
interface NewEntry {
  key: string
  value: Value | undefined
  // Otherwise it follows from the value.
  kind?: number
}

export function entryLength(key: string, value: Value | undefined): number {
  return 5 + key.length + (value === undefined ? 0 : 4 + value.length)
}

// Returns where it ends.
export function writeEntry(target: Buffer, at: number, { key, value, kind }: NewEntry): number {
  target[at] = kind ?? kindOf(value)
  let end = writeText(target, at + 1, key)
  if (value === undefined) return end
  if (typeof value === 'string') return writeText(target, end, value)
  end = target.writeUInt32BE(value.length, end)
  value.copy(target, end)
  return end + value.length
}

function kindOf(value: Value | undefined): number {
  if (value === undefined) return deleteRecord
  return typeof value === 'string' ? putText : putBytes
}

function writeText(target: Buffer, at: number, text: string): number {
  const start = target.writeUInt32BE(text.length, at)
  // For a few characters this is faster than Buffer.write().
  for (let i = 0; i < text.length; i += 1) target[start + i] = text.charCodeAt(i)
  return start + text.length
}

export function entryKey(bytes: Buffer, start: number): string {
  return bytes.toString('latin1', entryKeyStart(start), entryKeyEnd(bytes, start))
}

export function entryKeyStart(start: number): number {
  return start + 5
}

export function entryKeyEnd(bytes: Buffer, start: number): number {
  return start + 5 + bytes.readUInt32BE(start + 1)
}

// Of an entry with a value.
export function entryEnd(bytes: Buffer, start: number): number {
  const keyEnd = entryKeyEnd(bytes, start)
  return keyEnd + 4 + bytes.readUInt32BE(keyEnd)
}

// A part of the same memory.
export function entryValue(bytes: Buffer, start: number): Value {
  const valueStart = entryKeyEnd(bytes, start) + 4
  const end = entryEnd(bytes, start)
  return bytes[start] === putText
    ? bytes.toString('latin1', valueStart, end)
    : bytes.subarray(valueStart, end)
}

export function decodeRecord(content: Buffer, visitor: RecordVisitor): void {
  let offset = 0
  const skip = (): void => {
    offset += 4 + content.readUInt32BE(offset)
    if (offset > content.length) throw new RangeError('An operation ends too early')
  }
  const readText = (): string => {
    const start = offset + 4
    skip()
    return content.toString('latin1', start, offset)
  }
  while (offset < content.length) {
    const start = offset
    const kind = content[offset]
    offset += 1
    if (kind === putBytes || kind === putText) {
      skip()
      skip()
      visitor.put(content, start)
    } else if (kind === deleteRecord) visitor.delete(readText())
    else if (kind === dropRecord) visitor.drop(readText(), readText())
    else if (kind === endRecord) visitor.end()
    else throw new RangeError(`Operation ${kind} is not known`)
  }
}

export function checksum(synced: Buffer, content: Buffer): number {
  return crc32(content, crc32(synced))
}

function seal(record: Buffer, synced: number): Buffer {
  recordHeader(record.subarray(recordHeaderLength), synced).copy(record)
  return record
}

export function recordHeader(content: Buffer, synced: number): Buffer {
  const header = Buffer.allocUnsafe(recordHeaderLength)
  header.writeUInt32BE(content.length, 0)
  header.writeUIntBE(synced, 8, 6)
  header.writeUInt32BE(checksum(header.subarray(8), content), 4)
  return header
}
