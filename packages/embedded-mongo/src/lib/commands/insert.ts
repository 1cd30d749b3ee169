import { writeRecord } from '../catalog/records.ts'
import { type Command, requireBatch, requireNamespace } from './context.ts'
import { ensureCollection } from './ensure-collection.ts'
import { toStorableRow } from './requirements.ts'
import { runBatch } from './write-batch.ts'

/** Stores new documents. */
export const insert: Command = {
  options: ['documents', 'ordered', 'bypassDocumentValidation', 'stmtId', 'stmtIds'],
  inTransaction: true,
  run(context) {
    const namespace = requireNamespace(context)
    const { id } = ensureCollection(context, namespace)
    let n = 0
    const errors = runBatch(context, requireBatch(context, 'documents'), (item) => {
      const after = toStorableRow(context.server.ids.nextRecord(id), item)
      writeRecord(context.view, namespace, { after })
      n += 1
    })
    return { n, ...errors }
  },
}
