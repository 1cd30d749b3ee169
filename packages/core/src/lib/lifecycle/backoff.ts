import { setTimeout as sleep } from 'node:timers/promises'

/** Attempts with pauses between them, longer after each failure. */
export interface Backoff {
  /**
   * Tries until it succeeds, or until the signal says that nobody needs it any more.
   * @param work - what to try
   * @param lifetime - milliseconds for which the last success lasted
   */
  retry(work: () => Promise<unknown>, lifetime: number): Promise<void>
}

/** What {@link createBackoff} needs to know. */
export interface BackoffOptions {
  /** Ends the attempts. */
  readonly signal: AbortSignal
  /** Hears of each that failed. */
  onFailure(error: unknown): void
}

// What lasted longer than this did not fail at the start.
const settledMs = 10_000
const [leastMs, mostMs] = [250, 30_000]

/**
 * Makes a backoff: no pause after a success that lasted, else one that doubles up to 30 s.
 * @param options - end of the attempts
 * @returns the backoff
 */
export function createBackoff(options: BackoffOptions): Backoff {
  const { signal } = options
  let failures = 0

  async function attempt(work: () => Promise<unknown>): Promise<void> {
    const ms = failures === 0 ? 0 : Math.min(mostMs, leastMs * 2 ** (failures - 1))
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
    retry(work, lifetime) {
      failures = lifetime < settledMs ? failures + 1 : 0
      return attempt(work)
    },
  }
}
