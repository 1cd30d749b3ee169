import { formulaPattern } from '@create-api/core/internal/text-patterns'
import { CsvError, parse } from 'csv-parse'
import { Readable } from 'node:stream'
import { CliError } from '../errors/cli-error.ts'
import { count } from '../terminal/count.ts'
import {
  lineColumn,
  maxRecordLength,
  reasonColumn,
  type RecordReader,
  type SourceRecord,
} from './record.ts'
import { type Source } from './source.ts'

export interface CsvOptions {
  /**
   * Character between the cells.
   * @default the one that the first line has most often
   */
  readonly delimiter?: string | undefined
  /** Whether an apostrophe before a formula is part of the text. */
  readonly keepApostrophes?: boolean | undefined
}

export const delimiters = { comma: ',', semicolon: ';', tab: '\t' }

// Reads CSV (RFC 4180) whose first line has the names of the columns.
export async function readCsv(source: Source, options: CsvOptions): Promise<RecordReader> {
  const delimiter = options.delimiter ?? findDelimiter(source.start)
  let lines: AsyncGenerator<Line> | undefined = parseLines(source, delimiter)
  const header = await readHeader(source, lines)
  // A file of rejected lines is always protected against formulas.
  const keepsApostrophes = options.keepApostrophes === true && !header.includes(reasonColumn)
  const unnamed = header.flatMap((name, index) => (name === '' ? [index + 1] : []))
  requireDistinct(source, header)
  const word = Object.entries(delimiters).find(([, one]) => one === delimiter)?.[0] ?? delimiter
  return {
    isText: true,
    delimiter,
    columns: header.filter((name) => !isLeft(name)),
    notes: [
      ...(options.delimiter === undefined && delimiter !== ','
        ? [`the columns are separated by a ${word}`]
        : []),
      ...(unnamed.length > 0 ? [`columns without a name are ignored: ${unnamed.join(', ')}`] : []),
    ],
    async *read() {
      // Standard input can be read once.
      const rest = lines ?? (await skipHeader(parseLines(source, delimiter)))
      lines = undefined
      for await (const { cells, line } of rest)
        yield toRecord(cells, { header, line, keepsApostrophes })
    },
  }
}

interface Line {
  readonly cells: readonly string[]
  readonly line: number
}

// The parser counts CR and LF each as a line where they are inside quotes.
async function* parseLines({ name, read }: Source, delimiter: string): AsyncGenerator<Line> {
  const parser = parse({
    delimiter,
    info: true,
    max_record_size: maxRecordLength,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
  })
  const input = Readable.from(read())
  // An error of the text, such as its encoding, is not one of the parser.
  input.once('error', (error) => parser.destroy(error))
  let counted = 0
  try {
    for await (const { info, record } of input.pipe(parser)) {
      const cells: readonly string[] = record
      const breaks = cells.map((cell) => cell.match(/[\r\n]/g)?.length ?? 0)
      const line = info.lines - breaks.reduce((sum, one) => sum + one, 0) - counted
      for (const cell of cells) counted += cell.match(/\r\n/g)?.length ?? 0
      yield { cells, line }
    }
  } catch (error) {
    throw error instanceof CsvError ? toFileError(name, error) : error
  } finally {
    input.destroy()
  }
}

function toFileError(name: string, error: CsvError): CliError {
  const line = Number(error['lines'])
  const texts: Readonly<Record<string, string>> = {
    CSV_QUOTE_NOT_CLOSED: 'a quote that is opened is never closed',
    CSV_INVALID_CLOSING_QUOTE: 'text follows a closing quote; quotes within text are doubled',
    INVALID_OPENING_QUOTE:
      'a quote is in the middle of a cell; such a cell is quoted, and its quotes doubled',
    CSV_MAX_RECORD_SIZE: `a line is longer than ${maxRecordLength / 1024 / 1024} MB, or a quote is not closed`,
  }
  return new CliError(
    'INVALID_DOCUMENT',
    `${name}, line ${line}: ${texts[error.code] ?? error.message}`,
    {
      hint: 'correct the line; nothing was imported',
      cause: error,
    },
  )
}

async function readHeader(
  { name }: Source,
  lines: AsyncGenerator<Line>,
): Promise<readonly string[]> {
  const { done, value } = await lines.next()
  if (done !== true) return value.cells.map((cell) => cell.trim())
  throw new CliError('INVALID_DOCUMENT', `${name} has no line with the names of the columns`)
}

async function skipHeader(lines: AsyncGenerator<Line>): Promise<AsyncGenerator<Line>> {
  await lines.next()
  return lines
}

function requireDistinct({ name }: Source, header: readonly string[]): void {
  const twice = header.filter((column, index) => column !== '' && header.indexOf(column) !== index)
  if (twice.length === 0) return
  const names = [...new Set(twice)].slice(0, 10).map((column) => `"${column}"`)
  throw new CliError(
    'INVALID_DOCUMENT',
    `${name} has two columns with the name ${names.join(', ')}`,
    {
      hint: 'give each column its own name',
    },
  )
}

interface Columns {
  readonly header: readonly string[]
  readonly line: number
  readonly keepsApostrophes: boolean
}

function isLeft(name: string): boolean {
  return name === '' || name === lineColumn || name === reasonColumn
}

function toRecord(
  cells: readonly string[],
  { header, line, keepsApostrophes }: Columns,
): SourceRecord {
  const values = new Map(
    header.flatMap((name, index) => {
      const cell = cells[index] ?? ''
      return isLeft(name) ? [] : [[name, keepsApostrophes ? cell : unguard(cell)]]
    }),
  )
  if (cells.length === header.length) return { line, values }
  return { line, values, fault: `has ${count(cells.length, 'cell')} instead of ${header.length}` }
}

// An export writes an apostrophe before text that a spreadsheet would evaluate.
function unguard(cell: string): string {
  return cell.startsWith("'") && formulaPattern.test(cell.slice(1)) ? cell.slice(1) : cell
}

// A cell of CSV that no spreadsheet evaluates.
export function toCell(text: string, delimiter: string): string {
  const isNumber = /^-?\d+(?:\.\d+)?$/.test(text)
  const safe = formulaPattern.test(text) && !isNumber ? `'${text}` : text
  const isQuoted = /["\r\n]/.test(safe) || safe.includes(delimiter)
  return isQuoted ? `"${safe.replaceAll('"', '""')}"` : safe
}

// Outside quotes; a comma if there are none.
function findDelimiter(start: string): string {
  const [line = ''] = start.replaceAll(/"(?:[^"]|"")*"/g, '').split(/[\r\n]/)
  const found = Object.values(delimiters).map((delimiter) => ({
    delimiter,
    times: line.split(delimiter).length,
  }))
  return found.reduce((most, one) => (one.times > most.times ? one : most)).delimiter
}
