import { type mongo, type PipelineStage } from 'mongoose'
import { ApiError } from '../errors/api-error.ts'
import { type Scope } from '../access/scope.ts'
import { type AnyModel } from './model.ts'

// Throws ApiError `forbidden` if a document that is not stored yet is outside a scope. The database judges:
// the result is the one that a query for the stored document would have.
export async function requireInScope<T>(
  model: AnyModel<T>,
  scope: Scope,
  document: Unstored,
): Promise<void> {
  // The query has its own copy of the filter, which is frozen.
  const filter: Scope = model.find({ ...scope }).cast(model)
  const found = await findAmong(model, [document.toObject(asStored)], {
    filter,
    projection: { _id: 1 },
  })
  if (found.length > 0) return
  throw new ApiError('forbidden', { detail: 'The document would not be yours to reach.' })
}

interface Among {
  /** A filter that the model has cast. */
  readonly filter: object
  readonly projection: Record<string, 1> | null
  readonly collation?: mongo.CollationOptions | undefined
}

// Those of some documents that a filter finds. They need not be stored.
export async function findAmong<T>(
  model: AnyModel<T>,
  documents: readonly object[],
  { collation = model.schema.get('collation'), filter, projection }: Among,
): Promise<T[]> {
  const stages: PipelineStage[] = [
    { $documents: documents.map((document) => ({ $literal: document })) },
    { $match: filter },
    ...(projection ? [{ $project: projection }] : []),
  ]
  // Queries of the model have this collation; the stages belong to no collection.
  return model.db.aggregate(stages, collation ? { collation } : {})
}

interface Unstored {
  toObject(options: object): object
}

// As Mongoose sends it.
const asStored = {
  depopulate: true,
  flattenMaps: false,
  getters: false,
  minimize: false,
  transform: false,
  virtuals: false,
}
