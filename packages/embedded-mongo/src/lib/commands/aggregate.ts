import { type Doc } from '../bson/document.ts'
import { encode } from '../bson/encode.ts'
import { findCollection } from '../catalog/catalog.ts'
import { compilePipeline } from '../aggregate/compile-pipeline.ts'
import { type Collection } from '../catalog/collection.ts'
import { type Row } from '../catalog/row.ts'
import { type Command, type CommandContext, requireNamespace } from './context.ts'
import { type CountPipeline, parseCountPipeline } from './count-pipeline.ts'
import { openStream } from './open-stream.ts'
import { createPipelineContext } from './pipeline-context.ts'
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
    const isDatabaseLevel = Number(context.body['aggregate']) === 1
    const namespace = isDatabaseLevel
      ? `${context.database}.$cmd.aggregate`
      : requireNamespace(context)
    const stages = toDocuments(context.body['pipeline'], 'aggregate.pipeline')
    const options = toDocument(context.body['cursor'], 'aggregate.cursor')
    const [first] = stages
    if (first && '$changeStream' in first) return openStream(context, namespace, stages)
    const documents = runPipeline(context, isDatabaseLevel ? undefined : namespace, stages)
    const cursor = context.server.cursors.open(
      { namespace, documents, transaction: context.transaction },
      { batchSize: toCount(options['batchSize'], 'aggregate.cursor.batchSize') },
    )
    return { fields: {}, cursor }
  },
}

function runPipeline(
  context: CommandContext,
  namespace: string | undefined,
  stages: Doc[],
): Iterator<Buffer> {
  const collection = namespace ? findCollection(context.view, namespace) : undefined
  const count = parseCountPipeline(stages)
  if (count) return countRows(context, collection, count)
  const pipeline = compilePipeline(stages, createPipelineContext(context, collection))
  const { filter = {}, ...leading } = pipeline.leading
  const { collation, hint } = context.body
  const rows = collection
    ? queryRows(context, collection, { ...leading, filter, collation, hint })
    : []
  const results = encodeAll(pipeline.run(documentsOf(rows)))
  // A writing pipeline runs now, in the batch of its command, not when its cursor is read.
  return pipeline.writes ? [...results].values() : results
}

function* documentsOf(rows: Iterable<Row>): Generator<Doc> {
  for (const { doc } of rows) yield doc
}

function* encodeAll(docs: Iterable<Doc>): Generator<Buffer> {
  for (const doc of docs) yield encode(doc)
}

function* countRows(
  context: CommandContext,
  collection: Collection | undefined,
  count: CountPipeline,
): Generator<Buffer> {
  if (!collection) return
  const { collation, hint } = context.body
  const n = [...queryRows(context, collection, { ...count.request, collation, hint })].length
  if (n > 0) yield encode(count.toResult(n))
}
