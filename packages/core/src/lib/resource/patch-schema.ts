import { type core, z } from 'zod'
import { keepRestriction } from '../schemas/restrict.ts'
import { patchSources } from '../schemas/schema-marks.ts'

type PatchField<F> =
  F extends z.ZodDefault<infer I>
    ? PatchField<I>
    : F extends z.ZodPrefault<infer I>
      ? PatchField<I>
      : F extends z.ZodOptional<infer I extends core.$ZodType>
        ? z.ZodOptional<z.ZodNullable<PatchValue<I>>>
        : F extends core.$ZodType
          ? z.ZodOptional<PatchValue<F>>
          : never

// An object is merged into the stored one, so it need not be complete.
type PatchValue<F extends core.$ZodType> =
  F extends z.ZodObject<infer S, infer C>
    ? z.ZodObject<PatchShape<S>, C>
    : F extends z.ZodNullable<infer I extends core.$ZodType>
      ? z.ZodNullable<PatchValue<I>>
      : F extends z.ZodRecord<infer K, infer V extends core.$ZodType>
        ? z.ZodRecord<K, z.ZodNullable<V>>
        : F

/** The shape of the schema of a JSON Merge Patch. */
export type PatchShape<S extends core.$ZodLooseShape> = { [K in keyof S]: PatchField<S[K]> }

/**
 * Derives the schema of a JSON Merge Patch (RFC 7396) from the schema of a request body: every field
 * may be absent, null removes an optional field, and no default applies; the same holds for members
 * of objects at any depth. Zod's own `partial()` keeps the defaults, so a patch would reset the fields
 * it omits.
 * @param schema - the schema of the body that creates a document
 * @returns the schema of the patch
 * @example
 * ```ts
 * export const patchPost = toPatchSchema(createPost)
 * ```
 */
export function toPatchSchema<S extends core.$ZodLooseShape>(
  schema: z.ZodObject<S, core.$strict>,
): z.ZodObject<PatchShape<S>, core.$strict> {
  const patch: unknown = patchSources.set(toPatchObject(schema), schema)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- built key by key in the shape of PatchShape
  return patch as z.ZodObject<PatchShape<S>, core.$strict>
}

// The schema that a patch was derived from. Throws TypeError if it is not one of `toPatchSchema`.
export function requirePatchSource(patch: z.ZodObject): z.ZodObject {
  const source = patchSources.get(patch)
  if (source) return source
  throw new TypeError(
    'patchDocument needs a schema of toPatchSchema: export const patchPost = toPatchSchema(createPost).',
  )
}

// A new object without the rules across members, which apply to the merged document.
function toPatchObject({ def }: z.ZodObject): z.ZodObject {
  const fields = Object.entries(def.shape).map(([key, field]) => [
    key,
    keepRestriction(field, toPatchField(field)),
  ])
  const patch = z.object(Object.fromEntries(fields))
  return def.catchall ? patch.catchall(def.catchall) : patch
}

function toPatchField(field: core.$ZodType): core.$ZodType {
  if (field instanceof z.ZodDefault || field instanceof z.ZodPrefault) {
    return toPatchField(field.unwrap())
  }
  if (field instanceof z.ZodOptional) return z.optional(orNull(toPatchOptional(field.unwrap())))
  return z.optional(toPatchValue(field))
}

// A default inside an optional field, as in a restricted one, would apply to a patch without the field.
function toPatchOptional(field: core.$ZodType): core.$ZodType {
  return field instanceof z.ZodDefault || field instanceof z.ZodPrefault
    ? toPatchOptional(field.unwrap())
    : toPatchValue(field)
}

function toPatchValue(field: core.$ZodType): core.$ZodType {
  if (field instanceof z.ZodObject) return toPatchObject(field)
  if (field instanceof z.ZodNullable) return z.nullable(toPatchValue(field.unwrap()))
  if (field instanceof z.ZodRecord) return z.record(field.keyType, orNull(field.valueType))
  return field
}

// A schema that accepts anything accepts null; an extra choice would only clutter the OpenAPI document.
function orNull(field: core.$ZodType): core.$ZodType {
  return field instanceof z.ZodUnknown || field instanceof z.ZodAny ? field : z.nullable(field)
}
