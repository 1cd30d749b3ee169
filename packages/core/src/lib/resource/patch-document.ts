import { type QueryFilter } from 'mongoose'
import { type core, type z } from 'zod'
import { ApiError } from '../errors/api-error.ts'
import { speakPlainly } from '../errors/describe-issue.ts'
import { countFaults, toErrorItems } from '../errors/to-error-items.ts'
import { type AnyModel } from './any-model.ts'
import { applyMergePatch } from './merge-patch.ts'
import { isRecord, type Readable } from './plain.ts'
import { createSerializer } from './serializer.ts'
import { toMergePatch, type Update } from './update.ts'
import { type IfMatch, rejectMiss } from './version.ts'
import { type StoredFields } from './versioned.ts'

/** What {@link patchDocument} changes. */
export interface PatchOptions {
  /** The schema of the whole body, as a client sends it to create. */
  readonly schema: z.ZodObject
  /** The body, parsed by a schema made with `toPatchSchema`. */
  readonly patch: Readable
  /** The versions that may be changed, as `parseIfMatch` read them. */
  readonly match: IfMatch
}

const mostAttempts = 5

/**
 * Changes one document by a JSON Merge Patch (RFC 7396). Without objects in the patch that is one
 * update. What an object is merged into has to be read first: the result is validated as a whole,
 * and written only if the document is still the one that was read.
 * @param model - the model, with the plugin `versioned`
 * @param filter - which document, with what it must have besides, such as the owner
 * @param options - schema, patch and versions
 * @returns the changed document, lean
 * @throws ApiError `not_found`, `precondition_failed` or `precondition_required` when there is no
 * such document, `validation_failed` when the merged document breaks its schema, `conflict` when
 * others keep changing it, which the route states as `errors: ['conflict']`
 */
export async function patchDocument<T>(
  model: AnyModel<T>,
  filter: QueryFilter<T>,
  options: PatchOptions,
): Promise<T & StoredFields> {
  const { schema, patch, match } = options
  if (!needsTarget(schema, patch)) {
    const changed = await update(model, { ...filter, ...match }, toMergePatch(patch))
    return changed ?? rejectMiss(model, filter, match)
  }
  for (let attempt = 1; attempt <= mostAttempts; attempt++) {
    const target = await model.findOne({ ...filter, ...match }).lean<T & StoredFields>()
    if (!target) return rejectMiss(model, filter, match)
    const merged = merge(schema, target, patch)
    const { __v: version } = target
    const changed = await update(model, { ...filter, __v: version }, merged)
    if (changed) return changed
  }
  throw new ApiError('conflict', { detail: 'Others are changing it at the same time.' })
}

// Rules across fields can be judged only when all fields are known.
function needsTarget(schema: z.ZodObject, patch: Readable): boolean {
  const hasRules = (schema.def.checks ?? []).length > 0
  const values = Object.values(patch)
  return values.some(isRecord) || (hasRules && values.length > 0)
}

function update<T>(
  model: AnyModel<T>,
  filter: QueryFilter<T>,
  changes: Update,
): Promise<(T & StoredFields) | null> {
  return model
    .findOneAndUpdate(filter, changes, { returnDocument: 'after' })
    .lean<T & StoredFields>()
    .exec()
}

function merge(schema: z.ZodObject, target: object, patch: Readable): Update {
  const merged = applyMergePatch({ ...target }, patch)
  // As the client would send it: what only the server writes is left out.
  const seen = createSerializer(schema, { strict: false })(merged)
  const result = schema.safeParse(seen, speakPlainly)
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

// A fault in a field that the patch does not name was there before.
function isDueTo(patch: Readable, { code, path }: core.$ZodIssue): boolean {
  return code === 'custom' || String(path[0]) in patch
}
