import { CommandError } from '../../errors/command-error.ts'
import { dayOfYear, isoWeek } from './date-math.ts'
import { toLocal, zoneOffset } from './time-zone.ts'

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

/**
 * Writes a date as `$dateToString` does.
 * @param date - The date.
 * @param format - The format, such as `%Y-%m-%d`.
 * @param zone - The time zone; UTC when left out.
 * @returns The text.
 * @throws {CommandError} 18536 for an unknown directive.
 */
export function formatDate(date: Date, format: string, zone: string | undefined): string {
  const local = toLocal(date, zone)
  const offset = Math.round(zoneOffset(date.getTime(), zone) / 60_000)
  return format.replace(/%(.)?/g, (_all, directive?: string) => {
    const write = directive === undefined ? undefined : directives[directive]
    if (write === undefined)
      throw new CommandError(
        18536,
        `Invalid format character '%${directive ?? ''}' in format string`,
      )
    return write(local, offset)
  })
}
