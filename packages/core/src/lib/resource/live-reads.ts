import { type mongo } from 'mongoose'
import { findAmong } from './judge.ts'
import { type LiveRead } from './list-query.ts'
import { type AnyQuery } from './model.ts'
import { keepsDeleted, notDeleted } from './soft-delete.ts'

interface LiveOptions {
  readonly projection: Record<string, 1> | null
  readonly collation?: mongo.CollationOptions | undefined
}

// Reads the documents of a live list. A secondary, or a primary that has just been elected, may not have the changes yet which
// the session has seen; what could be rolled back is not sent.
export async function findLive<T>(
  query: AnyQuery<T>,
  { collation, projection }: LiveOptions,
  { documents, onRead, session }: LiveRead,
): Promise<T[]> {
  onRead()
  if (documents) return findBefore(query, documents, { collation, projection })
  if (collation) query.collation(collation)
  if (projection) query.projection(projection)
  return query.session(session).read('primary').readConcern('majority').exec()
}

// The conditions that other hooks of the schema add to queries are unknown here.
function findBefore<T>(
  query: AnyQuery<T>,
  documents: readonly object[],
  { collation, projection }: LiveOptions,
): Promise<T[]> {
  const { model } = query
  const filter = query.cast(model)
  const hides = keepsDeleted(model) && !query.getOptions()['withDeleted']
  return findAmong<T>(model, documents, {
    filter: hides ? { $and: [filter, notDeleted] } : filter,
    collation: collation ?? query.getOptions().collation,
    projection,
  })
}
