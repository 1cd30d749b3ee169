import { availableParallelism } from 'node:os'
import { type ZodType } from 'zod'
import {
  code,
  duration,
  flag,
  integer,
  option,
  type Options,
  section,
  type Values,
} from '../../options/options.ts'
import { createArgon2Hasher, type LegacyHashes, type PasswordHasher } from './password-hasher.ts'

const passwordOptions = {
  /**
   * Minimum length of a new password in code points; never below 8. Use 15 where the password is
   * the only factor.
   * @default 8
   */
  minLength: option(integer(8, 128), { default: 8 }),
  /**
   * Whether common passwords are rejected.
   * @default true
   */
  blocklist: option(flag(), { default: true }),
  /**
   * Further passwords to reject; case does not matter.
   * @default []
   */
  blocked: code<readonly string[]>(),
  /**
   * Looks a password up in a list of breached passwords. If it throws, the password is accepted and
   * the failure is logged.
   * @default undefined
   */
  isBreached: code<(password: string) => Promise<boolean>>(),
  /**
   * Memory of one hash in KiB; never below 19456.
   * @default 19456
   */
  memoryCost: option(integer(19_456, 2 ** 21), { default: 19_456 }),
  /**
   * Passes over the memory; never below 2.
   * @default 2
   */
  timeCost: option(integer(2, 100), { default: 2 }),
  /**
   * Hashes that run at the same time.
   * @default the number of processors − 1, at least 1
   */
  concurrency: option(integer(1, 1024), { default: Math.max(1, availableParallelism() - 1) }),
  /**
   * Hashes that may wait for their turn; more are rejected with 503 `overloaded`.
   * @default 64
   */
  queue: option(integer(0, 100_000), { default: 64 }),
  /**
   * Maximum time a hash waits for its turn.
   * @default '2s'
   */
  wait: option(duration('1ms', '60s'), { default: '2s' }),
  /**
   * Stored hashes of an earlier kind, such as bcrypt; a login replaces them by argon2id, unless `hash` creates hashes of
   * that kind.
   * @default undefined
   */
  legacy: code<LegacyHashes>(),
  /**
   * Replaces argon2id; `memoryCost` to `legacy` then do not apply.
   * @default argon2id
   */
  hasher: code<PasswordHasher>(),
}

/** Options for passwords. */
export interface PasswordOptions extends Options<typeof passwordOptions> {}
export interface PasswordValues extends Values<typeof passwordOptions> {}

export const password: ZodType<PasswordValues, PasswordOptions> = section(passwordOptions)

export interface PasswordSettings {
  readonly minLength: number
  readonly blocklist: boolean
  readonly blocked: readonly string[]
  readonly isBreached: ((password: string) => Promise<boolean>) | undefined
  readonly hasher: PasswordHasher
}

export function resolvePassword({
  blocked = [],
  hasher,
  ...options
}: PasswordValues): PasswordSettings {
  return { ...options, blocked, hasher: hasher ?? createArgon2Hasher(options) }
}
