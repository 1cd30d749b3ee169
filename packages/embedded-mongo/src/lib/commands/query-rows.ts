import { type Doc } from '../bson/document.ts'
import { countsOf } from '../catalog/catalog.ts'
import { type Collection, type Row } from '../catalog/collection.ts'
import { type Collation, createCollation } from '../keys/collation.ts'
import { createSortOrder, type SortOrder } from '../keys/sort.ts'
import { type Query } from '../plan/query.ts'
import { startQuery } from '../plan/run-query.ts'
import { compileFilter } from '../query/compile-filter.ts'
import { type CommandContext } from './context.ts'
import { toDocument } from './requirements.ts'

export interface QueryRequest {
  filter: Doc
  sort?: Doc | undefined
  skip?: number | undefined
  // 0 for all.
  limit?: number | undefined
  hint?: unknown
  collation?: unknown
}

export function queryRows(
  context: CommandContext,
  collection: Collection,
  request: QueryRequest,
): Iterable<Row> {
  return readRows(context, collection, toQuery(context, collection, request))
}

export function readRows(
  { view, server }: CommandContext,
  collection: Collection,
  query: Query,
): Iterable<Row> {
  const { path, rows } = startQuery(view, collection, query)
  server.usage.countIndexes(path)
  return rows
}

// Counts a whole collection without reading it.
export function countRows(
  context: CommandContext,
  collection: Collection,
  request: QueryRequest,
): number {
  const { filter, hint, collation, skip = 0, limit = 0 } = request
  // A hint may name an index that does not hold all documents.
  if (Object.keys(filter).length > 0 || hint !== undefined || collation !== undefined) {
    const query = toQuery(context, collection, request)
    // A sort reads the documents, and may reject some.
    const rows = readRows(context, collection, { ...query, isCount: query.order === undefined })
    let count = 0
    for (const row of rows) if (row) count += 1
    return count
  }
  const rest = Math.max(0, countsOf(context.view, collection.id).documents - skip)
  return limit > 0 ? Math.min(limit, rest) : rest
}

export function toQuery(
  context: CommandContext,
  collection: Collection | undefined,
  request: QueryRequest,
): Query {
  const collation = toCollation(request.collation, collection)
  const { filter, hint, skip = 0, limit = 0 } = request
  const variables = toDocument(context.body['let'], 'let')
  const source = {
    text: collection?.indexes.find(({ text }) => text)?.text,
    geo: collection?.indexes.flatMap(({ geo }) => geo),
  }
  const matches = compileFilter(filter, { collation, variables, now: context.now, source })
  const isSorted = request.sort && Object.keys(request.sort).length > 0
  const sort = matches.isNear && !isSorted ? byDistance : request.sort
  const order = toOrder(sort, collation)
  return {
    filter,
    matches,
    sort,
    order,
    skip,
    limit,
    hint,
    collation,
    checkTime: context.checkTime,
  }
}

const byDistance: Doc = { distance: { $meta: 'geoNearDistance' } }

function toOrder(sort: Doc | undefined, collation: Collation | undefined): SortOrder | undefined {
  if (!sort || Object.keys(sort).length === 0 || '$natural' in sort) return undefined
  return createSortOrder(sort, collation)
}

export function toCollation(
  spec: unknown,
  collection: Collection | undefined,
): Collation | undefined {
  return createCollation(toDocument(spec ?? collection?.options['collation'], 'collation'))
}
