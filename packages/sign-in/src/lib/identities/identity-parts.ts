import { type ProviderClaims, type ProviderFetch } from './provider.ts'
import { type PageInput } from './identity-schemas.ts'
import { type IdentityModels } from './identity-models.ts'
import { type IdentitySteps } from './identity-steps.ts'
import { type ProviderClient } from './provider-client.ts'
import { type WayParts } from '../way.ts'

// The options with their defaults.
export interface IdentitySettings {
  /** Origin of the API; undefined for that of the request. */
  readonly apiUrl: string | undefined
  /** Where browsers may return to; undefined for a page below `appUrl` of `auth.mail`. */
  readonly returnUrls: readonly string[] | undefined
  /** Undefined: if there is a route that registers users. */
  readonly registration: boolean | undefined
  readonly toFields: (claims: ProviderClaims) => Readonly<Record<string, unknown>>
  /** In milliseconds. */
  readonly timeout: number
  readonly send: ProviderFetch
}

// What the functions of identities work with.
export interface IdentityParts extends Omit<WayParts, 'freshness'> {
  readonly settings: Omit<IdentitySettings, 'returnUrls'>
  readonly pageInput: PageInput
  /** Where browsers may return to; the first one is the default. */
  readonly returnUrls: readonly [string, ...string[]]
  readonly clients: ReadonlyMap<string, ProviderClient>
  readonly models: IdentityModels
  readonly steps: IdentitySteps
}
