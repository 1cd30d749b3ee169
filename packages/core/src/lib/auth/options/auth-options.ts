import { type Connection } from 'mongoose'
import {
  checkedBy,
  code,
  duration,
  flag,
  integer,
  matching,
  option,
  type Options,
  orFalse,
  parsedBy,
  text,
  type Values,
} from '../../options/options.ts'
import { type Logger } from '../../logging/logger.ts'
import { apiKeys } from '../api-keys/api-key-options.ts'
import { type AuthHooks } from '../events/hooks.ts'
import { type SecurityEvent } from '../events/security-events.ts'
import { limits } from '../limits/limit-options.ts'
import { mail, type MailConfig } from '../mail/mail-options.ts'
import { password } from '../passwords/password-options.ts'
import { type CookieOptions, createCookieTransport } from '../sessions/refresh-transport.ts'
import { type ClaimsOptions, resolveClaims } from '../tokens/claims.ts'
import { type SigningKey } from '../tokens/keys.ts'
import { parseSecrets, type Secrets } from '../tokens/parse-secrets.ts'
import { parseSigningKeys } from '../tokens/parse-signing-keys.ts'
import { requireSchemes, schemeWord } from '../tokens/schemes.ts'
import { type DefinedRoles, isRoleName, requireDefined } from '../users/define-roles.ts'
import { resolveUserFields, type UserFields } from '../users/user-fields.ts'
import { type UserStore } from '../users/user-store.ts'
import { type RouteChoice } from '../../route/route-choice.ts'
import { type AuthRoutes, parseAuthRoutes } from './auth-route-choice.ts'
import { type SignInFeature } from '../sign-in/sign-in.ts'

export const authOptions = {
  /**
   * Secrets of at least 32 random bytes in base64 or hex, in the environment separated by commas.
   * The first one signs, and all are accepted. To rotate, add a new one at the end, put it first once
   * all processes accept it, and remove the old one when its refresh tokens have expired. Required in
   * production; elsewhere, each process uses a random one.
   * @default undefined
   */
  secrets: option(parsedBy<Secrets, readonly string[]>(parseSecrets), {
    env: 'JWT_SECRET',
    secret: true,
    example: '',
  }),
  /**
   * ES256 or RS256 keys for access tokens that other services verify; in the environment as PKCS #8
   * in base64, separated by commas. The first one signs, and all are accepted.
   * `api keys generate --alg ES256` creates one. Without keys, access tokens use HS256. Refresh
   * tokens always use the secrets.
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
   * current tokens again, a few times in a row, so that two tabs or a lost response end no session; at most 60s.
   * A thief of that token has the same time. 0s ends the session at its first reuse.
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
   * Difference between clocks that is tolerated when the times of a token are checked, at most 60s.
   * @default '5s'
   */
  clockTolerance: option(duration('0s', '60s'), { default: '5s' }),
  /**
   * Trusts access tokens until they expire, without reading session and user. Saves two reads for
   * each request; logging out, disabling a user and changing roles then take effect only when the
   * access token expires. The tokens contain the e-mail address and the roles of the user.
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
   * E-mail with links that verify an address or set a new password; false removes its routes.
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
   * More ways to log in, such as a second factor: `createSignIn({ … })` of `@create-api/sign-in`.
   * @default undefined
   */
  signIn: code<SignInFeature>(),
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
   * for several instances on one connection: with 'Auth', users are `AuthUser` in `authusers`.
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
   * E-mail with links that verify an address or set a new password. It needs `appUrl`, and a
   * `mailer` or `smtpUrl` and `from`. Without it, its routes do not exist, unless the result is
   * passed to `createApi`, which reads the environment.
   * @default false
   */
  mail?: MailConfig | false | undefined
}

/** The options of authentication with their defaults; durations in milliseconds. */
export interface AuthValues extends Values<typeof authOptions> {}
