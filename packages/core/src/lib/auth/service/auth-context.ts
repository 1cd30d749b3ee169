import { createAccessTokens, type AccessTokens } from '../tokens/access-token.ts'
import {
  type AccountThrottle,
  createAccountThrottle,
  createThrottleModel,
} from '../limits/account-throttle.ts'
import { createApiKeyModel } from '../api-keys/api-key-model.ts'
import { createApiKeyStore } from '../api-keys/api-key-store.ts'
import { type ApiKeyParts } from '../api-keys/api-key-caller.ts'
import {
  type AddressLimits,
  createAddressLimits,
  createCredentialLimit,
  type CredentialLimit,
} from '../limits/auth-limits.ts'
import { toSeconds } from '../../options/parse-duration.ts'
import { type AuthSettings } from '../options/auth-settings.ts'
import { type SignInContext, type SignInParts } from '../sign-in/sign-in.ts'
import { issueTokens, registerVerified } from '../accounts/account-service.ts'
import { endReclaimed } from '../accounts/end-user.ts'
import { toRequestFacts } from '../events/request-facts.ts'
import { type RouteSchemas } from '../input/auth-schemas.ts'
import { createHookRunner, type HookRunner } from '../events/hooks.ts'
import { createMailDelivery, type MailDelivery } from '../mail/mail-delivery.ts'
import { createMailTokenModel, createMailTokens } from '../mail/mail-tokens.ts'
import { type PasswordHasher } from '../passwords/password-hasher.ts'
import { createPasswordPolicy, type PasswordPolicy } from '../passwords/password-policy.ts'
import { createSecurityEvents, type SecurityEvents } from '../events/security-events.ts'
import { createSessionModel } from '../sessions/session-model.ts'
import { createSessionStore, type SessionStore } from '../sessions/session-store.ts'
import { createTokenReader, type TokenRequest } from '../tokens/schemes.ts'
import { createSingleFlight, type SingleFlight } from '../storage/shared-work.ts'
import { createPermissions, type PermissionsOf } from '../users/permissions.ts'
import {
  createMongooseUsers,
  createUserModel,
  type StoredUser,
  type UserStore,
} from '../users/user-store.ts'
import { createUserView, type ToUserView } from '../users/user-view.ts'

// The parts that the authentication services work with.
export interface AuthContext {
  readonly settings: AuthSettings
  readonly users: UserStore
  readonly permissionsOf: PermissionsOf
  readonly toUserView: ToUserView
  /** Shares the read of the user among concurrent refreshes. */
  readonly readUserOnce: SingleFlight<StoredUser | undefined>
  readonly sessions: SessionStore
  readonly tokens: AccessTokens
  readonly readToken: (req: TokenRequest) => string
  readonly hasher: PasswordHasher
  readonly policy: PasswordPolicy
  readonly throttle: AccountThrottle
  readonly addressLimits: AddressLimits
  readonly sessionLimit: CredentialLimit
  /** Undefined when there are no API keys. */
  readonly apiKeys: ApiKeyParts | undefined
  readonly events: SecurityEvents
  readonly hooks: HookRunner
  /** Undefined when no e-mail is sent. */
  readonly mail: MailDelivery | undefined
  /** Undefined when the password is the only way to log in. */
  readonly signIn: SignInParts | undefined
}

// Also creates the models on the connection.
export function createAuthContext(settings: AuthSettings, schemas: RouteSchemas): AuthContext {
  const context: AuthContext = { ...createParts(settings), signIn: undefined }
  const signIn = settings.signIn?.create(toSignInContext(context, schemas))
  if (!signIn) return context
  const { events } = context
  return Object.assign(context, {
    signIn,
    events: {
      emit(event, facts, details = {}) {
        events.emit(event, facts, details)
        signIn.observe(event, facts, details)
      },
    } satisfies SecurityEvents,
  })
}

function toSignInContext(context: AuthContext, schemas: RouteSchemas): SignInContext {
  const { addressLimits, hooks, mail, sessions, settings, throttle, users } = context
  const { environment, logger, models, now, secrets, serviceName } = settings
  return {
    serviceName,
    environment,
    secrets,
    place: models,
    logger,
    now,
    users,
    sessions,
    endReclaimed: (userId, facts) => endReclaimed(context, userId, facts),
    throttle,
    mail,
    schemas,
    // Read later: the events are replaced when it has been created.
    events: { emit: (...event) => context.events.emit(...event) },
    limited: (name, errors = []) => ({
      before: addressLimits.stages(name),
      errors: [...errors, 'rate_limited'],
    }),
    takeLimit: (name, facts) => addressLimits.take(name, facts),
    registers: settings.routes.names.includes('register'),
    register: (user, facts) => registerVerified(context, user, facts),
    beforeLogin: (user, facts) => hooks.before('Login', context.toUserView(user), facts),
    async openSession(userId, facts, options) {
      const grant = await issueTokens(context, userId, facts, options)
      await hooks.after('Login', grant.user, facts)
      return grant
    },
    writeGrant: (res, grant) => settings.transport.write(res, grant),
    toFacts: (req) => toRequestFacts(req, now()),
  }
}

function createParts(settings: AuthSettings): Omit<AuthContext, 'signIn'> {
  const permissionsOf = createPermissions(settings)
  return {
    settings,
    users: settings.users ?? createUsers(settings),
    permissionsOf,
    toUserView: createUserView(permissionsOf),
    readUserOnce: createSingleFlight(),
    sessions: createSessionStore(createSessionModel(settings.models), settings),
    tokens: createAccessTokens({
      ...settings,
      extraClaims: settings.claims.names,
      lifetime: toSeconds(settings.accessLifetime),
      clockTolerance: toSeconds(settings.clockTolerance),
      cacheSize: settings.tokenCacheSize,
    }),
    readToken: createTokenReader(settings.schemes),
    hasher: settings.password.hasher,
    policy: createPolicy(settings),
    throttle: createThrottle(settings),
    addressLimits: createAddressLimits(settings.limits, settings),
    sessionLimit: createCredentialLimit('session', settings.limits, settings),
    apiKeys: createApiKeys(settings),
    events: createSecurityEvents(settings),
    hooks: createHookRunner(settings.hooks, settings.logger),
    mail: createMail(settings),
  }
}

function createUsers({ models, userFields, identifier }: AuthSettings): UserStore {
  const { model } = userFields
  return createMongooseUsers(createUserModel(models, model, identifier), model, identifier)
}

function createMail(settings: AuthSettings): MailDelivery | undefined {
  const { mail, models, now } = settings
  if (!mail) return undefined
  const lifetimes = {
    'reset-password': mail.resetLifetime,
    'verify-email': mail.verifyLifetime,
    'change-email': mail.verifyLifetime,
  }
  const tokens = createMailTokens(createMailTokenModel(models), lifetimes, now)
  return createMailDelivery(mail, tokens, settings)
}

function createApiKeys(settings: AuthSettings): ApiKeyParts | undefined {
  const { apiKeys: options, limits, models, logger, now } = settings
  if (!options) return undefined
  const store = createApiKeyStore(createApiKeyModel(models), { ...options, logger, now })
  return { options, store, limit: createCredentialLimit('key', limits, settings) }
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
  const free = limits.perAccount
  return createAccountThrottle(createThrottleModel(models), { free, now })
}

const unlimited: AccountThrottle = {
  async requireOpen() {},
  async take() {},
  async fail() {},
  async clear() {},
}
