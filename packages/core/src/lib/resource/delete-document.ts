import { type QueryFilter, type QueryOptions, trusted } from 'mongoose'
import { changeDocument } from './change-document.ts'
import { deleteDirectly } from './direct-changes.ts'
import { type DeleteOptions, type ReadOptions } from './document-options.ts'
import { inScope, reachable } from './in-scope.ts'
import { type AnyModel } from './model.ts'
import { isRecorded, writeRecorded } from './record-changes.ts'
import { keepsDeleted, requireSoftDelete } from './soft-delete.ts'
import { rejectMiss } from './version.ts'
import { type StoredDocument } from './versioned.ts'

/**
 * Deletes one document. With the plugin `softDelete` it stays in the database, with the time in `deletedAt`.
 * @param model - the model
 * @param filter - the filter of the document: `{ _id: id }`
 * @param options - scope and versions
 * @throws ApiError `not_found`, `precondition_failed` or `precondition_required` when no document matches
 * @throws Error when the scope is undefined or names a field that the model does not have
 * @example
 * ```ts
 * await deleteDocument(PostModel, { _id: id }, { scope: req.scope, match: parseIfMatch(req) })
 * ```
 */
export async function deleteDocument<T>(
  model: AnyModel<T>,
  filter: QueryFilter<T>,
  options: DeleteOptions,
): Promise<void> {
  const { scope, match } = options
  const target = reachable(model, scope, filter)
  const matching = inScope(target, match)
  const found = isRecorded(model)
    ? await writeRecorded(model, async (session) => {
        const result = await remove(model, matching, { session })
        return { result, change: result ? { kind: 'deleted', before: result } : undefined }
      })
    : ((await deleteDirectly(model, matching)) ?? (await remove(model, matching)))
  if (!found) await rejectMiss(model, target, match)
}

// Returns the document as it was before. A session of null would leave the transaction of the caller.
function remove<T>(
  model: AnyModel<T>,
  filter: QueryFilter<T>,
  options: QueryOptions = {},
): Promise<StoredDocument<T> | null> {
  return keepsDeleted(model)
    ? model
        .findOneAndUpdate(filter, { $set: { deletedAt: new Date() } }, options)
        .lean<StoredDocument<T>>()
        .exec()
    : model.findOneAndDelete(filter, options).lean<StoredDocument<T>>().exec()
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
 * @throws Error when the model lacks the plugin, or the scope is undefined or names a field that the model does not have
 * @example
 * ```ts
 * const post = await restoreDocument(PostModel, { _id: id }, { scope: req.scope })
 * ```
 */
export async function restoreDocument<T>(
  model: AnyModel<T>,
  filter: QueryFilter<T>,
  options: ReadOptions,
): Promise<StoredDocument<T>> {
  requireSoftDelete(model)
  const deleted = inScope(filter, { deletedAt: trusted({ $ne: null }) })
  const query = { withDeleted: true, sort: { deletedAt: -1 } } as const
  const target = { model, filter: deleted, match: {}, scope: options.scope, options: query }
  return changeDocument(target, { $unset: { deletedAt: true } })
}
