import { type core, z } from 'zod'
import { keepRestriction } from '../schemas/restrict.ts'
import { patchSources } from '../schemas/schema-marks.ts'
import { requireObjectSchema } from '../schemas/schema-members.ts'

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
        ? z.ZodRecord<K, z.ZodNullable<PatchValue<V>>>
        : F extends z.ZodUnion<infer O extends readonly core.$ZodType[]>
          ? z.ZodUnion<{ [K in keyof O]: PatchAlternative<O[K]> }>
          : F extends z.ZodReadonly<infer I extends core.$ZodType>
            ? PatchValue<I>
            : F extends z.ZodLazy<infer I extends core.$ZodType>
              ? z.ZodLazy<PatchValue<I>>
              : F

// A member that only another alternative has is an error, so that no part of a patch is lost.
type PatchAlternative<F extends core.$ZodType> =
  F extends z.ZodObject<infer S> ? z.ZodObject<PatchShape<S>, core.$strict> : PatchValue<F>

/** The shape of the schema of a JSON Merge Patch. */
export type PatchShape<S extends core.$ZodLooseShape> = { [K in keyof S]: PatchField<S[K]> }

/**
 * Derives the schema of a JSON Merge Patch (RFC 7396) from the schema of a request body: every field
 * may be absent, null removes an optional field, and no default applies; the same holds for members
 * of objects at any depth, also in unions. Null in a field that is nullable and not optional is a value; in one
 * that is both, it removes the field. Zod's own `partial()` keeps the defaults, so a patch would reset the fields
 * it omits.
 * @param schema - the schema of the body that creates a document
 * @returns the schema of the patch
 * @throws TypeError when the schema is not that of an object
 * @example
 * ```ts
 * export const patchPost = toPatchSchema(createPost)
 * ```
 */
export function toPatchSchema<S extends core.$ZodLooseShape>(
  schema: z.ZodObject<S, core.$strict>,
): z.ZodObject<PatchShape<S>, core.$strict> {
  requireObjectSchema(schema, 'toPatchSchema')
  const patch: unknown = patchSources.set(toPatchObject(schema, new Map()), schema)
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

// The patches of objects that are being derived: a schema may contain itself.
type Derived = Map<core.$ZodType, z.ZodType>

// A new object without the rules across members, which apply to the merged document.
function toPatchObject({ def }: z.ZodObject, derived: Derived): z.ZodObject {
  const fields = Object.entries(def.shape).map(([key, field]) => [
    key,
    keepRestriction(field, toPatchField(field, derived)),
  ])
  const patch = z.object(Object.fromEntries(fields))
  return def.catchall ? patch.catchall(def.catchall) : patch
}

function toPatchField(field: core.$ZodType, derived: Derived): core.$ZodType {
  if (field instanceof z.ZodDefault || field instanceof z.ZodPrefault) {
    return toPatchField(field.unwrap(), derived)
  }
  if (field instanceof z.ZodOptional) {
    return z.optional(orNull(toPatchOptional(field.unwrap(), derived)))
  }
  return z.optional(toPatchValue(field, derived))
}

// A default inside an optional field, as in a restricted one, would apply to a patch without the field.
function toPatchOptional(field: core.$ZodType, derived: Derived): core.$ZodType {
  return field instanceof z.ZodDefault || field instanceof z.ZodPrefault
    ? toPatchOptional(field.unwrap(), derived)
    : toPatchValue(field, derived)
}

function toPatchValue(field: core.$ZodType, derived: Derived): core.$ZodType {
  if (field instanceof z.ZodObject || field instanceof z.ZodLazy) return toPatchOnce(field, derived)
  if (field instanceof z.ZodNullable) return z.nullable(toPatchValue(field.unwrap(), derived))
  if (field instanceof z.ZodReadonly) return toPatchValue(field.unwrap(), derived)
  if (field instanceof z.ZodRecord)
    return z.record(field.keyType, orNull(toPatchValue(field.valueType, derived)))
  if (field instanceof z.ZodUnion) {
    return z.union(field.options.map((option) => toPatchAlternative(option, derived)))
  }
  if (field instanceof z.ZodIntersection) {
    const { left, right } = field.def
    return z.intersection(toPatchValue(left, derived), toPatchValue(right, derived))
  }
  return field
}

function toPatchOnce(field: z.ZodObject | z.ZodLazy, derived: Derived): core.$ZodType {
  if (derived.has(field)) return z.lazy(() => derived.get(field) ?? z.never())
  derived.set(field, z.never())
  const patch =
    field instanceof z.ZodObject
      ? toPatchObject(field, derived)
      : z.lazy(() => toPatchValue(field.unwrap(), derived))
  derived.set(field, patch)
  return patch
}

// A member that only another alternative has is an error, so that no part of a patch is lost.
function toPatchAlternative(option: core.$ZodType, derived: Derived): core.$ZodType {
  const patch = toPatchValue(option, derived)
  return patch instanceof z.ZodObject && !patch.def.catchall ? patch.strict() : patch
}

// A schema that accepts anything accepts null; an extra choice would only clutter the OpenAPI document.
function orNull(field: core.$ZodType): core.$ZodType {
  return field instanceof z.ZodUnknown || field instanceof z.ZodAny ? field : z.nullable(field)
}
