import { fromLocal, toLocal, zoneOffset } from './time-zone.ts'
import { CommandError } from '../errors/command-error.ts'
import { lookUp } from '../bson/document.ts'
import { dayOfYear, isoWeek } from './date-math.ts'

const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]

const pad = (value: number, width = 2): string => String(value).padStart(width, '0')

const directives: Readonly<Record<string, (local: Date, offset: number) => string>> = {
  Y: (date) => pad(date.getUTCFullYear(), 4),
  m: (date) => pad(date.getUTCMonth() + 1),
  d: (date) => pad(date.getUTCDate()),
  H: (date) => pad(date.getUTCHours()),
  M: (date) => pad(date.getUTCMinutes()),
  S: (date) => pad(date.getUTCSeconds()),
  L: (date) => pad(date.getUTCMilliseconds(), 3),
  j: (date) => pad(dayOfYear(date), 3),
  w: (date) => String(date.getUTCDay() + 1),
  u: (date) => String(date.getUTCDay() || 7),
  U: (date) => pad(Math.floor((dayOfYear(date) + 6 - date.getUTCDay()) / 7)),
  V: (date) => pad(isoWeek(date).week),
  G: (date) => pad(isoWeek(date).year, 4),
  b: (date) => (months[date.getUTCMonth()] ?? '').slice(0, 3),
  B: (date) => months[date.getUTCMonth()] ?? '',
  z: (_date, offset) =>
    `${offset < 0 ? '-' : '+'}${pad(Math.floor(Math.abs(offset) / 60))}${pad(Math.abs(offset) % 60)}`,
  Z: (_date, offset) => (offset < 0 ? '-' : '+') + String(Math.abs(offset)),
  '%': () => '%',
}

export function formatDate(date: Date, format: string, zone: string | undefined): string {
  const local = toLocal(date, zone)
  const offset = Math.round(zoneOffset(date.getTime(), zone) / 60_000)
  return format.replace(/%(.)?/g, (_all, directive?: string) => {
    const write = directive === undefined ? undefined : lookUp(directives, directive)
    if (write === undefined)
      throw new CommandError(
        'Location18536',
        `Invalid format character '%${directive ?? ''}' in format string`,
      )
    return write(local, offset)
  })
}

const iso =
  /^\s*(\d{4})-(\d{1,2})(?:-(\d{1,2}))?(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2}|[+-]\d{2})?\s*$/i

// Parses ISO 8601; `zone` applies when the text names none.
export function parseDate(text: string, zone?: string): Date {
  const match = iso.exec(text)
  if (match === null) throw badDate(text)
  const [, year, month, day = '1', hour = '0', minute = '0', second = '0', fraction = '', offset] =
    match
  if (offset !== undefined && zone !== undefined) {
    throw new CommandError(
      'ConversionFailure',
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
  // A field out of range changes the others.
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
    'ConversionFailure',
    `Error parsing date string '${text}'; 0: Unexpected character '${text[0] ?? ''}'`,
  )
}

const parsedDirectives: Readonly<
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

const shortMonths = months.map((month) => month.slice(0, 3).toLowerCase())

export function parseDateFormat(text: string, format: string, zone?: string): Date {
  const fields: (number | string)[] = []
  const pattern = format.replace(
    /%(.)|([\\^$.*+?()[\]{}|])/g,
    (_all, directive?: string, special?: string) => {
      if (directive === undefined) return `\\${special}`
      if (directive === '%') return '%'
      const known = lookUp(parsedDirectives, directive)
      if (known === undefined)
        throw new CommandError(
          'Location18536',
          `Invalid format character '%${directive}' in format string`,
        )
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
    else if (field === 'monthName')
      values[1] = shortMonths.indexOf(found.slice(0, 3).toLowerCase()) + 1
    else values.splice(1, 2, ...monthAndDay(values[0] ?? 1970, Number(found)))
  }
  return fromLocal(requireDate(text, values), offset ?? zone)
}

function monthAndDay(year: number, day: number): [number, number] {
  const date = new Date(Date.UTC(year, 0, day))
  return [date.getUTCMonth() + 1, date.getUTCDate()]
}
