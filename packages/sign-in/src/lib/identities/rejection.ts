import { ApiError } from '@create-api/core'
import { type RequestFacts } from '@create-api/core/auth'
import { AuthorizationResponseError, ResponseBodyError } from 'openid-client'
import { signInErrors } from '../errors.ts'
import { type IdentityParts } from './identity-parts.ts'
import { ProviderFailure } from './provider-fetch.ts'

// Why a login with a provider has not succeeded; what the application reads in the URL. No text of the provider is.
export type Rejection =
  | 'access_denied'
  | 'invalid_identity'
  | 'invalid_token'
  | 'provider_unavailable'

// Logs why the provider could not be used, or what it sent was not accepted.
export function toRejection(
  { context }: Pick<IdentityParts, 'context'>,
  provider: string,
  error: unknown,
): Exclude<Rejection, 'invalid_token'> {
  if (error instanceof AuthorizationResponseError && error.error === 'access_denied') {
    return 'access_denied'
  }
  const isFailure = isProviderFailure(error)
  const message = isFailure
    ? 'An identity provider cannot be used.'
    : 'The response of an identity provider was not accepted.'
  context.logger.warn({ err: error, provider }, message)
  return isFailure ? 'provider_unavailable' : 'invalid_identity'
}

export function toProviderError(
  parts: Pick<IdentityParts, 'context'>,
  provider: string,
  error: unknown,
): ApiError {
  const isFailure = toRejection(parts, provider, error) === 'provider_unavailable'
  const { invalid_identity: invalid, provider_unavailable: unavailable } = signInErrors
  return new ApiError(isFailure ? unavailable : invalid, { cause: error })
}

export function noteRejection(
  { context }: Pick<IdentityParts, 'context'>,
  facts: RequestFacts,
  reason: Rejection,
): void {
  context.events.emit('auth.identity_rejected', facts, { reason })
}

const failures = new Set(['server_error', 'temporarily_unavailable'])

// Of the errors of the token endpoint, only `invalid_grant` is about this login.
function isProviderFailure(error: unknown): boolean {
  if (error instanceof ProviderFailure) return true
  if (error instanceof AuthorizationResponseError) return failures.has(error.error)
  if (error instanceof ResponseBodyError) return error.error !== 'invalid_grant'
  return error instanceof Error && error.cause !== undefined && isProviderFailure(error.cause)
}
