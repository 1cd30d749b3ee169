// The groups are the topics of the API reference: a comment names the topic and its guides.

// Logins with other providers: docs/sign-in.md#login-with-other-providers
export { providers } from './lib/identities/identity-way.ts'
export { type ProvidersOptions } from './lib/identities/providers-options.ts'
export {
  apple,
  type AppleOptions,
  github,
  type GithubOptions,
  google,
  microsoft,
  type MicrosoftOptions,
  openId,
  type OpenIdOptions,
} from './lib/identities/presets.ts'
export {
  type IdentityProvider,
  type ProviderClaims,
  type ProviderFetch,
  type ProviderOptions,
  type SecretOptions,
} from './lib/identities/provider.ts'
export {
  type Identities,
  type IdentityToken,
  type IdentityView,
} from './lib/identities/identities.ts'
export { type AuthorizationRequest, type BeginOptions } from './lib/identities/begin.ts'
export {
  type BeginInput,
  type CompleteIdentityInput,
  type IdentityLoginInput,
  type IdTokenInput,
} from './lib/identities/identity-schemas.ts'
export { type ProviderTokens } from './lib/identities/provider-tokens.ts'
export { type ProviderResponse } from './lib/identities/receive.ts'
