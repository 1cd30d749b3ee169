/** What the tree holds: raw BSON of documents and catalog entries, or a record id. */
export type Value = Buffer | string

/**
 * The value under a key that holds BSON.
 *
 * @param value What was read.
 * @returns Its bytes.
 * @throws {TypeError} The key holds no BSON: the store is damaged.
 */
export function requireBytes(value: Value | undefined): Buffer {
  if (Buffer.isBuffer(value)) return value
  throw new TypeError('A key of the store should hold BSON, but does not')
}

/** One key of the tree with its value. */
export type Entry = [key: string, value: Value]

/** Keys from `start` (included) to `end` (not included), read upwards or downwards. */
export interface KeyRange {
  start: string
  end: string
  reverse?: boolean | undefined
}

/** A part of a range; `through` is the last key looked at, `undefined` when the range is done. */
export interface Slice {
  entries: Entry[]
  through: string | undefined
}

/** Anything keys can be read from: the store, a snapshot of it, a view with pending writes. */
export interface Reader {
  get(key: string): Value | undefined
  slice(range: KeyRange, limit: number): Slice
}

/** Writes that become visible, and durable, together: first the dropped ranges, then the puts. */
export interface Batch {
  drops: [start: string, end: string][]
  puts: [key: string, value: Value | undefined][]
}

/** The ordered map under everything, in memory alone or with a log beside it. */
export interface Store extends Reader {
  /** Applies a batch whole or not at all. */
  apply(batch: Batch): void
  /** A frozen picture of this moment; costs nothing until later writes copy what they change. */
  snapshot(): Reader
  /** Resolves when all that was applied lies on the disk. */
  sync(): Promise<void>
  /** Makes files smaller, when there are any; writes go on meanwhile. Rejects when the disk does not take it. */
  compact(): Promise<void>
  /** Last sync, then release of all files. */
  close(): Promise<void>
}
