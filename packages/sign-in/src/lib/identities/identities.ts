import { type AuthGrant, type AuthRequest } from '@create-api/core/auth'
import { parseInput, type SignInContext, toFacts } from '@create-api/core/internal/sign-in'
import { removeLogin } from '../remove-login.ts'
import {
  type AuthorizationRequest,
  begin,
  type BeginOptions,
  requireClient,
  stepLifetime,
  toPageStep,
} from './begin.ts'
import { completeLink, completeLogin, logInWithToken } from './complete.ts'
import { type IdentityDocument } from './identity-models.ts'
import { type IdentityParts } from './identity-parts.ts'
import {
  type BeginInput,
  type CompleteIdentityInput,
  completeInput,
  type IdentityLoginInput,
  type IdTokenInput,
  idTokenInput,
  loginInput,
} from './identity-schemas.ts'
import { createTokenReader, type ProviderTokens } from './provider-tokens.ts'
import { type ProviderResponse, receive } from './receive.ts'

/** An account of a provider that is linked to a user. */
export interface IdentityView {
  /** Name of the provider in the options. */
  readonly provider: string
  /** Address that the provider gave, which may not be that of the user. */
  readonly email: string | null
  /** Time of the first login with it. */
  readonly createdAt: Date
  /** Time of the last login with it. */
  readonly lastUsedAt: Date | null
}

/** A token that works once. */
export interface IdentityToken {
  /** The token. */
  readonly token: string
  /** Remaining lifetime in seconds. */
  readonly expiresIn: number
}

/**
 * Logins with other providers. The built-in routes call the same functions. Each validates its input. With the request as the last
 * argument, the limits of its address apply, and security events contain address and request id.
 */
export interface Identities {
  /**
   * Lists the accounts that are linked to a user.
   * @param userId - id of the user
   * @returns the accounts, the oldest first
   */
  list(userId: string): Promise<IdentityView[]>
  /**
   * Begins a login with a provider in a browser.
   * @param provider - name of the provider
   * @param input - the challenge of the page, or the token of `createLink`
   * @param options - URL of the callback, and the token that the browser has from another login
   * @param request - the request that it belongs to
   * @returns the URL of the provider, and a token for a cookie of the browser
   * @throws ApiError `not_found`, `validation_failed`, `invalid_token`, `provider_unavailable` or `rate_limited`
   */
  begin(
    provider: string,
    input: BeginInput | { readonly linkToken: string },
    options: BeginOptions,
    request?: AuthRequest,
  ): Promise<AuthorizationRequest>
  /**
   * Receives what the provider sent the browser back with.
   * @param provider - name of the provider
   * @param response - the query of the URL, and the token in the cookie
   * @param request - the request that it belongs to
   * @returns the URL of the application to send the browser to, with `code` or `error`
   * @throws ApiError `rate_limited`
   */
  receive(provider: string, response: ProviderResponse, request?: AuthRequest): Promise<string>
  /**
   * Completes a login, and opens a session.
   * @param input - the code in the URL, the verifier of the page, and own fields of a new user
   * @param request - the request that it belongs to
   * @returns the user and tokens
   * @throws ApiError `validation_failed`, `invalid_token`, `invalid_credentials`, `identity_not_linked`, `email_not_verified`,
   * `registration_closed`, `email_taken`, `second_factor_required`, `second_factor_setup_required` or `rate_limited`
   */
  complete(input: IdentityLoginInput, request?: AuthRequest): Promise<AuthGrant>
  /**
   * Creates the nonce for the ID token of an application.
   * @param request - the request that it belongs to
   * @returns the nonce
   * @throws ApiError `rate_limited`
   */
  createNonce(request?: AuthRequest): Promise<IdentityToken>
  /**
   * Opens a session by an ID token.
   * @param provider - name of the provider
   * @param input - the ID token, its nonce, and own fields of a new user
   * @param request - the request that it belongs to
   * @returns the user and tokens
   * @throws ApiError `invalid_identity`, `provider_unavailable`, `not_found` for a provider without ID tokens, and those of
   * `complete`
   */
  logInWithToken(provider: string, input: IdTokenInput, request?: AuthRequest): Promise<AuthGrant>
  /**
   * Creates the token with which a user links an account of a provider: `begin` takes it.
   * @param userId - id of the user
   * @param provider - name of the provider
   * @param input - the challenge of the page
   * @param request - the request that it belongs to
   * @returns the token
   * @throws ApiError `not_found`, `validation_failed` or `rate_limited`
   */
  createLink(
    userId: string,
    provider: string,
    input: BeginInput,
    request?: AuthRequest,
  ): Promise<IdentityToken>
  /**
   * Links the account that the browser of a user returned with.
   * @param userId - id of the user who created the link
   * @param input - the code in the URL, and the verifier of the page
   * @param request - the request that it belongs to
   * @returns the account
   * @throws ApiError `validation_failed`, `invalid_token`, `identity_taken` or `rate_limited`
   */
  completeLink(
    userId: string,
    input: CompleteIdentityInput,
    request?: AuthRequest,
  ): Promise<IdentityView>
  /**
   * Unlinks the account of a provider from a user.
   * @param userId - id of the user
   * @param provider - name of the provider
   * @param request - the request that it belongs to
   * @throws ApiError `not_found`, or `last_login_method` when the user could not log in any more
   */
  unlink(userId: string, provider: string, request?: AuthRequest): Promise<void>
  /**
   * Reads the tokens of a provider for a user, with `keepTokens`. An access token that expires is refreshed.
   * @param userId - id of the user
   * @param provider - name of the provider
   * @returns the access token
   * @throws ApiError `not_found` without tokens, `invalid_identity` when the provider has withdrawn them, or
   * `provider_unavailable`
   */
  tokens(userId: string, provider: string): Promise<ProviderTokens>
}

// Routes count requests themselves: for them, `takeLimit` does nothing.
export function createIdentities(
  parts: IdentityParts,
  takeLimit: SignInContext['takeLimit'],
): Identities {
  const { context, models, steps } = parts
  const toOwn = (request: AuthRequest | undefined): ReturnType<typeof toFacts> =>
    toFacts(request, context.now())
  const limited = async <T>(
    request: AuthRequest | undefined,
    work: () => Promise<T>,
  ): Promise<T> => {
    await takeLimit('identities', toOwn(request))
    return work()
  }
  // A success does not count towards the limit.
  const login = async <T>(request: AuthRequest | undefined, work: () => Promise<T>): Promise<T> => {
    const takeBack = await takeLimit('identityLogin', toOwn(request))
    const result = await work()
    takeBack()
    return result
  }
  const lifetime = stepLifetime
  const expiresIn = lifetime / 1000
  return {
    async list(userId) {
      const found = await models.identities.find({ userId }).sort({ createdAt: 1 }).lean()
      return found.map(toView)
    },
    begin: (provider, input, options, request) =>
      limited(request, () => begin(parts, provider, input, options)),
    receive: (provider, response, request) =>
      limited(request, () => receive(parts, provider, response, toOwn(request))),
    complete: (input, request) =>
      login(request, () => completeLogin(parts, parseInput(loginInput, input), toOwn(request))),
    createNonce: (request) =>
      limited(request, async () => {
        const nonce = { provider: null, userId: null, data: null, lifetime }
        return { token: await steps.create('nonce', nonce), expiresIn }
      }),
    logInWithToken: (provider, input, request) =>
      login(request, () =>
        logInWithToken(parts, provider, parseInput(idTokenInput, input), toOwn(request)),
      ),
    createLink: (userId, provider, input, request) =>
      limited(request, async () => {
        requireClient(parts, provider)
        const link = { provider, userId, data: toPageStep(parts, input), lifetime }
        return { token: await steps.create('link', link), expiresIn }
      }),
    completeLink: (userId, input, request) =>
      login(request, async () => {
        const own = parseInput(completeInput, input)
        return toView(await completeLink(parts, userId, own, toOwn(request)))
      }),
    unlink: (userId, provider, request) => unlink(parts, { userId, provider }, request),
    tokens: createTokenReader(parts),
  }
}

async function unlink(
  { canLogIn, context, models }: IdentityParts,
  { userId, provider }: { userId: string; provider: string },
  request: AuthRequest | undefined,
): Promise<void> {
  await removeLogin(models.identities, { userId, provider }, () => canLogIn(userId))
  const facts = toFacts(request, context.now())
  context.events.emit('auth.identity_unlinked', facts, { userId })
}

function toView({ createdAt, email, lastUsedAt, provider }: IdentityDocument): IdentityView {
  return { provider, email, createdAt, lastUsedAt }
}
