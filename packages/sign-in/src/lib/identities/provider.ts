import { type ClientAuth, type ServerMetadata } from 'openid-client'

/** Claims about an account of a provider, as the provider sends them. */
export type ProviderClaims = Readonly<Record<string, unknown>>

/** Options that all providers have in common. */
export interface ProviderOptions {
  /** Id of the client, as the provider has registered it. */
  readonly clientId: string
  /**
   * Further client ids whose ID tokens are accepted: those of your applications.
   * @default []
   */
  readonly audiences?: readonly string[] | undefined
  /**
   * Scopes to request besides those that a login needs.
   * @default []
   */
  readonly scopes?: readonly string[] | undefined
  /**
   * Further parameters of the authorization request, such as `{ prompt: 'select_account' }`.
   * @default {}
   */
  readonly parameters?: Readonly<Record<string, string>> | undefined
  /**
   * Whether the provider decides who owns an address that it has verified, so that a login can be linked to the user who has that
   * address: for all addresses, or by the claims.
   * @default depends on the provider
   */
  readonly trustEmail?: boolean | ((claims: ProviderClaims) => boolean) | undefined
  /**
   * Whether the tokens of the provider are kept, encrypted, for `auth.identities.tokens`.
   * @default false
   */
  readonly keepTokens?: boolean | undefined
}

/** Options of providers whose client has a secret. */
export interface SecretOptions extends ProviderOptions {
  /**
   * Secret of the client.
   * @default undefined, a public client
   */
  readonly clientSecret?: string | undefined
}

/** A provider, created by `google`, `microsoft`, `github`, `apple` or `openId`. */
export interface IdentityProvider {
  /** Issuer, as its ID tokens name it. */
  readonly issuer: string
  /** Its endpoints, where it has no discovery document. */
  readonly metadata: ServerMetadata | undefined
  /** Further names of the issuer in ID tokens. */
  readonly aliases: readonly string[]
  /** The options that it was created with. */
  readonly options: ProviderOptions
  /** How the client authenticates, where it is not by `clientSecret`. */
  readonly clientAuth: ClientAuth | undefined
  /** Secret of the client; undefined for a public one. */
  readonly clientSecret: string | undefined
  /** Scopes to request. */
  readonly scopes: readonly string[]
  /** Further parameters of the authorization request. */
  readonly parameters: Readonly<Record<string, string>>
  /** Whether the provider has verified the address. */
  readonly verifiesEmail: (claims: ProviderClaims) => boolean
  /** Whether the provider decides who owns the address. */
  readonly trustsEmail: (claims: ProviderClaims) => boolean
  /** Reads the claims with an access token, where there are no ID tokens. */
  readonly readClaims:
    | ((send: ProviderFetch, accessToken: string) => Promise<ProviderClaims>)
    | undefined
}

/** Sends a request to a provider, as `fetch` does. */
export type ProviderFetch = (url: string, init: RequestInit) => Promise<Response>
