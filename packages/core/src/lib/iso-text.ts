const dayMs = 86_400_000
// Each with the signs around it, so that a text is put together in few steps.
const hours = numbers(24, (text) => text.padStart(2, '0'))
const sixtieths = numbers(60, (text) => `:${text.padStart(2, '0')}`)
const thousandths = numbers(1000, (text) => `.${text.padStart(3, '0')}Z`)

let lastDay = Number.NaN
let dayText = ''

/**
 * Writes a time as `Date.toISOString` does, in a quarter of the time where many lie on one day, as in
 * the documents of a page.
 * @param ms - milliseconds since the epoch, of a valid date
 * @returns ISO 8601 in UTC
 */
export function toIsoText(ms: number): string {
  const day = Math.floor(ms / dayMs)
  if (day !== lastDay) {
    const midnight = new Date(day * dayMs).toISOString()
    lastDay = day
    dayText = midnight.slice(0, midnight.indexOf('T') + 1)
  }
  const time = ms - day * dayMs
  return (
    dayText +
    hours[Math.trunc(time / 3_600_000)] +
    sixtieths[Math.trunc(time / 60_000) % 60] +
    sixtieths[Math.trunc(time / 1000) % 60] +
    thousandths[time % 1000]
  )
}

function numbers(count: number, write: (text: string) => string): string[] {
  return Array.from({ length: count }, (_, value) => write(String(value)))
}
