import type argon2 from '@node-rs/argon2'
import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import { createHashGate, type HashGateOptions } from './hash-gate.ts'

/** Hashes and compares passwords; `auth.password.hasher` replaces it. */
export interface PasswordHasher {
  /**
   * Hashes a password.
   * @param password - normalised password
   * @returns the text to store
   */
  hash(password: string): Promise<string>
  /**
   * Compares a password with a stored hash. It must take the same time without a hash, and it must
   * not throw for a corrupt one.
   * @param stored - the hash, or undefined when there is no such user
   * @param password - normalised password
   * @param guard - runs immediately before the comparison; it throws to cancel it
   * @returns whether they match
   */
  verify(
    stored: string | undefined,
    password: string,
    guard?: () => Promise<void> | void,
  ): Promise<boolean>
  /**
   * Reports whether a hash was created with other parameters than new hashes.
   * @param stored - the hash
   * @returns true when the password should be hashed again
   */
  needsRehash(stored: string): boolean
  /**
   * Throws when a comparison would be rejected, before the user is read from the database.
   * @throws ApiError `overloaded`
   * @default nothing is rejected beforehand
   */
  requirePlace?(): void
}

/** Stored hashes of an earlier kind, such as bcrypt; a login replaces them by argon2id unless `hash` is given. */
export interface LegacyHashes {
  /**
   * Reports whether a stored hash is of this kind: `/^\$2[aby]\$/.test(stored)`.
   * @param stored - the hash
   * @returns true when `verify` understands it
   */
  matches(stored: string): boolean
  /**
   * Compares a password with a hash of this kind, in the bounded queue of hashes.
   * @param stored - the hash
   * @param password - normalised password
   * @returns whether they match
   */
  verify(stored: string, password: string): Promise<boolean>
  /**
   * Creates a hash of this kind, in the bounded queue of hashes. With it, every new hash is of this kind and none is
   * replaced by argon2id, because another application verifies the hashes of the same users.
   * @param password - normalised password
   * @returns the text to store
   * @default undefined, new hashes are argon2id
   */
  hash?(password: string): Promise<string>
}

export interface Argon2Settings extends HashGateOptions {
  /** In KiB. */
  memoryCost: number
  /** Passes over the memory. */
  timeCost: number
  legacy?: LegacyHashes | undefined
}

// Loading the native code takes about 20 ms, which a service without passwords does not spend.
const requirePackage = createRequire(import.meta.url)
const load = (): typeof argon2 => requirePackage('@node-rs/argon2')

// argon2id (RFC 9106), with bounded concurrency.
export function createArgon2Hasher(settings: Argon2Settings): PasswordHasher {
  const gate = createHashGate(settings)
  const { memoryCost, timeCost, legacy } = settings
  const parameters: argon2.Options = { memoryCost, timeCost, parallelism: 1 }
  const spend = createDummyVerification(settings)
  return {
    hash: (password) =>
      gate.run(async () => legacy?.hash?.(password) ?? load().hash(password, parameters)),
    verify: (stored, password, guard) =>
      gate.run(async () => {
        await guard?.()
        if (stored !== undefined && legacy?.matches(stored)) return legacy.verify(stored, password)
        if (stored !== undefined && isArgon2id(stored)) return load().verify(stored, password)
        // The same work is done without a usable hash, so that the time reveals nothing.
        await spend(password)
        return false
      }),
    requirePlace: () => gate.requirePlace(),
    needsRehash(stored) {
      const keepsLegacy = legacy?.hash !== undefined
      if (legacy?.matches(stored)) return !keepsLegacy
      if (keepsLegacy) return true
      const used = load().parseOptions(stored)
      return used.memoryCost !== memoryCost || used.timeCost !== timeCost || used.parallelism !== 1
    },
  }
}

function isArgon2id(stored: string): boolean {
  if (!stored.startsWith('$argon2id$')) return false
  try {
    const { outputLen, saltLen } = load().parseOptions(stored)
    return outputLen >= 16 && saltLen >= 8
  } catch {
    return false
  }
}

// Compares with a hash of the kind that new hashes have.
function createDummyVerification(settings: Argon2Settings): (password: string) => Promise<unknown> {
  const { legacy } = settings
  if (!legacy?.hash) {
    const dummy = createDummyHash(settings)
    return (password) => load().verify(dummy, password)
  }
  let dummy: Promise<string> | undefined
  return async (password) => {
    dummy ??= Promise.resolve(legacy.hash?.(base64(16)) ?? '')
    return legacy.verify(await dummy, password)
  }
}

// It matches no password, but verifying it costs as much as verifying a real one.
function createDummyHash({ memoryCost, timeCost }: Argon2Settings): string {
  return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=1$${base64(16)}$${base64(32)}`
}

function base64(bytes: number): string {
  return randomBytes(bytes).toString('base64').replaceAll('=', '')
}
