import { type Connection } from 'mongoose'
import { type Logger } from '../logging/logger.ts'
import { type AuthLimits } from './auth-limits.ts'
import { type ClaimsOptions } from './claims.ts'
import { type AuthHooks } from './hooks.ts'
import { type SigningKey } from './keys.ts'
import { type MailOptions } from './mail-delivery.ts'
import { type PasswordHasher } from './password-hasher.ts'
import { type CookieOptions } from './refresh-transport.ts'
import { type SecurityEvent } from './security-events.ts'
import { type UserFields } from './user-fields.ts'
import { type UserStore } from './user-store.ts'

/** Options for passwords. */
export interface PasswordOptions {
  /**
   * Fewest code points of a new password; never below 8, 15 is advised where the password is the
   * only factor.
   * @default 8
   */
  minLength?: number | undefined
  /**
   * Whether common passwords are refused.
   * @default true
   */
  blocklist?: boolean | undefined
  /**
   * More passwords to refuse; case does not matter.
   * @default []
   */
  blocked?: readonly string[] | undefined
  /**
   * Asks whether a password is known from a breach. When it fails, the password is accepted and
   * the failure logged.
   * @default undefined
   */
  isBreached?: ((password: string) => Promise<boolean>) | undefined
  /**
   * Memory of one hash in KiB; never below 19456.
   * @default 19456
   */
  memoryCost?: number | undefined
  /**
   * Passes over the memory; never below 2.
   * @default 2
   */
  timeCost?: number | undefined
  /**
   * Hashes that run at the same time.
   * @default processors − 1, at least 1
   */
  concurrency?: number | undefined
  /**
   * Hashes that may wait for their turn; more are refused with 503 `overloaded`.
   * @default 64
   */
  queue?: number | undefined
  /**
   * Longest wait for a turn in milliseconds.
   * @default 2000
   */
  wait?: number | undefined
  /**
   * Replaces argon2id; memoryCost to wait then have no effect.
   * @default argon2id
   */
  hasher?: PasswordHasher | undefined
}

/** Options for {@link createAuth}. */
export interface AuthOptions {
  /**
   * Secrets of 32 random bytes or more, as base64 or hex. The first makes new tokens, all are
   * recognised: to rotate, put a new one in front and drop the old one when the refresh tokens
   * made with it have ended.
   */
  secrets: readonly string[]
  /**
   * Asymmetric keys for access tokens, for APIs whose tokens other services verify. The first
   * signs, all verify; refresh tokens keep using the secrets.
   * @default [] (HS256 with a key derived from the secrets)
   */
  signingKeys?: readonly SigningKey[] | undefined
  /**
   * Name of the service; passwords built from it are refused.
   * @default 'api'
   */
  serviceName?: string | undefined
  /**
   * The word before an access token in the `Authorization` header (RFC 9110 section 11.1), also in
   * `WWW-Authenticate`, `tokenType` and the OpenAPI document: `Token` for APIs that somebody else
   * designed so.
   * @default 'Bearer'
   */
  scheme?: string | undefined
  /**
   * `iss` of access tokens.
   * @default serviceName
   */
  issuer?: string | undefined
  /**
   * `aud` of access tokens.
   * @default serviceName
   */
  audience?: string | undefined
  /**
   * Lifetime of access tokens in seconds, from 60 to 3600.
   * @default 900
   */
  accessLifetime?: number | undefined
  /**
   * Seconds after which a session ends unless it is refreshed.
   * @default 604800 (7 days)
   */
  refreshIdleLifetime?: number | undefined
  /**
   * Seconds after which a session ends in any case.
   * @default 2592000 (30 days)
   */
  refreshAbsoluteLifetime?: number | undefined
  /**
   * Seconds for which the direct predecessor of the current refresh token is answered with the
   * current one instead of ending the session, at most 60. Above 0 a thief has that long.
   * @default 0
   */
  refreshLeeway?: number | undefined
  /**
   * Seconds by which the clocks of several hosts may differ when overlapping refreshes are told
   * from replays, at most 60.
   * @default 0
   */
  overlapSkew?: number | undefined
  /**
   * Seconds by which the clock of a token may be off, at most 60.
   * @default 5
   */
  clockTolerance?: number | undefined
  /**
   * Trusts access tokens until they expire, without looking at session and user. Saves two reads
   * per request; logging out, disabling a user and changing a role then take effect only when the
   * access token ends. The tokens carry address and role of the user.
   * @default false
   */
  stateless?: boolean | undefined
  /**
   * Verified access tokens remembered, so that a signature is checked once a minute; session and
   * user are looked at on each request all the same. 0 remembers none.
   * @default 5000
   */
  tokenCacheSize?: number | undefined
  /**
   * Live sessions of one user; a further login ends the oldest.
   * @default 20
   */
  sessionsPerUser?: number | undefined
  /**
   * Passwords.
   * @default {}
   */
  password?: PasswordOptions | undefined
  /**
   * Limits of the authentication routes; false for none.
   * @default {}
   */
  limits?: AuthLimits | false | undefined
  /**
   * Connection that users and sessions are kept on.
   * @default mongoose.connection
   */
  connection?: Connection | undefined
  /**
   * Put before the names of models and collections, for an application that has a `User` of its
   * own, and for several instances on one connection: with 'Auth' they are `AuthUser` in `authusers`
   * and so on.
   * @default ''
   */
  modelPrefix?: string | undefined
  /**
   * Mails with links to verify an address and to set a new password. Without it the routes for
   * both do not exist.
   * @default undefined
   */
  mail?: MailOptions | undefined
  /**
   * Answers every registration with 202 and a mail, so that nobody learns whether an address is
   * registered; users log in after that. Needs `mail`.
   * @default false
   */
  hideRegistered?: boolean | undefined
  /**
   * Keeps refresh tokens in a cookie instead of bodies, for browsers.
   * @default undefined
   */
  cookies?: CookieOptions | undefined
  /**
   * The application's own fields of a user.
   * @default undefined
   */
  userFields?: UserFields | undefined
  /**
   * Claims of the application in access tokens; they are read as `req.claims`.
   * @default undefined
   */
  claims?: ClaimsOptions | undefined
  /**
   * Code of the application before and after register, login, refresh and logout.
   * @default {}
   */
  hooks?: AuthHooks | undefined
  /**
   * Replaces the store of users.
   * @default the collection `users`
   */
  users?: UserStore | undefined
  /**
   * Where security events are logged.
   * @default createLogger()
   */
  logger?: Logger | undefined
  /**
   * Told of each security event.
   * @default undefined
   */
  onEvent?: ((event: SecurityEvent) => void) | undefined
  /**
   * The clock: milliseconds since the epoch.
   * @default Date.now
   */
  now?: (() => number) | undefined
}
