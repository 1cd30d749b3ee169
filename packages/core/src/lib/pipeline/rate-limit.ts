import { type Request, type Response } from 'express'
import { rateLimit as expressRateLimit, type RateLimitInfo, type Store } from 'express-rate-limit'
import { ApiError } from '../errors/api-error.ts'
import { createLogger } from '../logging/create-logger.ts'
import { type Logger } from '../logging/logger.ts'
import { toClientAddress, toClientKey } from './client-key.ts'
import { deferHeaders, setKnownHeader } from './deferred-headers.ts'
import { createFixedWindow, type FixedWindow } from './fixed-window.ts'
import { guardStore } from './guard-store.ts'
import { createStage, type Stage, type Step, type StepResult, toStage } from './stage.ts'

/** Options for {@link rateLimit}. */
export interface RateLimitOptions {
  /**
   * Name of the policy in the `RateLimit` headers and in the log.
   * @default 'global'
   */
  name?: string | undefined
  /**
   * Requests allowed for each client and window.
   * @default 300
   */
  limit?: number | undefined
  /**
   * Length of a window in milliseconds.
   * @default 60_000
   */
  windowMs?: number | undefined
  /**
   * What counts together.
   * @default the client's address, IPv6 by its /56
   */
  key?: ((req: Request) => string) | undefined
  /**
   * Requests that are not counted.
   * @default none
   */
  skip?: ((req: Request) => boolean) | undefined
  /**
   * Whether only answers from 400 on count, as for attempts to log in.
   * @default false
   */
  failuresOnly?: boolean | undefined
  /**
   * A store of express-rate-limit that several processes share.
   * @default memory of this process, at most 100,000 clients
   */
  store?: Store | undefined
  /**
   * Milliseconds after which the store counts as failed.
   * @default 250
   */
  storeTimeoutMs?: number | undefined
  /**
   * When the store fails: `open` lets requests pass, `memory` counts in this process.
   * @default 'open'
   */
  onStoreFailure?: 'open' | 'memory' | undefined
  /**
   * Hears of failures of the store, and once in a window of each client that is refused: the event
   * `rate_limit.exceeded`.
   * @default createLogger()
   */
  logger?: Pick<Logger, 'error' | 'warn'> | undefined
  /**
   * The clock of the memory store, in milliseconds.
   * @default Date.now
   */
  now?: (() => number) | undefined
}

interface Limit {
  readonly name: string
  readonly limit: number
  readonly windowMs: number
  readonly keyOf: (req: Request) => string
  readonly failuresOnly: boolean
  readonly now: () => number
  readonly logger: Pick<Logger, 'error' | 'warn'>
}

const longestWindow = 2 ** 31 - 1

/**
 * Limits how often a client may ask in a fixed window: 429 `rate_limited` with `Retry-After`
 * (RFC 6585 section 4), and the `RateLimit` headers of the IETF draft on every answer.
 * @param options - limit, window, key and store
 * @returns the stage
 * @throws TypeError for an option that would be no limit at all
 */
export function rateLimit(options: RateLimitOptions = {}): Stage {
  const limit = resolveLimit(options)
  const { skip, store } = options
  const step = store === undefined ? countInMemory(limit) : countInStore(limit, store, options)
  if (skip === undefined) return createStage(step)
  return createStage((req, res): StepResult | Promise<StepResult> => {
    if (!skip(req)) return step(req, res)
  })
}

function resolveLimit(options: RateLimitOptions): Limit {
  const { name = 'global', limit = 300, windowMs = 60_000, now = Date.now } = options
  const { key = toClientKey, failuresOnly = false, logger = createLogger() } = options
  requireNumbers(name, limit, windowMs)
  return { name, limit, windowMs, keyOf: key, failuresOnly, now, logger }
}

function requireNumbers(name: string, limit: number, windowMs: number): void {
  if (!/^[\w-]+$/.test(name)) {
    throw new TypeError('rateLimit.name must be made of letters, digits, _ and -.')
  }
  if (!Number.isSafeInteger(limit) || limit < 1) {
    throw new TypeError('rateLimit.limit must be a whole number of at least 1.')
  }
  if (!Number.isSafeInteger(windowMs) || windowMs < 1 || windowMs > longestWindow) {
    throw new TypeError(
      `rateLimit.windowMs must be a whole number of milliseconds from 1 to ${longestWindow}.`,
    )
  }
}

function countInMemory(limit: Limit): Step {
  const window = createFixedWindow(limit)
  const policy = toPolicy(limit)
  const refuse = createRefusal(limit, window)
  return (req, res): StepResult | Promise<StepResult> => {
    const key = limit.keyOf(req)
    const { count, resetAt } = window.hit(key)
    if (count > limit.limit) return refuse(req, res)
    if (limit.failuresOnly) forgiveSuccess(res, () => window.undo(key))
    const seconds = Math.ceil((resetAt - limit.now()) / 1000)
    tell(res, policy, `"${limit.name}";r=${limit.limit - count};t=${seconds}`)
  }
}

// express-rate-limit sees the count that was reached; its own handler decides and refuses.
function createRefusal(limit: Limit, window: FixedWindow): Step {
  const counted: Store = {
    localKeys: true,
    increment(key) {
      const { count, resetAt } = window.peek(key) ?? {
        count: limit.limit + 1,
        resetAt: limit.now(),
      }
      return { totalHits: count, resetTime: new Date(resetAt) }
    },
    decrement: (key) => window.undo(key),
    resetKey: (key) => window.forget(key),
  }
  return toStage(createMiddleware({ ...limit, failuresOnly: false }, counted)).step
}

function countInStore(limit: Limit, store: Store, options: RateLimitOptions): Step {
  const { onStoreFailure = 'open', storeTimeoutMs = 250 } = options
  const guarded = guardStore(store, {
    name: limit.name,
    timeoutMs: storeTimeoutMs,
    windowMs: limit.windowMs,
    fallback: onStoreFailure === 'memory' ? createFixedWindow(limit) : undefined,
    logger: limit.logger,
  })
  // A store may serve several limits.
  const keyOf = (req: Request): string => `${limit.name}:${limit.keyOf(req)}`
  const count = toStage(createMiddleware({ ...limit, keyOf }, guarded)).step
  const policy = toPolicy(limit)
  return async (req, res) => {
    const result = await count(req, res)
    const { remaining, resetTime } = infoOf(req)
    tell(res, policy, `"${limit.name}";r=${remaining};t=${secondsUntil(resetTime, limit)}`)
    return result
  }
}

function createMiddleware(limit: Limit, store: Store): ReturnType<typeof expressRateLimit> {
  return expressRateLimit({
    windowMs: limit.windowMs,
    limit: limit.limit,
    legacyHeaders: false,
    standardHeaders: false,
    store,
    skipSuccessfulRequests: limit.failuresOnly,
    // Wrapped, because the package reads the source of what it is given for `req.ip`.
    keyGenerator: (req) => limit.keyOf(req),
    handler: (req, _res, next) => {
      const { used, resetTime } = infoOf(req)
      const seconds = Math.max(1, secondsUntil(resetTime, limit))
      if (used === limit.limit + 1) report(limit, req)
      next(
        new ApiError('rate_limited', {
          headers: {
            'Retry-After': String(seconds),
            'RateLimit-Policy': toPolicy(limit),
            RateLimit: `"${limit.name}";r=0;t=${seconds}`,
          },
        }),
      )
    },
  })
}

// The draft's list syntax: with several limits each adds its own policy.
function tell(res: Response, policy: string, state: string): void {
  const before = res.getHeader('RateLimit')
  if (before === undefined) {
    deferHeaders(res, ['RateLimit-Policy', policy, 'RateLimit', state])
    return
  }
  const policies = `${String(res.getHeader('RateLimit-Policy'))}, ${policy}`
  setKnownHeader(res, 'RateLimit-Policy', policies)
  setKnownHeader(res, 'RateLimit', `${String(before)}, ${state}`)
}

function toPolicy({ name, limit, windowMs }: Limit): string {
  return `"${name}";q=${limit};w=${Math.ceil(windowMs / 1000)}`
}

function forgiveSuccess(res: Response, undo: () => void): void {
  res.once('finish', () => {
    if (res.statusCode < 400) undo()
  })
}

function infoOf(req: Request & { rateLimit?: RateLimitInfo }): {
  used: number
  remaining: number
  resetTime: Date | undefined
} {
  const { used = 0, remaining = 0, resetTime } = req.rateLimit ?? {}
  return { used, remaining, resetTime }
}

// Once for each window: a line for each refusal would help whoever wants to fill the log.
function report({ name, logger }: Limit, req: Request): void {
  logger.warn(
    { event: 'rate_limit.exceeded', limit: name, requestId: req.id, address: toClientAddress(req) },
    'rate_limit.exceeded',
  )
}

function secondsUntil(time: Date | undefined, { now, windowMs }: Limit): number {
  return Math.max(0, Math.ceil(((time?.getTime() ?? now() + windowMs) - now()) / 1000))
}
