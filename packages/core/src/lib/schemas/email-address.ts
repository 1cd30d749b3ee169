import { z } from 'zod'

const local = "(?:[A-Za-z0-9_'+-]+[.])*[A-Za-z0-9_'+-]*[A-Za-z0-9_+-]"
const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'

/**
 * The schema of an e-mail address, in lower case: ASCII, at most 254 characters, with a domain of
 * several labels that do not end in a hyphen (RFC 1035 section 2.3.1).
 */
// Validated before it is lower-cased: the other way round, letters such as U+212A KELVIN SIGN would
// turn one address into another user's.
export const emailAddress: z.ZodEmail = z
  .email({
    pattern: new RegExp(`^${local}@(?:${label}[.])+[A-Za-z]{2,63}$`),
    error: 'must be an e-mail address',
  })
  .max(254, 'must have at most 254 characters')
  .toLowerCase()
