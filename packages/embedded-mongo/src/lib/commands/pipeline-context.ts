import { type LeadingQuery, type PipelineContext } from '../aggregate/stage.ts'
import { type Doc } from '../bson/document.ts'
import { findCollection } from '../catalog/catalog.ts'
import { createCollation } from '../keys/collation.ts'
import { type CommandContext, toNamespace } from './context.ts'
import { queryRows } from './query-rows.ts'
import { toDocument } from './requirements.ts'
import { createWriteTarget } from './write-target.ts'

/**
 * What a pipeline may do besides transforming documents: read and write other collections.
 *
 * @param context The command.
 * @returns The pipeline's surroundings.
 */
export function createPipelineContext(context: CommandContext): PipelineContext {
  const { body, database, now } = context
  return {
    collection: (name, query) => readCollection(context, toNamespace(database, name), query),
    write: (name, other) => createWriteTarget(context, toNamespace(other ?? database, name)),
    isIndexed(name, field) {
      const collection = findCollection(context.view, toNamespace(database, name))
      return collection?.indexes.some((index) => index.fields[0]?.path === field) ?? false
    },
    variables: toDocument(body['let'], 'let'),
    now,
    collation: createCollation(toDocument(body['collation'], 'collation')),
  }
}

function* readCollection(
  context: CommandContext,
  namespace: string,
  query: LeadingQuery = {},
): Generator<Doc> {
  const collection = findCollection(context.view, namespace)
  if (!collection) return
  const { collation } = context.body
  const { filter = {}, sort, skip, limit } = query
  const rows = queryRows(context, collection, { filter, sort, skip, limit, collation })
  for (const { doc } of rows) yield doc
}
