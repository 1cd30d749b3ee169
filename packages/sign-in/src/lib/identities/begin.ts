import { ApiError } from '@create-api/core'
import { parseInput } from '@create-api/core/internal/sign-in'
import { createToken, toDigest } from '../digest.ts'
import { type IdentityParts } from './identity-parts.ts'
import { type BeginInput } from './identity-schemas.ts'
import { type PageStep } from './identity-steps.ts'
import { type Authorization, type ProviderClient } from './provider-client.ts'
import { ProviderFailure } from './provider-fetch.ts'
import { toProviderError } from './rejection.ts'

/** An authorization request that the browser has to be sent to. */
export interface AuthorizationRequest {
  /** URL of the provider. */
  readonly url: string
  /** Token for a cookie that only this browser has; `receive` needs it. */
  readonly browserToken: string
  /** Remaining lifetime in seconds. */
  readonly expiresIn: number
}

/** What a login with a provider needs of the request. */
export interface BeginOptions {
  /** URL of the callback, which the provider knows. */
  readonly redirectUri: string
  /**
   * The token that the browser has from another login.
   * @default undefined, a new one
   */
  readonly browserToken?: string | undefined
}

export const stepLifetime = 600_000

// Throws ApiError `not_found`, `validation_failed`, `invalid_token` or `provider_unavailable`.
export async function begin(
  parts: IdentityParts,
  provider: string,
  input: BeginInput | { readonly linkToken: string },
  { browserToken = createToken(), redirectUri }: BeginOptions,
): Promise<AuthorizationRequest> {
  const { steps } = parts
  const client = requireClient(parts, provider)
  const { data, userId } =
    'linkToken' in input
      ? await takeLink(parts, provider, input.linkToken)
      : { data: toPageStep(parts, input), userId: null }
  const state = await steps.create('state', {
    provider,
    userId,
    lifetime: stepLifetime,
    data: { ...data, redirectUri, browser: toDigest(browserToken) },
  })
  const url = await client
    .toUrl(toAuthorization({ state, redirectUri, browserToken }))
    .catch((error: unknown) => {
      const failure = new ProviderFailure('No request can be sent to it.', { cause: error })
      throw toProviderError(parts, provider, failure)
    })
  return { url, browserToken, expiresIn: stepLifetime / 1000 }
}

// Nonce and verifier follow from the token in the cookie: another browser has others, and none is stored.
export function toAuthorization({
  browserToken,
  redirectUri,
  state,
}: {
  readonly browserToken: string
  readonly redirectUri: string
  readonly state: string
}): Authorization {
  return {
    state,
    redirectUri,
    nonce: toDigest('nonce', browserToken, state),
    codeVerifier: toDigest('verifier', browserToken, state),
  }
}

export function requireClient({ clients }: IdentityParts, provider: string): ProviderClient {
  const client = clients.get(provider)
  if (!client) throw new ApiError('not_found')
  return client
}

export function toPageStep({ pageInput, returnUrls }: IdentityParts, input: BeginInput): PageStep {
  const { codeChallenge, returnTo = returnUrls[0] } = parseInput(pageInput, input)
  return { codeChallenge, returnTo }
}

async function takeLink(
  { steps }: IdentityParts,
  provider: string,
  linkToken: string,
): Promise<{ readonly data: PageStep; readonly userId: string | null }> {
  const step = await steps.find('link', linkToken)
  if (step?.provider !== provider || !(await steps.take('link', linkToken))) {
    throw new ApiError('invalid_token')
  }
  return step
}
