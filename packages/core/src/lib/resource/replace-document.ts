import { type QueryFilter } from 'mongoose'
import { changeDocument } from './change-document.ts'
import { type WriteOptions } from './document-options.ts'
import { type AnyModel } from './model.ts'
import { requireReferences } from './require-references.ts'
import { requireStoredFields, toReplacement } from './update.ts'
import { type StoredDocument } from './versioned.ts'

/**
 * Replaces every field of one document that a client can write; absent optional fields are removed. Fields that only
 * the server writes stay. A change that could move the document out of the scope reads it first, and writes it only if
 * it has not changed since it was read.
 * @param model - the model; without the plugin `versioned`, only these functions count its versions
 * @param filter - the filter of the document: `{ _id: id }`
 * @param options - scope, versions, references, schema and input
 * @returns the changed document, lean
 * @throws ApiError `not_found`, `precondition_failed` or `precondition_required` when no document
 * matches, `validation_failed` when a document that it refers to does not exist, `forbidden` when the changed document
 * would be outside the scope, `conflict` after five concurrent changes
 * @throws Error when the scope is undefined or names a field that the model does not have, or the input has one
 * @example
 * ```ts
 * const post = await replaceDocument(
 *   PostModel,
 *   { _id: id },
 *   { scope: req.scope, match: parseIfMatch(req), schema: replacePost, input },
 * )
 * ```
 */
export async function replaceDocument<T>(
  model: AnyModel<T>,
  filter: QueryFilter<T>,
  options: WriteOptions,
): Promise<StoredDocument<T>> {
  const { scope, match, references, schema, input } = options
  requireStoredFields(model, schema, input)
  if (references) await requireReferences(model, input, { references })
  return changeDocument({ model, filter, match, scope }, toReplacement(schema, input))
}
