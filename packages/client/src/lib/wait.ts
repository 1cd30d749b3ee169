// Waits, and rejects with the reason of the signal when that is aborted.
export function wait(milliseconds: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      if (signal?.aborted) reject(signal.reason as Error)
      else resolve()
    }
    const timer = setTimeout(end, milliseconds)
    signal?.addEventListener('abort', end)
    if (signal?.aborted) end()
  })
}

const base = 250
const maximum = 10_000

// The time before another attempt: random up to a limit that doubles, so that clients do not return together.
export function toBackoff(attempt: number): number {
  return Math.random() * Math.min(maximum, base * 2 ** attempt)
}

// Reads `Retry-After` (RFC 9110, section 10.2.3), in milliseconds from now.
export function readRetryAfter(outcome: object): number | undefined {
  const text = outcome instanceof Response && outcome.headers.get('retry-after')
  if (!text) return undefined
  const time = Number(text) * 1000 || Date.parse(text) - Date.now()
  return Math.max(0, time) || 0
}
