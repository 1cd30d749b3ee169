import { type z } from 'zod'

/** An update as MongoDB takes it; every key comes from a schema, never from a request. */
export interface Update {
  $set?: Record<string, unknown>
  $unset?: Record<string, true>
}

/**
 * Makes an update from a JSON Merge Patch (RFC 7396): null removes, everything else replaces, what
 * is absent stays. An object is set as it is; `patchDocument` merges it into the one that is there.
 * @param patch - the body, parsed by a schema made with `toPatchSchema`
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
 * Makes an update that replaces all a client can write: an optional field that is absent is
 * removed. What only the server writes stays.
 * @param schema - the schema of the body
 * @param body - the body, parsed by it
 * @returns the update
 */
export function toReplacement(
  schema: z.ZodObject,
  body: Readonly<Record<string, unknown>>,
): Update {
  const absent = Object.keys(schema.shape).filter((key) => body[key] === undefined)
  const present = Object.entries(body).filter(([, value]) => value !== undefined)
  return toUpdate(Object.fromEntries(present), Object.fromEntries(absent.map((key) => [key, true])))
}

function toUpdate(set: Record<string, unknown>, unset: Record<string, true>): Update {
  const update: Update = {}
  if (Object.keys(set).length > 0) update.$set = set
  if (Object.keys(unset).length > 0) update.$unset = unset
  return update
}
