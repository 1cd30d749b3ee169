import { type AuthGrant, type AuthRequest, type SessionCaller } from '@create-api/core/auth'
import {
  type CodeInput,
  type ConfirmInput,
  type DeviceStepInput,
  type EnrolInput,
  type StepInput,
} from './factor-schemas.ts'

/** A second factor as its user sees it. */
export interface FactorView {
  /** Id of the factor. */
  readonly id: string
  /** Kind of the factor: an authenticator application. */
  readonly kind: 'totp'
  /** Name that the user gave it. */
  readonly name: string
  /** Time of the confirmation. */
  readonly createdAt: Date
  /** Time of the last use. */
  readonly lastUsedAt: Date | null
}

/** The second factors of a user. */
export interface FactorList {
  /** The confirmed ones. */
  readonly factors: readonly FactorView[]
  /** How many recovery codes have not been used. */
  readonly recoveryCodes: number
  /** How many devices need no code. */
  readonly trustedDevices: number
}

/** A factor that has to be confirmed with a code within 15 minutes. */
export interface TotpEnrolment {
  /** Id of the factor. */
  readonly id: string
  /** The secret in base32, for typing. */
  readonly secret: string
  /** The Key URI of the secret, for a QR code. */
  readonly uri: string
}

/** User and tokens, and what the login has created. */
export interface SecondFactorGrant extends AuthGrant {
  /**
   * Codes that each work once instead of the factor, if the login has set up the first one. They cannot be read again.
   * @default undefined
   */
  readonly recoveryCodes?: readonly string[] | undefined
  /**
   * Token with which this device needs no code, after a login with `trustDevice`.
   * @default undefined
   */
  readonly deviceToken?: string | undefined
}

/**
 * The second factors of users. The built-in routes call the same functions. Each validates its input. With the request as
 * the last argument, the limits of its address apply, and security events contain address and request id.
 */
export interface Factors {
  /**
   * Lists the factors of a user.
   * @param userId - id of the user
   * @returns the factors, the oldest first, and the numbers of recovery codes and trusted devices
   */
  list(userId: string): Promise<FactorList>
  /**
   * Creates the secret of an authenticator application. The factor is needed for logins after `confirmTotp`.
   * @param userId - id of the user
   * @param input - a name
   * @param request - the request that it belongs to
   * @returns the secret, which cannot be read again
   * @throws ApiError `validation_failed`, `not_found` or `too_many_factors`
   */
  enrolTotp(userId: string, input?: EnrolInput, request?: AuthRequest): Promise<TotpEnrolment>
  /**
   * Confirms a factor with a code of the application.
   * @param userId - id of the user
   * @param input - id of the factor, and the code
   * @param request - the request that it belongs to
   * @returns ten recovery codes with the first factor, which cannot be read again; undefined with others
   * @throws ApiError `validation_failed`, `not_found`, `invalid_code` or `rate_limited`
   */
  confirmTotp(
    userId: string,
    input: ConfirmInput,
    request?: AuthRequest,
  ): Promise<string[] | undefined>
  /**
   * Removes a factor, and ends the trust in devices; with the last one, the recovery codes are removed too.
   * @param userId - id of the user
   * @param id - id of the factor
   * @param request - the request that it belongs to
   * @throws ApiError `not_found`
   */
  remove(userId: string, id: string, request?: AuthRequest): Promise<void>
  /**
   * Creates ten recovery codes, which replace those of before.
   * @param userId - id of the user
   * @param request - the request that it belongs to
   * @returns the codes, which cannot be read again
   * @throws ApiError `not_found` when the user has no factor
   */
  createRecoveryCodes(userId: string, request?: AuthRequest): Promise<string[]>
  /**
   * Sets up a factor in a login that requires one (`second_factor_setup_required`); `completeLogin` confirms it.
   * @param input - the token of the error
   * @param request - the request that it belongs to
   * @returns the secret, which cannot be read again
   * @throws ApiError `validation_failed`, `invalid_token`, `too_many_factors` or `rate_limited`
   */
  enrolAtLogin(input: Pick<StepInput, 'token'>, request?: AuthRequest): Promise<TotpEnrolment>
  /**
   * Completes a login that requires a second factor, and opens a session. On a trusted device, the login is not a recent proof for
   * routes with `fresh`.
   * @param input - the token of the error, and a code of the application, a recovery code or the token of a trusted device
   * @param request - the request that it belongs to
   * @returns the user and tokens
   * @throws ApiError `validation_failed`, `invalid_token`, `invalid_code`, `invalid_credentials` or `rate_limited`
   */
  completeLogin(
    input: StepInput | DeviceStepInput,
    request?: AuthRequest,
  ): Promise<SecondFactorGrant>
  /**
   * Verifies a code of a user, and notes in the session that the identity was proved now, for routes with `fresh`.
   * @param caller - the user and the session
   * @param input - a code of the application or a recovery code
   * @param request - the request that it belongs to
   * @throws ApiError `validation_failed`, `invalid_code`, `session_revoked` or `rate_limited`
   */
  reauthenticate(
    caller: Required<SessionCaller>,
    input: CodeInput,
    request?: AuthRequest,
  ): Promise<void>
  /**
   * Ends the trust in all devices of a user: each needs a code at the next login.
   * @param userId - id of the user
   * @param request - the request that it belongs to
   */
  forgetDevices(userId: string, request?: AuthRequest): Promise<void>
  /**
   * Removes all factors and recovery codes of a user who has lost them, and informs the user by mail. For administrators.
   * @param userId - id of the user
   * @param request - the request that it belongs to
   * @returns how many factors were removed
   */
  reset(userId: string, request?: AuthRequest): Promise<number>
}
