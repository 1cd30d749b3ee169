// Raw BSON of documents and catalog entries, or a record id.
export type Value = Buffer | string

export function requireBytes(value: Value | undefined): Buffer {
  if (Buffer.isBuffer(value)) return value
  throw new TypeError('A key of the store should hold BSON, but does not')
}

export type Entry = [key: string, value: Value]

// From `start` (inclusive) to `end` (exclusive).
export interface KeyRange {
  start: string
  end: string
  reverse?: boolean | undefined
}

export const allKeys: KeyRange = { start: '', end: '\u0100' }

// Part of a range; `through` is the last key visited, `undefined` when the range is done.
export interface Slice {
  entries: Entry[]
  through: string | undefined
}

export interface Reader {
  get(key: string): Value | undefined
  // Visits about as many keys as the limit, of which some may be deleted.
  slice(range: KeyRange, limit: number): Slice
}

// Writes that become visible, and durable, together: first the dropped ranges, then the puts.
export interface Batch {
  drops: [start: string, end: string][]
  puts: [key: string, value: Value | undefined][]
}

export interface Store extends Reader {
  // Applies the whole batch or nothing.
  apply(batch: Batch): void
  // Costs nothing until later writes copy what they change.
  snapshot(): Reader
  // Resolves when everything applied is on disk.
  sync(): Promise<void>
  // Rewrites the files, if any, while writes continue. Rejects when the disk fails.
  compact(): Promise<void>
  // Syncs, then releases all files.
  close(): Promise<void>
}

const firstSlice = 32
const maxSlice = 512

// Walks a range in slices and resumes after the last key, so writes between two steps are harmless.
export function* scan(reader: Reader, range: KeyRange): Generator<Entry, void> {
  let { start, end } = range
  let size = firstSlice
  while (start < end) {
    const { entries, through } = reader.slice({ start, end, reverse: range.reverse }, size)
    yield* entries
    if (through === undefined) return
    if (range.reverse) end = through
    else start = `${through}\0`
    size = Math.min(size * 4, maxSlice)
  }
}

// The data folder cannot be opened without losing data; the message names the file and the fix.
export class StoreDamage extends Error {
  override name = 'StoreDamage'
}
