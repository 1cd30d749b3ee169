import { createCommandScope } from '../expressions/compile-expression.ts'
import { type Doc } from '../bson/document.ts'
import { encode } from '../bson/codec.ts'
import { findCollection } from '../catalog/catalog.ts'
import { type Row } from '../catalog/collection.ts'
import { notImplemented } from '../errors/command-error.ts'
import { compileProjection } from '../project/compile-projection.ts'
import { type Query } from '../plan/query.ts'
import { type Command, type CommandContext, requireNamespace } from './context.ts'
import { type QueryRequest, readRows, toQuery } from './query-rows.ts'
import { toBoolean, toCount, toDocument } from './requirements.ts'

export const find: Command = {
  options: [
    'filter',
    'sort',
    'projection',
    'hint',
    'skip',
    'limit',
    'batchSize',
    'singleBatch',
    'collation',
    'let',
    'allowDiskUse',
    'noCursorTimeout',
    'allowPartialResults',
    'oplogReplay',
    'tailable',
    'awaitData',
    'min',
    'max',
    'returnKey',
    'showRecordId',
  ],
  inTransaction: true,
  run(context) {
    const namespace = requireNamespace(context)
    rejectOptions(context.body)
    const collection = findCollection(context.view, namespace)
    const query = toQuery(context, collection, toFindRequest(context.body))
    const rows = collection ? readRows(context, collection, query) : []
    const cursor = context.server.cursors.open(
      {
        namespace,
        documents: toBuffers(rows, toProjection(context, query)),
        transaction: context.transaction,
        session: context.session,
        collection: collection?.id,
        mayIdle: toBoolean(context.body['noCursorTimeout'], 'find.noCursorTimeout'),
      },
      {
        batchSize: toCount(context.body['batchSize'], 'find.batchSize'),
        singleBatch: toBoolean(context.body['singleBatch'], 'find.singleBatch'),
      },
    )
    return { fields: {}, cursor }
  },
}

export function toFindRequest(body: Doc): QueryRequest {
  return {
    filter: toDocument(body['filter'], 'find.filter'),
    sort: toDocument(body['sort'], 'find.sort'),
    skip: toCount(body['skip'], 'find.skip'),
    limit: toCount(body['limit'], 'find.limit'),
    hint: body['hint'],
    collation: body['collation'],
  }
}

function rejectOptions(body: Doc): void {
  for (const option of ['tailable', 'awaitData', 'returnKey', 'showRecordId']) {
    if (toBoolean(body[option], `find.${option}`)) throw notImplemented(`find option ${option}`)
  }
  for (const option of ['min', 'max']) {
    if (body[option] !== undefined) throw notImplemented(`find option ${option}`)
  }
}

function toProjection(
  { body, now }: CommandContext,
  query: Query,
): ((doc: Doc) => Doc) | undefined {
  const spec = toDocument(body['projection'], 'find.projection')
  if (Object.keys(spec).length === 0) return undefined
  const variables = toDocument(body['let'], 'let')
  const scope = createCommandScope({ variables, now, collation: query.collation })
  return compileProjection(spec, { filter: query.matches, scope })
}

function* toBuffers(
  rows: Iterable<Row>,
  project: ((doc: Doc) => Doc) | undefined,
): Generator<Buffer> {
  // Stored documents are sent as stored.
  for (const row of rows) yield project ? encode(project(row.doc)) : row.raw
}
