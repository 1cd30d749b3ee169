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
  put(key: string, value: Value): void
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
export function encodeBatch(batch: Batch, synced: number): Buffer {
  const parts: Buffer[] = []
  for (const [start, end] of batch.drops) parts.push(operation(dropRecord, start), sized(end))
  for (const [key, value] of batch.puts) {
    if (value === undefined) parts.push(operation(deleteRecord, key))
    else if (typeof value === 'string') parts.push(operation(putText, key), sized(value))
    else parts.push(operation(putBytes, key), length(value.length), value)
  }
  return toRecord(parts, synced)
}

export function encodeEnd(): Buffer {
  return toRecord([Buffer.from([endRecord])], 0)
}

export function decodeRecord(content: Buffer, visitor: RecordVisitor): void {
  let offset = 0
  const bytes = (): Buffer => {
    const size = content.readUInt32BE(offset)
    offset += 4 + size
    if (offset > content.length) throw new RangeError('An operation ends too early')
    return content.subarray(offset - size, offset)
  }
  const text = (): string => bytes().toString('latin1')
  while (offset < content.length) {
    const kind = content[offset]
    offset += 1
    if (kind === endRecord) visitor.end()
    else if (kind === deleteRecord) visitor.delete(text())
    else if (kind === dropRecord) visitor.drop(text(), text())
    else if (kind === putText) visitor.put(text(), text())
    else if (kind === putBytes) visitor.put(text(), Buffer.from(bytes()))
    else throw new RangeError(`Operation ${kind} is not known`)
  }
}

export function checksum(synced: Buffer, content: Buffer): number {
  return crc32(content, crc32(synced))
}

function toRecord(parts: Buffer[], synced: number): Buffer {
  const header = Buffer.allocUnsafe(recordHeaderLength)
  const record = Buffer.concat([header, ...parts])
  record.writeUInt32BE(record.length - recordHeaderLength, 0)
  record.writeUIntBE(synced, 8, 6)
  const content = record.subarray(recordHeaderLength)
  record.writeUInt32BE(checksum(record.subarray(8, recordHeaderLength), content), 4)
  return record
}

function operation(kind: number, key: string): Buffer {
  const bytes = Buffer.allocUnsafe(5 + key.length)
  bytes[0] = kind
  bytes.writeUInt32BE(key.length, 1)
  bytes.write(key, 5, 'latin1')
  return bytes
}

function sized(text: string): Buffer {
  const bytes = Buffer.allocUnsafe(4 + text.length)
  bytes.writeUInt32BE(text.length, 0)
  bytes.write(text, 4, 'latin1')
  return bytes
}

function length(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4)
  bytes.writeUInt32BE(value, 0)
  return bytes
}
