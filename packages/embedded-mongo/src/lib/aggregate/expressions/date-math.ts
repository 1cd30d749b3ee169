/** The units of date arithmetic, in milliseconds where they have a fixed length. */
export const unitLengths: Readonly<Record<string, number>> = {
  week: 604_800_000,
  day: 86_400_000,
  hour: 3_600_000,
  minute: 60_000,
  second: 1000,
  millisecond: 1,
}

/** The units that are a number of months. */
export const unitMonths: Readonly<Record<string, number>> = { year: 12, quarter: 3, month: 1 }

/**
 * Adds months; a day that the month lacks becomes its last.
 * @param date - A date in UTC fields.
 * @param months - How many.
 * @returns The new date.
 */
export function addMonths(date: Date, months: number): Date {
  const result = new Date(date)
  result.setUTCDate(1)
  result.setUTCMonth(result.getUTCMonth() + months)
  const last = new Date(Date.UTC(2000, result.getUTCMonth() + 1, 0))
  last.setUTCFullYear(result.getUTCFullYear(), result.getUTCMonth() + 1, 0)
  result.setUTCDate(Math.min(date.getUTCDate(), last.getUTCDate()))
  return result
}

/**
 * Counts months since the year 0.
 * @param date - A date in UTC fields.
 * @returns The count.
 */
export function monthNumber(date: Date): number {
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}

/**
 * Gives the day of the year.
 * @param date - A date in UTC fields.
 * @returns From 1 to 366.
 */
export function dayOfYear(date: Date): number {
  const start = new Date(date)
  start.setUTCMonth(0, 1)
  return Math.round((startOfDay(date) - startOfDay(start)) / 86_400_000) + 1
}

function startOfDay(date: Date): number {
  return new Date(date).setUTCHours(0, 0, 0, 0)
}

/**
 * Gives year and week of ISO 8601.
 * @param date - A date in UTC fields.
 * @returns The week and the year it belongs to.
 */
export function isoWeek(date: Date): { year: number; week: number } {
  const thursday = new Date(startOfDay(date))
  thursday.setUTCDate(thursday.getUTCDate() + 4 - (date.getUTCDay() || 7))
  return { year: thursday.getUTCFullYear(), week: Math.ceil(dayOfYear(thursday) / 7) }
}

const dayNames = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

/**
 * Counts weeks since a fixed one.
 * @param date - A date in UTC fields.
 * @param startOfWeek - The day a week begins with, by English name or its first three letters.
 * @returns The count, or undefined for an unknown day.
 */
export function weekNumber(date: Date, startOfWeek: string): number | undefined {
  const day = dayNames.findIndex((name) => name === startOfWeek || name.slice(0, 3) === startOfWeek)
  if (day < 0) return undefined
  // 2 January 2000 was a Sunday.
  const days = Math.floor((startOfDay(date) - Date.UTC(2000, 0, 2 + day)) / 86_400_000)
  return Math.floor(days / 7)
}

/**
 * Gives the first instant of a week counted by {@link weekNumber}.
 * @param week - The count.
 * @param startOfWeek - The day a week begins with.
 * @returns The date in UTC fields.
 */
export function weekStart(week: number, startOfWeek: string): Date {
  const day = dayNames.findIndex((name) => name.slice(0, 3) === startOfWeek.slice(0, 3))
  return new Date(Date.UTC(2000, 0, 2 + day + week * 7))
}
