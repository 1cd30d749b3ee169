import { type Doc } from '../bson/document.ts'
import { encode } from '../bson/codec.ts'
import { findCollection } from '../catalog/catalog.ts'
import { compilePipeline } from '../aggregate/compile-pipeline.ts'
import { pipelineFields } from '../aggregate/pipeline-fields.ts'
import { type Row } from '../catalog/collection.ts'
import { CommandError } from '../errors/command-error.ts'
import { isEqual } from '../keys/compare.ts'
import { type Command, type CommandContext, requireNamespace } from './context.ts'
import { currentOpStage } from './current-op.ts'
import { explainCommand } from './explain.ts'
import { openCursor } from './cursor-commands.ts'
import { openStream } from './open-stream.ts'
import { createPipelineContext } from './pipeline-context.ts'
import { countRows, queryRows } from './query-rows.ts'
import { toBoolean, toDocument, toDocuments } from './requirements.ts'
import { collStatsStage, indexStatsStage } from './statistics.ts'

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
    if (toBoolean(context.body['explain'], 'aggregate.explain')) {
      return explainCommand(context, context.body, 'queryPlanner')
    }
    if (context.body['cursor'] === undefined) {
      throw new CommandError(
        'FailedToParse',
        "The 'cursor' option is required, except for aggregate with the explain argument",
      )
    }
    const [first] = stages
    if (first && '$changeStream' in first) return openStream(context, namespace, stages)
    const readSource = sources.get(Object.keys(first ?? {}).join())
    if (first && readSource) {
      rejectInTransaction(context, first)
      const docs = readSource(context, Object.values(first)[0])
      const start = { $documents: docs.map((doc) => ({ $literal: doc })) }
      const documents = runPipeline(context, undefined, [start, ...stages.slice(1)])
      return openCursor(context, { namespace, documents })
    }
    const documents = runPipeline(context, isDatabaseLevel ? undefined : namespace, stages)
    return openCursor(context, { namespace, documents })
  },
}

function rejectInTransaction({ transaction }: CommandContext, stage: Doc): void {
  if (!transaction) return
  throw new CommandError(
    'OperationNotSupportedInTransaction',
    `Operation not permitted in transaction :: caused by :: Aggregation stage ${Object.keys(stage).join()} cannot run within a multi-document transaction.`,
  )
}

// First stages that read no documents of a collection.
const sources: ReadonlyMap<string, (context: CommandContext, operand: unknown) => Doc[]> = new Map([
  ['$collStats', (context, operand) => [collStatsStage(context, operand)]],
  ['$currentOp', currentOpStage],
  ['$indexStats', indexStatsStage],
])

function runPipeline(
  context: CommandContext,
  namespace: string | undefined,
  stages: Doc[],
): Iterator<Buffer> {
  const collection = namespace ? findCollection(context.view, namespace) : undefined
  const pipeline = compilePipeline(stages, createPipelineContext(context, collection))
  if (pipeline.writes) checkReadConcern(context, stages)
  const { collation, hint } = context.body
  const request = { ...pipeline.leading, filter: pipeline.leading.filter ?? {}, collation, hint }
  if (isEqual(pipeline.rest, count)) {
    return encodeAll(toCounted(collection ? countRows(context, collection, request) : 0))
  }
  const rows = collection ? queryRows(context, collection, request) : []
  const results = encodeAll(pipeline.run(documentsOf(rows, pipelineFields(pipeline.rest))))
  // A pipeline that writes runs now, within the command's batch, not when its cursor is read.
  return pipeline.writes ? [...results].values() : results
}

function checkReadConcern({ body }: CommandContext, stages: Doc[]): void {
  const { level } = toDocument(body['readConcern'], 'readConcern')
  if (level !== 'linearizable') return
  const [name] = Object.keys(stages.at(-1) ?? {})
  throw new CommandError(
    'InvalidOptions',
    `${name} cannot be used with a 'linearizable' read concern level`,
  )
}

// What drivers send for `countDocuments`: documents are counted without grouping.
const count = [{ $group: { _id: 1, n: { $sum: 1 } } }]

// No documents, no group.
function toCounted(n: number): Doc[] {
  return n === 0 ? [] : [{ _id: 1, n }]
}

function* documentsOf(
  rows: Iterable<Row>,
  fields: ReadonlySet<string> | undefined,
): Generator<Doc> {
  for (const row of rows) yield row.fields(fields)
}

function* encodeAll(docs: Iterable<Doc>): Generator<Buffer> {
  for (const doc of docs) yield encode(doc)
}
