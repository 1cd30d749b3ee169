import { z } from 'zod'
import { ApiError } from '../errors/api-error.ts'

/** What a password must be. */
export interface PasswordPolicySettings {
  /** Fewest code points. */
  minLength: number
  /** Whether common passwords are refused. */
  blocklist: boolean
  /** More passwords to refuse, in lower case. */
  blocked: readonly string[]
  /** Name of the service; passwords built from it are refused. */
  serviceName: string
  /** Asks whether a password is known from a breach. */
  isBreached: ((password: string) => Promise<boolean>) | undefined
  /** Told when the breach check fails; the password is then accepted. */
  onBreachCheckFailed: (error: unknown) => void
}

const maxLength = 128
const maxBytes = 1024
const loneSurrogate = /\p{Surrogate}/u

/**
 * The password a user signs in with: normalised (NFKC), never trimmed, never cut. No minimum, so
 * that a user whose password is older than the policy can sign in.
 * @returns the schema
 */
export function createPasswordSchema(): z.ZodType<string, string> {
  return createNewPasswordSchema(1)
}

/**
 * A password that a user chooses (NIST SP 800-63B): length in code points, any characters.
 * @param minLength - fewest code points
 * @returns the schema; its output is NFKC-normalised
 */
export function createNewPasswordSchema(minLength: number): z.ZodType<string, string> {
  return z
    .string()
    .meta({ minLength, maxLength, format: 'password' })
    .superRefine((password, context) => {
      const problem = findProblem(password, minLength)
      if (problem) context.addIssue({ code: 'custom', message: problem })
    })
    .overwrite((password) => password.normalize('NFKC'))
}

function findProblem(password: string, minLength: number): string | undefined {
  // The cheap test first: what follows walks over every character.
  if (password.length > maxBytes || Buffer.byteLength(password) > maxBytes) {
    return `must have at most ${maxLength} characters`
  }
  if (loneSurrogate.test(password)) return 'must be well-formed text'
  const length = Array.from(password.normalize('NFKC')).length
  if (length > maxLength) return `must have at most ${maxLength} characters`
  if (length < minLength) return `must have at least ${minLength} characters`
  return undefined
}

/** Decides whether a password may be chosen. */
export interface PasswordPolicy {
  /**
   * Refuses a password that others would guess.
   * @param password - normalised
   * @param context - the address of the user, and the pointer of the field for the answer
   * @throws ApiError `password_too_common`
   */
  requireUncommon(password: string, context: PasswordContext): Promise<void>
}

/** Where a password is chosen. */
export interface PasswordContext {
  /** Address of the user; passwords built from its local part are refused. */
  email: string
  /** JSON Pointer of the field, as URI fragment. */
  pointer: string
}

/**
 * Makes the policy for new passwords.
 * @param settings - what to refuse
 * @returns the policy
 */
export function createPasswordPolicy(settings: PasswordPolicySettings): PasswordPolicy {
  const blocked = new Set(settings.blocked.map((password) => password.toLowerCase()))
  return {
    async requireUncommon(password, { email, pointer }) {
      const folded = password.toLowerCase()
      const words = [email.slice(0, email.indexOf('@')), settings.serviceName.toLowerCase()]
      const isCommon =
        blocked.has(folded) ||
        (settings.blocklist && (isBuiltFrom(folded, words) || (await isListed(folded)))) ||
        (await isKnownBreached(password, settings))
      if (isCommon) throw tooCommon(pointer)
    },
  }
}

async function isListed(folded: string): Promise<boolean> {
  // Loaded when the first password is chosen: most processes never need it.
  const { isCommonPassword } = await import('./common-passwords.ts')
  return isCommonPassword(folded)
}

// Fewer than four characters are left without the words; shorter words would match too much.
function isBuiltFrom(folded: string, words: readonly string[]): boolean {
  const usable = words.filter((word) => word.length >= 3)
  const rest = usable.reduce((text, word) => text.replaceAll(word, ''), folded)
  return rest !== folded && Array.from(rest).length < 4
}

async function isKnownBreached(
  password: string,
  { isBreached, onBreachCheckFailed }: PasswordPolicySettings,
): Promise<boolean> {
  if (!isBreached) return false
  try {
    return await isBreached(password)
  } catch (error) {
    // A service that is down must not keep users from registering.
    onBreachCheckFailed(error)
    return false
  }
}

function tooCommon(pointer: string): ApiError {
  return new ApiError('password_too_common', {
    detail: 'Choose a password that is harder to guess.',
    errors: [
      {
        in: 'body',
        pointer,
        code: 'password_too_common',
        detail: 'is one of the first that are guessed',
      },
    ],
  })
}
