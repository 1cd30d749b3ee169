import { type LeadingQuery, type PipelineContext } from '../aggregate/stage.ts'
import { type Doc } from '../bson/document.ts'
import { findCollection } from '../catalog/catalog.ts'
import { type Collection, type Index } from '../catalog/collection.ts'
import { type Collation, SIMPLE } from '../keys/collation.ts'
import { toConditions } from '../plan/conditions.ts'
import { hasAllMatches } from '../plan/membership.ts'
import { type CommandContext, toNamespace } from './context.ts'
import { queryRows, toCollation } from './query-rows.ts'
import { toDocument } from './requirements.ts'
import { createWriteTarget } from './write-target.ts'

/**
 * What a pipeline may do besides transforming documents: read and write other collections.
 *
 * @param context The command.
 * @param source Where the pipeline reads; its collation is the default, for other collections too.
 * @returns The pipeline's surroundings.
 */
export function createPipelineContext(
  context: CommandContext,
  source?: Collection,
): PipelineContext {
  const { body, database, now } = context
  const collation = toCollation(body['collation'], source)
  const read = createReader(context, collation)
  return {
    collection: (name, query) => read(toNamespace(database, name), query),
    write: (name, other) =>
      createWriteTarget(context, toNamespace(other ?? database, name), collation),
    isIndexed(name, field) {
      const collection = findCollection(context.view, toNamespace(database, name))
      return (
        collection?.indexes.some(
          (index) => index.fields[0]?.path === field && isUsable(index, collation),
        ) ?? false
      )
    },
    variables: toDocument(body['let'], 'let'),
    now,
    collation,
  }
}

// An index a join can look any value up in.
function isUsable(index: Index, collation: Collation | undefined): boolean {
  const isWhole = !index.hidden && hasAllMatches(index, toConditions({}))
  return isWhole && index.collation?.id === collation?.id
}

function createReader(context: CommandContext, used: Collation | undefined) {
  // What is read follows the pipeline's collation, never its own.
  const collation = used?.spec ?? SIMPLE
  return function* read(namespace: string, query: LeadingQuery = {}): Generator<Doc> {
    const collection = findCollection(context.view, namespace)
    if (!collection) return
    const { filter = {}, sort, skip, limit } = query
    const rows = queryRows(context, collection, { filter, sort, skip, limit, collation })
    for (const { doc } of rows) yield doc
  }
}
