import { type Doc } from '../bson/document.ts'
import { findCollection } from '../catalog/catalog.ts'
import { CommandError } from '../errors/command-error.ts'
import { ensureCollection } from './collections.ts'
import { type Command, type CommandContext, requireBatch, requireNamespace } from './context.ts'
import { fillTimestamps } from './fill-timestamps.ts'
import { queryRows } from './query-rows.ts'
import {
  type BatchItem,
  requireFields,
  requireKnownFields,
  toCount,
  toDocument,
  toStorableRow,
  toDoc,
} from './requirements.ts'
import { updateMatching } from './update-matching.ts'
import { runBatch } from './write-batch.ts'
import { writeRow } from './write-row.ts'

export const insert: Command = {
  options: ['documents', 'ordered', 'bypassDocumentValidation', 'stmtId', 'stmtIds'],
  inTransaction: true,
  run(context) {
    const namespace = requireNamespace(context)
    const { id } = ensureCollection(context, namespace)
    const { clock } = context.server
    let n = 0
    const errors = runBatch(context, requireBatch(context, 'documents'), (item) => {
      const after = toStorableRow(context.server.ids.nextRecord(id), item, (doc) =>
        fillTimestamps(doc, () => clock.tick()),
      )
      writeRow(context, namespace, { after })
      n += 1
    })
    return { n, ...errors }
  },
}

const updateFields = [
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

export const update: Command = {
  options: ['updates', 'ordered', 'bypassDocumentValidation', 'let', 'stmtId', 'stmtIds'],
  inTransaction: true,
  run(context) {
    const namespace = requireNamespace(context)
    let n = 0
    let nModified = 0
    const upserted: Doc[] = []
    const parts = requireBatch(context, 'updates').map((item) => parseUpdate(item))
    const errors = runBatch(context, parts, (part, index) => {
      if (part['multi'] === true) rejectRetryable(context, 'multi=true')
      const result = updateMatching(context, namespace, part)
      n += result.upserted ? 1 : result.matched
      nModified += result.modified
      if (result.upserted) upserted.push({ index, _id: result.upserted.doc['_id'] })
    })
    return { n, nModified, ...(upserted.length > 0 ? { upserted } : {}), ...errors }
  },
}

function parseUpdate(item: BatchItem): Doc {
  const part = toDoc(item)
  requireKnownFields(part, 'update.updates', updateFields)
  requireFields(part, 'update.updates', ['q', 'u'])
  if (part['sort'] !== undefined && part['multi'] === true) {
    throw new CommandError('FailedToParse', 'Cannot specify sort with multi=true')
  }
  return part
}

// The reply to a write of several documents cannot be stored for each.
function rejectRetryable({ body, transaction }: CommandContext, what: string): void {
  if (transaction || body['txnNumber'] === undefined) return
  throw new CommandError('InvalidOptions', `Cannot use (or request) retryable writes with ${what}`)
}

const deleteFields = ['q', 'limit', 'collation', 'hint', 'sampleId']

export const deleteCommand: Command = {
  options: ['deletes', 'ordered', 'let', 'stmtId', 'stmtIds'],
  inTransaction: true,
  run(context) {
    const namespace = requireNamespace(context)
    let n = 0
    const parts = requireBatch(context, 'deletes').map((item) => parseDelete(item))
    const errors = runBatch(context, parts, (part) => {
      if (Number(part['limit']) === 0) rejectRetryable(context, 'limit=0')
      n += deleteMatching(context, namespace, part)
    })
    return { n, ...errors }
  },
}

function parseDelete(item: BatchItem): Doc {
  const part = toDoc(item)
  requireKnownFields(part, 'delete.deletes', deleteFields)
  // `limit` is required: a missing one would delete everything that matches.
  requireFields(part, 'delete.deletes', ['q', 'limit'])
  requireLimit(part['limit'])
  return part
}

function requireLimit(value: unknown): void {
  const limit = toCount(value, 'delete.deletes.limit')
  if (limit === 0 || limit === 1) return
  throw new CommandError(
    'FailedToParse',
    `The limit field in delete objects must be 0 or 1. Got ${limit}`,
  )
}

export function deleteMatching(context: CommandContext, namespace: string, part: Doc): number {
  const collection = findCollection(context.view, namespace)
  if (!collection) return 0
  const rows = queryRows(context, collection, {
    filter: toDocument(part['q'], 'delete.deletes.q'),
    limit: Number(part['limit']) === 1 ? 1 : 0,
    hint: part['hint'],
    collation: part['collation'],
  })
  // Find everything first: a removal must not disturb the search.
  const found = [...rows]
  for (const before of found) writeRow(context, namespace, { before })
  return found.length
}
