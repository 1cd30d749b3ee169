import { z } from 'zod'

/**
 * An e-mail address in its canonical form. It is validated before it is lower-cased: the other
 * way round, letters such as U+212A KELVIN SIGN would turn one address into another's.
 */
export const emailSchema = z
  .email('must be an e-mail address')
  .max(254, 'must have at most 254 characters')
  .toLowerCase()
