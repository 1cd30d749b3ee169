import { z } from 'zod'
import { ApiError } from '../../errors/api-error.ts'
import { isCommonPassword } from './common-passwords.ts'

export interface PasswordPolicySettings {
  /** In code points. */
  minLength: number
  /** Whether common passwords are rejected. */
  blocklist: boolean
  /** More passwords to reject, in any case. */
  blocked: readonly string[]
  /** Passwords built from it are rejected. */
  serviceName: string
  /** Whether a password is known from a breach. */
  isBreached: ((password: string) => Promise<boolean>) | undefined
  /** Called when the breach check fails; the password is then accepted. */
  onBreachCheckFailed: (error: unknown) => void
}

const maxLength = 128
const loneSurrogate = /\p{Surrogate}/u

// The password of a login: normalised (NFKC), never trimmed or truncated. Without a minimum, so that a
// user whose password is older than the policy can log in.
export function createPasswordSchema(): z.ZodType<string, string> {
  return createNewPasswordSchema(1)
}

// A password that a user chooses (NIST SP 800-63B): any characters, and its length in code points
// before it is NFKC-normalised.
export function createNewPasswordSchema(minLength: number): z.ZodType<string, string> {
  return z
    .string()
    .min(minLength, { abort: true })
    .max(maxLength, { abort: true })
    .refine((password) => !loneSurrogate.test(password), 'must be well-formed text')
    .overwrite((password) => password.normalize('NFKC'))
    .meta({ format: 'password' })
}

export interface PasswordPolicy {
  /**
   * Rejects a password that is easy to guess with ApiError `password_too_common`: also one built from
   * the local part of the user's address. `pointer` is the JSON Pointer of the field, as URI fragment.
   */
  requireUncommon(password: string, email: string, pointer: string): Promise<void>
}

export function createPasswordPolicy(settings: PasswordPolicySettings): PasswordPolicy {
  const blocked = new Set(settings.blocked.map((password) => password.toLowerCase()))
  return {
    async requireUncommon(password, email, pointer) {
      const folded = password.toLowerCase()
      const words = [email.slice(0, email.indexOf('@')), settings.serviceName.toLowerCase()]
      const isCommon =
        blocked.has(folded) ||
        (settings.blocklist && (isBuiltFrom(folded, words) || isCommonPassword(folded))) ||
        (await isKnownBreached(password, settings))
      if (isCommon) throw tooCommon(pointer)
    },
  }
}

// Fewer than four characters remain without the words; words of one or two characters match too often.
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
    // A service that is down must not prevent users from registering.
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
        detail: 'is too easy to guess',
      },
    ],
  })
}
