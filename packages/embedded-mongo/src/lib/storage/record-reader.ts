import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import {
  checkFileHeader,
  checksum,
  fileHeaderLength,
  type FileKind,
  formatVersion,
  isRecordStart,
  minRecordBytes,
  recordHeaderLength,
} from './record-format.ts'
import { StoreDamage } from './store.ts'

const windowBytes = 1024 * 1024
// How many bytes are searched at once.
const search = 64 * 1024
// How often the file may be read in vain by the search, which keeps it linear.
const maxChecked = 8

interface ReadResult {
  // Where the valid records end.
  validBytes: number
  fileBytes: number
}

// Read piece by piece, because a file may be larger than the largest Buffer.
interface Source {
  size: number
  // Up to `length` bytes, fewer at the end; valid until the next call.
  read(offset: number, length: number): Buffer
}

// Reads records in order up to the first invalid one. The content is valid during the call only.
export function readRecords(
  file: string,
  kind: FileKind,
  onRecord: (content: Buffer) => void,
): ReadResult {
  return withSource(file, (source) => {
    const header = checkFileHeader(source.read(0, fileHeaderLength), kind)
    if (typeof header === 'number') {
      throw new StoreDamage(
        `${file} has format version ${header}; this version reads up to ${formatVersion}. Update @create-api/embedded-mongo.`,
      )
    }
    if (header === 'damaged') return { validBytes: 0, fileBytes: source.size }
    let offset = fileHeaderLength
    for (;;) {
      const record = readRecord(source, offset)
      if (!record) return { validBytes: offset, fileBytes: source.size }
      onRecord(record.content)
      offset += recordHeaderLength + record.content.length
    }
  })
}

// Looks for valid records after a broken one: how much of the file the last of them states to be on
// disk. A record may start at any byte, so only what looks like one is read and checked.
export function findSyncedAfter(file: string, from: number): number | undefined {
  return withSource(file, (source) => {
    let synced: number | undefined
    let checked = 0
    for (
      let offset = nextCandidate(source, from + 1);
      offset !== undefined;
      offset = nextCandidate(source, offset)
    ) {
      const size = source.read(offset, 4).readUInt32BE(0)
      const record = size === 0 ? undefined : readRecord(source, offset)
      if (record) {
        synced = Math.max(synced ?? 0, record.synced)
        offset += recordHeaderLength + record.content.length
      } else {
        checked += size > search ? size + windowBytes : size
        offset += 1
      }
      // Bytes that look like records over and over: what is known so far has to do.
      if (checked > maxChecked * source.size) return synced ?? 0
    }
    return synced
  })
}

// The next offset at which a record may start.
function nextCandidate(source: Source, from: number): number | undefined {
  let offset = from
  while (offset + minRecordBytes <= source.size) {
    const bytes = source.read(offset, search)
    const starts = bytes.length - minRecordBytes
    for (let at = 0; at <= starts; at += 1) {
      if (isRecordStart(bytes, at, { offset, size: source.size })) return offset + at
    }
    offset += starts + 1
  }
  return undefined
}

function readRecord(
  source: Source,
  offset: number,
): { content: Buffer; synced: number } | undefined {
  const header = source.read(offset, recordHeaderLength)
  if (header.length < recordHeaderLength) return undefined
  const size = header.readUInt32BE(0)
  // Earlier versions wrote empty records. Zeros are none, because of the checksum.
  if (offset + recordHeaderLength + size > source.size) return undefined
  const expected = header.readUInt32BE(4)
  const synced = Buffer.from(header.subarray(8))
  const content = source.read(offset + recordHeaderLength, size)
  return checksum(synced, content) === expected
    ? { content, synced: synced.readUIntBE(0, 6) }
    : undefined
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
  let memory = Buffer.alloc(0)
  let window = memory
  let start = 0
  return {
    size,
    read(offset, length) {
      if (offset < start || offset + length > start + window.length) {
        const wanted = Math.max(0, Math.min(Math.max(length, windowBytes), size - offset))
        if (memory.length < wanted) memory = Buffer.allocUnsafeSlow(wanted)
        start = offset
        window = memory.subarray(0, readFully(descriptor, memory.subarray(0, wanted), offset))
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
