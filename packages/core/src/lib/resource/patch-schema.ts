import { type core, z } from 'zod'

type PatchField<F> =
  F extends z.ZodDefault<infer I>
    ? PatchField<I>
    : F extends z.ZodPrefault<infer I>
      ? PatchField<I>
      : F extends z.ZodOptional<infer I>
        ? z.ZodOptional<z.ZodNullable<I>>
        : F extends core.$ZodType
          ? z.ZodOptional<F>
          : never

/** The shape of a JSON Merge Patch. */
export type PatchShape<S extends core.$ZodLooseShape> = { [K in keyof S]: PatchField<S[K]> }

/**
 * Makes the schema of a JSON Merge Patch (RFC 7396) from the schema of what a client sends to
 * create: every field may be absent, null removes an optional one, and no default applies. Zod's
 * own `partial()` keeps the defaults, so a patch would reset what it does not name.
 * @param schema - what a client sends to create
 * @returns what it sends to change
 */
export function toPatchSchema<S extends core.$ZodLooseShape>(
  schema: z.ZodObject<S, core.$strict>,
): z.ZodObject<PatchShape<S>, core.$strict> {
  const fields = Object.entries(schema.shape).map(([key, field]) => [key, toPatchField(field)])
  const patch: unknown = z.strictObject(Object.fromEntries(fields))
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- built key by key, as PatchShape says
  return patch as z.ZodObject<PatchShape<S>, core.$strict>
}

function toPatchField(field: core.$ZodType): core.$ZodType {
  if (field instanceof z.ZodDefault || field instanceof z.ZodPrefault) {
    return toPatchField(field.unwrap())
  }
  if (field instanceof z.ZodOptional) return z.optional(z.nullable(field.unwrap()))
  return z.optional(field)
}
