import { type QueryFilter } from 'mongoose'
import { type ReadOptions } from './document-options.ts'
import { findOneDirectly, type OneQuery } from './direct-reads.ts'
import { reachable } from './in-scope.ts'
import { type AnyModel } from './model.ts'
import { requireFound } from './version.ts'
import { type StoredDocument } from './versioned.ts'
import { toProjection, type ViewQuery } from './view.ts'

/** Options for {@link findDocument}. */
export interface FindOptions extends ReadOptions {
  /**
   * The parsed query of the route, with the fields of a view; only these are read.
   * @default {}, every field
   */
  readonly query?: ViewQuery | undefined
}

/**
 * Finds one document that the caller can reach.
 * @param model - the model
 * @param filter - the filter of the document: `{ _id: id }`
 * @param options - scope and query
 * @returns the document, lean
 * @throws ApiError `not_found` when there is none
 * @throws Error when the scope is undefined or names a field that the model does not have
 * @example
 * ```ts
 * const post = await findDocument(PostModel, { _id: id }, { scope: req.scope })
 * ```
 */
export async function findDocument<T>(
  model: AnyModel<T>,
  filter: QueryFilter<T>,
  options: FindOptions,
): Promise<StoredDocument<T>> {
  const { scope, query = {} } = options
  const reached = { filter: reachable(model, scope, filter), projection: toProjection(query) }
  const direct = await findOneDirectly(model, reached)
  return requireFound(direct === undefined ? await findOne(model, reached) : direct)
}

function findOne<T>(
  model: AnyModel<T>,
  { filter, projection }: OneQuery,
): Promise<StoredDocument<T> | null> {
  return model.findOne(filter, projection).lean<StoredDocument<T> | null>().exec()
}
