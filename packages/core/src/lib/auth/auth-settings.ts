import mongoose from 'mongoose'
import { availableParallelism } from 'node:os'
import { createLogger } from '../logging/create-logger.ts'
import { type Logger } from '../logging/logger.ts'
import { type AuthLimits } from './auth-limits.ts'
import { type AuthOptions, type PasswordOptions } from './auth-options.ts'
import { type ExtraClaims, resolveClaims } from './claims.ts'
import { type AuthHooks } from './hooks.ts'
import { createKeyRing, type KeyRing } from './keys.ts'
import { type MailOptions } from './mail-delivery.ts'
import { type ModelPlace } from './model-registry.ts'
import { createArgon2Hasher, type PasswordHasher } from './password-hasher.ts'
import { bodyTransport, createCookieTransport, type RefreshTransport } from './refresh-transport.ts'
import { type SecurityEvent } from './security-events.ts'
import { type ResolvedUserFields, resolveUserFields } from './user-fields.ts'
import { type UserStore } from './user-store.ts'

/** {@link AuthOptions} with every default resolved and every number checked. */
export interface AuthSettings {
  readonly keys: KeyRing
  readonly serviceName: string
  /** The word before an access token. */
  readonly scheme: string
  readonly issuer: string
  readonly audience: string
  readonly accessLifetime: number
  readonly refreshIdleLifetime: number
  readonly refreshAbsoluteLifetime: number
  readonly refreshLeeway: number
  readonly overlapSkew: number
  readonly clockTolerance: number
  readonly stateless: boolean
  readonly tokenCacheSize: number
  readonly sessionsPerUser: number
  readonly password: PasswordSettings
  readonly limits: AuthLimits | false
  readonly models: ModelPlace
  readonly users: UserStore | undefined
  readonly logger: Logger
  readonly onEvent: ((event: SecurityEvent) => void) | undefined
  readonly now: () => number
  readonly mail: MailOptions | undefined
  readonly hideRegistered: boolean
  readonly transport: RefreshTransport
  readonly userFields: ResolvedUserFields
  /** Claims of a token beyond the standard ones. */
  readonly claims: ExtraClaims
  readonly hooks: AuthHooks
}

/** Passwords, resolved. */
export interface PasswordSettings {
  readonly minLength: number
  readonly blocklist: boolean
  readonly blocked: readonly string[]
  readonly isBreached: ((password: string) => Promise<boolean>) | undefined
  readonly hasher: PasswordHasher
}

/**
 * Resolves the options of authentication, once.
 * @param options - as given
 * @returns the settings
 * @throws TypeError that names the option when one is out of its range
 */
export function resolveAuth(options: AuthOptions): AuthSettings {
  const serviceName = requireText('serviceName', options.serviceName ?? 'api')
  return {
    keys: createKeyRing(options.secrets, options.signingKeys),
    serviceName,
    scheme: requireScheme(options.scheme ?? 'Bearer'),
    issuer: requireText('issuer', options.issuer ?? serviceName),
    audience: requireText('audience', options.audience ?? serviceName),
    ...resolveTimes(options),
    ...resolveExtensions(options),
    ...resolveSizes(options),
    password: resolvePassword(options.password ?? {}),
    limits: options.limits ?? {},
    models: {
      connection: options.connection ?? mongoose.connection,
      prefix: requirePrefix(options.modelPrefix ?? ''),
    },
    users: options.users,
    logger: options.logger ?? createLogger(),
    onEvent: options.onEvent,
    now: options.now ?? Date.now,
  }
}

function requireScheme(scheme: string): string {
  if (/^[\w!#$%&'*+.^`|~-]+$/.test(scheme)) return scheme
  throw new TypeError("auth.scheme must be one word without spaces, such as 'Bearer' or 'Token'.")
}

type Extensions = Pick<
  AuthSettings,
  'stateless' | 'mail' | 'hideRegistered' | 'transport' | 'userFields' | 'claims' | 'hooks'
>

function resolveExtensions(options: AuthOptions): Extensions {
  const { stateless = false, mail, hideRegistered = false, cookies, hooks = {} } = options
  if (hideRegistered && !mail) throw new TypeError('auth.hideRegistered needs auth.mail.')
  const lifetime = resolveTimes(options).refreshAbsoluteLifetime
  return {
    stateless,
    mail,
    hideRegistered,
    transport: cookies ? createCookieTransport(cookies, lifetime) : bodyTransport,
    userFields: resolveUserFields(options.userFields),
    claims: resolveClaims(options),
    hooks,
  }
}

function resolveSizes(
  options: AuthOptions,
): Pick<AuthSettings, 'tokenCacheSize' | 'sessionsPerUser'> {
  return {
    tokenCacheSize: requireInteger('tokenCacheSize', options.tokenCacheSize ?? 5000, [0, 1e6]),
    sessionsPerUser: requireInteger('sessionsPerUser', options.sessionsPerUser ?? 20, [1, 1000]),
  }
}

type Times = Pick<
  AuthSettings,
  | 'accessLifetime'
  | 'refreshIdleLifetime'
  | 'refreshAbsoluteLifetime'
  | 'refreshLeeway'
  | 'overlapSkew'
  | 'clockTolerance'
>

const day = 86_400

function resolveTimes(options: AuthOptions): Times {
  const idle = options.refreshIdleLifetime ?? 7 * day
  const absolute = options.refreshAbsoluteLifetime ?? Math.max(30 * day, idle)
  const times = {
    accessLifetime: requireInteger('accessLifetime', options.accessLifetime ?? 900, [60, 3600]),
    refreshIdleLifetime: requireInteger('refreshIdleLifetime', idle, [1, 3650 * day]),
    refreshAbsoluteLifetime: requireInteger('refreshAbsoluteLifetime', absolute, [1, 3650 * day]),
    refreshLeeway: requireInteger('refreshLeeway', options.refreshLeeway ?? 0, [0, 60]),
    overlapSkew: requireInteger('overlapSkew', options.overlapSkew ?? 0, [0, 60]),
    clockTolerance: requireInteger('clockTolerance', options.clockTolerance ?? 5, [0, 60]),
  }
  if (absolute < idle) {
    throw new TypeError(
      'auth.refreshAbsoluteLifetime must not be shorter than auth.refreshIdleLifetime.',
    )
  }
  return times
}

function resolvePassword(options: PasswordOptions): PasswordSettings {
  const hashing = {
    memoryCost: requirePassword('memoryCost', options.memoryCost ?? 19_456, [19_456, 2 ** 21]),
    timeCost: requirePassword('timeCost', options.timeCost ?? 2, [2, 100]),
    concurrency: requirePassword(
      'concurrency',
      options.concurrency ?? Math.max(1, availableParallelism() - 1),
      [1, 1024],
    ),
    queue: requirePassword('queue', options.queue ?? 64, [0, 100_000]),
    wait: requirePassword('wait', options.wait ?? 2000, [1, 60_000]),
  }
  return {
    minLength: requirePassword('minLength', options.minLength ?? 8, [8, 128]),
    blocklist: options.blocklist ?? true,
    blocked: options.blocked ?? [],
    isBreached: options.isBreached,
    hasher: options.hasher ?? createArgon2Hasher(hashing),
  }
}

function requirePassword(
  name: keyof PasswordOptions,
  value: number,
  range: [number, number],
): number {
  return requireInteger(`password.${name}`, value, range)
}

function requirePrefix(prefix: string): string {
  if (/^(?:[A-Za-z]\w*)?$/.test(prefix)) return prefix
  throw new TypeError("auth.modelPrefix must be a word such as 'Auth'.")
}

function requireText(name: string, value: string): string {
  if (typeof value !== 'string' || value.trim() === '') {
    throw new TypeError(`auth.${name} must not be empty.`)
  }
  return value
}

function requireInteger(name: string, value: number, [min, max]: [number, number]): number {
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new TypeError(`auth.${name} must be a whole number from ${min} to ${max}.`)
  }
  return value
}
