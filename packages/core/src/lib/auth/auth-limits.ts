import { type Request, type RequestHandler } from 'express'
import { type Store } from 'express-rate-limit'
import { type Logger } from '../logging/logger.ts'
import { toClientKey } from '../pipeline/client-key.ts'
import { createFixedWindow, type Hits } from '../pipeline/fixed-window.ts'
import { rateLimit } from '../pipeline/rate-limit.ts'
import { createSharedWindow } from '../pipeline/shared-window.ts'
import { type Limit, refuse } from './limit.ts'

const minute = 60
const quarter = 15 * minute
const hour = 60 * minute

/** The buckets per address, one for each endpoint; those of `failuresOnly` forgive a success. */
export const defaultLimits = {
  register: { limit: 10, window: hour },
  login: { limit: 10, window: quarter },
  refresh: { limit: 600, window: quarter },
  me: { limit: 300, window: minute },
  logout: { limit: 60, window: quarter },
  logoutAll: { limit: 60, window: quarter },
  sessions: { limit: 120, window: quarter },
  changePassword: { limit: 10, window: quarter },
  forgotPassword: { limit: 10, window: hour },
  resetPassword: { limit: 10, window: quarter },
  verifyEmail: { limit: 10, window: quarter },
  resendVerification: { limit: 10, window: hour },
} as const satisfies Record<string, Limit>

const failuresOnly = new Set<LimitName>(['login', 'changePassword', 'resetPassword', 'verifyEmail'])

/** Name of a bucket. */
export type LimitName = keyof typeof defaultLimits

/** Options for the limits of the authentication routes. */
export interface AuthLimits {
  /**
   * Limits per address that differ from the defaults, by endpoint.
   * @default {}
   */
  perAddress?: Partial<Record<LimitName, Limit>> | undefined
  /**
   * Refreshes of one session.
   * @default { limit: 60, window: 900 }
   */
  perSession?: Limit | undefined
  /**
   * Failed logins of one account, from wherever they come, before each further attempt has to wait;
   * the wait doubles from 1 to 60 seconds.
   * @default { limit: 10, window: 900 }
   */
  perAccount?: Limit | undefined
  /**
   * Makes the store of a bucket that several processes share; when it fails, a process counts in its
   * own memory.
   * @default memory
   */
  createStore?: ((bucket: string) => Store) | undefined
}

/** What the limits need besides their options. */
export interface AuthLimitsContext {
  /** Hears of failures of the store. */
  logger: Logger
  /** Milliseconds since the epoch. */
  now: () => number
}

/** Makes the stage that keeps an endpoint's limit per address; none when limits are off. */
export type LimitStages = (name: LimitName) => RequestHandler[]

/**
 * Makes the limits per address: each endpoint has its own bucket, all report as policy `auth`.
 * @param options - limits and store, or false for none
 * @param context - logger and clock
 * @returns the stages of an endpoint, to stand before everything else
 */
export function createAuthLimits(
  options: AuthLimits | false,
  context: AuthLimitsContext,
): LimitStages {
  if (options === false) return () => []
  return (name) => {
    const { limit, window } = options.perAddress?.[name] ?? defaultLimits[name]
    return [
      rateLimit({
        name: 'auth',
        limit,
        windowMs: window * 1000,
        key: (req: Request) => `${name} ${toClientKey(req)}`,
        failuresOnly: failuresOnly.has(name),
        store: options.createStore?.(name),
        onStoreFailure: 'memory',
        ...context,
      }),
    ]
  }
}

/** Refuses the refreshes of a session that come too often. */
export type SessionLimit = (sessionId: string) => Promise<void>

/**
 * Makes the limit per session. It counts authentic tokens only: whoever knows no more than the id
 * of a session cannot use it up.
 * @param options - the limits and their store, or false for none
 * @param context - logger and clock
 * @returns the limit; it throws `rate_limited`
 */
export function createSessionLimit(
  options: AuthLimits | false,
  context: AuthLimitsContext,
): SessionLimit {
  if (options === false) return async () => {}
  const { limit, window } = options.perSession ?? { limit: 60, window: quarter }
  const hit = countSessions(options, { ...context, windowMs: window * 1000 })
  return async (sessionId) => {
    const { count, resetAt } = await hit(sessionId)
    if (count > limit) throw refuse({ limit, window }, resetAt - context.now())
  }
}

function countSessions(
  { createStore }: AuthLimits,
  context: AuthLimitsContext & { windowMs: number },
): (sessionId: string) => Hits | Promise<Hits> {
  if (createStore)
    return createSharedWindow(createStore('session'), { ...context, name: 'session' })
  const window = createFixedWindow(context)
  return (sessionId) => window.hit(sessionId)
}
