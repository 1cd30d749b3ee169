import { type Store } from 'express-rate-limit'
import { type ZodType } from 'zod'
import {
  code,
  duration,
  type Duration,
  integer,
  option,
  type Options,
  orOff,
  section,
  type Values,
} from '../../options/options.ts'

/** One limit: a number of requests in a window of time. */
export interface LimitOptions {
  /** Requests allowed in a window. */
  limit?: number | undefined
  /** Length of the window: seconds, or text such as `15m`. */
  window?: Duration | undefined
}

export interface Limit {
  /** Maximum number of requests. */
  readonly limit: number
  /** Length of the window in milliseconds. */
  readonly window: number
}

function limitOf(limit: number, window: string): ZodType<Limit, LimitOptions> {
  return section({
    limit: option(integer(1, 1_000_000_000), { default: limit }),
    window: option(duration('1s', '24d'), { default: window }),
  })
}

const loginLimitOptions = {
  /**
   * Failed logins allowed in a window, from one address and for one account (`perAccount`); `off`
   * switches off all limits of authentication.
   * @default 10
   */
  limit: option(orOff(integer(1, 1_000_000)), { env: 'AUTH_RATE_LIMIT', default: 10 }),
  /**
   * Window of `AUTH_RATE_LIMIT`.
   * @default '15m'
   */
  window: option(duration('1s', '1d'), { env: 'AUTH_RATE_LIMIT_WINDOW', default: '15m' }),
}

const perAddressOptions = {
  register: limitOf(10, '1h'),
  login: section(loginLimitOptions),
  refresh: limitOf(600, '15m'),
  me: limitOf(300, '1m'),
  updateMe: limitOf(60, '15m'),
  logout: limitOf(60, '15m'),
  logoutAll: limitOf(60, '15m'),
  sessions: limitOf(120, '15m'),
  changePassword: limitOf(10, '15m'),
  reauthenticate: limitOf(10, '15m'),
  secondFactor: limitOf(10, '15m'),
  loginLink: limitOf(10, '1h'),
  passkeyLogin: limitOf(120, '15m'),
  factors: limitOf(60, '15m'),
  identities: limitOf(120, '15m'),
  identityLogin: limitOf(10, '15m'),
  changeEmail: limitOf(10, '15m'),
  confirmEmail: limitOf(10, '15m'),
  forgotPassword: limitOf(10, '1h'),
  resetPassword: limitOf(10, '15m'),
  verifyEmail: limitOf(10, '15m'),
  resendVerification: limitOf(10, '1h'),
  apiKeys: limitOf(60, '15m'),
}

export type LimitName = keyof typeof perAddressOptions

const limitsOptions = {
  /**
   * Limits of each address that differ from the defaults, by endpoint.
   * @default {}
   */
  perAddress: section(perAddressOptions),
  /**
   * Refreshes of one session.
   * @default { limit: 60, window: '15m' }
   */
  perSession: limitOf(60, '15m'),
  /**
   * Requests with one API key.
   * @default { limit: 600, window: '1m' }
   */
  perKey: limitOf(600, '1m'),
  /**
   * Failed logins of one account, from any address, before each further attempt has to wait; the
   * wait doubles from 1 to 60 seconds.
   * @default the limit of `perAddress.login`
   */
  perAccount: section({
    limit: option(integer(1, 1_000_000_000)),
    window: option(duration('1s', '24d')),
  }),
  /**
   * Creates the store of a limit that several processes share; when it fails, a process counts in
   * its own memory.
   * @default memory
   */
  createStore: code<(bucket: string) => Store>(),
}

/** Options for the limits of the authentication routes. */
export interface AuthLimits extends Options<typeof limitsOptions> {}
export interface LimitsValues extends Values<typeof limitsOptions> {}

export const limits: ZodType<LimitsValues, AuthLimits> = section(limitsOptions)

export interface LimitSettings {
  readonly perAddress: Readonly<Record<LimitName, Limit>>
  readonly perSession: Limit
  readonly perKey: Limit
  readonly perAccount: Limit
  readonly createStore: LimitsValues['createStore']
}

export function resolveLimits(values: LimitsValues): LimitSettings | false {
  const { perAddress, perAccount } = values
  const { limit, window } = perAddress.login
  if (limit === false) return false
  return {
    ...values,
    perAddress: { ...perAddress, login: { limit, window } },
    perAccount: { limit: perAccount.limit ?? limit, window: perAccount.window ?? window },
  }
}
