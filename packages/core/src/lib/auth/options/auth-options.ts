import { availableParallelism } from 'node:os'
import { type Store } from 'express-rate-limit'
import { type Connection } from 'mongoose'
import { type ZodType } from 'zod'
import {
  checkedBy,
  code,
  duration,
  type Duration,
  flag,
  integer,
  matching,
  option,
  type Options,
  orFalse,
  orOff,
  parsedBy,
  section,
  text,
  type Values,
} from '../../options/options.ts'
import { type Logger } from '../../logging/logger.ts'
import { type ClaimsOptions, resolveClaims } from '../tokens/claims.ts'
import { type DefinedRoles, isRoleName, requireDefined } from '../users/define-roles.ts'
import { type AuthHooks } from '../events/hooks.ts'
import { type SigningKey } from '../tokens/keys.ts'
import { type Mailer, type MailKind, type MailParts, type MailText } from '../mail/mailer.ts'
import { parseSecrets, type Secrets } from '../tokens/parse-secrets.ts'
import { parseSigningKeys } from '../tokens/parse-signing-keys.ts'
import { type LegacyHashes, type PasswordHasher } from '../passwords/password-hasher.ts'
import { type CookieOptions, createCookieTransport } from '../sessions/refresh-transport.ts'
import { type AuthRoutes, parseAuthRoutes, type RouteChoice } from './route-choice.ts'
import { type SecurityEvent } from '../events/security-events.ts'
import { resolveUserFields, type UserFields } from '../users/user-fields.ts'
import { type UserStore } from '../users/user-store.ts'

const passwordOptions = {
  /**
   * Minimum length of a new password in code points; never below 8. Use 15 where the password is
   * the only factor.
   * @default 8
   */
  minLength: option(integer(8, 128), { default: 8 }),
  /**
   * Whether common passwords are rejected.
   * @default true
   */
  blocklist: option(flag(), { default: true }),
  /**
   * Further passwords to reject; case does not matter.
   * @default []
   */
  blocked: code<readonly string[]>(),
  /**
   * Looks a password up in a list of breached passwords. If it throws, the password is accepted and
   * the failure is logged.
   * @default undefined
   */
  isBreached: code<(password: string) => Promise<boolean>>(),
  /**
   * Memory of one hash in KiB; never below 19456.
   * @default 19456
   */
  memoryCost: option(integer(19_456, 2 ** 21), { default: 19_456 }),
  /**
   * Passes over the memory; never below 2.
   * @default 2
   */
  timeCost: option(integer(2, 100), { default: 2 }),
  /**
   * Hashes that run at the same time.
   * @default the number of processors − 1, at least 1
   */
  concurrency: option(integer(1, 1024), { default: Math.max(1, availableParallelism() - 1) }),
  /**
   * Hashes that may wait for their turn; more are rejected with 503 `overloaded`.
   * @default 64
   */
  queue: option(integer(0, 100_000), { default: 64 }),
  /**
   * Maximum time a hash waits for its turn.
   * @default '2s'
   */
  wait: option(duration('1ms', '60s'), { default: '2s' }),
  /**
   * Verifies stored hashes of an earlier kind, such as bcrypt; a login replaces them by argon2id.
   * @default undefined
   */
  legacy: code<LegacyHashes>(),
  /**
   * Replaces argon2id; `memoryCost` to `legacy` then have no effect.
   * @default argon2id
   */
  hasher: code<PasswordHasher>(),
}

/** Options for passwords. */
export interface PasswordOptions extends Options<typeof passwordOptions> {}

const mailOptions = {
  /**
   * SMTP server that sends e-mail. Without it, e-mail is written to `.data/mail` in development,
   * with the links printed, and is not sent elsewhere.
   * @default undefined
   */
  smtpUrl: option(url(/^smtps?:\/\/./, 'must be smtp://… or smtps://user:password@host:465'), {
    env: 'SMTP_URL',
    secret: true,
    example: 'smtps://user:password@smtp.example.com:465',
  }),
  /**
   * Sender of e-mail; required with `SMTP_URL`.
   * @default undefined
   */
  from: option(
    matching(
      /^(?:[^\s<>@]+@[^\s<>@]+|[^\r\n<>]*<[^\s<>@]+@[^\s<>@]+>)$/,
      'must be an address such as Blog <no-reply@example.com>',
    ),
    { env: 'MAIL_FROM', example: 'My Service <no-reply@example.com>' },
  ),
  /**
   * Sends e-mail instead of an SMTP server.
   * @default by `smtpUrl` and `from`
   */
  mailer: code<Mailer>(),
  /**
   * Address of the front end that the links in e-mail lead to. Required in production when e-mail
   * is sent.
   * @default 'http://localhost:3000', in production none
   */
  appUrl: option(url(/^https?:\/\/./, 'must be an address such as https://app.example.com'), {
    env: 'APP_URL',
    default: {
      production: undefined,
      development: 'http://localhost:3000',
      test: 'http://localhost:3000',
    },
    example: 'https://app.example.com',
  }),
  /**
   * Path of the page that reads the token of an e-mail (`?token=…`) and posts it to
   * `/reset-password`.
   * @default '/reset-password'
   */
  resetPath: option(text(), { default: '/reset-password' }),
  /**
   * Path of the page that reads the token of an e-mail (`?token=…`) and posts it to
   * `/verify-email`.
   * @default '/verify-email'
   */
  verifyPath: option(text(), { default: '/verify-email' }),
  /**
   * Path of the page that reads the token of an e-mail (`?token=…`) and posts it to
   * `/confirm-email`.
   * @default '/confirm-email'
   */
  confirmPath: option(text(), { default: '/confirm-email' }),
  /**
   * Lifetime of a link that sets a new password.
   * @default '1h'
   */
  resetLifetime: option(duration('1s', '400d'), { default: '1h' }),
  /**
   * Lifetime of a link that verifies an address, also a new one.
   * @default '1d'
   */
  verifyLifetime: option(duration('1s', '400d'), { default: '1d' }),
  /**
   * Maximum number of e-mails of one kind to one address in an hour; more are not sent.
   * @default 3
   */
  perHour: option(integer(0, 1_000_000), { default: 3 }),
  /**
   * Writes the e-mails.
   * @default short English texts
   */
  compose: code<(kind: MailKind, parts: MailParts) => MailText>(),
}

/** Options for e-mail. */
export interface MailConfig extends Options<typeof mailOptions> {}

function url(pattern: RegExp, problem: string): ReturnType<typeof text> {
  return matching(pattern, problem).refine((value) => URL.canParse(value), problem)
}

/** One limit: a number of requests in a window of time. */
export interface LimitOptions {
  /** Requests allowed in a window. */
  limit?: number | undefined
  /** Length of the window: seconds, or text such as `15m`. */
  window?: Duration | undefined
}

export interface Limit {
  /** Maximum number of requests. */
  readonly limit: number
  /** Length of the window in milliseconds. */
  readonly window: number
}

function limitOf(limit: number, window: string): ZodType<Limit, LimitOptions> {
  return section({
    limit: option(integer(1, 1_000_000_000), { default: limit }),
    window: option(duration('1s', '24d'), { default: window }),
  })
}

const loginLimitOptions = {
  /**
   * Failed logins allowed in a window, from one address and for one account (`perAccount`); `off`
   * switches off all limits of authentication.
   * @default 10
   */
  limit: option(orOff(integer(1, 1_000_000)), { env: 'AUTH_RATE_LIMIT', default: 10 }),
  /**
   * Window of `AUTH_RATE_LIMIT`.
   * @default '15m'
   */
  window: option(duration('1s', '1d'), { env: 'AUTH_RATE_LIMIT_WINDOW', default: '15m' }),
}

const perAddressOptions = {
  register: limitOf(10, '1h'),
  login: section(loginLimitOptions),
  refresh: limitOf(600, '15m'),
  me: limitOf(300, '1m'),
  updateMe: limitOf(60, '15m'),
  logout: limitOf(60, '15m'),
  logoutAll: limitOf(60, '15m'),
  sessions: limitOf(120, '15m'),
  changePassword: limitOf(10, '15m'),
  changeEmail: limitOf(10, '15m'),
  confirmEmail: limitOf(10, '15m'),
  forgotPassword: limitOf(10, '1h'),
  resetPassword: limitOf(10, '15m'),
  verifyEmail: limitOf(10, '15m'),
  resendVerification: limitOf(10, '1h'),
  apiKeys: limitOf(60, '15m'),
}

export type LimitName = keyof typeof perAddressOptions

const limitsOptions = {
  /**
   * Limits of each address that differ from the defaults, by endpoint.
   * @default {}
   */
  perAddress: section(perAddressOptions),
  /**
   * Refreshes of one session.
   * @default { limit: 60, window: '15m' }
   */
  perSession: limitOf(60, '15m'),
  /**
   * Requests with one API key.
   * @default { limit: 600, window: '1m' }
   */
  perKey: limitOf(600, '1m'),
  /**
   * Failed logins of one account, from any address, before each further attempt has to wait; the
   * wait doubles from 1 to 60 seconds.
   * @default the limit of `perAddress.login`
   */
  perAccount: section({
    limit: option(integer(1, 1_000_000_000)),
    window: option(duration('1s', '24d')),
  }),
  /**
   * Creates the store of a limit that several processes share; when it fails, a process counts in
   * its own memory.
   * @default memory
   */
  createStore: code<(bucket: string) => Store>(),
}

/** Options for the limits of the authentication routes. */
export interface AuthLimits extends Options<typeof limitsOptions> {}

export interface LimitsValues extends Values<typeof limitsOptions> {}
export interface PasswordValues extends Values<typeof passwordOptions> {}
export interface MailValues extends Values<typeof mailOptions> {}

const apiKeyOptions = {
  /**
   * Prefix of the keys, by which secret scanners find them: 2 to 16 lower-case letters, digits and `_`, such as
   * `acme`. Keys with another prefix are no longer accepted.
   * @default 'capi'
   */
  prefix: option(
    matching(/^[a-z][a-z\d_]{0,14}[a-z\d]$/, "must be 2 to 16 of a-z, 0-9 and _, such as 'acme'"),
    { default: 'capi' },
  ),
  /**
   * Lifetime of a key that is created without a date of expiry; never more than `maxLifetime`.
   * @default '90d'
   */
  lifetime: option(duration('1m', '400d'), { default: '90d' }),
  /**
   * Maximum lifetime of a key.
   * @default '366d'
   */
  maxLifetime: option(duration('1m', '400d'), { default: '366d' }),
  /**
   * Time for which a key still works after it was rotated; `0s` ends it at once.
   * @default '1d'
   */
  rotationOverlap: option(duration('0s', '90d'), { default: '1d' }),
  /**
   * Maximum number of live keys of one user, without those that were rotated.
   * @default 20
   */
  perUser: option(integer(1, 1000), { default: 20 }),
}

/** Options for API keys. */
export interface ApiKeyOptions extends Options<typeof apiKeyOptions> {}
export interface ApiKeyValues extends Values<typeof apiKeyOptions> {}

const apiKeys: ZodType<ApiKeyValues, ApiKeyOptions> = section(apiKeyOptions)

const password: ZodType<PasswordValues, PasswordOptions> = section(passwordOptions)
const mail: ZodType<MailValues, MailConfig> = section(mailOptions)
const limits: ZodType<LimitsValues, AuthLimits> = section(limitsOptions)

// A token of RFC 9110 section 5.6.2.
const schemeWord = /^[\w!#$%&'*+.^`|~-]+$/

function requireSchemes(words: unknown): void {
  const isList = Array.isArray(words) && words.length > 0
  if (isList && words.every((word) => typeof word === 'string' && schemeWord.test(word))) return
  throw new TypeError("must be a list of words without spaces, such as ['Bearer', 'Token']")
}

export const authOptions = {
  /**
   * Secrets of at least 32 random bytes in base64 or hex, in the environment separated by commas.
   * The first one signs, all are accepted: to rotate, put a new one first and remove the old one
   * when the refresh tokens made with it have expired. Required in production; elsewhere a random
   * secret is used while the process runs.
   * @default undefined
   */
  secrets: option(parsedBy<Secrets, readonly string[]>(parseSecrets), {
    env: 'JWT_SECRET',
    secret: true,
    example: '',
  }),
  /**
   * ES256 or RS256 keys for access tokens that other services verify; in the environment as PKCS #8
   * in base64, separated by commas. The first one signs, all are accepted. `api keys generate --alg
   * ES256` creates one. Without any, HS256 is used. Refresh tokens keep using the secrets.
   * @default undefined
   */
  signingKeys: option(parsedBy<readonly SigningKey[]>(parseSigningKeys), {
    env: 'JWT_SIGNING_KEYS',
    secret: true,
    example: '',
  }),
  /**
   * The scheme of access tokens in the `Authorization` header (RFC 9110, section 11.1), also in
   * `WWW-Authenticate`, `tokenType` and the OpenAPI document: `Token` for APIs whose design requires
   * it.
   * @default 'Bearer'
   */
  scheme: option(
    matching(schemeWord, "must be one word without spaces, such as 'Bearer' or 'Token'"),
    { default: 'Bearer' },
  ),
  /**
   * Several schemes that are accepted before an access token, in upper or lower case, such as `['Bearer',
   * 'Token']`; each has a challenge in `WWW-Authenticate`, and the first is the `tokenType`. Replaces `scheme`.
   * @default undefined, `scheme` only
   */
  schemes: option(checkedBy<readonly string[]>(requireSchemes)),
  /**
   * The `iss` claim of access tokens; by default the name of the service.
   * @default undefined
   */
  issuer: option(text(), { env: 'JWT_ISSUER' }),
  /**
   * The `aud` claim of access tokens; by default the name of the service.
   * @default undefined
   */
  audience: option(text(), { env: 'JWT_AUDIENCE' }),
  /**
   * Lifetime of access tokens, 1s or more. Above 1h, a warning at startup states the consequences.
   * @default '15m'
   */
  accessLifetime: option(duration('1s', '400d'), { env: 'ACCESS_TTL', default: '15m' }),
  /**
   * Time after which a session expires unless it is refreshed.
   * @default '7d'
   */
  refreshIdleLifetime: option(duration('1s', '400d'), { env: 'REFRESH_TTL', default: '7d' }),
  /**
   * Time after which a session expires in any case.
   * @default '30d'
   */
  refreshAbsoluteLifetime: option(duration('1s', '400d'), {
    env: 'REFRESH_MAX_TTL',
    default: '30d',
  }),
  /**
   * Time for which the direct predecessor of the current refresh token still works and returns the
   * current tokens again, so that two tabs or a lost response end no session; at most 60s. A thief of
   * that token has the same time. 0s ends the session at its first reuse.
   * @default '10s'
   */
  refreshLeeway: option(duration('0s', '60s'), { env: 'REFRESH_LEEWAY', default: '10s' }),
  /**
   * Maximum difference between the clocks of several hosts, used to distinguish overlapping
   * refreshes from replays; at most 60s.
   * @default '0s'
   */
  overlapSkew: option(duration('0s', '60s'), { default: '0s' }),
  /**
   * Maximum error of the clock of a token, at most 60s.
   * @default '5s'
   */
  clockTolerance: option(duration('0s', '60s'), { default: '5s' }),
  /**
   * Trusts access tokens until they expire, without reading session and user. Saves two reads for
   * each request; logging out, disabling a user and changing roles then take effect only when the
   * access token expires. The tokens carry e-mail address and roles of the user.
   * @default false
   */
  stateless: option(flag(), { default: false }),
  /**
   * Number of verified access tokens kept in memory, so that a signature is verified once a minute;
   * session and user are still read for each request. 0 keeps none.
   * @default 5000
   */
  tokenCacheSize: option(integer(0, 1_000_000), { default: 5000 }),
  /**
   * Maximum number of live sessions of one user; a further login ends the oldest.
   * @default 20
   */
  sessionsPerUser: option(integer(1, 1000), { default: 20 }),
  /**
   * Passwords.
   * @default {}
   */
  password,
  /**
   * E-mail with links to verify an address and to set a new password; false for an API without the
   * routes for either.
   * @default {}
   */
  mail: orFalse(mail),
  /**
   * API keys for scripts and services, with the routes for them: `{}`, or options. A key acts for its
   * owner within its scopes.
   * @default false
   */
  apiKeys: option(orFalse(apiKeys), { default: false }),
  /**
   * The built-in routes: false for none, a list of names, or `{ path, only, except }`. Their path is
   * `/api/v1/auth` unless it is set.
   * @default true, all
   */
  routes: option(parsedBy<RouteChoice, AuthRoutes>(parseAuthRoutes), { default: true }),
  /**
   * Limits of the authentication routes; false for none.
   * @default {}
   */
  limits: orFalse(limits),
  /**
   * Connection that stores users and sessions.
   * @default mongoose.connection
   */
  connection: code<Connection>(),
  /**
   * Prefix of the names of models and collections, for an application that has its own `User`, and
   * for several instances on one connection: with 'Auth' they are `AuthUser` in `authusers` and so
   * on.
   * @default ''
   */
  modelPrefix: option(matching(/^(?:[A-Za-z]\w*)?$/, "must be a word such as 'Auth'"), {
    default: '',
  }),
  /**
   * Responds to every registration with 202 and an e-mail, so that the response does not show
   * whether an address is registered; users log in after that. Needs `mail`.
   * @default false
   */
  hideRegistered: option(flag(), { default: false }),
  /**
   * Keeps refresh tokens in a cookie instead of bodies, for browsers.
   * @default undefined
   */
  cookies: option(checkedBy<CookieOptions>((options) => createCookieTransport(options, 0))),
  /**
   * The field that users log in with: `email`, or an own field such as `username`, whose schema in
   * `userFields.input` makes values canonical. It gets a unique index.
   * @default 'email'
   */
  identifier: option(text(), { default: 'email' }),
  /**
   * The application's own fields of a user.
   * @default undefined
   */
  userFields: option(checkedBy<UserFields>(resolveUserFields)),
  /**
   * The roles of users and their permissions, created by `defineRoles`. No other role can be given to a
   * user, except `adminRole`.
   * @default undefined, any role and no permissions
   */
  roles: option(checkedBy<DefinedRoles>(requireDefined)),
  /**
   * The role of administrators: the last enabled user who has it cannot lose it, be disabled or be removed.
   * @default 'admin'
   */
  adminRole: option(text().refine(isRoleName, "must be a word such as 'admin'"), {
    default: 'admin',
  }),
  /**
   * Claims of the application in access tokens; handlers read them as `req.claims`.
   * @default undefined
   */
  claims: option(checkedBy<ClaimsOptions>((claims) => resolveClaims({ claims }))),
  /**
   * Code of the application that runs before and after register, login, refresh and logout.
   * @default {}
   */
  hooks: code<AuthHooks>(),
  /**
   * Replaces the store of users.
   * @default the collection `users`
   */
  users: code<UserStore>(),
  /**
   * Called with each security event.
   * @default undefined
   */
  onEvent: code<(event: SecurityEvent) => void>(),
  /**
   * The clock: milliseconds since the epoch.
   * @default Date.now
   */
  now: code<() => number>(),
}

/** Options for authentication in `createApi`. */
export interface AuthConfig extends Options<typeof authOptions> {}

// In createApi these two are options of the whole API.
export const standaloneOptions = {
  ...authOptions,
  /**
   * Name of the service; passwords that contain it are rejected.
   * @default 'api'
   */
  serviceName: option(text(), { default: 'api' }),
  /**
   * Where security events are logged.
   * @default createLogger()
   */
  logger: code<Logger>(),
}

/** Options for {@link createAuth}. */
export interface AuthOptions extends Omit<Options<typeof standaloneOptions>, 'mail'> {
  /**
   * E-mail with links to verify an address and to set a new password; it needs a `mailer`, or `smtpUrl`
   * and `from`, and `appUrl`. Without it the routes for both do not exist, unless the result is given
   * to `createApi`, which reads the environment.
   * @default false
   */
  mail?: MailConfig | false | undefined
}

/** The options of authentication with their defaults; durations in milliseconds. */
export interface AuthValues extends Values<typeof authOptions> {}
