import { type Doc } from '../bson/document.ts'
import { findCollection } from '../catalog/catalog.ts'
import { writeRecord } from '../catalog/records.ts'
import { CommandError } from '../errors/command-error.ts'
import { toDoc } from './batch-item.ts'
import { type Command, type CommandContext, requireBatch, requireNamespace } from './context.ts'
import { queryRows } from './query-rows.ts'
import { requireFields, requireKnownFields, toCount, toDocument } from './requirements.ts'
import { runBatch } from './write-batch.ts'

const FIELDS = ['q', 'limit', 'collation', 'hint', 'sampleId']

/** Removes documents. */
export const deleteCommand: Command = {
  options: ['deletes', 'ordered', 'let', 'stmtId', 'stmtIds'],
  inTransaction: true,
  run(context) {
    const namespace = requireNamespace(context)
    let n = 0
    const errors = runBatch(context, requireBatch(context, 'deletes'), (item) => {
      const part = toDoc(item)
      requireKnownFields(part, 'delete.deletes', FIELDS)
      // Without a limit all that is selected would go, meant or not.
      requireFields(part, 'delete.deletes', ['q', 'limit'])
      requireLimit(part['limit'])
      n += deleteMatching(context, namespace, part)
    })
    return { n, ...errors }
  },
}

function requireLimit(value: unknown): void {
  const limit = toCount(value, 'delete.deletes.limit')
  if (limit === 0 || limit === 1) return
  throw new CommandError(9, `The limit field in delete objects must be 0 or 1. Got ${limit}`)
}

/**
 * Removes what one part of a delete command selects.
 *
 * @param context The command.
 * @param namespace The collection.
 * @param part `{ q, limit, collation, hint }`.
 * @returns How many documents were removed.
 */
export function deleteMatching(context: CommandContext, namespace: string, part: Doc): number {
  const collection = findCollection(context.view, namespace)
  if (!collection) return 0
  const rows = queryRows(context, collection, {
    filter: toDocument(part['q'], 'delete.deletes.q'),
    limit: Number(part['limit']) === 1 ? 1 : 0,
    hint: part['hint'],
    collation: part['collation'],
  })
  // First all are found, then all are removed: no write moves the ground under the search.
  const found = [...rows]
  for (const before of found) writeRecord(context.view, namespace, { before })
  return found.length
}
