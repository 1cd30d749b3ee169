import {
  createUser,
  type CreateUserInput,
  issueTokens,
  login,
  type LoginInput,
  register,
  registerHidden,
  type RegisterInput,
  removeUser,
  resendVerification,
  verifyEmail,
} from '../accounts/account-service.ts'
import { type ApiKeys, createApiKeys } from '../api-keys/api-key-service.ts'
import { type AuthContext } from './auth-context.ts'
import { type LimitName } from '../limits/limit-options.ts'
import { type RouteSchemas } from '../input/auth-schemas.ts'
import { type TokenCaller, verifyAccessToken } from './authenticator.ts'
import { changeEmail, type ChangeEmailInput, confirmEmail } from '../accounts/email-service.ts'
import { type AuthGrant } from '../sessions/grant.ts'
import { parseInput } from '../../schemas/parse-input.ts'
import {
  changePassword,
  type ChangePasswordInput,
  forgotPassword,
  reauthenticate,
  resetPassword,
} from '../accounts/password-service.ts'
import { type AuthRequest, type RequestFacts, toFacts } from '../events/request-facts.ts'
import {
  listSessions,
  logout,
  refresh,
  revokeSession,
  revokeSessions,
  type SessionCaller,
  type SessionsToRevoke,
  type SessionView,
} from '../sessions/session-service.ts'
import { type TokenRequest } from '../tokens/schemes.ts'
import { createUsers, type Users } from '../accounts/user-service.ts'
import { type StoredUser } from '../users/user-store.ts'

/**
 * The functions of authentication, for routes and services of the application. The built-in routes
 * call the same functions. Each validates its input. With the request as the last argument, the
 * limits of its address apply as in the built-in route, and sessions and security events contain
 * address, device and request id.
 */
export interface AuthService {
  /** The users. */
  readonly users: Users
  /** API keys of users, for scripts and services. */
  readonly apiKeys: ApiKeys
  /**
   * Verifies address (or another `identifier`) and password, and opens a session. An unknown address, a wrong password and a
   * disabled user take the same time.
   * @param input - e-mail address and password
   * @param request - the request that it belongs to
   * @returns the user and tokens
   * @throws ApiError `validation_failed`, `invalid_credentials`, `rate_limited` or `overloaded`
   */
  login(input: LoginInput, request?: AuthRequest): Promise<AuthGrant>
  /**
   * Creates a user and opens a session.
   * @param input - e-mail address, password and the application's own fields
   * @param request - the request that it belongs to
   * @returns the user and tokens
   * @throws ApiError `validation_failed`, `email_taken`, `password_too_common`, `rate_limited` or
   * `overloaded`
   */
  register(input: RegisterInput, request?: AuthRequest): Promise<AuthGrant>
  /**
   * Creates a user without revealing whether the address was registered before: the user learns it by
   * e-mail, and logs in afterwards.
   * @param input - e-mail address, password and the application's own fields
   * @param request - the request that it belongs to
   * @throws ApiError `validation_failed`, `password_too_common`, `rate_limited` or `overloaded`
   */
  registerHidden(input: RegisterInput, request?: AuthRequest): Promise<void>
  /**
   * Creates a user with any roles, without a session.
   * @param input - e-mail address, password, roles and the application's own fields
   * @param request - the request that it belongs to
   * @returns the user
   * @throws ApiError `validation_failed`, `email_taken`, `password_too_common` or `overloaded`
   */
  createUser(input: CreateUserInput, request?: AuthRequest): Promise<StoredUser>
  /**
   * Removes a user with all sessions and API keys.
   * @param id - id of the user
   * @returns false when there is none
   * @throws ApiError `last_administrator` when no other enabled user is an administrator
   */
  removeUser(id: string): Promise<boolean>
  /**
   * Opens a session for a user whom the application has identified itself, for example by a passkey or
   * an identity provider.
   * @param user - the user, or an object with the id
   * @param request - the request that it belongs to
   * @param options - whether the application has verified more than one factor, for the rule `multiFactor`
   * @returns the user and tokens
   * @throws ApiError `invalid_credentials` when the user is disabled or does not exist
   */
  issueTokens(
    user: Pick<StoredUser, 'id'>,
    request?: AuthRequest,
    options?: { readonly multiFactor: boolean },
  ): Promise<AuthGrant>
  /**
   * Exchanges a refresh token for new tokens.
   * @param refreshToken - the token
   * @param request - the request that it belongs to
   * @returns the user and tokens
   * @throws ApiError `invalid_token`, `session_revoked`, `refresh_token_expired`,
   * `refresh_token_reused`, `refresh_conflict` or `rate_limited`
   */
  refresh(refreshToken: string, request?: AuthRequest): Promise<AuthGrant>
  /**
   * Ends the session of a refresh token; an unknown token changes nothing (RFC 7009 section 2.2).
   * @param refreshToken - the token
   * @param request - the request that it belongs to
   * @throws ApiError `rate_limited`
   */
  logout(refreshToken: string, request?: AuthRequest): Promise<void>
  /**
   * Lists the live sessions of a user, the newest first.
   * @param caller - the user, and the session to mark as current
   * @returns the sessions
   */
  listSessions(caller: SessionCaller): Promise<SessionView[]>
  /**
   * Ends one session of a user.
   * @param session - ids of user and session
   * @param request - the request that it belongs to
   * @throws ApiError `not_found` when the user has no such session
   */
  revokeSession(session: Required<SessionCaller>, request?: AuthRequest): Promise<void>
  /**
   * Ends all sessions of a user, or all except one.
   * @param sessions - the user, and the session that continues
   * @param request - the request that it belongs to
   * @returns how many sessions have ended
   */
  revokeSessions(sessions: SessionsToRevoke, request?: AuthRequest): Promise<number>
  /**
   * Reads the token that a request presents: the access token or API key after one of the `schemes` in
   * `Authorization`. On a guarded route it belongs to `req.user`; elsewhere it has not been verified.
   * @param req - the request
   * @returns the token
   * @throws ApiError `unauthenticated` when it presents none
   */
  readToken(req: TokenRequest): string
  /**
   * Verifies an access token as a guarded route does, for example the token of a WebSocket.
   * @param token - the token, without the scheme
   * @param request - the request that it belongs to
   * @returns the caller
   * @throws ApiError `invalid_token`, `token_expired` or `session_revoked`
   */
  verifyAccessToken(token: string, request?: AuthRequest): Promise<TokenCaller>
  /**
   * Hashes a password in the bounded queue of hashes.
   * @param password - the password; it is normalised as at a login
   * @returns the hash
   * @throws ApiError `validation_failed` or `overloaded`
   */
  hashPassword(password: string): Promise<string>
  /**
   * Compares a password with a hash, in the bounded queue of hashes. Without a hash it takes the same time.
   * @param password - the password
   * @param hash - the hash, or undefined when there is none
   * @returns whether they match
   * @throws ApiError `validation_failed` or `overloaded`
   */
  verifyPassword(password: string, hash: string | undefined): Promise<boolean>
  /**
   * Changes the password of a user who knows the old one, ends the other sessions, and issues new tokens for the own
   * one, whose older refresh tokens are no longer accepted.
   * @param caller - the user, and the session that continues
   * @param input - the old and the new password
   * @param request - the request that it belongs to
   * @returns the user and tokens; undefined when the caller has no live session
   * @throws ApiError `validation_failed`, `invalid_credentials`, `password_too_common`, `rate_limited`
   * or `overloaded`
   */
  changePassword(
    caller: SessionCaller,
    input: ChangePasswordInput,
    request?: AuthRequest,
  ): Promise<AuthGrant | undefined>
  /**
   * Verifies the password of a user, and notes in the session that it was proved now, for routes with `fresh`. In
   * stateless mode it takes effect with the next refresh.
   * @param caller - the user and the session
   * @param input - the password
   * @param request - the request that it belongs to
   * @throws ApiError `validation_failed`, `invalid_credentials`, `session_revoked`, `rate_limited` or `overloaded`
   */
  reauthenticate(
    caller: Required<SessionCaller>,
    input: { readonly password: string },
    request?: AuthRequest,
  ): Promise<void>
  /**
   * Sends a link to a new address, for a user who knows the password, and a notice to the old one; the
   * address changes when the link is used. Needs `mail`.
   * @param userId - id of the user
   * @param input - the new address and the password
   * @param request - the request that it belongs to
   * @throws ApiError `validation_failed`, `invalid_credentials`, `email_taken`, `rate_limited` or
   * `overloaded`
   */
  changeEmail(userId: string, input: ChangeEmailInput, request?: AuthRequest): Promise<void>
  /**
   * Changes the address by the token of a link.
   * @param token - the token
   * @param request - the request that it belongs to
   * @throws ApiError `validation_failed`, `invalid_token`, `email_taken` or `rate_limited`
   */
  confirmEmail(token: string, request?: AuthRequest): Promise<void>
  /**
   * Sends a link that sets a new password, if there is such a user; in the background, so that neither
   * result nor time reveal it. Needs `mail`.
   * @param email - the address
   * @param request - the request that it belongs to
   * @throws ApiError `validation_failed` or `rate_limited`
   */
  forgotPassword(email: string, request?: AuthRequest): Promise<void>
  /**
   * Sets a new password by the token of a link, and ends all sessions.
   * @param input - the token and the new password
   * @param request - the request that it belongs to
   * @throws ApiError `validation_failed`, `invalid_token`, `password_too_common`, `rate_limited` or
   * `overloaded`
   */
  resetPassword(input: ResetPasswordInput, request?: AuthRequest): Promise<void>
  /**
   * Marks an address as verified by the token of a link.
   * @param token - the token
   * @param request - the request that it belongs to
   * @throws ApiError `validation_failed`, `invalid_token` or `rate_limited`
   */
  verifyEmail(token: string, request?: AuthRequest): Promise<void>
  /**
   * Sends the link that verifies an address again, if there is such a user and the address is not
   * verified; in the background. Needs `mail`.
   * @param email - the address
   * @param request - the request that it belongs to
   * @throws ApiError `validation_failed` or `rate_limited`
   */
  resendVerification(email: string, request?: AuthRequest): Promise<void>
}

/** The input of a reset of the password. */
export interface ResetPasswordInput {
  /** The token of the link. */
  readonly token: string
  /** The password that the user chose. */
  readonly password: string
}

// What validates, limits and calls the functions that the routes call. The context is asked for with
// each call: authentication can be created before the API that completes its settings.
export function createAuthService(use: () => AuthContext, schemas: RouteSchemas): AuthService {
  const toOwn = (request: AuthRequest | undefined): RequestFacts =>
    toFacts(request, use().settings.now())

  // Counts the call like a request of the route; a success is taken back where only failures count.
  async function limited<T>(
    name: LimitName,
    request: AuthRequest | undefined,
    work: (context: AuthContext, facts: RequestFacts) => T | Promise<T>,
  ): Promise<T> {
    const context = use()
    const facts = toOwn(request)
    const takeBack = await context.addressLimits.take(name, facts)
    const result = await work(context, facts)
    takeBack()
    return result
  }

  return {
    users: createUsers(use, schemas),
    apiKeys: createApiKeys(use, schemas),
    ...createAccountService(schemas, limited),
    ...createPasswordService(use, schemas, limited),
    refresh: (token, request) =>
      limited('refresh', request, (context, facts) => refresh(context, token, facts)),
    logout: (token, request) =>
      limited('logout', request, (context, facts) => logout(context, token, facts)),
    listSessions: async (caller) => listSessions(use(), caller),
    revokeSession: async (session, request) => revokeSession(use(), session, toOwn(request)),
    revokeSessions: async (sessions, request) => revokeSessions(use(), sessions, toOwn(request)),
    createUser: async ({ roles, ...input }, request) =>
      createUser(use(), { ...parseRegistration(schemas, input), roles }, toOwn(request)),
    removeUser: async (id) => removeUser(use(), id),
    issueTokens: async ({ id }, request, options) =>
      issueTokens(use(), id, toOwn(request), options),
    readToken: (req) => use().readToken(req),
    verifyAccessToken: async (token, request) => verifyAccessToken(use(), token, request),
  }
}

type Limited = <T>(
  name: LimitName,
  request: AuthRequest | undefined,
  work: (context: AuthContext, facts: RequestFacts) => T | Promise<T>,
) => Promise<T>

type Functions<Name extends keyof AuthService> = Pick<AuthService, Name>

function createAccountService(
  schemas: RouteSchemas,
  limited: Limited,
): Functions<
  | 'login'
  | 'register'
  | 'registerHidden'
  | 'changeEmail'
  | 'confirmEmail'
  | 'verifyEmail'
  | 'resendVerification'
> {
  return {
    login: (input, request) =>
      limited('login', request, (context, facts) =>
        login(context, parseInput(schemas.login, input), facts),
      ),
    register: (input, request) =>
      limited('register', request, (context, facts) =>
        register(context, parseRegistration(schemas, input), facts),
      ),
    registerHidden: (input, request) =>
      limited('register', request, (context, facts) =>
        registerHidden(context, parseRegistration(schemas, input), facts),
      ),
    changeEmail: (userId, input, request) =>
      limited('changeEmail', request, (context, facts) =>
        changeEmail(context, parseInput(schemas.changeEmail, input), userId, facts),
      ),
    confirmEmail: (token, request) =>
      limited('confirmEmail', request, (context, facts) =>
        confirmEmail(context, parseInput(schemas.verifyEmail, { token }).token, facts),
      ),
    verifyEmail: (token, request) =>
      limited('verifyEmail', request, (context, facts) =>
        verifyEmail(context, parseInput(schemas.verifyEmail, { token }).token, facts),
      ),
    resendVerification: (email, request) =>
      limited('resendVerification', request, (context) =>
        resendVerification(context, parseInput(schemas.emailOnly, { email }).email),
      ),
  }
}

function createPasswordService(
  use: () => AuthContext,
  schemas: RouteSchemas,
  limited: Limited,
): Functions<
  | 'hashPassword'
  | 'verifyPassword'
  | 'changePassword'
  | 'reauthenticate'
  | 'forgotPassword'
  | 'resetPassword'
> {
  const normalise = (password: string): string =>
    parseInput(schemas.ownPassword, { password }).password
  return {
    hashPassword: async (password) => use().hasher.hash(normalise(password)),
    verifyPassword: async (password, hash) => use().hasher.verify(hash, normalise(password)),
    changePassword: (caller, input, request) =>
      limited('changePassword', request, (context, facts) =>
        changePassword(context, parseInput(schemas.changePassword, input), caller, facts),
      ),
    reauthenticate: (caller, input, request) =>
      limited('reauthenticate', request, (context, facts) =>
        reauthenticate(context, parseInput(schemas.ownPassword, input).password, caller, facts),
      ),
    forgotPassword: (email, request) =>
      limited('forgotPassword', request, (context, facts) =>
        forgotPassword(context, parseInput(schemas.emailOnly, { email }).email, facts),
      ),
    resetPassword: (input, request) =>
      limited('resetPassword', request, (context, facts) =>
        resetPassword(context, parseInput(schemas.resetPassword, input), facts),
      ),
  }
}

function parseRegistration(
  schemas: RouteSchemas,
  { fields, ...input }: RegisterInput,
): RegisterInput {
  const { email, password, ...own } = parseInput(schemas.register, { ...fields, ...input })
  return { email, password, fields: own }
}
