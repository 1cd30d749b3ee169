import { type ZodType } from 'zod'
import {
  duration,
  integer,
  matching,
  option,
  type Options,
  section,
  type Values,
} from '../../options/options.ts'

const apiKeyOptions = {
  /**
   * Prefix of the keys, by which secret scanners find them: 2 to 16 lower-case letters, digits and `_`, such as
   * `acme`. Keys with another prefix are no longer accepted.
   * @default 'capi'
   */
  prefix: option(
    matching(/^[a-z][a-z\d_]{0,14}[a-z\d]$/, "must be 2 to 16 of a-z, 0-9 and _, such as 'acme'"),
    { default: 'capi' },
  ),
  /**
   * Lifetime of a key that is created without a date of expiry; never more than `maxLifetime`.
   * @default '90d'
   */
  lifetime: option(duration('1m', '400d'), { default: '90d' }),
  /**
   * Maximum lifetime of a key.
   * @default '366d'
   */
  maxLifetime: option(duration('1m', '400d'), { default: '366d' }),
  /**
   * Time for which a key still works after it was rotated; `0s` ends it at once.
   * @default '1d'
   */
  rotationOverlap: option(duration('0s', '90d'), { default: '1d' }),
  /**
   * Maximum number of live keys of one user, without those that were rotated.
   * @default 20
   */
  perUser: option(integer(1, 1000), { default: 20 }),
}

/** Options for API keys. */
export interface ApiKeyOptions extends Options<typeof apiKeyOptions> {}
export interface ApiKeyValues extends Values<typeof apiKeyOptions> {}

export const apiKeys: ZodType<ApiKeyValues, ApiKeyOptions> = section(apiKeyOptions)
