import { type Doc } from '../bson/document.ts'
import { CommandError } from '../errors/command-error.ts'
import { toDoc } from './batch-item.ts'
import { type Command, requireBatch, requireNamespace } from './context.ts'
import { requireFields, requireKnownFields } from './requirements.ts'
import { updateMatching } from './update-matching.ts'
import { runBatch } from './write-batch.ts'

const FIELDS = [
  'q',
  'u',
  'c',
  'multi',
  'upsert',
  'collation',
  'arrayFilters',
  'hint',
  'sort',
  'sampleId',
]

/** Changes documents. */
export const update: Command = {
  options: ['updates', 'ordered', 'bypassDocumentValidation', 'let', 'stmtId', 'stmtIds'],
  inTransaction: true,
  run(context) {
    const namespace = requireNamespace(context)
    let n = 0
    let nModified = 0
    const upserted: Doc[] = []
    const errors = runBatch(context, requireBatch(context, 'updates'), (item, index) => {
      const part = toDoc(item)
      requireKnownFields(part, 'update.updates', FIELDS)
      requireFields(part, 'update.updates', ['q', 'u'])
      if (part['sort'] !== undefined && part['multi'] === true) {
        throw new CommandError(9, 'Cannot specify sort with multi=true')
      }
      const result = updateMatching(context, namespace, part)
      n += result.upserted ? 1 : result.matched
      nModified += result.modified
      if (result.upserted) upserted.push({ index, _id: result.upserted.doc['_id'] })
    })
    return { n, nModified, ...(upserted.length > 0 ? { upserted } : {}), ...errors }
  },
}
