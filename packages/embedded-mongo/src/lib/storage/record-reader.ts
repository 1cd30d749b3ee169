import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import {
  checkFileHeader,
  checksum,
  decodeRecord,
  FILE_HEADER_LENGTH,
  type FileKind,
  FORMAT_VERSION,
  RECORD_HEADER_LENGTH,
  type RecordVisitor,
} from './record-format.ts'
import { StoreDamage } from './store.ts'

const WINDOW = 1024 * 1024

interface ReadResult {
  // Where the valid records end.
  validBytes: number
  fileBytes: number
}

// Read piece by piece, because a file may be larger than the largest Buffer.
interface Source {
  size: number
  // Up to `length` bytes; fewer at the end.
  read(offset: number, length: number): Buffer
}

// Reads records in order up to the first invalid one.
export function readRecords(file: string, kind: FileKind, visitor: RecordVisitor): ReadResult {
  return withSource(file, (source) => {
    const header = checkFileHeader(source.read(0, FILE_HEADER_LENGTH), kind)
    if (typeof header === 'number') {
      throw new StoreDamage(
        `${file} has format version ${header}; this version reads up to ${FORMAT_VERSION}. Update @create-api/embedded-mongo.`,
      )
    }
    if (header === 'damaged') return { validBytes: 0, fileBytes: source.size }
    let offset = FILE_HEADER_LENGTH
    for (;;) {
      const record = readRecord(source, offset)
      if (!record) return { validBytes: offset, fileBytes: source.size }
      decodeRecord(record.content, visitor)
      offset += RECORD_HEADER_LENGTH + record.content.length
    }
  })
}

// Looks for valid records after a broken one.
export function findSyncedAfter(file: string, from: number): number | undefined {
  return withSource(file, (source) => {
    let synced: number | undefined
    let offset = from + 1
    while (offset + RECORD_HEADER_LENGTH < source.size) {
      const record = readRecord(source, offset)
      if (record) synced = Math.max(synced ?? 0, record.synced)
      offset += record ? RECORD_HEADER_LENGTH + record.content.length : 1
    }
    return synced
  })
}

function readRecord(
  source: Source,
  offset: number,
): { content: Buffer; synced: number } | undefined {
  const header = source.read(offset, RECORD_HEADER_LENGTH)
  if (header.length < RECORD_HEADER_LENGTH) return undefined
  const size = header.readUInt32BE(0)
  if (size === 0 || offset + RECORD_HEADER_LENGTH + size > source.size) return undefined
  const content = source.read(offset + RECORD_HEADER_LENGTH, size)
  const isValid = checksum(header.subarray(8), content) === header.readUInt32BE(4)
  return isValid ? { content, synced: header.readUIntBE(8, 6) } : undefined
}

function withSource<T>(file: string, use: (source: Source) => T): T {
  const descriptor = openSync(file, 'r')
  try {
    return use(createSource(descriptor))
  } finally {
    closeSync(descriptor)
  }
}

function createSource(descriptor: number): Source {
  const { size } = fstatSync(descriptor)
  let window = Buffer.alloc(0)
  let start = 0
  return {
    size,
    read(offset, length) {
      if (offset < start || offset + length > start + window.length) {
        window = Buffer.allocUnsafeSlow(
          Math.max(0, Math.min(Math.max(length, WINDOW), size - offset)),
        )
        start = offset
        window = window.subarray(0, readFully(descriptor, window, offset))
      }
      return window.subarray(offset - start, offset - start + length)
    },
  }
}

function readFully(descriptor: number, target: Buffer, position: number): number {
  let filled = 0
  while (filled < target.length) {
    const count = readSync(descriptor, target, filled, target.length - filled, position + filled)
    if (count === 0) break
    filled += count
  }
  return filled
}
