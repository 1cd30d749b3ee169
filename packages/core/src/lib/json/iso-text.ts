// The date of a response as `Date.toISOString` writes it.
export const toIsoText = createIsoText()

const toLogTime = createIsoText()

// The current time. It does not share its last text with the dates of responses: they would replace it
// at each request.
export function currentIsoText(): string {
  return toLogTime(Date.now())
}

// The last text is kept: log lines of one millisecond share it, and `createdAt` and `updatedAt` of a
// record that was never changed.
function createIsoText(): (ms: number) => string {
  let last = Number.NaN
  let text = ''
  return (ms) => {
    if (ms !== last) {
      text = new Date(ms).toISOString()
      last = ms
    }
    return text
  }
}
