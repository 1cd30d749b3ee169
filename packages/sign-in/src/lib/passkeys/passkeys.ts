import { type AuthGrant, type AuthRequest, type SessionCaller } from '@create-api/core/auth'
import {
  type CreationOptionsJSON,
  type PasskeyAssertionInput,
  type PasskeyNameInput,
  type PasskeyRegistrationInput,
  type RequestOptionsJSON,
} from './passkey-schemas.ts'

/** A passkey as its user sees it. */
export interface PasskeyView {
  /** Id of the passkey. */
  readonly id: string
  /** Name that the user gave it. */
  readonly name: string
  /** How its authenticator can be reached: `internal`, `hybrid`, `usb`, `nfc`, `ble`. */
  readonly transports: readonly string[]
  /** Whether it can be copied to other devices; it never changes. */
  readonly backupEligible: boolean
  /** Whether it was copied, as of its last use. */
  readonly backedUp: boolean
  /** Time of the registration. */
  readonly createdAt: Date
  /** Time of the last use. */
  readonly lastUsedAt: Date | null
}

/** The beginning of a registration. */
export interface BegunPasskeyRegistration {
  /** Token that completes it. Keep it in the browser that began. */
  readonly requestToken: string
  /** Remaining lifetime in seconds. */
  readonly expiresIn: number
  /** For `navigator.credentials.create()`. */
  readonly publicKey: CreationOptionsJSON
}

/** The beginning of a login, or of another proof. */
export interface BegunPasskeyAssertion {
  /** Token that completes it. Keep it in the browser that began. */
  readonly requestToken: string
  /** Remaining lifetime in seconds. */
  readonly expiresIn: number
  /** For `navigator.credentials.get()`. */
  readonly publicKey: RequestOptionsJSON
}

/**
 * The passkeys of users. The built-in routes call the same functions. Each validates its input. With the request as the
 * last argument, the limits of its address apply, and security events contain address and request id. A challenge works
 * once, within five minutes, with the token of its beginning.
 */
export interface Passkeys {
  /**
   * Lists the passkeys of a user.
   * @param userId - id of the user
   * @returns the passkeys, the oldest first
   */
  list(userId: string): Promise<PasskeyView[]>
  /**
   * Begins a registration in a session. Require a recent proof before.
   * @param caller - the user and the session
   * @param request - the request that it belongs to
   * @returns a token, and the options for the authenticator
   * @throws ApiError `not_found`, `too_many_passkeys` (20) or `rate_limited`
   */
  beginRegistration(
    caller: Required<SessionCaller>,
    request?: AuthRequest,
  ): Promise<BegunPasskeyRegistration>
  /**
   * Registers a passkey in the session that began it.
   * @param caller - the user and the session
   * @param input - the token, what the authenticator returned, and a name
   * @param request - the request that it belongs to
   * @returns the passkey
   * @throws ApiError `validation_failed`, `invalid_token`, `invalid_passkey`, `passkey_exists`, `too_many_passkeys` or
   * `rate_limited`
   */
  completeRegistration(
    caller: Required<SessionCaller>,
    input: PasskeyRegistrationInput,
    request?: AuthRequest,
  ): Promise<PasskeyView>
  /**
   * Begins a login. It asks for no address: the authenticator knows its users.
   * @param request - the request that it belongs to
   * @returns a token, and the options for the authenticator
   * @throws ApiError `rate_limited`
   */
  beginLogin(request?: AuthRequest): Promise<BegunPasskeyAssertion>
  /**
   * Completes a login, and opens a session. If the authenticator has verified the user, the login needs no second factor.
   * @param input - the token, and what the authenticator returned
   * @param request - the request that it belongs to
   * @returns the user and tokens
   * @throws ApiError `validation_failed`, `invalid_token`, `invalid_passkey`, `second_factor_required`,
   * `second_factor_setup_required` or `rate_limited`
   */
  completeLogin(input: PasskeyAssertionInput, request?: AuthRequest): Promise<AuthGrant>
  /**
   * Begins another proof of the identity in a session.
   * @param caller - the user and the session
   * @param request - the request that it belongs to
   * @returns a token, and the options for the authenticator
   * @throws ApiError `rate_limited`
   */
  beginReauthentication(
    caller: Required<SessionCaller>,
    request?: AuthRequest,
  ): Promise<BegunPasskeyAssertion>
  /**
   * Verifies a passkey of a user, and notes in the session that the identity was proved now, for routes with `fresh`. The
   * authenticator must verify the user.
   * @param caller - the user and the session
   * @param input - the token, and what the authenticator returned
   * @param request - the request that it belongs to
   * @throws ApiError `validation_failed`, `invalid_token`, `invalid_passkey`, `session_revoked` or `rate_limited`
   */
  reauthenticate(
    caller: Required<SessionCaller>,
    input: PasskeyAssertionInput,
    request?: AuthRequest,
  ): Promise<void>
  /**
   * Renames a passkey.
   * @param userId - id of the user
   * @param id - id of the passkey
   * @param input - the new name
   * @returns the passkey
   * @throws ApiError `validation_failed` or `not_found`
   */
  rename(userId: string, id: string, input: PasskeyNameInput): Promise<PasskeyView>
  /**
   * Removes a passkey. The user keeps a way to log in: another passkey, a password, mail to a verified address, or another
   * way of `createSignIn`.
   * @param userId - id of the user
   * @param id - id of the passkey
   * @param request - the request that it belongs to
   * @throws ApiError `not_found` or `last_login_method`
   */
  remove(userId: string, id: string, request?: AuthRequest): Promise<void>
}
