import { type Request, type RequestHandler } from 'express'
import { type Logger } from '../../logging/logger.ts'
import { toClientKey, toNetwork } from '../../address/client-address.ts'
import { createLimiter, type Limiter } from '../../limits/rate-limit.ts'
import { createRefusal, type LimitPolicy } from '../../limits/refusal.ts'
import { createCounter } from '../../limits/shared-counter.ts'
import { type Limit, type LimitName, type LimitSettings } from './limit-options.ts'
import { type RequestFacts } from '../events/request-facts.ts'

// A success does not count towards these.
const failuresOnly = new Set<LimitName>([
  'login',
  'changePassword',
  'reauthenticate',
  'secondFactor',
  'identityLogin',
  'confirmEmail',
  'resetPassword',
  'verifyEmail',
])

export interface AuthLimitsContext {
  logger: Logger
  /** The clock, in milliseconds since the epoch. */
  now: () => number
}

// The limits of each address: as stages of the routes, and for calls of the services.
export interface AddressLimits {
  stages(name: LimitName): RequestHandler[]
  /** Counts one call and returns a function that takes it back. Throws ApiError `rate_limited`. */
  take(name: LimitName, facts: RequestFacts): Promise<() => void>
}

// Each endpoint has its own bucket; all report as policy `auth`.
export function createAddressLimits(
  options: LimitSettings | false,
  context: AuthLimitsContext,
): AddressLimits {
  if (options === false) return unlimited
  const limiters = new Map<LimitName, Limiter>()
  const find = (name: LimitName): Limiter => {
    const limiter = limiters.get(name) ?? createAddressLimiter(name, options, context)
    limiters.set(name, limiter)
    return limiter
  }
  return {
    stages: (name) => [find(name).stage],
    async take(name, facts) {
      if (facts.address === undefined) return takeNothingBack
      return find(name).take(toId(name, toNetwork(facts.address)), facts)
    },
  }
}

const unlimited: AddressLimits = { stages: () => [], take: async () => takeNothingBack }

function takeNothingBack(): void {}

function createAddressLimiter(
  name: LimitName,
  { perAddress, createStore }: LimitSettings,
  context: AuthLimitsContext,
): Limiter {
  return createLimiter({
    name: 'auth',
    ...perAddress[name],
    key: (req: Request) => toId(name, toClientKey(req)),
    failuresOnly: failuresOnly.has(name),
    store: createStore?.(name),
    onStoreFailure: 'memory',
    ...context,
  })
}

function toId(name: LimitName, client: string): string {
  return `${name} ${client}`
}

// Throws ApiError `rate_limited`.
export type CredentialLimit = (id: string) => Promise<void>

const credentials = { session: 'perSession', key: 'perKey' } as const

// Counts authentic tokens only: knowing the id of a session or an API key is not enough to use up its
// limit.
export function createCredentialLimit(
  name: keyof typeof credentials,
  options: LimitSettings | false,
  context: AuthLimitsContext,
): CredentialLimit {
  if (options === false) return async () => {}
  const policy = toPolicy(options[credentials[name]])
  const counter = createCounter(options.createStore?.(name), { ...context, ...policy, name })
  return async (id) => {
    const { count, resetAt } = await counter.hit(id)
    if (count > policy.limit) throw createRefusal(policy, resetAt - context.now())
  }
}

// All limits of authentication have the same name in the headers.
export function toPolicy(limit: Limit): LimitPolicy {
  return { name: 'auth', ...limit }
}
