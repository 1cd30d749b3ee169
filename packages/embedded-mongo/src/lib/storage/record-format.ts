import { crc32 } from 'node:zlib'
import { type Batch, type Value } from './store.ts'

/** What stands at the head of a file. */
export type FileKind = 'log' | 'snapshot'

/** The version of the files' form; a file of a higher one is refused. */
export const FORMAT_VERSION = 1

/** Bytes before the first record: magic, kind, version. */
export const FILE_HEADER_LENGTH = 16
/** Bytes before a record's content: length, checksum, how far the file was synced. */
export const RECORD_HEADER_LENGTH = 14

const MAGIC = 'EMBMONGO'
const KIND_LENGTH = 4

const DELETE = 0
const PUT_BYTES = 1
const PUT_TEXT = 2
const DROP = 3
const END = 4

/** What a record says to do, in order. */
export interface RecordVisitor {
  put(key: string, value: Value): void
  delete(key: string): void
  drop(start: string, end: string): void
  /** The file is complete: the last record of a snapshot. */
  end(): void
}

/**
 * The head of a new file.
 *
 * @param kind What the file is.
 * @returns Its first bytes.
 */
export function fileHeader(kind: FileKind): Buffer {
  const header = Buffer.alloc(FILE_HEADER_LENGTH)
  header.write(MAGIC, 0, 'latin1')
  header.write(kind.slice(0, KIND_LENGTH), MAGIC.length, 'latin1')
  header.writeUInt32BE(FORMAT_VERSION, MAGIC.length + KIND_LENGTH)
  return header
}

/**
 * Tells whether a file's head is the one expected.
 *
 * @param header The file's first bytes.
 * @param kind What the file should be.
 * @returns `valid`, `damaged`, or the version when it is a newer one.
 */
export function checkFileHeader(header: Buffer, kind: FileKind): 'valid' | 'damaged' | number {
  const expected = fileHeader(kind)
  const start = MAGIC.length + KIND_LENGTH
  if (header.length < FILE_HEADER_LENGTH) return 'damaged'
  if (!header.subarray(0, start).equals(expected.subarray(0, start))) return 'damaged'
  const version = header.readUInt32BE(start)
  if (version > FORMAT_VERSION) return version
  return version === FORMAT_VERSION ? 'valid' : 'damaged'
}

/**
 * A batch as one record.
 *
 * @param batch The writes.
 * @param synced How many bytes of the file are known to lie on the disk.
 * @returns Header and content.
 */
export function encodeBatch(batch: Batch, synced: number): Buffer {
  const parts: Buffer[] = []
  for (const [start, end] of batch.drops) parts.push(operation(DROP, start), sized(end))
  for (const [key, value] of batch.puts) {
    if (value === undefined) parts.push(operation(DELETE, key))
    else if (typeof value === 'string') parts.push(operation(PUT_TEXT, key), sized(value))
    else parts.push(operation(PUT_BYTES, key), length(value.length), value)
  }
  return toRecord(parts, synced)
}

/**
 * The last record of a snapshot.
 *
 * @returns Header and content.
 */
export function encodeEnd(): Buffer {
  return toRecord([Buffer.from([END])], 0)
}

/**
 * Reads what a record says.
 *
 * @param content The record's content; values are copied out of it.
 * @param visitor Told each operation, in order.
 * @throws {RangeError} The content is no record of this version.
 */
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
    if (kind === END) visitor.end()
    else if (kind === DELETE) visitor.delete(text())
    else if (kind === DROP) visitor.drop(text(), text())
    else if (kind === PUT_TEXT) visitor.put(text(), text())
    else if (kind === PUT_BYTES) visitor.put(text(), Buffer.from(bytes()))
    else throw new RangeError(`Operation ${kind} is not known`)
  }
}

/**
 * The checksum of a record.
 *
 * @param synced The header's last field, as bytes.
 * @param content The content.
 * @returns CRC32 of both.
 */
export function checksum(synced: Buffer, content: Buffer): number {
  return crc32(content, crc32(synced))
}

function toRecord(parts: Buffer[], synced: number): Buffer {
  const header = Buffer.allocUnsafe(RECORD_HEADER_LENGTH)
  const record = Buffer.concat([header, ...parts])
  record.writeUInt32BE(record.length - RECORD_HEADER_LENGTH, 0)
  record.writeUIntBE(synced, 8, 6)
  const content = record.subarray(RECORD_HEADER_LENGTH)
  record.writeUInt32BE(checksum(record.subarray(8, RECORD_HEADER_LENGTH), content), 4)
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
