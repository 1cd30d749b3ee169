import { createAccessTokens } from './access-token.ts'
import { type AccountThrottle, createAccountThrottle } from './account-throttle.ts'
import { type AuthContext } from './auth-context.ts'
import { createSessionLimit } from './auth-limits.ts'
import { type AuthSettings } from './auth-settings.ts'
import { createHookRunner } from './hooks.ts'
import { createMailDelivery, type MailDelivery } from './mail-delivery.ts'
import { createMailTokenModel } from './mail-token-model.ts'
import { createMailTokens } from './mail-tokens.ts'
import { createPasswordPolicy, type PasswordPolicy } from './password-policy.ts'
import { createSecurityEvents } from './security-events.ts'
import { createSessionModel } from './session-model.ts'
import { createSessionStore, type SessionStore } from './session-store.ts'
import { createSingleFlight } from './single-flight.ts'
import { createThrottleModel } from './throttle-model.ts'
import { createUserModel } from './user-model.ts'
import { createMongooseUsers, type UserStore } from './user-store.ts'

/**
 * Makes the parts of authentication, and their models on the connection.
 * @param settings - resolved
 * @returns the parts
 */
export function createAuthContext(settings: AuthSettings): AuthContext {
  return {
    settings,
    users: settings.users ?? createUsers(settings),
    userReads: createSingleFlight(),
    sessions: createSessions(settings),
    tokens: createAccessTokens({
      ...settings,
      extraClaims: settings.claims.names,
      lifetime: settings.accessLifetime,
      cacheSize: settings.tokenCacheSize,
    }),
    hasher: settings.password.hasher,
    policy: createPolicy(settings),
    throttle: createThrottle(settings),
    sessionLimit: createSessionLimit(settings.limits, settings),
    events: createSecurityEvents(settings),
    hooks: createHookRunner(settings.hooks, settings.logger),
    mail: createMail(settings),
  }
}

function createUsers({ models, userFields }: AuthSettings): UserStore {
  return createMongooseUsers(createUserModel(models, userFields.model), userFields.model)
}

function createMail(settings: AuthSettings): MailDelivery | undefined {
  const { mail, models, now } = settings
  if (!mail) return undefined
  const lifetimes = {
    'reset-password': (mail.resetLifetime ?? 3600) * 1000,
    'verify-email': (mail.verifyLifetime ?? 86_400) * 1000,
  }
  const tokens = createMailTokens(createMailTokenModel(models), { lifetimes, now })
  return createMailDelivery(mail, { ...settings, tokens })
}

function createSessions(settings: AuthSettings): SessionStore {
  return createSessionStore(createSessionModel(settings.models), {
    keys: settings.keys,
    idleLifetime: settings.refreshIdleLifetime * 1000,
    absoluteLifetime: settings.refreshAbsoluteLifetime * 1000,
    refreshLeeway: settings.refreshLeeway * 1000,
    overlapSkew: settings.overlapSkew * 1000,
    perUser: settings.sessionsPerUser,
    now: settings.now,
  })
}

function createPolicy({ password, serviceName, logger }: AuthSettings): PasswordPolicy {
  return createPasswordPolicy({
    ...password,
    serviceName,
    onBreachCheckFailed: (error) => logger.warn({ err: error }, 'password.isBreached failed'),
  })
}

function createThrottle({ limits, models, now }: AuthSettings): AccountThrottle {
  if (limits === false) return unlimited
  const free = limits.perAccount ?? { limit: 10, window: 900 }
  return createAccountThrottle(createThrottleModel(models), { free, now })
}

const unlimited: AccountThrottle = {
  async requireOpen() {},
  async fail() {},
  async clear() {},
}
