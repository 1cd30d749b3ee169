import { type Request, type Response } from 'express'
import { type Store } from 'express-rate-limit'
import { createLogger } from '../logging/create-logger.ts'
import { type Logger } from '../logging/logger.ts'
import { toClientAddress, toClientKey } from '../address/client-address.ts'
import { deferHeaders, setKnownHeader } from '../fast/deferred-headers.ts'
import { type Duration } from '../options/options.ts'
import { parseDuration } from '../options/parse-duration.ts'
import { createStage, type Stage } from '../stage/stage.ts'
import { type Hits } from './counter.ts'
import { createRefusal, type LimitPolicy, formatPolicy } from './refusal.ts'
import { createCounter } from './shared-counter.ts'

/** Options for {@link rateLimit}. */
export interface RateLimitOptions {
  /**
   * Name of the policy in the `RateLimit` headers and in the log.
   * @default 'global'
   */
  name?: string | undefined
  /**
   * Maximum number of requests for each client and window.
   * @default 300
   */
  limit?: number | undefined
  /**
   * Length of a window, such as `15m`, or in seconds; at most 24 days.
   * @default '60s'
   */
  window?: Duration | undefined
  /**
   * Requests with the same key are counted together.
   * @default the client's address, IPv6 by its /56
   */
  key?: ((req: Request) => string) | undefined
  /**
   * Requests that are not counted.
   * @default none
   */
  skip?: ((req: Request) => boolean) | undefined
  /**
   * Whether only responses with a status of 400 and above count, as for attempts to log in.
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
   * Logs failures of the store, and the event `rate_limit.exceeded` once for each window and client
   * that is rejected.
   * @default createLogger()
   */
  logger?: Pick<Logger, 'error' | 'warn'> | undefined
  /**
   * The clock, in milliseconds since the epoch.
   * @default Date.now
   */
  now?: (() => number) | undefined
}

// The defaults of the stage and of the option `rateLimit` of `createApi`.
export const rateLimitDefaults = { limit: 300, window: '60s' } as const

// The longest time that a timer of a store can wait.
const maxWindow = 2 ** 31 - 1

/**
 * Limits how often a client may send requests in a fixed window: 429 `rate_limited` with
 * `Retry-After` (RFC 6585 section 4), and the `RateLimit` headers of the IETF draft on every response.
 * @param options - limit, window, key and store
 * @returns the stage
 * @throws TypeError for an option that would not limit anything
 */
export function rateLimit(options: RateLimitOptions = {}): Stage {
  const { window = rateLimitDefaults.window, ...others } = options
  return createLimiter({ ...others, window: parseDuration(window, 'rateLimit.window') }).stage
}

// With the window in milliseconds.
export interface LimiterOptions extends Omit<RateLimitOptions, 'window'> {
  readonly window: number
}

// A limit whose hits are counted by a stage, and outside of the pipeline by `take`.
export interface Limiter {
  readonly stage: Stage
  /** Counts one attempt and returns a function that takes it back. Throws ApiError `rate_limited`. */
  take(id: string, client: LimitedClient): Promise<() => void>
}

export interface LimitedClient {
  readonly requestId: string | undefined
  readonly address: string | undefined
}

export function createLimiter(options: LimiterOptions): Limiter {
  const { name = 'global', limit = rateLimitDefaults.limit, window, now = Date.now } = options
  const { key = toClientKey, skip, failuresOnly = false, logger = createLogger() } = options
  const policy = { name, limit, window }
  requirePolicy(policy)
  const policyField = formatPolicy(policy)
  const counter = createCounter(options.store, {
    ...policy,
    now,
    logger,
    timeoutMs: options.storeTimeoutMs,
    onFailure: options.onStoreFailure ?? 'open',
  })

  function refuse({ count, resetAt }: Hits, { requestId, address }: LimitedClient): never {
    const event = 'rate_limit.exceeded'
    // Once for each window: a line for each request would let a client fill the log.
    if (count === limit + 1) logger.warn({ event, limit: name, requestId, address }, event)
    throw createRefusal(policy, resetAt - now())
  }

  function check(req: Request, res: Response, id: string, hits: Hits): void {
    const { count, resetAt } = hits
    if (count > limit) refuse(hits, identifyClient(req))
    if (failuresOnly) {
      res.once('finish', () => {
        if (res.statusCode < 400 && now() < resetAt) void counter.undo(id)
      })
    }
    const seconds = Math.max(0, Math.ceil((resetAt - now()) / 1000))
    addFields(res, policyField, `"${name}";r=${limit - count};t=${seconds}`)
  }

  const stage = createStage((req, res): void | Promise<void> => {
    if (skip?.(req) === true) return
    const id = key(req)
    const hits = counter.hit(id)
    if (hits instanceof Promise) return hits.then((counted) => check(req, res, id, counted))
    check(req, res, id, hits)
  })
  return {
    stage,
    async take(id, client) {
      const hits = await counter.hit(id)
      if (hits.count > limit) refuse(hits, client)
      return () => {
        if (failuresOnly && now() < hits.resetAt) void counter.undo(id)
      }
    },
  }
}

function requirePolicy({ name, limit, window }: LimitPolicy): void {
  if (!/^[\w-]+$/.test(name)) {
    throw new TypeError('rateLimit.name must be made of letters, digits, _ and -.')
  }
  if (!Number.isSafeInteger(limit) || limit < 1) {
    throw new TypeError('rateLimit.limit must be a whole number of at least 1.')
  }
  if (!Number.isSafeInteger(window) || window < 1 || window > maxWindow) {
    throw new TypeError('rateLimit.window must be a duration from 1ms to 24d.')
  }
}

function identifyClient(req: Request): LimitedClient {
  return { requestId: req.id, address: toClientAddress(req) }
}

// The draft's list syntax: each limit adds its own policy.
function addFields(res: Response, policy: string, state: string): void {
  const earlier = res.getHeader('RateLimit')
  if (earlier === undefined) {
    deferHeaders(res, ['RateLimit-Policy', policy, 'RateLimit', state])
    return
  }
  const policies = `${String(res.getHeader('RateLimit-Policy'))}, ${policy}`
  setKnownHeader(res, 'RateLimit-Policy', policies)
  setKnownHeader(res, 'RateLimit', `${String(earlier)}, ${state}`)
}
