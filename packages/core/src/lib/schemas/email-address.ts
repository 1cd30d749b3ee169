import { z } from 'zod'
import { emailPattern, maxEmailLength, typedEmailPattern } from './text-patterns.ts'

/**
 * The schema of an e-mail address, in lower case: ASCII, at most 254 characters, with a domain of
 * several labels that do not end in a hyphen (RFC 1035 section 2.3.1).
 */
// Validated before it is lower-cased: the other way round, letters such as U+212A KELVIN SIGN would
// turn one address into another user's.
export const emailAddress: z.ZodEmail = createEmailSchema(emailPattern)

// The address of an account, as a person types it. The format of JSON Schema would not allow the spaces.
export const typedEmailAddress: z.ZodEmail = createEmailSchema(typedEmailPattern).meta({
  format: undefined,
  description: 'An e-mail address; spaces around it are removed.',
  examples: ['ada@example.org'],
})

function createEmailSchema(pattern: RegExp): z.ZodEmail {
  return z
    .email({ pattern, error: 'must be an e-mail address' })
    .trim()
    .max(maxEmailLength, `must have at most ${maxEmailLength} characters`)
    .toLowerCase()
}
