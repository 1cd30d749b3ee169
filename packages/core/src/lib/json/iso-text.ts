// The date of a response as `Date.toISOString` writes it.
export const toIsoText = createIsoText()

const toLogTime = createIsoText()

// The current time. It does not share its last text with the dates of responses: they would replace it
// at each request.
export function currentIsoText(): string {
  return toLogTime(Date.now())
}

// The last text is kept: log lines of one millisecond share it, and `createdAt` and `updatedAt` of a
// record that was never changed. So is the text of its day, because `toISOString` computes it from the year on.
function createIsoText(): (ms: number) => string {
  let last = Number.NaN
  let text = ''
  let lastDay = Number.NaN
  let dayText = ''
  return (ms) => {
    if (ms === last) return text
    const day = Math.floor(ms / msPerDay)
    // Of the last day, only the first millisecond is a date.
    if (day !== lastDay || day === maxDay) {
      dayText = new Date(ms).toISOString().replace(/T.*/, 'T')
      lastDay = day
    }
    text = dayText + toTimeText(ms - day * msPerDay)
    last = ms
    return text
  }
}

const msPerDay = 86_400_000
const maxDay = 100_000_000
const twoDigits = Array.from({ length: 60 }, (_, value) => String(value).padStart(2, '0'))
const threeDigits = Array.from({ length: 1000 }, (_, value) => String(value).padStart(3, '0'))

function toTimeText(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  const minutes = Math.floor(seconds / 60)
  const hour = twoDigits[Math.floor(minutes / 60)] ?? ''
  const minute = twoDigits[minutes % 60] ?? ''
  const second = twoDigits[seconds % 60] ?? ''
  return `${hour}:${minute}:${second}.${threeDigits[ms % 1000] ?? ''}Z`
}
