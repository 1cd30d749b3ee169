import { z } from 'zod'

/** The result of `navigator.credentials.create()` as JSON: its `toJSON()` (Web Authentication Level 3, section 5.1). */
export interface RegistrationResponseJSON {
  /** Id of the credential in base64url. */
  readonly id: string
  /** The same. */
  readonly rawId: string
  /** Kind of the credential. */
  readonly type: 'public-key'
  /** Response of the authenticator. */
  readonly response: {
    /** What the browser has signed, in base64url. */
    readonly clientDataJSON: string
    /** Data of the authenticator in base64url. */
    readonly attestationObject: string
    /**
     * How the authenticator can be reached.
     * @default []
     */
    readonly transports?: readonly string[] | undefined
  }
}

/** The result of `navigator.credentials.get()` as JSON: its `toJSON()` (Web Authentication Level 3, section 5.1). */
export interface AuthenticationResponseJSON {
  /** Id of the credential in base64url. */
  readonly id: string
  /** The same. */
  readonly rawId: string
  /** Kind of the credential. */
  readonly type: 'public-key'
  /** Response of the authenticator. */
  readonly response: {
    /** What the browser has signed, in base64url. */
    readonly clientDataJSON: string
    /** Data of the authenticator in base64url. */
    readonly authenticatorData: string
    /** Signature in base64url. */
    readonly signature: string
    /**
     * The handle of the user in base64url; a login needs it.
     * @default undefined
     */
    readonly userHandle?: string | null | undefined
  }
}

/** The name of a passkey. */
export interface PasskeyNameInput {
  /** Name that the user gives to the passkey, 1 to 100 characters. */
  readonly name: string
}

/** The completion of a registration. */
export interface PasskeyRegistrationInput {
  /** The token of the beginning. */
  readonly requestToken: string
  /** What the authenticator returned. */
  readonly credential: RegistrationResponseJSON
  /**
   * Name that the user gives to the passkey, 1 to 100 characters.
   * @default 'Passkey'
   */
  readonly name?: string | undefined
}

/** The completion of a login, or of another proof. */
export interface PasskeyAssertionInput {
  /** The token of the beginning. */
  readonly requestToken: string
  /** What the authenticator returned. */
  readonly credential: AuthenticationResponseJSON
}

// One text for the same bytes: a decoder also accepts other last characters.
const base64url = (most: number): z.ZodType<string, string> =>
  z
    .string()
    .min(1)
    .max(most)
    .regex(/^[\w-]+$/, 'must be base64url')
    .refine((text) => Buffer.from(text, 'base64url').toString('base64url') === text, {
      error: 'must be base64url without padding',
    })

// At most 1,023 bytes (Web Authentication Level 3, section 4).
const credentialId = base64url(1364)
const clientDataJSON = base64url(4096)
const name = z.string().trim().min(1).max(100)
const requestToken = z.string().regex(/^[\w-]{43}$/, 'must be a token')

// Browsers send more members than these, and each version some others.
const ofCredential = {
  id: credentialId,
  rawId: credentialId,
  type: z.literal('public-key'),
}
const registrationResponse = z
  .object({
    ...ofCredential,
    response: z.object({
      clientDataJSON,
      attestationObject: base64url(16_384),
      transports: z.array(z.string().max(32)).max(10).optional(),
    }),
  })
  .meta({ id: 'RegistrationResponseJSON' })
const authenticationResponse = z
  .object({
    ...ofCredential,
    response: z.object({
      clientDataJSON,
      authenticatorData: base64url(4096),
      signature: base64url(4096),
      // At most 64 bytes.
      userHandle: base64url(86).nullish(),
    }),
  })
  .meta({ id: 'AuthenticationResponseJSON' })

export const registrationInput = z.strictObject({
  requestToken,
  credential: registrationResponse,
  name: name.optional(),
})
export const assertionInput = z.strictObject({ requestToken, credential: authenticationResponse })
export const nameInput = z.strictObject({ name })
export const passkeyParams = z.object({
  id: z.string().regex(/^[0-9a-f]{24}$/, 'must be the id of a passkey'),
})

export const passkeyView = z
  .object({
    id: z.string(),
    name: z.string(),
    transports: z.array(z.string()),
    backupEligible: z.boolean(),
    backedUp: z.boolean(),
    createdAt: z.iso.datetime(),
    lastUsedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Passkey' })

const descriptor = z.object({
  id: z.string(),
  type: z.literal('public-key'),
  transports: z.array(z.string()).optional(),
})
const userVerification = z.enum(['required', 'preferred'])
const begun = { requestToken: z.string(), expiresIn: z.int() }

export const begunRegistration = z.object({
  ...begun,
  publicKey: z
    .object({
      rp: z.object({ id: z.string(), name: z.string() }),
      user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
      challenge: z.string(),
      pubKeyCredParams: z.array(z.object({ type: z.literal('public-key'), alg: z.int() })),
      timeout: z.int(),
      excludeCredentials: z.array(descriptor),
      authenticatorSelection: z.object({
        residentKey: z.literal('required'),
        requireResidentKey: z.literal(true),
        userVerification,
      }),
      attestation: z.literal('none'),
    })
    .meta({ id: 'PublicKeyCredentialCreationOptionsJSON' }),
})
export const begunAssertion = z.object({
  ...begun,
  publicKey: z
    .object({
      challenge: z.string(),
      timeout: z.int(),
      rpId: z.string(),
      allowCredentials: z.array(descriptor),
      userVerification,
    })
    .meta({ id: 'PublicKeyCredentialRequestOptionsJSON' }),
})

/** What a browser passes to `navigator.credentials.create()` as `publicKey`, with `PublicKeyCredential.parseCreationOptionsFromJSON()`. */
export type CreationOptionsJSON = z.output<typeof begunRegistration>['publicKey']
/** What a browser passes to `navigator.credentials.get()` as `publicKey`, with `PublicKeyCredential.parseRequestOptionsFromJSON()`. */
export type RequestOptionsJSON = z.output<typeof begunAssertion>['publicKey']
