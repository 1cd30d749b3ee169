import { type PipelineStage, type Schema } from 'mongoose'
import { type AnyModel } from './model.ts'

// The field that says when a document was deleted.
const field = 'deletedAt'
export const notDeleted = { [field]: null }

// An option of this field: a model may have another field of that name.
const mark = 'keepsDeleted'

/**
 * Mongoose plugin that keeps deleted documents and hides them: `deleteDocument` sets the field
 * `deletedAt`, which the plugin adds, `restoreDocument` removes it, and `purgeDeleted` removes old
 * documents. Every query and aggregation of the model ignores deleted documents, those of
 * `populate` and the helpers of resources included. The option `withDeleted: true` includes them:
 * `PostModel.find(filter).setOptions({ withDeleted: true })`. The plugin does not apply to
 * `$lookup`, `bulkWrite`, `estimatedDocumentCount` and the driver's own collection. Unique indexes
 * apply to documents that are not deleted.
 * @param schema - the schema
 * @example
 * ```ts
 * const postSchema = new Schema({ title: String }).plugin(versioned).plugin(softDelete)
 *
 * await deleteDocument(PostModel, { _id: id }, { scope: req.scope, match: parseIfMatch(req) })
 * ```
 */
export function softDelete(schema: Schema): void {
  schema.add({ [field]: { type: Date, [mark]: true } })
  // Holds only deleted documents.
  schema.index({ [field]: 1 }, { sparse: true })
  ignoreDeletedInIndexes(schema)
  schema.pre(
    [
      'countDocuments',
      'deleteMany',
      'deleteOne',
      'distinct',
      'find',
      'findOne',
      'findOneAndDelete',
      'findOneAndReplace',
      'findOneAndUpdate',
      'replaceOne',
      'updateMany',
      'updateOne',
    ],
    function hideDeleted() {
      if (!this.getOptions()['withDeleted']) this.and([notDeleted])
    },
  )
  schema.pre('aggregate', function hideDeleted() {
    if (!Reflect.get(this.options, 'withDeleted')) hideInPipeline(this.pipeline())
  })
}

export function keepsDeleted<T>(model: AnyModel<T>): boolean {
  return model.schema.path(field)?.options[mark] === true
}

// Throws Error if documents of a model would not be hidden.
export function requireSoftDelete<T>(model: AnyModel<T>): void {
  if (keepsDeleted(model)) return
  throw new Error(
    `${model.modelName} does not keep deleted documents. Add the plugin to its schema: schema.plugin(softDelete).`,
  )
}

type Index = ReturnType<Schema['indexes']>[number]

// When the indexes are read: some are added after the plugin.
function ignoreDeletedInIndexes(schema: Schema): void {
  const readIndexes = schema.indexes.bind(schema)
  schema.indexes = () =>
    readIndexes().map(([keys, options]): Index => [
      keys,
      options.unique ? toPartial(keys, options) : options,
    ])
}

// MongoDB does not combine `sparse` with a partial index.
function toPartial(keys: Index[0], { sparse, ...options }: Index[1]): Index[1] {
  const [name = '', ...others] = Object.keys(keys)
  if (sparse && others.length > 0) {
    throw new TypeError(
      `A unique index on ${[name, ...others].join(', ')} cannot be sparse in a schema with softDelete. Use partialFilterExpression: { ${name}: { $exists: true } } instead.`,
    )
  }
  const present = sparse ? { [name]: { $exists: true } } : {}
  return {
    ...options,
    partialFilterExpression: { ...present, ...options.partialFilterExpression, ...notDeleted },
  }
}

// Stages that MongoDB accepts only at the start of a pipeline.
const firstStages = [
  '$changeStream',
  '$collStats',
  '$geoNear',
  '$indexStats',
  '$search',
  '$searchMeta',
  '$vectorSearch',
]

function hideInPipeline(pipeline: PipelineStage[]): void {
  const [first = {}] = pipeline
  pipeline.splice(firstStages.some((name) => Object.hasOwn(first, name)) ? 1 : 0, 0, {
    $match: notDeleted,
  })
}
