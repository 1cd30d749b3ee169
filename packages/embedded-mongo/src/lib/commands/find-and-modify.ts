import { createCommandScope } from '../expressions/compile-expression.ts'
import { type Doc } from '../bson/document.ts'
import { findCollection } from '../catalog/catalog.ts'
import { type Row } from '../catalog/collection.ts'
import { CommandError } from '../errors/command-error.ts'
import { compileProjection } from '../project/compile-projection.ts'
import { type Command, type CommandContext, requireNamespace } from './context.ts'
import { queryRows, toQuery } from './query-rows.ts'
import { toBoolean, toDocument } from './requirements.ts'
import { updateMatching } from './update-matching.ts'
import { writeRow } from './write-row.ts'

export const findAndModify: Command = {
  options: [
    'query',
    'sort',
    'remove',
    'update',
    'new',
    'fields',
    'upsert',
    'arrayFilters',
    'collation',
    'hint',
    'let',
    'bypassDocumentValidation',
    'stmtId',
  ],
  inTransaction: true,
  run(context) {
    const { body } = context
    const isRemove = toBoolean(body['remove'], 'findAndModify.remove')
    const isNew = toBoolean(body['new'], 'findAndModify.new')
    if (isRemove && body['update'] !== undefined) {
      throw new CommandError('FailedToParse', 'Cannot specify both an update and remove=true')
    }
    if (isRemove && (isNew || toBoolean(body['upsert'], 'findAndModify.upsert'))) {
      throw new CommandError(
        'FailedToParse',
        'Cannot specify both new=true or upsert=true and remove=true',
      )
    }
    if (!isRemove && body['update'] === undefined) {
      throw new CommandError('FailedToParse', 'Either an update or remove=true must be specified')
    }
    const namespace = requireNamespace(context)
    return isRemove ? removeOne(context, namespace) : updateOne(context, namespace)
  },
}

function removeOne(context: CommandContext, namespace: string): Doc {
  const { body, view } = context
  const collection = findCollection(view, namespace)
  const rows = collection
    ? queryRows(context, collection, {
        filter: toDocument(body['query'], 'query'),
        sort: toDocument(body['sort'], 'sort'),
        limit: 1,
        hint: body['hint'],
        collation: body['collation'],
      })
    : []
  const [before] = rows
  if (before) writeRow(context, namespace, { before })
  return { lastErrorObject: { n: before ? 1 : 0 }, value: show(context, before) }
}

function updateOne(context: CommandContext, namespace: string): Doc {
  const { body } = context
  const { matched, first, upserted } = updateMatching(context, namespace, {
    ...body,
    q: body['query'],
    u: body['update'],
  })
  const value = body['new'] === true ? (upserted ?? first?.after) : first?.before
  return {
    lastErrorObject: {
      n: upserted ? 1 : matched,
      updatedExisting: matched > 0,
      ...(upserted ? { upserted: upserted.doc['_id'] } : {}),
    },
    value: show(context, value),
  }
}

function show(context: CommandContext, row: Row | undefined): Doc | null {
  if (!row) return null
  const { body, now, view } = context
  const spec = toDocument(body['fields'], 'fields')
  if (Object.keys(spec).length === 0) return row.doc
  const { matches, collation } = toQuery(context, findCollection(view, requireNamespace(context)), {
    filter: toDocument(body['query'], 'query'),
    collation: body['collation'],
  })
  const variables = toDocument(body['let'], 'let')
  const scope = createCommandScope({ variables, now, collation })
  return compileProjection(spec, { filter: matches, scope })(row.doc)
}
