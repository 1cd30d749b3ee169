import { z } from 'zod'
import { type AnyModel } from './model.ts'
import { isRemovable } from './merge-patch.ts'
import { grantedFields, toRestriction } from '../schemas/restrict.ts'

// A MongoDB update. Every key comes from a schema, never from a request.
export interface Update {
  $set?: Record<string, unknown>
  $unset?: Record<string, true>
}

// A JSON Merge Patch (RFC 7396) as an update: null removes a field that is optional, and an object replaces the
// stored one.
export function toMergePatch(
  schema: z.ZodObject,
  patch: Readonly<Record<string, unknown>>,
): Update {
  const set: Record<string, unknown> = {}
  const unset: Record<string, true> = {}
  for (const [key, value] of Object.entries(patch)) {
    if (value === null && isRemovable(schema.shape[key])) unset[key] = true
    else if (value !== undefined) set[key] = value
  }
  return toUpdate(set, unset)
}

// A complete body as an update: absent optional fields are removed. Fields that only the server writes stay, and those that
// the caller may not write. Restricted fields that are absent stay, too, if the body was not parsed by a route.
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

// Whether a client can send a field.
export function hasField({ shape, def }: z.ZodObject, name: string): boolean {
  const { catchall } = def
  return Object.hasOwn(shape, name) || (catchall !== undefined && !(catchall instanceof z.ZodNever))
}

// Throws Error for a field that the server adds to the input and the model would drop without a word.
export function requireStoredFields<T>(
  { modelName, schema }: AnyModel<T>,
  body: z.ZodObject,
  input: Readonly<Record<string, unknown>>,
): void {
  if (schema.options.strict === false) return
  const wrong = Object.keys(input).find(
    (name) => !hasField(body, name) && schema.pathType(name) === 'adhocOrUndefined',
  )
  if (wrong === undefined) return
  throw new Error(
    `The model '${modelName}' has no field '${wrong}', which the input has besides its schema. Add it to the model.`,
  )
}

function toUpdate(set: Record<string, unknown>, unset: Record<string, true>): Update {
  const update: Update = {}
  if (Object.keys(set).length > 0) update.$set = set
  if (Object.keys(unset).length > 0) update.$unset = unset
  return update
}
