import { isCapped, trimCapped } from '../catalog/capped.ts'
import { findCollection } from '../catalog/catalog.ts'
import { type RecordChange, writeRecord } from '../catalog/records.ts'
import { requireValid } from '../catalog/validator.ts'
import { CommandError } from '../errors/command-error.ts'
import { type CommandContext } from './context.ts'

// Writes a document for a client, within the rules of its collection.
export function writeRow(context: CommandContext, namespace: string, change: RecordChange): void {
  const { view, body, transaction } = context
  const collection = findCollection(view, namespace)
  if (!collection) throw new Error(`The collection ${namespace} is gone`)
  const { before, after } = change
  if (after && body['bypassDocumentValidation'] !== true)
    requireValid(collection, { before, after })
  if (!isCapped(collection)) {
    writeRecord(view, namespace, change)
    return
  }
  if (transaction) {
    throw new CommandError(
      'OperationNotSupportedInTransaction',
      `Collection '${namespace}' is a capped collection. Writes in transactions are not allowed on capped collections.`,
    )
  }
  if (after && after.raw.length > Number(collection.options['size'])) {
    throw new CommandError('BadValue', 'object to insert exceeds cappedMaxSize')
  }
  writeRecord(view, namespace, change)
  trimCapped(view, collection)
}
