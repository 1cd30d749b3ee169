import { type QueryFilter } from 'mongoose'
import { type core, z } from 'zod'
import { zodParseOptions } from '../errors/describe-issue.ts'
import { createValidationError, toErrorItems } from '../errors/to-error-items.ts'
import { isRecord, type Readable } from '../json/plain.ts'
import { createSerializer } from '../response/serializer.ts'
import { toJsonDecoder } from '../schemas/decoder.ts'
import { changeDocument } from './change-document.ts'
import { type WriteOptions } from './document-options.ts'
import { mergePatch } from './merge-patch.ts'
import { type AnyModel } from './model.ts'
import { requirePatchSource } from './patch-schema.ts'
import { requireReferences } from './require-references.ts'
import { toStoredInput } from './stored-input.ts'
import { hasField, requireStoredFields, toMergePatch, type Update } from './update.ts'
import { type StoredDocument } from './versioned.ts'

/**
 * Applies a JSON Merge Patch (RFC 7396) to one document. A patch without objects is one update. A
 * patch with objects, or one that could move the document out of the scope, reads the document first, validates
 * the merged result as a whole, and writes it only if the document has not changed since it was read.
 * @param model - the model; without the plugin `versioned`, only these functions count its versions
 * @param filter - the filter of the document: `{ _id: id }`
 * @param options - scope, versions, references, the schema of the patch, created with `toPatchSchema`, and input; fields of
 * the model that the server adds, such as `{ ...input, editedBy: req.user.id }`, are validated by the model
 * @returns the changed document, lean
 * @throws ApiError `not_found`, `precondition_failed` or `precondition_required` when no document
 * matches, `validation_failed` when the merged document breaks its schema or a document that it refers to does not exist,
 * `forbidden` when it would be outside the scope, `conflict` after five concurrent changes; declare the last one on the
 * route with `errors: ['conflict']`
 * @throws Error when the scope is undefined or names a field that the model does not have, or the input has one
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
  requireStoredFields(model, complete, input)
  const { patch, added } = split(complete, input)
  const changes = needsTarget(complete, patch)
    ? (stored: StoredDocument<T>) => merge(complete, stored, patch, added)
    : toMergePatch(complete, input)
  return changeDocument({ model, filter, match, scope }, changes)
}

// The patch of the client, and what the server adds to it.
function split(schema: z.ZodObject, input: Readable): { patch: Readable; added: Readable } {
  const entries = Object.entries(input)
  return {
    patch: Object.fromEntries(entries.filter(([name]) => hasField(schema, name))),
    added: Object.fromEntries(entries.filter(([name]) => !hasField(schema, name))),
  }
}

// Rules across fields can be checked only when all fields are known.
function needsTarget(schema: z.ZodObject, patch: Readable): boolean {
  const hasRules = (schema.def.checks ?? []).length > 0
  const values = Object.values(patch)
  return values.some(isRecord) || (hasRules && values.length > 0)
}

function merge(schema: z.ZodObject, target: object, patch: Readable, added: Readable): Update {
  const merged: Readable = Object(mergePatch(schema, { ...target }, patch))
  // Only the fields that a client can send.
  const stored = createSerializer(schema, { strict: false })(merged)
  const changed = Object.keys(patch).map((key) => [
    key,
    toStoredInput(schema.shape[key] ?? z.unknown(), merged[key]),
  ])
  const input = Object.assign({}, stored, Object.fromEntries(changed))
  const decode = toJsonDecoder(schema)
  const result = schema.safeParse(decode ? decode(input) : input, zodParseOptions)
  const issues = (result.error?.issues ?? []).filter((issue) => isDueTo(patch, issue))
  if (issues.length > 0) throw createValidationError(toErrorItems(issues, 'body'))
  const objects = Object.entries(merged)
    .filter(([key]) => isRecord(patch[key]))
    .map(([key, value]) => [key, result.success ? addDefaults(value, result.data[key]) : value])
  return toMergePatch(schema, { ...patch, ...Object.fromEntries(objects), ...added })
}

// A new object gets the defaults of its members, as in a body that creates a document.
function addDefaults(value: unknown, parsed: unknown): unknown {
  if (!isRecord(value) || !isRecord(parsed)) return value ?? parsed
  const members = Object.entries(value).map(([key, member]) => [
    key,
    isRecord(member) ? addDefaults(member, parsed[key]) : member,
  ])
  const defaults = Object.entries(parsed).filter(([, member]) => member !== undefined)
  return Object.fromEntries([...defaults, ...members])
}

// A fault in a field outside the patch existed before.
function isDueTo(patch: Readable, { code, path }: core.$ZodIssue): boolean {
  return code === 'custom' || Object.hasOwn(patch, String(path[0]))
}
