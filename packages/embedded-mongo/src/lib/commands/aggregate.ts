import { type Doc } from '../bson/document.ts'
import { encode } from '../bson/encode.ts'
import { findCollection } from '../catalog/catalog.ts'
import { notImplemented } from '../errors/command-error.ts'
import { type Command, type CommandContext, requireNamespace } from './context.ts'
import { parseCountPipeline } from './count-pipeline.ts'
import { queryRows } from './query-rows.ts'
import { toCount, toDocument, toDocuments } from './requirements.ts'

/** Runs a pipeline. */
export const aggregate: Command = {
  options: [
    'pipeline',
    'cursor',
    'allowDiskUse',
    'bypassDocumentValidation',
    'collation',
    'hint',
    'let',
    'explain',
  ],
  inTransaction: true,
  run(context) {
    const namespace = requireNamespace(context)
    const stages = toDocuments(context.body['pipeline'], 'aggregate.pipeline')
    const options = toDocument(context.body['cursor'], 'aggregate.cursor')
    const documents = runPipeline(context, namespace, stages)
    const cursor = context.server.cursors.open(
      { namespace, documents, transaction: context.transaction },
      { batchSize: toCount(options['batchSize'], 'aggregate.cursor.batchSize') },
    )
    return { fields: {}, cursor }
  },
}

function* runPipeline(
  context: CommandContext,
  namespace: string,
  stages: Doc[],
): Generator<Buffer> {
  const count = parseCountPipeline(stages)
  if (!count) throw notImplemented('aggregate')
  const collection = findCollection(context.view, namespace)
  if (!collection) return
  const { collation, hint } = context.body
  let n = 0
  for (const row of queryRows(context, collection, { ...count.request, collation, hint })) {
    n += row ? 1 : 0
  }
  if (n > 0) yield encode(count.toResult(n))
}
