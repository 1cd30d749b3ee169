/** One document of the file. */
export interface SourceRecord {
  /** Line at which it begins, from 1. */
  readonly line: number
  /** The values by the names of their columns. */
  readonly values: ReadonlyMap<string, unknown>
  /** Why it cannot be a document. */
  readonly fault?: string | undefined
}

/** The records of a file, in their order. */
export interface RecordReader {
  /** Whether the values are text. */
  readonly isText: boolean
  /** Names of the columns; undefined where each record has its own names. */
  readonly columns: readonly string[] | undefined
  /** Between the cells of a line. */
  readonly delimiter?: string | undefined
  /** What was found out about the file. */
  readonly notes: readonly string[]
  readonly read: () => AsyncIterable<SourceRecord>
}

// Columns that a file of rejected lines has besides the others.
export const lineColumn = '_line'
export const reasonColumn = '_reason'

// More than a document can have in MongoDB.
export const maxRecordLength = 16 * 1024 * 1024
