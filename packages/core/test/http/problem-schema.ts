import { z } from 'zod'

/** What every error body has to be. */
export const problemSchema = z.strictObject({
  type: z.url(),
  title: z.string().min(1),
  status: z.int().min(400).max(599),
  detail: z.string().optional(),
  instance: z.string().regex(/^\/requests\/[\w-]{1,64}$/),
  code: z.string().regex(/^[a-z_]+$/),
  requestId: z.string().regex(/^[\w-]{1,64}$/),
  errors: z
    .array(
      z.strictObject({
        in: z.enum(['body', 'query', 'params', 'header']),
        pointer: z.string().regex(/^#(?:\/[^/\s]*)*$/),
        code: z.string().regex(/^[a-z_]+$/),
        detail: z.string().min(1),
      }),
    )
    .optional(),
})
