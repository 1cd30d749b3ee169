import { setTimeout as sleep } from 'node:timers/promises'

// Attempts with pauses between them, longer after each failure.
export interface Backoff {
  // Repeats `work` until it succeeds or the signal is aborted. The last success lasted `lifetimeMs`.
  retry(work: () => Promise<unknown>, lifetimeMs: number): Promise<void>
}

export interface BackoffOptions {
  readonly signal: AbortSignal
  onFailure(error: unknown): void
}

// A success that lasted this long was not a failed start.
const settledMs = 10_000
const [minPauseMs, maxPauseMs] = [250, 30_000]

// No pause after a success that lasted, otherwise one that doubles up to 30 s.
export function createBackoff(options: BackoffOptions): Backoff {
  const { signal } = options
  let failures = 0

  async function attempt(work: () => Promise<unknown>): Promise<void> {
    const ms = failures === 0 ? 0 : Math.min(maxPauseMs, minPauseMs * 2 ** (failures - 1))
    try {
      await sleep(ms, undefined, { signal })
      await work()
    } catch (error) {
      if (signal.aborted) return
      failures++
      options.onFailure(error)
      await attempt(work)
    }
  }

  return {
    retry(work, lifetimeMs) {
      failures = lifetimeMs < settledMs ? failures + 1 : 0
      return attempt(work)
    },
  }
}
