import { type core, z } from 'zod'

// The schema of a decimal in responses, with which `decimal()` ends.
export const decimalText: z.ZodString = z
  .string()
  .regex(/^-?\d+(\.\d+)?$/, 'must be a decimal')
  .meta({ examples: ['12.50'] })

export function isDecimal(schema: core.$ZodType): boolean {
  return schema instanceof z.ZodPipe && schema.out === decimalText
}
