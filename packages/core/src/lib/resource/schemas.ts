import { z } from 'zod'

/** The schema of an id: the 24 lower-case hexadecimal digits of an ObjectId. */
export const objectId: z.ZodString = z
  .string()
  .regex(/^[0-9a-f]{24}$/, 'must be an id')
  .meta({ examples: ['65f0c0ffee0123456789abcd'] })

/**
 * The schema of a whole number in a path, as in `/api/tickets/:number`: digits without leading zeros,
 * with a minus sign for negative numbers.
 */
export const integerId: z.ZodType<number> = z
  .string()
  .regex(/^(0|-?[1-9]\d{0,15})$/, 'must be a whole number')
  .transform(Number)
  .pipe(z.int())

/**
 * The schema of a point in time: a date and time with any offset (RFC 3339), stored as a Date. The
 * year must have four digits in UTC too, because the response writes it in the same format.
 */
export const instant: z.ZodISODateTime = z.iso
  .datetime({ offset: true })
  .refine(hasFourDigitYear, 'must be in the years 0000 to 9999 in UTC')

function hasFourDigitYear(text: string): boolean {
  const year = new Date(text).getUTCFullYear()
  // Text that is not a date was reported already.
  return Number.isNaN(year) || (year >= 0 && year <= 9999)
}

/** The schema of the path parameter `:id`. An invalid id returns 404, like a missing document. */
export const idParams: z.ZodObject<{ id: z.ZodString }, z.core.$strict> = z.strictObject({
  id: objectId,
})

/** The path parameters parsed by {@link idParams}. */
export type IdParams = z.output<typeof idParams>

const limit = z.int().min(1).max(100)

/** The schema of the `meta` of a list, for pages by number and by cursor. */
export const listMeta = z.union([
  z.object({
    page: z.int().min(1),
    limit,
    total: z.int().min(0),
    pages: z.int().min(0),
  }),
  z.object({ limit, nextCursor: z.string().optional() }),
])

/** The `meta` of a list. */
export type ListMeta = z.output<typeof listMeta>
