import { type core, z } from 'zod'
import { decimalText, isDecimal } from '../schemas/decimal-text.ts'
import { type DecimalField } from './decimal.ts'
import { keepRestriction } from '../schemas/restrict.ts'
import { requireObjectSchema } from '../schemas/schema-members.ts'
import { objectId } from './schemas.ts'

type OutputField<F> =
  F extends z.ZodDefault<infer I>
    ? OutputField<I>
    : F extends z.ZodPrefault<infer I>
      ? OutputField<I>
      : F extends DecimalField
        ? z.ZodString
        : F extends z.ZodArray<DecimalField>
          ? z.ZodArray<z.ZodString>
          : F

/** The shape of an output schema, derived from that of the input. */
export type OutputShape<S extends core.$ZodLooseShape> = {
  id: z.ZodString
} & { [K in keyof S]: OutputField<S[K]> } & {
  createdAt: z.ZodISODateTime
  updatedAt: z.ZodISODateTime
}

/**
 * Derives the schema of a response from the schema of a request body: the same fields, with fields
 * that have a default always present, and `id`, `createdAt` and `updatedAt`, which the server sets.
 * @param schema - the schema of the request body
 * @returns the schema of the response
 * @throws TypeError when the schema is not that of an object
 * @example
 * ```ts
 * const createNote = z.strictObject({ text: z.string(), pinned: z.boolean().default(false) })
 * export const note = toOutputSchema(createNote) // id, text, pinned, createdAt, updatedAt
 * ```
 */
export function toOutputSchema<S extends core.$ZodLooseShape>(
  schema: z.ZodObject<S, core.$strict>,
): z.ZodObject<OutputShape<S>> {
  requireObjectSchema(schema, 'toOutputSchema')
  const fields = Object.entries(schema.shape).map(([key, field]) => [
    key,
    keepRestriction(field, toOutputField(field)),
  ])
  const output: unknown = z.object({
    id: objectId,
    ...Object.fromEntries(fields),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- built key by key in the shape of OutputShape
  return output as z.ZodObject<OutputShape<S>>
}

function toOutputField(field: core.$ZodType): core.$ZodType {
  if (field instanceof z.ZodDefault || field instanceof z.ZodPrefault) {
    return toOutputField(field.unwrap())
  }
  if (field instanceof z.ZodOptional) return z.optional(toOutputField(field.unwrap()))
  if (isDecimal(field)) return decimalText
  if (field instanceof z.ZodArray && isDecimal(field.element)) {
    return field.clone({ ...field.def, element: decimalText })
  }
  // Input may carry an offset, output is in UTC.
  if (field instanceof z.ZodISODateTime) return z.iso.datetime()
  return field
}
