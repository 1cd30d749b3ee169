import { type ReadMemberships } from '../api-keys/api-key-caller.ts'
import mongoose from 'mongoose'
import {
  type ConfigProblem,
  type Environment,
  readOptions,
  type Values,
} from '../../options/options.ts'
import { toSeconds } from '../../options/parse-duration.ts'
import { createLogger } from '../../logging/create-logger.ts'
import { type Logger } from '../../logging/logger.ts'
import { type AuthHooks } from '../events/hooks.ts'
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
import { type ResolvedUserFields, resolveUserFields } from '../users/user-fields.ts'
import { findAuthFaults, findUserFaults, sendsMail } from './auth-faults.ts'
import { type AuthOptions, type AuthValues, standaloneOptions } from './auth-options.ts'

// What authentication works with: the options, and what is created from them. Durations are in milliseconds.
export interface AuthSettings extends Omit<AuthParts, keyof Created>, Created {}

interface Created {
  readonly keys: KeyRing
  /** The first one is that of `tokenType`. */
  readonly schemes: Schemes
  readonly issuer: string
  readonly audience: string
  readonly password: PasswordSettings
  readonly limits: LimitSettings | false
  readonly models: ModelPlace
  readonly logger: Logger
  readonly now: () => number
  readonly mail: MailSettings | undefined
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
  readonly readMemberships?: ReadMemberships | undefined
}

// Reads the options of createAuth. It throws a TypeError that names every wrong option; whether they
// are sufficient is checked by `resolveAuth`, because `createApi` can complete them.
export function readAuthOptions(options: AuthOptions): StandaloneValues {
  const context = { env: {}, environment: 'production' } as const
  // Without the option there are no routes for e-mail.
  const given = { ...options, mail: options.mail ?? false }
  const { values, problems, unknown } = readOptions(standaloneOptions, given, context, 'auth.')
  if (unknown.length > 0) throw new TypeError(unknown.map((it) => `createAuth() ${it}`).join(' '))
  const texts = problems.map(describe)
  if (values.secrets) texts.push(...describeWeakness(values.secrets))
  texts.push(...findUserFaults(values).map(describe))
  if (texts.length > 0) throw new TypeError(texts.join(' '))
  return values
}

// The settings of authentication without `createApi`. Throws TypeError when something is missing.
export function resolveAuth(values: StandaloneValues): AuthSettings {
  const { secrets } = values
  const faults = findFaults(values)
  if (!secrets) {
    throw new TypeError(
      'auth.secrets is missing: pass secrets to createAuth(), or its result to createApi({ auth }) before it is used.',
    )
  }
  if (faults.length > 0) throw new TypeError(faults.join(' '))
  return toAuthSettings({ ...values, secrets })
}

export type StandaloneValues = Values<typeof standaloneOptions>

function findFaults(values: StandaloneValues): string[] {
  const faults = findAuthFaults(values, {
    environment: 'production',
    nameOf: (name) => `auth.${name}`,
  })
  const texts = faults.map(describe)
  // `createApi` warns of it instead.
  if (values.mail && !sendsMail(values))
    texts.push('auth.mail needs a mailer, or smtpUrl and from.')
  return texts
}

function describe({ name, problem }: ConfigProblem): string {
  return `${name} ${problem}.`
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
