import mongoose from 'mongoose'
import { type Environment, readOptions, type Values } from '../../options/options.ts'
import { toSeconds } from '../../options/parse-duration.ts'
import { createLogger } from '../../logging/create-logger.ts'
import { type Logger } from '../../logging/logger.ts'
import { type ApiKeyValues } from '../api-keys/api-key-options.ts'
import { type AuthHooks } from '../events/hooks.ts'
import { type SecurityEvent } from '../events/security-events.ts'
import { type LimitSettings, resolveLimits } from '../limits/limit-options.ts'
import { type MailSettings, resolveMail } from '../mail/mail-options.ts'
import { type PasswordSettings, resolvePassword } from '../passwords/password-options.ts'
import {
  bodyTransport,
  createCookieTransport,
  type RefreshTransport,
} from '../sessions/refresh-transport.ts'
import { type ModelPlace } from '../storage/model-registry.ts'
import { type ExtraClaims, resolveClaims } from '../tokens/claims.ts'
import { createKeyRing, type KeyRing } from '../tokens/keys.ts'
import { requireStrong, type Secrets } from '../tokens/parse-secrets.ts'
import { type Schemes, toSchemes } from '../tokens/schemes.ts'
import { type DefinedRoles, findAdminRoleFault } from '../users/define-roles.ts'
import { findIdentifierFault } from '../users/identifier.ts'
import { type ResolvedUserFields, resolveUserFields } from '../users/user-fields.ts'
import { type UserStore } from '../users/user-store.ts'
import { type AuthOptions, type AuthValues, standaloneOptions } from './auth-options.ts'
import { type RouteChoice } from '../../route/route-choice.ts'

// What authentication works with. Durations are in milliseconds.
export interface AuthSettings {
  readonly keys: KeyRing
  readonly serviceName: string
  /** The first one is that of `tokenType`. */
  readonly schemes: Schemes
  readonly issuer: string
  readonly audience: string
  /** In seconds, as in the claims of access tokens and in `expiresIn`. */
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
  readonly apiKeys: ApiKeyValues | false
  readonly limits: LimitSettings | false
  readonly routes: RouteChoice
  readonly models: ModelPlace
  readonly users: UserStore | undefined
  readonly roles: DefinedRoles | undefined
  readonly adminRole: string
  readonly logger: Logger
  readonly onEvent: ((event: SecurityEvent) => void) | undefined
  readonly now: () => number
  readonly mail: MailSettings | undefined
  readonly hideRegistered: boolean
  /** The field that users log in with. */
  readonly identifier: string
  readonly transport: RefreshTransport
  readonly userFields: ResolvedUserFields
  /** Claims of a token beyond the standard ones. */
  readonly claims: ExtraClaims
  readonly hooks: AuthHooks
}

// What createApi and createAuth have in common, before anything is created from it.
export interface AuthParts extends AuthValues {
  readonly secrets: Secrets
  readonly serviceName: string
  readonly logger?: Logger | undefined
  /** Decides how e-mail is sent when no mailer is set. */
  readonly environment?: Environment | undefined
}

// Reads the options of createAuth. It throws a TypeError that names every wrong option; whether they
// are sufficient is checked by `resolveAuth`, because `createApi` can complete them.
export function readAuthOptions(options: AuthOptions): StandaloneValues {
  const context = { env: {}, environment: 'production' } as const
  // Without the option there are no routes for e-mail.
  const given = { ...options, mail: options.mail ?? false }
  const { values, problems, unknown } = readOptions(standaloneOptions, given, context, 'auth.')
  if (unknown.length > 0) throw new TypeError(unknown.map((it) => `createAuth() ${it}`).join(' '))
  const texts = problems.map(({ name, problem }) => `${name} ${problem}.`)
  if (values.secrets) texts.push(...describeWeakness(values.secrets))
  const fault = findIdentifierFault(values)
  if (fault !== undefined) texts.push(`auth.identifier ${fault}.`)
  const roleFault = findAdminRoleFault(values)
  if (roleFault !== undefined) texts.push(`auth.adminRole ${roleFault}.`)
  if (texts.length > 0) throw new TypeError(texts.join(' '))
  return values
}

// The settings of authentication without `createApi`. Throws TypeError when something is missing.
export function resolveAuth(values: StandaloneValues): AuthSettings {
  const { secrets } = values
  const faults = checkTogether(values)
  if (!secrets) {
    throw new TypeError(
      'auth.secrets is missing: pass secrets to createAuth(), or its result to createApi({ auth }) before it is used.',
    )
  }
  if (faults.length > 0) throw new TypeError(faults.join(' '))
  return toAuthSettings({ ...values, secrets })
}

export type StandaloneValues = Values<typeof standaloneOptions>

function checkTogether(values: AuthValues): string[] {
  const { mail, refreshIdleLifetime, refreshAbsoluteLifetime, hideRegistered } = values
  const faults = [
    refreshAbsoluteLifetime < refreshIdleLifetime &&
      'auth.refreshAbsoluteLifetime must not be shorter than auth.refreshIdleLifetime.',
    isLongerThanSession(values) &&
      'auth.accessLifetime must not be longer than auth.refreshAbsoluteLifetime.',
    hideRegistered && !mail && 'auth.hideRegistered needs auth.mail.',
    mail &&
      !mail.mailer &&
      !(mail.smtpUrl && mail.from) &&
      'auth.mail needs a mailer, or smtpUrl and from.',
    mail && mail.appUrl === undefined && 'auth.mail.appUrl is missing.',
  ]
  return faults.filter((fault) => fault !== false)
}

function describeWeakness(secrets: Secrets): string[] {
  try {
    requireStrong(secrets, true)
    return []
  } catch (error) {
    return [`auth.secrets ${error instanceof Error ? error.message : 'cannot be used'}.`]
  }
}

// Creates the keys, the hasher and the mailer.
export function toAuthSettings(parts: AuthParts): AuthSettings {
  const { serviceName, secrets, signingKeys, cookies } = parts
  return {
    ...parts,
    keys: createKeyRing(secrets, signingKeys),
    schemes: toSchemes(parts),
    issuer: parts.issuer ?? serviceName,
    audience: parts.audience ?? serviceName,
    password: resolvePassword(parts.password),
    limits: parts.limits && resolveLimits(parts.limits),
    models: { connection: parts.connection ?? mongoose.connection, prefix: parts.modelPrefix },
    logger: parts.logger ?? createLogger(),
    now: parts.now ?? Date.now,
    mail: parts.mail ? resolveMail(parts.mail, parts.environment) : undefined,
    transport: cookies
      ? createCookieTransport(cookies, toSeconds(parts.refreshAbsoluteLifetime))
      : bodyTransport,
    userFields: resolveUserFields(parts.userFields),
    claims: resolveClaims(parts),
    hooks: parts.hooks ?? {},
  }
}

const hour = 3_600_000

// Tokens of an hour or less may outlive a shorter session: they are not accepted after it.
export function isLongerThanSession({
  accessLifetime = 0,
  refreshAbsoluteLifetime = Infinity,
}: {
  readonly accessLifetime?: number | undefined
  readonly refreshAbsoluteLifetime?: number | undefined
}): boolean {
  return accessLifetime > hour && accessLifetime > refreshAbsoluteLifetime
}

// What longer access tokens mean, for a warning at the start.
export function warnOfLongTokens({
  accessLifetime = 0,
  stateless = false,
}: {
  readonly accessLifetime?: number | undefined
  readonly stateless?: boolean | undefined
}): string | undefined {
  if (accessLifetime <= hour) return undefined
  const end = stateless
    ? 'and nothing revokes it before, because auth.stateless reads no session'
    : 'unless its session ends before'
  const hours = Math.round((accessLifetime / hour) * 10) / 10
  return `Access tokens live for ${hours} hours (ACCESS_TTL): a stolen one works that long, ${end}. The default is 15m.`
}

// For a warning at the start: roles are those of the token.
export function warnOfTokenRoles({
  accessLifetime = 0,
  stateless = false,
  roles,
}: {
  readonly accessLifetime?: number | undefined
  readonly stateless?: boolean | undefined
  readonly roles?: unknown
}): string | undefined {
  if (!stateless || roles === undefined) return undefined
  const minutes = Math.ceil(accessLifetime / 60_000)
  return `A role that is granted or revoked takes effect up to ${minutes} minutes later: with auth.stateless the roles of a caller are those of the access token. Without it they are read for each request.`
}
