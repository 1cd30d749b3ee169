import { z } from 'zod'
import { maxUrlLength, urlPattern } from '../schemas/text-patterns.ts'
import { listLimits } from './list-limits.ts'

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
 * The schema of an HTTP or HTTPS URL (RFC 3986): ASCII, so other characters are percent-encoded, and
 * hosts of other scripts are in Punycode. At most 2,048 characters, without user name (RFC 9110
 * section 4.2.4); the host is a name or an IPv4 address.
 */
export const webUrl: z.ZodString = z
  .string()
  .max(maxUrlLength)
  .regex(urlPattern, 'must be a URL')
  .meta({ format: 'uri' })

/** The schema of the path parameter `:id`. An invalid id returns 404, like a missing document. */
export const idParams: z.ZodObject<{ id: z.ZodString }, z.core.$strict> = z.strictObject({
  id: objectId,
})

/** The path parameters parsed by {@link idParams}. */
export type IdParams = z.output<typeof idParams>

const limit = z.int().min(1).max(listLimits.limit)

const count = z.int().min(0)

/** The schema of the `meta` of a list that clients page by number. */
export const pageMeta = z
  .object({ page: z.int().min(1), limit, total: count, pages: count })
  .meta({ id: 'PageMeta' })

/** The schema of the `meta` of a list that clients page by offset. */
export const offsetMeta = z
  .object({ limit, offset: count, total: count })
  .meta({ id: 'OffsetMeta' })

/** The schema of the `meta` of a list that clients page by cursor. */
export const cursorMeta = z
  .object({ limit, nextCursor: z.string().optional() })
  .meta({ id: 'CursorMeta' })

/** The schema of the `meta` of a list, for pages by number, offset and cursor. */
export const listMeta = z.union([pageMeta, offsetMeta, cursorMeta]).meta({ id: 'ListMeta' })

const hasNextPage = z.boolean()
const total = count.optional()

/** The schema of the `meta` of a list with `total: 'onRequest'`, for pages by number, offset and cursor. */
export const totalOnRequestMeta = z
  .union([
    z
      .object({ page: z.int().min(1), limit, hasNextPage, total, pages: count.optional() })
      .meta({ id: 'PageOnRequestMeta' }),
    z.object({ limit, offset: count, hasNextPage, total }).meta({ id: 'OffsetOnRequestMeta' }),
    cursorMeta.extend({ total }).meta({ id: 'CursorOnRequestMeta' }),
  ])
  .meta({ id: 'ListOnRequestMeta' })

/** The `meta` of a list. */
export type ListMeta = z.output<typeof listMeta> | z.output<typeof totalOnRequestMeta>
