import { z } from 'zod'

/**
 * The schema of a point in time: a date and time with any offset (RFC 3339), stored as a Date. The
 * year must have four digits in UTC too, because the response writes it in the same format.
 */
export const instant: z.ZodISODateTime = z.iso
  .datetime({ offset: true })
  .regex(/^(?!0000.*\+|9999.*-\d\d:\d\d$)/, 'must be in the years 0000 to 9999 in UTC')
  // Zod omits the format of a schema with a second pattern.
  .meta({ format: 'date-time' })
