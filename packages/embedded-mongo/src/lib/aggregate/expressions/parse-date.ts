import { CommandError } from '../../errors/command-error.ts'
import { fromLocal } from './time-zone.ts'

const iso =
  /^\s*(\d{4})-(\d{1,2})(?:-(\d{1,2}))?(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2}|[+-]\d{2})?\s*$/i

/**
 * Parses an ISO 8601 date, as `$toDate` and `$dateFromString` do.
 * @param text - The text.
 * @param zone - The time zone when the text names none.
 * @returns The date.
 * @throws {CommandError} 241 when the text is no such date.
 */
export function parseDate(text: string, zone?: string): Date {
  const match = iso.exec(text)
  if (match === null) throw badDate(text)
  const [, year, month, day = '1', hour = '0', minute = '0', second = '0', fraction = '', offset] =
    match
  if (offset !== undefined && zone !== undefined) {
    throw new CommandError(
      241,
      `you cannot pass in a date/time string with time zone information ('${offset}') together with a timezone argument`,
    )
  }
  const numbers = [year, month, day, hour, minute, second].map(Number)
  const milliseconds = Number(fraction.padEnd(3, '0').slice(0, 3))
  return fromLocal(requireDate(text, [...numbers, milliseconds]), offset?.toUpperCase() ?? zone)
}

function requireDate(text: string, fields: readonly number[]): Date {
  const [year = 0, month = 1, day = 1, ...time] = fields
  const [hour = 0, minute = 0, second = 0, milliseconds = 0] = time
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  date.setUTCHours(hour, minute, second, milliseconds)
  // A field out of its range moves the others.
  const found = [
    date.getUTCMonth() + 1,
    date.getUTCDate(),
    date.getUTCHours(),
    date.getUTCMinutes(),
  ]
  if (found.join() !== [month, day, hour, minute].join() || second > 59) throw badDate(text)
  return date
}

function badDate(text: string): CommandError {
  return new CommandError(
    241,
    `Error parsing date string '${text}'; 0: Unexpected character '${text[0] ?? ''}'`,
  )
}

const directives: Readonly<
  Record<string, [field: number | 'offset' | 'monthName' | 'dayOfYear', pattern: string]>
> = {
  Y: [0, '\\d{4}'],
  m: [1, '\\d{1,2}'],
  d: [2, '\\d{1,2}'],
  H: [3, '\\d{1,2}'],
  M: [4, '\\d{1,2}'],
  S: [5, '\\d{1,2}'],
  L: [6, '\\d{1,3}'],
  z: ['offset', 'Z|[+-]\\d{2}:?\\d{2}'],
  b: ['monthName', '[A-Za-z]{3}'],
  B: ['monthName', '[A-Za-z]{3,9}'],
  j: ['dayOfYear', '\\d{1,3}'],
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/**
 * Parses a date written in a format of `$dateFromString`.
 * @param text - The text.
 * @param format - The format, such as `%d/%m/%Y`.
 * @param zone - The time zone when the text names none.
 * @returns The date.
 * @throws {CommandError} 241 when the text does not fit, 18536 for an unknown directive.
 */
export function parseDateFormat(text: string, format: string, zone?: string): Date {
  const fields: (number | string)[] = []
  const pattern = format.replace(
    /%(.)|([\\^$.*+?()[\]{}|])/g,
    (_all, directive?: string, special?: string) => {
      if (directive === undefined) return `\\${special}`
      if (directive === '%') return '%'
      const known = directives[directive]
      if (known === undefined)
        throw new CommandError(18536, `Invalid format character '%${directive}' in format string`)
      fields.push(known[0])
      return `(${known[1]})`
    },
  )
  const match = new RegExp(`^${pattern}$`).exec(text)
  if (match === null) throw badDate(text)
  const values = [1970, 1, 1, 0, 0, 0, 0]
  let offset: string | undefined
  for (const [i, field] of fields.entries()) {
    const found = match[i + 1] ?? ''
    if (typeof field === 'number') values[field] = Number(found)
    else if (field === 'offset') offset = found
    else if (field === 'monthName') values[1] = months.indexOf(found.slice(0, 3).toLowerCase()) + 1
    else values.splice(1, 2, ...monthAndDay(values[0] ?? 1970, Number(found)))
  }
  return fromLocal(requireDate(text, values), offset ?? zone)
}

function monthAndDay(year: number, dayOfYear: number): [number, number] {
  const date = new Date(Date.UTC(year, 0, dayOfYear))
  return [date.getUTCMonth() + 1, date.getUTCDate()]
}
