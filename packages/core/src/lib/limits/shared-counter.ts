import { type Options, rateLimit as expressRateLimit, type Store } from 'express-rate-limit'
import { type Logger } from '../logging/logger.ts'
import { within } from '../runtime/within.ts'
import { type Counter, createMemoryCounter } from './counter.ts'

export interface CounterOptions {
  /** Name of the limit, in the log and in the keys of the store. */
  readonly name: string
  readonly window: number
  readonly now: () => number
  readonly logger: Pick<Logger, 'error' | 'warn'>
  /** Milliseconds after which the store counts as failed. */
  readonly timeoutMs?: number | undefined
  /** While the store fails: `memory` counts in this process, `open` lets every request pass. */
  readonly onFailure?: 'open' | 'memory' | undefined
}

const pauseMs = 1000

// Counts in a store of express-rate-limit, which several processes can share, or without one in the
// memory of this process. A store that is slow or down neither delays a request for long nor fails
// it: after a failure it is not used for a second.
export function createCounter(store: Store | undefined, options: CounterOptions): Counter {
  if (store === undefined) return createMemoryCounter(options)
  const { name, window, now } = options
  const fallback = options.onFailure === 'open' ? undefined : createMemoryCounter(options)
  const attempt = createAttempt(options)
  // The package checks the store and passes it the window; its middleware is not used. Several limits
  // can share one store, because the keys begin with the name of the limit.
  expressRateLimit({
    windowMs: window,
    store,
    validate: { unsharedStore: false },
    logger: toPackageLogger(options),
  })
  return {
    async hit(key) {
      const info = await attempt(() => store.increment(`${name}:${key}`))
      if (info === undefined) return fallback?.hit(key) ?? { count: 1, resetAt: now() + window }
      const { totalHits, resetTime } = info
      return { count: totalHits, resetAt: resetTime?.getTime() ?? now() + window }
    },
    async undo(key) {
      fallback?.undo(key)
      await attempt(() => store.decrement(`${name}:${key}`))
    },
  }
}

type Attempt = <T>(work: () => T | Promise<T>) => Promise<T | undefined>

// Runs work of the store; undefined when it fails or is paused. However many requests meet it, an
// outage is two lines in the log: its beginning and its end.
function createAttempt({ name, timeoutMs = 250, onFailure, logger }: CounterOptions): Attempt {
  const effect = onFailure === 'open' ? 'requests pass' : 'counting in memory'
  let pausedUntil = 0
  let isDown = false
  return async (work) => {
    if (Date.now() < pausedUntil) return undefined
    try {
      const result = await within(timeoutMs, Promise.resolve(work()), () => {
        throw new Error(`no response within ${timeoutMs} ms`)
      })
      if (isDown) logger.warn({ limit: name }, 'rate limit store is back')
      isDown = false
      return result
    } catch (error) {
      pausedUntil = Date.now() + pauseMs
      if (!isDown) logger.error({ limit: name, err: error }, `rate limit store failed: ${effect}`)
      isDown = true
      return undefined
    }
  }
}

function toPackageLogger({ name, logger }: CounterOptions): Options['logger'] {
  return {
    warn: (err, message = 'rate limit store') => logger.warn({ limit: name, err }, message),
    error: (err, message = 'rate limit store') => logger.error({ limit: name, err }, message),
  }
}
