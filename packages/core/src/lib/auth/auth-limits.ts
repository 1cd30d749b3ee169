import { type Request, type RequestHandler } from 'express'
import { type Logger } from '../logging/logger.ts'
import { toClientKey } from '../kernel/client-key.ts'
import { rateLimit } from '../limits/rate-limit.ts'
import { createRefusal, type LimitPolicy } from '../limits/refusal.ts'
import { createCounter } from '../limits/shared-counter.ts'
import { type Limit, type LimitName } from './auth-options.ts'
import { type LimitSettings } from './auth-settings.ts'

// A success does not count towards these.
const failuresOnly = new Set<LimitName>(['login', 'changePassword', 'resetPassword', 'verifyEmail'])

export interface AuthLimitsContext {
  logger: Logger
  /** The clock, in milliseconds since the epoch. */
  now: () => number
}

export type LimitStages = (name: LimitName) => RequestHandler[]

// Each endpoint has its own bucket; all report as policy `auth`.
export function createAuthLimits(
  options: LimitSettings | false,
  context: AuthLimitsContext,
): LimitStages {
  if (options === false) return () => []
  return (name) => {
    const { limit, window } = options.perAddress[name]
    return [
      rateLimit({
        name: 'auth',
        limit,
        windowMs: window,
        key: (req: Request) => `${name} ${toClientKey(req)}`,
        failuresOnly: failuresOnly.has(name),
        store: options.createStore?.(name),
        onStoreFailure: 'memory',
        ...context,
      }),
    ]
  }
}

export type SessionLimit = (sessionId: string) => Promise<void>

// Counts authentic tokens only: knowing the id of a session is not enough to use up its limit.
export function createSessionLimit(
  options: LimitSettings | false,
  context: AuthLimitsContext,
): SessionLimit {
  if (options === false) return async () => {}
  const policy = toPolicy(options.perSession)
  const store = options.createStore?.('session')
  const counter = createCounter(store, { ...context, ...policy, name: 'session' })
  return async (sessionId) => {
    const { count, resetAt } = await counter.hit(sessionId)
    if (count > policy.limit) throw createRefusal(policy, resetAt - context.now())
  }
}

// All limits of authentication have the same name in the headers.
export function toPolicy({ limit, window }: Limit): LimitPolicy {
  return { name: 'auth', limit, windowMs: window }
}
