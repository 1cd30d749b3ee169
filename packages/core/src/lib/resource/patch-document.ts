import { type QueryFilter } from 'mongoose'
import { type core, type z } from 'zod'
import { ApiError } from '../errors/api-error.ts'
import { zodParseOptions } from '../errors/describe-issue.ts'
import { countFaults, toErrorItems } from '../errors/to-error-items.ts'
import { isRecord, type Readable } from '../json/plain.ts'
import { createSerializer } from '../response/serializer.ts'
import { changeDocument } from './change-document.ts'
import { type WriteOptions } from './document-options.ts'
import { type AnyModel } from './model.ts'
import { requirePatchSource } from './patch-schema.ts'
import { requireReferences } from './require-references.ts'
import { toMergePatch, type Update } from './update.ts'
import { type StoredDocument } from './versioned.ts'

/**
 * Applies a JSON Merge Patch (RFC 7396) to one document. A patch without objects is one update. A
 * patch with objects, or one that could move the document out of the scope, reads the document first, validates
 * the merged result as a whole, and writes it only if the document has not changed since it was read.
 * @param model - the model, with the plugin `versioned`
 * @param filter - the filter of the document: `{ _id: id }`
 * @param options - scope, versions, references, the schema of the patch, created with `toPatchSchema`, and input
 * @returns the changed document, lean
 * @throws ApiError `not_found`, `precondition_failed` or `precondition_required` when no document
 * matches, `validation_failed` when the merged document breaks its schema or a document that it refers to does not exist,
 * `forbidden` when it would be outside the scope, `conflict` after five concurrent changes; declare the last one on the
 * route with `errors: ['conflict']`
 * @throws Error when the scope is undefined or names a field that the model does not have
 * @throws TypeError when the schema was not created with `toPatchSchema`
 * @example
 * ```ts
 * const post = await patchDocument(
 *   PostModel,
 *   { _id: id },
 *   { scope: req.scope, match: parseIfMatch(req), schema: patchPost, input },
 * )
 * ```
 */
export async function patchDocument<T>(
  model: AnyModel<T>,
  filter: QueryFilter<T>,
  options: WriteOptions,
): Promise<StoredDocument<T>> {
  const { scope, match, references, schema, input } = options
  const complete = requirePatchSource(schema)
  if (references) await requireReferences(model, input, { references })
  const changes = needsTarget(complete, input)
    ? (stored: StoredDocument<T>) => merge(complete, stored, input)
    : toMergePatch(input)
  return changeDocument({ model, filter, match, scope }, changes)
}

// Rules across fields can be checked only when all fields are known.
function needsTarget(schema: z.ZodObject, patch: Readable): boolean {
  const hasRules = (schema.def.checks ?? []).length > 0
  const values = Object.values(patch)
  return values.some(isRecord) || (hasRules && values.length > 0)
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
