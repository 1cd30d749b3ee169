import { type QueryFilter } from 'mongoose'
import { type core, type z } from 'zod'
import { ApiError } from '../errors/api-error.ts'
import { zodParseOptions } from '../errors/describe-issue.ts'
import { countFaults, toErrorItems } from '../errors/to-error-items.ts'
import { type AnyModel } from './model.ts'
import { isRecord, type Readable } from '../kernel/plain.ts'
import { createSerializer } from '../kernel/serializer.ts'
import { toMergePatch, type Update } from './update.ts'
import { type IfMatch, rejectMiss } from './version.ts'
import { type StoredDocument } from './versioned.ts'

/** Options for {@link patchDocument}. */
export interface PatchOptions {
  /** The schema of the body that creates a document. */
  readonly schema: z.ZodObject
  /** The body, parsed by a schema of `toPatchSchema`. */
  readonly patch: Readable
  /** The versions that may be changed, as returned by `parseIfMatch`. */
  readonly match: IfMatch
}

const maxAttempts = 5

/**
 * Applies a JSON Merge Patch (RFC 7396) to one document. A patch without objects is one update. A
 * patch with objects reads the document first, validates the merged result as a whole, and writes it
 * only if the document has not changed since it was read.
 * @param model - the model, with the plugin `versioned`
 * @param filter - the filter of the document, including conditions such as the owner
 * @param options - schema, patch and versions
 * @returns the changed document, lean
 * @throws ApiError `not_found`, `precondition_failed` or `precondition_required` when no document
 * matches, `validation_failed` when the merged document breaks its schema, `conflict` after five
 * concurrent changes; declare the last one on the route with `errors: ['conflict']`
 */
export async function patchDocument<T>(
  model: AnyModel<T>,
  filter: QueryFilter<T>,
  options: PatchOptions,
): Promise<StoredDocument<T>> {
  const { schema, patch, match } = options
  if (!needsTarget(schema, patch)) {
    const changed = await update(model, { ...filter, ...match }, toMergePatch(patch))
    return changed ?? rejectMiss(model, filter, match)
  }
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const target = await model.findOne({ ...filter, ...match }).lean<StoredDocument<T>>()
    if (!target) return rejectMiss(model, filter, match)
    const merged = merge(schema, target, patch)
    const { __v: version } = target
    const changed = await update(model, { ...filter, __v: version }, merged)
    if (changed) return changed
  }
  throw new ApiError('conflict', {
    detail: 'Other requests are changing the document at the same time.',
  })
}

// Rules across fields can be checked only when all fields are known.
function needsTarget(schema: z.ZodObject, patch: Readable): boolean {
  const hasRules = (schema.def.checks ?? []).length > 0
  const values = Object.values(patch)
  return values.some(isRecord) || (hasRules && values.length > 0)
}

function update<T>(
  model: AnyModel<T>,
  filter: QueryFilter<T>,
  changes: Update,
): Promise<StoredDocument<T> | null> {
  return model
    .findOneAndUpdate(filter, changes, { returnDocument: 'after', runValidators: true })
    .lean<StoredDocument<T>>()
    .exec()
}

function merge(schema: z.ZodObject, target: object, patch: Readable): Update {
  const merged = applyMergePatch({ ...target }, patch)
  // Only the fields that a client can send.
  const input = createSerializer(schema, { strict: false })(merged)
  const result = schema.safeParse(input, zodParseOptions)
  const issues = (result.error?.issues ?? []).filter((issue) => isDueTo(patch, issue))
  if (issues.length > 0) {
    const errors = toErrorItems(issues, 'body')
    throw new ApiError('validation_failed', { detail: countFaults(errors.length), errors })
  }
  const objects = Object.entries(isRecord(merged) ? merged : {}).filter(([key]) =>
    isRecord(patch[key]),
  )
  return toMergePatch({ ...patch, ...Object.fromEntries(objects) })
}

// RFC 7396 section 2.
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch
  const members = new Map(isRecord(target) ? Object.entries(target) : [])
  for (const [key, value] of Object.entries(patch)) {
    // No schema allows such a member, and copying it by assignment would change the prototype.
    if (key === '__proto__' || value === undefined) continue
    if (value === null) members.delete(key)
    else members.set(key, applyMergePatch(members.get(key), value))
  }
  return Object.fromEntries(members)
}

// A fault in a field outside the patch existed before.
function isDueTo(patch: Readable, { code, path }: core.$ZodIssue): boolean {
  return code === 'custom' || String(path[0]) in patch
}
