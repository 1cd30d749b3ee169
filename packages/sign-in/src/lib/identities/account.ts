import { type SignInContext } from '@create-api/core/internal/sign-in'
import { toDigest } from '../digest.ts'
import { type StoredTokens } from './provider-client.ts'
import { type IdentityProvider, type ProviderClaims } from './provider.ts'

// An account of a provider that was verified.
export interface Account {
  /** Digest of issuer and subject. */
  readonly id: string
  /** Name of the provider in the options. */
  readonly provider: string
  /** Canonical address, or null without a usable one. */
  readonly email: string | null
  /** Whether the provider has verified the address. */
  readonly isVerified: boolean
  /** Whether the provider decides who owns the address. */
  readonly isTrusted: boolean
  /** Own fields of a new user. */
  readonly fields: Readonly<Record<string, unknown>>
  /** Undefined when they are not kept. */
  readonly tokens?: StoredTokens | undefined
}

export interface AccountOptions {
  readonly provider: IdentityProvider
  readonly name: string
  readonly schemas: Pick<SignInContext['schemas'], 'email'>
  readonly toFields: (claims: ProviderClaims) => Readonly<Record<string, unknown>>
}

// Throws Error for claims without a subject.
export function toAccount(
  { name, provider, schemas, toFields }: AccountOptions,
  claims: ProviderClaims,
  tokens?: StoredTokens,
): Account {
  const { iss = provider.issuer, sub } = claims
  if (typeof sub !== 'string' || sub === '' || sub.length > 255) {
    throw new Error('The claims have no subject.')
  }
  const { success, data: email } = schemas.email.safeParse(claims['email'])
  const isVerified = success && provider.verifiesEmail(claims)
  return {
    id: toDigest(String(iss), sub),
    provider: name,
    email: success ? email : null,
    isVerified,
    isTrusted: isVerified && provider.trustsEmail(claims),
    fields: toFields(claims),
    ...(provider.options.keepTokens ? { tokens } : {}),
  }
}
