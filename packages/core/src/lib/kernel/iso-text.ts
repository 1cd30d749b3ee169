let last = Number.NaN
let text = ''

// What `Date.toISOString` returns. The last text is kept: log lines of one millisecond share it, and
// `createdAt` and `updatedAt` of a record that was never changed.
export function toIsoText(ms: number): string {
  if (ms !== last) {
    text = new Date(ms).toISOString()
    last = ms
  }
  return text
}
