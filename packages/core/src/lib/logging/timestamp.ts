import { toIsoText } from '../iso-text.ts'

let last = 0
let text = ''

/**
 * The time as log lines have it; within one millisecond it is written once.
 * @returns ISO 8601 in UTC
 */
export function timestamp(): string {
  const now = Date.now()
  if (now !== last) {
    last = now
    text = toIsoText(now)
  }
  return text
}
