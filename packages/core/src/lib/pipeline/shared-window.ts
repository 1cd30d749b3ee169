import { rateLimit, type Store } from 'express-rate-limit'
import { type Logger } from '../logging/logger.ts'
import { createFixedWindow, type Hits } from './fixed-window.ts'
import { guardStore } from './guard-store.ts'

/** Options for {@link createSharedWindow}. */
export interface SharedWindowOptions {
  /** Name of the limit, for the log and for its keys in the store. */
  readonly name: string
  /** Length of a window in milliseconds. */
  readonly windowMs: number
  /** The clock, in milliseconds. */
  readonly now: () => number
  /** Hears when the store begins to fail, and when it answers again. */
  readonly logger: Pick<Logger, 'error' | 'warn'>
}

/** Counts one hit of a key, and says how many there are in its window. */
export type CountHit = (key: string) => Promise<Hits>

const timeoutMs = 250

/**
 * Makes a counter that several processes share. While its store fails, each process counts in its
 * own memory.
 * @param store - of express-rate-limit
 * @param options - window and name
 * @returns the counter
 */
export function createSharedWindow(store: Store, options: SharedWindowOptions): CountHit {
  const { name, windowMs } = options
  const guarded = guardStore(store, { ...options, timeoutMs, fallback: createFixedWindow(options) })
  // What it returns is not needed: it tells the store how long a window is.
  rateLimit({ windowMs, store: guarded })
  return async (key) => {
    const { totalHits, resetTime } = await guarded.increment(`${name}:${key}`)
    return { count: totalHits, resetAt: resetTime?.getTime() ?? options.now() + windowMs }
  }
}
