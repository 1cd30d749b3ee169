import { type PipelineStage } from 'mongoose'
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
  const stages: PipelineStage[] = [
    { $documents: [{ $literal: document.toObject(asStored) }] },
    { $match: filter },
    { $project: { _id: 1 } },
  ]
  // Queries of the model have this collation; the stages belong to no collection.
  const collation = model.schema.get('collation')
  const found = await model.db.aggregate(stages, collation ? { collation } : {})
  if (found.length > 0) return
  throw new ApiError('forbidden', { detail: 'The document would not be yours to reach.' })
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
