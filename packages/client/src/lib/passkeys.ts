/** What the routes that begin return. */
export interface BegunPasskey {
  /** Token that completes it. */
  readonly requestToken: string
  /** Remaining lifetime in seconds. */
  readonly expiresIn: number
  /** The options for the authenticator as JSON. */
  readonly publicKey: object
}

/** What the routes that complete take. */
export interface PasskeyResponse {
  /** The token of the beginning. */
  readonly requestToken: string
  /** The response of the authenticator as JSON. */
  readonly credential: object
}

/** The routes of a registration, of `client.auth`. */
export interface PasskeyRegistration<Passkey> {
  /** Begins it. */
  beginPasskeyRegistration(): Promise<BegunPasskey>
  /** Completes it. */
  completePasskeyRegistration(body: PasskeyResponse & { readonly name?: string }): Promise<Passkey>
}

/** The routes of a login, of `client.auth`. */
export interface PasskeyLogin<Grant> {
  /** Begins it. */
  beginPasskeyLogin(): Promise<BegunPasskey>
  /** Completes it. */
  completePasskeyLogin(body: PasskeyResponse): Promise<Grant>
}

/** The routes of a recent proof, of `client.auth`. */
export interface PasskeyReauthentication {
  /** Begins it. */
  beginPasskeyReauthentication(): Promise<BegunPasskey>
  /** Completes it. */
  reauthenticateByPasskey(body: PasskeyResponse): Promise<unknown>
}

/** Options of a call that asks for a passkey. */
export interface PasskeyCallOptions {
  /**
   * Ends the call, which then rejects with the reason of the signal.
   * @default undefined
   */
  readonly signal?: AbortSignal
}

/** Options of a login. */
export interface PasskeyLoginOptions extends PasskeyCallOptions {
  /**
   * Whether passkeys are offered in the autofill of a field with `autocomplete="username webauthn"` instead of a dialog
   * (conditional mediation). The call then waits until the user chooses one, and another call ends it.
   * @default false
   */
  readonly conditional?: boolean
}

/**
 * Registers a passkey of the user who is logged in. The service requires a recent proof.
 * @param auth - the routes: `client.auth`
 * @param options - a name for the passkey, and a signal
 * @returns the passkey
 * @throws Failure of the service; DOMException of the browser: `NotAllowedError` when the user cancels,
 * `InvalidStateError` when the authenticator has a passkey of the user
 * @example
 * ```ts
 * import { registerPasskey } from '@create-api/client/passkeys'
 *
 * const passkey = await registerPasskey(client.auth, { name: 'My laptop' })
 * ```
 */
export async function registerPasskey<Passkey>(
  auth: PasskeyRegistration<Passkey>,
  options: PasskeyCallOptions & { readonly name?: string } = {},
): Promise<Passkey> {
  const { name, signal } = options
  const { publicKey, requestToken } = await auth.beginPasskeyRegistration()
  const credential = await ask('create', { publicKey }, [signal])
  const response = { requestToken, credential }
  return auth.completePasskeyRegistration(name === undefined ? response : { ...response, name })
}

/**
 * Logs in with a passkey. The session of the client begins.
 * @param auth - the routes: `client.auth`
 * @param options - autofill instead of a dialog, and a signal
 * @returns what the login returns
 * @throws Failure of the service, also `second_factor_required`; DOMException of the browser: `NotAllowedError` when the
 * user cancels, `AbortError` when another call has ended this one
 * @example
 * ```ts
 * import { loginWithPasskey } from '@create-api/client/passkeys'
 *
 * await loginWithPasskey(client.auth)
 * ```
 */
export async function loginWithPasskey<Grant>(
  auth: PasskeyLogin<Grant>,
  options: PasskeyLoginOptions = {},
): Promise<Grant> {
  const { conditional = false, signal } = options
  for (;;) {
    const { expiresIn, publicKey, requestToken } = await auth.beginPasskeyLogin()
    // Of the lifetime, a tenth is left for the authenticator and the request.
    const expiry = conditional ? AbortSignal.timeout(expiresIn * 900) : undefined
    const request = { publicKey, ...(conditional && { mediation: 'conditional' }) }
    const credential = await ask('get', request, [signal, expiry]).catch((error: unknown) => {
      // The user has not chosen yet: another challenge takes its place.
      if (expiry?.aborted && !signal?.aborted) return undefined
      throw error
    })
    if (credential) return auth.completePasskeyLogin({ requestToken, credential })
  }
}

/**
 * Proves the identity of the user who is logged in again, for routes that respond with `reauthentication_required`.
 * @param auth - the routes: `client.auth`
 * @param options - a signal
 * @throws Failure of the service; DOMException of the browser: `NotAllowedError` when the user cancels
 * @example
 * ```ts
 * import { reauthenticateWithPasskey } from '@create-api/client/passkeys'
 *
 * await reauthenticateWithPasskey(client.auth)
 * ```
 */
export async function reauthenticateWithPasskey(
  auth: PasskeyReauthentication,
  options: PasskeyCallOptions = {},
): Promise<void> {
  const { signal } = options
  const { publicKey, requestToken } = await auth.beginPasskeyReauthentication()
  const credential = await ask('get', { publicKey }, [signal])
  await auth.reauthenticateByPasskey({ requestToken, credential })
}

/**
 * Whether the browser can offer passkeys in the autofill of a field.
 * @returns whether `conditional` works
 */
export async function canAutofillPasskeys(): Promise<boolean> {
  const { PublicKeyCredential } = globalThis as Platform
  return (await PublicKeyCredential?.isConditionalMediationAvailable?.()) ?? false
}

// The parts of the browser that are used.
interface Platform {
  readonly PublicKeyCredential?: { isConditionalMediationAvailable?(): Promise<boolean> }
  readonly navigator?: {
    readonly credentials?: Record<'create' | 'get', (options: object) => Promise<unknown>>
  }
}

// A browser runs one request at a time: one that waits in the autofill ends with the next one.
let waiting: AbortController | undefined

async function ask(
  method: 'create' | 'get',
  { publicKey, ...options }: { readonly publicKey: object },
  signals: readonly (AbortSignal | undefined)[],
): Promise<object> {
  const { navigator } = globalThis as Platform
  if (!navigator?.credentials) {
    throw new Error('No passkeys: they need a browser, and a page with https or on localhost.')
  }
  waiting?.abort()
  const controller = new AbortController()
  waiting = controller
  for (const signal of signals) {
    const end = (): void => controller.abort(signal?.reason)
    if (signal?.aborted) end()
    signal?.addEventListener('abort', end, { signal: controller.signal })
  }
  const request = { ...options, publicKey: toOptions(publicKey), signal: controller.signal }
  try {
    return toJson(await navigator.credentials[method](request))
  } finally {
    // Removes the listeners.
    controller.abort()
  }
}

// As `parseCreationOptionsFromJSON` and `parseRequestOptionsFromJSON`, which older browsers do not have.
function toOptions(publicKey: object): object {
  const { allowCredentials, challenge, excludeCredentials, user } = publicKey as Json
  return {
    ...publicKey,
    challenge: toBytes(challenge),
    ...(user && { user: withBytes(user) }),
    ...(allowCredentials && { allowCredentials: allowCredentials.map(withBytes) }),
    ...(excludeCredentials && { excludeCredentials: excludeCredentials.map(withBytes) }),
  }
}

interface Json {
  readonly challenge: string
  readonly user?: { readonly id: string }
  readonly allowCredentials?: readonly { readonly id: string }[]
  readonly excludeCredentials?: readonly { readonly id: string }[]
}

function withBytes(value: { readonly id: string }): object {
  return { ...value, id: toBytes(value.id) }
}

const binaryMembers = [
  'clientDataJSON',
  'attestationObject',
  'authenticatorData',
  'signature',
  'userHandle',
] as const

type BinaryMember = (typeof binaryMembers)[number]

// As `toJSON`, which password managers that replace the functions of the browser leave out.
function toJson(credential: unknown): object {
  const { id, response, type } = credential as Credential
  const texts = binaryMembers.flatMap((name) => {
    const value = response[name]
    return value ? [[name, toText(value)] as const] : []
  })
  const transports = response.getTransports?.()
  return {
    id,
    rawId: id,
    type,
    response: { ...Object.fromEntries(texts), ...(transports && { transports }) },
  }
}

interface Credential {
  readonly id: string
  readonly type: string
  readonly response: Readonly<Partial<Record<BinaryMember, ArrayBuffer | null>>> & {
    getTransports?(): string[]
  }
}

function toBytes(base64url: string): Uint8Array {
  const binary = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}

function toText(bytes: ArrayBuffer): string {
  const base64 = btoa(String.fromCharCode(...new Uint8Array(bytes)))
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
