import { type QueryFilter } from 'mongoose'
import { type z } from 'zod'
import { everything, type Scope } from '../access/scope.ts'
import { type Readable } from '../json/plain.ts'
import { changeDocument } from './change-document.ts'
import { type AnyModel } from './model.ts'
import { toReplacement } from './update.ts'
import { type IfMatch } from './version.ts'
import { type StoredDocument } from './versioned.ts'

/** Options for {@link replaceDocument}. */
export interface ReplaceOptions {
  /** The schema of the body that replaces a document. */
  readonly schema: z.ZodObject
  /** The body, parsed by it. */
  readonly input: Readable
  /** The versions that may be changed, as returned by `parseIfMatch`. */
  readonly match: IfMatch
  /**
   * The documents that the caller can reach: `req.scope`. The document must be one of them before the change and
   * after it.
   * @default {}, every document
   */
  readonly scope?: Scope | undefined
}

/**
 * Replaces every field of one document that a client can write; absent optional fields are removed. Fields that only
 * the server writes stay. A change that could move the document out of the scope reads it first, and writes it only if
 * it has not changed since it was read.
 * @param model - the model, with the plugin `versioned`
 * @param filter - the filter of the document: `{ _id: id }`
 * @param options - schema, input, versions and scope
 * @returns the changed document, lean
 * @throws ApiError `not_found`, `precondition_failed` or `precondition_required` when no document
 * matches, `forbidden` when the changed document would be outside the scope, `conflict` after five concurrent changes
 * @throws Error when the scope names a field that the model does not have
 * @example
 * ```ts
 * const post = await replaceDocument(
 *   PostModel,
 *   { _id: id },
 *   { schema: replacePost, input, match: parseIfMatch(req), scope: req.scope },
 * )
 * ```
 */
export async function replaceDocument<T>(
  model: AnyModel<T>,
  filter: QueryFilter<T>,
  options: ReplaceOptions,
): Promise<StoredDocument<T>> {
  const { schema, input, match, scope = everything } = options
  return changeDocument({ model, filter, match, scope }, toReplacement(schema, input))
}
