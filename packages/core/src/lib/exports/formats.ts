import { numberText } from '../json/number-text.ts'
import { type ListFormat } from '../route/route.ts'
import { formulaPattern } from '../schemas/text-patterns.ts'
import { toCells, toColumns } from './columns.ts'

/** Options for {@link csv}. */
export interface CsvOptions {
  /**
   * Character between the fields of a line: `,`, `;` or a tab.
   * @default ','
   */
  readonly separator?: ',' | ';' | '\t' | undefined
  /**
   * Whether the file begins with a byte order mark, by which Excel recognizes UTF-8.
   * @default false
   */
  readonly byteOrderMark?: boolean | undefined
  /**
   * Whether text that a spreadsheet would evaluate as a formula, because it begins with `=`, `+`, `-`, `@` (also full-width,
   * and after white space, separators or quotes), a tab or a line break, gets an apostrophe before it, as OWASP recommends
   * against CSV injection. Numbers do not. Text with apostrophes before such a character gets one more, so that a reader can
   * remove one from each.
   * @default true
   */
  readonly escapeFormulas?: boolean | undefined
}

/**
 * Creates the format CSV (RFC 4180) of lists: `text/csv` with a header line. The columns follow from the response
 * schema: each member of an object has a column, such as `address.city`; arrays and records are JSON. Absent
 * values and null are empty.
 * @param options - separator, byte order mark, formulas
 * @returns the format, for `formats` of a route
 */
export function csv(options: CsvOptions = {}): ListFormat {
  const { separator = ',', byteOrderMark = false, escapeFormulas = true } = options
  const toLine = (cells: readonly unknown[]): string =>
    `${cells.map((cell) => toCell(cell, { separator, escapeFormulas })).join(separator)}\r\n`
  return {
    type: 'text/csv; charset=utf-8',
    extension: 'csv',
    toText(item, isIncluded) {
      const columns = toColumns(item, isIncluded)
      const names = columns.map((path) => path.join('.'))
      return {
        head: (byteOrderMark ? '\ufeff' : '') + toLine(names),
        toItem: (value) => toLine(toCells(columns, value)),
      }
    },
  }
}

/**
 * Creates the format NDJSON of lists: `application/x-ndjson`, one JSON document on each line.
 * @returns the format, for `formats` of a route
 */
export function ndjson(): ListFormat {
  return {
    type: 'application/x-ndjson',
    extension: 'ndjson',
    toText: () => ({ head: '', toItem: (value) => `${JSON.stringify(value)}\n` }),
  }
}

type CellOptions = Required<Pick<CsvOptions, 'separator' | 'escapeFormulas'>>

function toCell(value: unknown, { separator, escapeFormulas }: CellOptions): string {
  const text = toCellText(value)
  const isFormula = escapeFormulas && formulaPattern.test(text) && !numberText.test(text)
  const safe = isFormula ? `'${text}` : text
  return /["\r\n]/.test(safe) || safe.includes(separator) ? `"${safe.replaceAll('"', '""')}"` : safe
}

function toCellText(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
