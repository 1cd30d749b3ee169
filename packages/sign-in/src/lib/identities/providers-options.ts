import { type Duration, parseDuration } from '@create-api/core/internal/sign-in'
import { z } from 'zod'
import { type IdentitySettings } from './identity-parts.ts'
import { type ProviderClaims, type ProviderFetch } from './provider.ts'

/** Options for {@link providers}. */
export interface ProvidersOptions {
  /**
   * Origin of the API as browsers reach it, for the callback: `https://api.example.com`. Required in production.
   * @default that of the request
   */
  readonly apiUrl?: string | undefined
  /**
   * URLs of the application that browsers can return to, compared as a whole; the first one is the default. An application
   * can have its own scheme.
   * @default '/login-callback' below `appUrl` of `auth.mail`
   */
  readonly returnUrls?: readonly string[] | undefined
  /**
   * Whether a login creates a user for an account that is not linked.
   * @default whether there is the built-in route `register`
   */
  readonly registration?: boolean | undefined
  /**
   * Own fields of a new user, from the claims of the provider.
   * @default () => ({})
   */
  readonly fields?: ((claims: ProviderClaims) => Readonly<Record<string, unknown>>) | undefined
  /**
   * Time that a provider has for a response, 1s to 1m.
   * @default '10s'
   */
  readonly timeout?: Duration | undefined
  /**
   * Sends requests to the providers, for example through a proxy.
   * @default fetch
   */
  readonly fetch?: ProviderFetch | undefined
}

const known = z.strictObject({
  apiUrl: z
    .string()
    .refine(
      (text) => /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text,
      {
        error: "must be an origin such as 'https://api.example.com', without a path",
      },
    )
    .optional(),
  returnUrls: z
    .array(z.string().refine(isReturnUrl, { error: 'must be a URL without a fragment' }))
    .min(1)
    .optional(),
  registration: z.boolean().optional(),
  fields: z
    .custom<NonNullable<ProvidersOptions['fields']>>((value) => typeof value === 'function')
    .default(() => () => ({})),
  timeout: z.union([z.string(), z.number()]).default('10s'),
  fetch: z
    .custom<ProviderFetch>((value) => typeof value === 'function')
    .default(() => (url: string, init: RequestInit) => fetch(url, init)),
})

// Throws TypeError that names the option.
export function readProvidersOptions(options: ProvidersOptions): IdentitySettings {
  const { success, data, error } = known.safeParse(options)
  if (!success) {
    const [issue] = error.issues
    throw new TypeError(
      `providers(): ${issue?.path.join('.') || 'options'}: ${issue?.message ?? 'not valid'}`,
    )
  }
  const timeout = parseDuration(data.timeout, 'providers(): timeout')
  if (timeout < 1000 || timeout > 60_000) {
    throw new TypeError('providers(): timeout must be from 1s to 1m.')
  }
  const { apiUrl, fetch: send, fields: toFields, registration, returnUrls } = data
  return { apiUrl, returnUrls, registration, toFields, timeout, send }
}

// A fragment would hide the code from servers, and schemes such as `javascript:` run it.
function isReturnUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { hash, protocol } = new URL(text)
  return hash === '' && !['javascript:', 'data:', 'vbscript:', 'blob:', 'file:'].includes(protocol)
}
