import { closeSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs'
import { toCell } from './read-csv.ts'
import { lineColumn, reasonColumn, type RecordReader, type SourceRecord } from './record.ts'

/** A file of the records that were rejected, which can be corrected and imported. */
export interface RejectedFile {
  /** Appends records. Returns the length of the file. */
  readonly append: (rejected: readonly Rejected[]) => number
  readonly close: () => void
}

export interface Rejected {
  readonly record: SourceRecord
  readonly reason: string
}

interface Options {
  readonly reader: RecordReader
  /** Bytes of the records that an interrupted run has rejected for certain. */
  readonly kept: number
}

// The file is created with the first record.
export function openRejectedFile(path: string, { kept, reader }: Options): RejectedFile {
  let length = kept
  let file: number | undefined
  const open = (): number => {
    const opened = openSync(path, kept === 0 ? 'w' : 'r+')
    ftruncateSync(opened, kept)
    return opened
  }
  if (kept === 0) rmSync(path, { force: true })
  return {
    append(rejected) {
      if (rejected.length === 0) return length
      file ??= open()
      const head = length === 0 ? toHead(reader) : ''
      const text = head + rejected.map((one) => toLine(one, reader)).join('')
      length += writeSync(file, text, length, 'utf8')
      return length
    },
    close() {
      if (file !== undefined) closeSync(file)
    },
  }
}

// By the byte order mark, spreadsheets recognize UTF-8.
function toHead({ columns, delimiter }: RecordReader): string {
  return columns ? `\uFEFF${toRow([...columns, lineColumn, reasonColumn], delimiter)}` : ''
}

function toLine({ reason, record }: Rejected, { columns, delimiter }: RecordReader): string {
  const { line, values } = record
  if (columns) {
    const cells = columns.map((column) => toText(values.get(column)))
    return toRow([...cells, String(line), reason], delimiter)
  }
  const document = Object.fromEntries([...values, [lineColumn, line], [reasonColumn, reason]])
  return `${JSON.stringify(document)}\n`
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function toRow(cells: readonly string[], delimiter = ','): string {
  return `${cells.map((cell) => toCell(cell, delimiter)).join(delimiter)}\r\n`
}
