import { isObjectId, isTimestamp } from '../bson/type-name.ts'

export const unitLengths: Readonly<Record<string, number>> = {
  week: 604_800_000,
  day: 86_400_000,
  hour: 3_600_000,
  minute: 60_000,
  second: 1000,
  millisecond: 1,
}

export const unitMonths: Readonly<Record<string, number>> = { year: 12, quarter: 3, month: 1 }

// A day the month lacks becomes the month's last.
export function addMonths(date: Date, months: number): Date {
  const result = new Date(date)
  result.setUTCDate(1)
  result.setUTCMonth(result.getUTCMonth() + months)
  const last = new Date(Date.UTC(2000, result.getUTCMonth() + 1, 0))
  last.setUTCFullYear(result.getUTCFullYear(), result.getUTCMonth() + 1, 0)
  result.setUTCDate(Math.min(date.getUTCDate(), last.getUTCDate()))
  return result
}

// Months since the year 0.
export function monthNumber(date: Date): number {
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}

export function dayOfYear(date: Date): number {
  const start = new Date(date)
  start.setUTCMonth(0, 1)
  return Math.round((startOfDay(date) - startOfDay(start)) / 86_400_000) + 1
}

function startOfDay(date: Date): number {
  return new Date(date).setUTCHours(0, 0, 0, 0)
}

export function isoWeek(date: Date): { year: number; week: number } {
  const thursday = new Date(startOfDay(date))
  thursday.setUTCDate(thursday.getUTCDate() + 4 - (date.getUTCDay() || 7))
  return { year: thursday.getUTCFullYear(), week: Math.ceil(dayOfYear(thursday) / 7) }
}

const dayNames = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

// Weeks since a fixed one. A week starts on `startOfWeek`, an English name or its first three
// letters.
export function weekNumber(date: Date, startOfWeek: string): number | undefined {
  const day = dayNames.findIndex((name) => name === startOfWeek || name.slice(0, 3) === startOfWeek)
  if (day < 0) return undefined
  // 2 January 2000 was a Sunday.
  const days = Math.floor((startOfDay(date) - Date.UTC(2000, 0, 2 + day)) / 86_400_000)
  return Math.floor(days / 7)
}

export function weekStart(week: number, startOfWeek: string): Date {
  const day = dayNames.findIndex((name) => name.slice(0, 3) === startOfWeek.slice(0, 3))
  return new Date(Date.UTC(2000, 0, 2 + day + week * 7))
}

// The types that hold a point in time: dates, ObjectIds and timestamps.
export function readDate(value: unknown): Date | undefined {
  if (value instanceof Date) return value
  if (isObjectId(value)) return value.getTimestamp()
  return isTimestamp(value) ? new Date(value.t * 1000) : undefined
}
