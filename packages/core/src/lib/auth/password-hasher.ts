import { hash, type Options, parseOptions, verify } from '@node-rs/argon2'
import { randomBytes } from 'node:crypto'
import { createHashGate, type HashGateOptions } from './hash-gate.ts'

/** How passwords are stored and compared; replaceable by `auth.password.hasher`. */
export interface PasswordHasher {
  /**
   * Hashes a password.
   * @param password - normalised
   * @returns what is stored
   */
  hash(password: string): Promise<string>
  /**
   * Compares a password with what is stored. It must take the same time without a hash, and it
   * must not throw for a corrupt one.
   * @param stored - the hash, or undefined when there is no such user
   * @param password - normalised
   * @param guard - runs when the turn of this comparison has come; it throws to give it up
   * @returns whether they fit
   */
  verify(
    stored: string | undefined,
    password: string,
    guard?: () => Promise<void> | void,
  ): Promise<boolean>
  /**
   * Whether a hash was made with other parameters than new ones are.
   * @param stored - the hash
   * @returns true when it should be made anew
   */
  needsRehash(stored: string): boolean
  /**
   * Throws when a comparison would be turned away: nothing is looked up for it then.
   * @throws ApiError `overloaded`
   * @default nothing is turned away beforehand
   */
  requirePlace?(): void
}

/** Cost of argon2id, and how much of it may happen at once. */
export interface Argon2Settings extends HashGateOptions {
  /** Memory in KiB. */
  memoryCost: number
  /** Passes over the memory. */
  timeCost: number
}

/**
 * Makes the argon2id hasher (RFC 9106) behind a gate.
 * @param settings - cost and bounds
 * @returns the hasher
 */
export function createArgon2Hasher(settings: Argon2Settings): PasswordHasher {
  const gate = createHashGate(settings)
  const { memoryCost, timeCost } = settings
  const parameters: Options = { memoryCost, timeCost, parallelism: 1 }
  const dummy = createDummyHash(settings)
  return {
    hash: (password) => gate.run(() => hash(password, parameters)),
    verify: (stored, password, guard) =>
      gate.run(async () => {
        await guard?.()
        if (stored !== undefined && isArgon2id(stored)) return verify(stored, password)
        // Without a usable hash the work is done all the same, so that the time tells nothing.
        await verify(dummy, password)
        return false
      }),
    requirePlace: () => gate.requirePlace(),
    needsRehash(stored) {
      const used = parseOptions(stored)
      return used.memoryCost !== memoryCost || used.timeCost !== timeCost || used.parallelism !== 1
    },
  }
}

function isArgon2id(stored: string): boolean {
  if (!stored.startsWith('$argon2id$')) return false
  try {
    const { outputLen, saltLen } = parseOptions(stored)
    return outputLen >= 16 && saltLen >= 8
  } catch {
    return false
  }
}

// It fits no password, but verifying against it costs what a real one costs.
function createDummyHash({ memoryCost, timeCost }: Argon2Settings): string {
  return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=1$${base64(16)}$${base64(32)}`
}

function base64(bytes: number): string {
  return randomBytes(bytes).toString('base64').replaceAll('=', '')
}
