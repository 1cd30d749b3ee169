import { z } from 'zod'

/** The begin of a login with a provider. */
export interface BeginInput {
  /** SHA-256 of the verifier that the page keeps, in base64url (RFC 7636, section 4.2). */
  readonly codeChallenge: string
  /**
   * One of `returnUrls`.
   * @default the first one
   */
  readonly returnTo?: string | undefined
}

/** The end of a login with a provider. */
export interface CompleteIdentityInput {
  /** The code in the URL that the browser returned to. */
  readonly code: string
  /** The verifier of `codeChallenge` (RFC 7636, section 4.1). */
  readonly codeVerifier: string
}

/** The end of a login with a provider that can create a user. */
export interface IdentityLoginInput extends CompleteIdentityInput {
  /**
   * Own fields of a new user; those that the option `fields` takes from the provider need not be among them.
   * @default {}
   */
  readonly fields?: Readonly<Record<string, unknown>> | undefined
}

/** A login of an application that has an ID token. */
export interface IdTokenInput extends Pick<IdentityLoginInput, 'fields'> {
  /** ID token of the provider. */
  readonly idToken: string
  /** The nonce that was created for it. */
  readonly nonce: string
}

const token = z.string().regex(/^[\w-]{43}$/, 'must be a token')
const fields = z.record(z.string(), z.unknown()).optional()
const codeVerifier = z
  .string()
  .regex(/^[\w.~-]{43,128}$/, 'must have 43 to 128 characters of A-Z a-z 0-9 - . _ ~')

const codeChallenge = z.string().regex(/^[\w-]{43}$/, 'must be a SHA-256 in base64url')

export type PageInput = ReturnType<typeof createPageInput>

// A URL is compared as a whole: no part of it can lead elsewhere (RFC 9700, section 4.11).
// oxlint-disable-next-line typescript/explicit-module-boundary-types -- the schema is its own type
export function createPageInput(returnUrls: readonly string[]) {
  return z.strictObject({ codeChallenge, returnTo: z.enum(returnUrls).optional() })
}

// oxlint-disable-next-line typescript/explicit-module-boundary-types -- the schema is its own type
export function createBeginQuery(returnUrls: readonly string[]) {
  const input = createPageInput(returnUrls).partial()
  return input
    .extend({ linkToken: token.optional() })
    .refine((query) => (query.linkToken === undefined) !== (query.codeChallenge === undefined), {
      error: 'needs either codeChallenge or linkToken',
    })
}

export const completeInput = z.strictObject({ code: token, codeVerifier })
export const loginInput = z.strictObject({ ...completeInput.shape, fields })
export const idTokenInput = z.strictObject({
  idToken: z.string().min(1).max(16_384),
  nonce: token,
  fields,
})

// Providers may send more.
export const callbackQuery = z.looseObject({})
export const callbackBody = z.looseObject({})

const identity = z
  .object({
    provider: z.string(),
    email: z.string().nullable(),
    createdAt: z.iso.datetime(),
    lastUsedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Identity' })

export const identityView = identity
export const identityList = z.array(identity)
export const linkRequest = z.object({ url: z.string(), expiresIn: z.int() })
export const issuedNonce = z.object({ nonce: z.string(), expiresIn: z.int() })

// Throws TypeError when a name is not valid, or is part of the path of a route.
export function requireProviderName(name: string): void {
  if (/^[a-z][a-z0-9-]{0,31}$/.test(name) && !['complete', 'link', 'nonce'].includes(name)) return
  throw new TypeError(
    `providers(): '${name}' must consist of a-z, 0-9 and -, and must not be complete, link or nonce.`,
  )
}
