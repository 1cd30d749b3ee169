import { type z } from 'zod'
import { grantedFields, toRestriction } from '../schemas/restrict.ts'

/** A MongoDB update. Every key comes from a schema, never from a request. */
export interface Update {
  /** Fields to set. */
  $set?: Record<string, unknown>
  /** Fields to remove. */
  $unset?: Record<string, true>
}

/**
 * Turns a JSON Merge Patch (RFC 7396) into an update: null removes a field, any other value replaces
 * it, absent fields stay. An object replaces the stored one; to merge them use `patchDocument`.
 * @param patch - the body, parsed by a schema of `toPatchSchema`
 * @returns the update; empty for an empty patch
 */
export function toMergePatch(patch: Readonly<Record<string, unknown>>): Update {
  const set: Record<string, unknown> = {}
  const unset: Record<string, true> = {}
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) unset[key] = true
    else if (value !== undefined) set[key] = value
  }
  return toUpdate(set, unset)
}

/**
 * Turns a complete body into an update that replaces every field a client can write: absent optional
 * fields are removed. Fields that only the server writes stay, and those that the caller may not write. Restricted
 * fields that are absent stay, too, if the body was not parsed by a route.
 * @param schema - the schema of the body
 * @param body - the body, parsed by it
 * @returns the update
 */
export function toReplacement(
  schema: z.ZodObject,
  body: Readonly<Record<string, unknown>>,
): Update {
  const granted: unknown = Reflect.get(body, grantedFields)
  const mayWrite = (key: string): boolean =>
    granted instanceof Set ? granted.has(key) : !toRestriction(schema.shape[key])?.writable
  const absent = Object.keys(schema.shape).filter((key) => body[key] === undefined && mayWrite(key))
  const present = Object.entries(body).filter(([, value]) => value !== undefined)
  return toUpdate(Object.fromEntries(present), Object.fromEntries(absent.map((key) => [key, true])))
}

function toUpdate(set: Record<string, unknown>, unset: Record<string, true>): Update {
  const update: Update = {}
  if (Object.keys(set).length > 0) update.$set = set
  if (Object.keys(unset).length > 0) update.$unset = unset
  return update
}
