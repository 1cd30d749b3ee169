import { z } from 'zod'

/** An id as the API writes it: an opaque string, the hex of an ObjectId. */
export const objectId: z.ZodString = z
  .string()
  .regex(/^[0-9a-f]{24}$/, 'must be an id')
  .meta({ examples: ['65f0c0ffee0123456789abcd'] })

/**
 * A whole number in a path, for documents that are addressed by one: `/api/tickets/:number`. What is
 * not written as digits without leading zeros, with a minus in front when it is negative, fails.
 */
export const integerId: z.ZodType<number> = z
  .string()
  .regex(/^(0|-?[1-9]\d{0,15})$/, 'must be a whole number')
  .transform(Number)
  .pipe(z.int())

/**
 * A point in time, sent as date and time with any offset (RFC 3339), which the model keeps as a Date.
 * Its year has four digits in UTC too: another one could not be read in the format it was sent in.
 */
export const instant: z.ZodISODateTime = z.iso
  .datetime({ offset: true })
  .refine(hasFourDigitYear, 'must be in the years 0000 to 9999 in UTC')

function hasFourDigitYear(text: string): boolean {
  const year = new Date(text).getUTCFullYear()
  // What is no date at all has failed already.
  return Number.isNaN(year) || (year >= 0 && year <= 9999)
}

/** The path parameter `:id`. A value that is no id is the same 404 as an absent document. */
export const idParams: z.ZodObject<{ id: z.ZodString }, z.core.$strict> = z.strictObject({
  id: objectId,
})

/** What {@link idParams} gives. */
export type IdParams = z.output<typeof idParams>

const limit = z.int().min(1).max(100)

/** The `meta` of a list: of a page, or of a stretch that a cursor began. */
export const listMeta = z.union([
  z.object({
    page: z.int().min(1),
    limit,
    total: z.int().min(0),
    pages: z.int().min(0),
  }),
  z.object({ limit, nextCursor: z.string().optional() }),
])

/** What {@link listMeta} describes. */
export type ListMeta = z.output<typeof listMeta>
