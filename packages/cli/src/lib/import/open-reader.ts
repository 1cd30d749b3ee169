import { extname } from 'node:path'
import { CliError } from '../errors/cli-error.ts'
import { suggestName } from '../errors/suggest-name.ts'
import { delimiters, readCsv } from './read-csv.ts'
import { readJsonArray, readNdjson } from './read-json.ts'
import { type RecordReader } from './record.ts'
import { type Source } from './source.ts'

export interface FormatOptions {
  /** Path of the file; `-` for standard input. */
  readonly file: string
  /**
   * `csv`, `ndjson` or `json`.
   * @default by the extension of the file
   */
  readonly format?: string | undefined
  /** `comma`, `semicolon`, `tab` or a character. */
  readonly delimiter?: string | undefined
  readonly keepApostrophes?: boolean | undefined
}

// Opens the records of a file in its format.
export async function openReader(source: Source, options: FormatOptions): Promise<RecordReader> {
  const format = options.format ?? toFormat(options.file)
  if (format === 'ndjson') return readNdjson(source)
  if (format === 'json') return readJsonArray(source)
  return readCsv(source, { ...options, delimiter: toDelimiter(options.delimiter) })
}

function toFormat(file: string): string {
  const extension = extname(file).slice(1).toLowerCase()
  if (['csv', 'tsv', 'txt'].includes(extension)) return 'csv'
  if (extension === 'json') return extension
  if (['ndjson', 'jsonl'].includes(extension)) return 'ndjson'
  throw new CliError(
    'USAGE',
    `the format of ${file === '-' ? 'standard input' : file} is not known`,
    {
      hint: '--format csv, ndjson or json',
    },
  )
}

function toDelimiter(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const found = Object.entries(delimiters).find(([word, one]) => text === word || text === one)
  if (found) return found[1]
  if (text.length === 1 && !/["\r\n]/.test(text)) return text
  throw new CliError('USAGE', `"${text}" is not a delimiter`, {
    hint: suggestName(text, Object.keys(delimiters)),
  })
}
