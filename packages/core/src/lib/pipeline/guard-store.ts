import { type ClientRateLimitInfo, type Options, type Store } from 'express-rate-limit'
import { type Logger } from '../logging/logger.ts'
import { type FixedWindow } from './fixed-window.ts'

/** What a guarded store does when the store behind it fails. */
export interface GuardOptions {
  /** Name of the limit, for the log. */
  readonly name: string
  /** Milliseconds after which the store counts as failed. */
  readonly timeoutMs: number
  /** Counts instead; without it every request passes. */
  readonly fallback: FixedWindow | undefined
  /** Length of a window in milliseconds. */
  readonly windowMs: number
  /** Hears when the store begins to fail, and when it answers again. */
  readonly logger: Pick<Logger, 'error' | 'warn'>
}

const pauseMs = 1000

/**
 * Puts a bound on a shared store: one that is slow or dead neither delays a request for long nor
 * fails it. After a failure it is left alone for a second.
 * @param store - the store of express-rate-limit
 * @param options - bound, fallback and log
 * @returns a store that always answers
 */
export function guardStore(store: Store, options: GuardOptions): Store {
  const outage = watchOutage(options)

  async function increment(key: string): Promise<ClientRateLimitInfo> {
    if (!outage.isFresh()) {
      try {
        const info = await withTimeout(Promise.resolve(store.increment(key)), options.timeoutMs)
        outage.end()
        return info
      } catch (error) {
        outage.note(error)
      }
    }
    const hits = options.fallback?.hit(key)
    return {
      totalHits: hits?.count ?? 1,
      resetTime: new Date(hits?.resetAt ?? Date.now() + options.windowMs),
    }
  }

  async function quietly(work: () => unknown): Promise<void> {
    if (outage.isFresh()) return
    try {
      await withTimeout(Promise.resolve(work()), options.timeoutMs)
    } catch (error) {
      outage.note(error)
    }
  }

  return {
    localKeys: store.localKeys ?? false,
    init: (limits: Options) => {
      void quietly(() => store.init?.(limits))
    },
    increment,
    async decrement(key) {
      options.fallback?.undo(key)
      await quietly(() => store.decrement(key))
    },
    resetKey: (key) => quietly(() => store.resetKey(key)),
  }
}

interface Outage {
  /** Whether the store has just failed, and is left alone. */
  isFresh(): boolean
  note(error: unknown): void
  end(): void
}

// However many requests meet it, an outage is two lines in the log: its beginning and its end.
function watchOutage({ name, fallback, logger }: GuardOptions): Outage {
  const effect = fallback === undefined ? 'requests pass' : 'counting in memory'
  let pausedUntil = 0
  let isOn = false
  return {
    isFresh: () => Date.now() < pausedUntil,
    note(error) {
      pausedUntil = Date.now() + pauseMs
      if (!isOn) logger.error({ limit: name, err: error }, `rate limit store failed: ${effect}`)
      isOn = true
    },
    end() {
      if (isOn) logger.warn({ limit: name }, 'rate limit store answers again')
      isOn = false
    },
  }
}

async function withTimeout<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
