import { type QueryFilter, trusted } from 'mongoose'
import { everything, type Scope } from '../access/scope.ts'
import { changeDocument } from './change-document.ts'
import { inScope, requireKnownFields } from './in-scope.ts'
import { type AnyModel } from './model.ts'
import { requireSoftDelete } from './soft-delete.ts'
import { type Update } from './update.ts'
import { type IfMatch, rejectMiss } from './version.ts'
import { type StoredDocument } from './versioned.ts'

/** Options for {@link restoreDocument}. */
export interface RestoreOptions {
  /**
   * The documents that the caller can reach: `req.scope`.
   * @default {}, every document
   */
  readonly scope?: Scope | undefined
}

/** Options for {@link softDeleteDocument}. */
export interface SoftDeleteOptions extends RestoreOptions {
  /** The versions that may be deleted, as returned by `parseIfMatch`. */
  readonly match: IfMatch
}

/**
 * Deletes one document of a model with the plugin `softDelete`: it stays in the database, with the time in `deletedAt`.
 * @param model - the model
 * @param filter - the filter of the document: `{ _id: id }`
 * @param options - versions and scope
 * @throws ApiError `not_found`, `precondition_failed` or `precondition_required` when no document matches
 * @throws Error when the model lacks the plugin, or the scope names a field that the model does not have
 */
export async function softDeleteDocument<T>(
  model: AnyModel<T>,
  filter: QueryFilter<T>,
  options: SoftDeleteOptions,
): Promise<void> {
  const { match, scope = everything } = options
  requireSoftDelete(model)
  requireKnownFields(model, scope)
  const reachable = inScope(scope, filter)
  const deletion: Update = { $set: { deletedAt: new Date() } }
  const { matchedCount } = await model.updateOne(inScope(reachable, match), deletion)
  if (matchedCount === 0) await rejectMiss(model, reachable, match)
}

/**
 * Restores one deleted document of a model with the plugin `softDelete`; of several, the one that was deleted last. It
 * keeps all its fields, so that it is in the scope it was in before.
 * @param model - the model
 * @param filter - the filter of the document: `{ _id: id }`
 * @param options - the scope
 * @returns the restored document, lean
 * @throws ApiError `not_found` when no deleted document matches; MongoDB's duplicate key error, a 409 `duplicate` in a
 * response, when another document has one of its unique values now
 * @throws Error when the model lacks the plugin, or the scope names a field that the model does not have
 */
export async function restoreDocument<T>(
  model: AnyModel<T>,
  filter: QueryFilter<T>,
  options: RestoreOptions = {},
): Promise<StoredDocument<T>> {
  const { scope = everything } = options
  requireSoftDelete(model)
  const deleted = inScope(filter, { deletedAt: trusted({ $ne: null }) })
  const query = { withDeleted: true, sort: { deletedAt: -1 } } as const
  const target = { model, filter: deleted, match: {}, scope, options: query }
  return changeDocument(target, { $unset: { deletedAt: true } })
}
