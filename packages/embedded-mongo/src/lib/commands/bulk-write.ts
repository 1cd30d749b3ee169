import { encode } from '../bson/codec.ts'
import { asDouble } from '../bson/arithmetic.ts'
import { type Doc, isDocument, lookUp } from '../bson/document.ts'
import { CommandError } from '../errors/command-error.ts'
import { type Reply } from '../wire/reply.ts'
import { ensureCollection } from './collections.ts'
import { type Command, type CommandContext, parseNamespace, requireBatch } from './context.ts'
import { fillTimestamps } from './fill-timestamps.ts'
import {
  requireFields,
  requireKnownFields,
  toBoolean,
  toCount,
  toDocument,
  toStorableRow,
  toDoc,
} from './requirements.ts'
import { updateMatching } from './update-matching.ts'
import { runBatch } from './write-batch.ts'
import { deleteMatching } from './writes.ts'
import { writeRow } from './write-row.ts'

const fieldsByKind: Readonly<Record<string, readonly string[]>> = {
  insert: ['insert', 'document'],
  update: [
    'update',
    'filter',
    'updateMods',
    'multi',
    'upsert',
    'arrayFilters',
    'collation',
    'hint',
    'constants',
    'sort',
  ],
  delete: ['delete', 'filter', 'multi', 'collation', 'hint'],
}

const required: Readonly<Record<string, readonly string[]>> = {
  insert: ['document'],
  update: ['filter', 'updateMods'],
  delete: ['filter'],
}

interface Totals {
  nInserted: number
  nMatched: number
  nModified: number
  nUpserted: number
  nDeleted: number
}

export const bulkWrite: Command = {
  adminOnly: true,
  options: ['ops', 'nsInfo', 'ordered', 'errorsOnly', 'cursor', 'bypassDocumentValidation', 'let'],
  inTransaction: true,
  run(context) {
    const namespaces = requireBatch(context, 'nsInfo').map((item) =>
      parseNamespace(toDoc(item)['ns']),
    )
    const totals: Totals = { nInserted: 0, nMatched: 0, nModified: 0, nUpserted: 0, nDeleted: 0 }
    const results: Doc[] = []
    const errors = runBatch(context, requireBatch(context, 'ops'), (item, idx) => {
      const op = toDoc(item)
      results.push({ ok: asDouble(1), idx, ...runOperation(context, { op, namespaces, totals }) })
    })
    const failed = toFailures(errors)
    return toReply(context, { results, failed, totals })
  },
}

function runOperation(
  context: CommandContext,
  { op, namespaces, totals }: { op: Doc; namespaces: string[]; totals: Totals },
): Doc {
  const [kind = ''] = Object.keys(op)
  const namespace = namespaces[Number(op[kind])]
  const fields = lookUp(fieldsByKind, kind)
  if (!fields) throw new CommandError('FailedToParse', `Unknown bulkWrite operation: ${kind}`)
  if (namespace === undefined)
    throw new CommandError('BadValue', `BulkWrite ops entry ${kind} has an invalid nsInfo index.`)
  requireKnownFields(op, `bulkWrite.ops.${kind}`, fields)
  requireFields(op, `bulkWrite.ops.${kind}`, lookUp(required, kind) ?? [])
  if (kind === 'insert') {
    const { id } = ensureCollection(context, namespace)
    const given = toDocument(op['document'], 'bulkWrite.ops.document')
    const doc = fillTimestamps(given, () => context.server.clock.tick())
    const after = toStorableRow(context.server.ids.nextRecord(id), { doc })
    writeRow(context, namespace, { after })
    totals.nInserted += 1
    return { n: 1 }
  }
  return kind === 'update'
    ? runUpdate(context, namespace, { op, totals })
    : runDelete(context, namespace, { op, totals })
}

function runUpdate(
  context: CommandContext,
  namespace: string,
  { op, totals }: { op: Doc; totals: Totals },
): Doc {
  const { filter: q, updateMods: u, constants: c } = op
  const part = { ...op, q, u, c }
  const { matched, modified, upserted } = updateMatching(context, namespace, part)
  totals.nMatched += matched
  totals.nModified += modified
  totals.nUpserted += upserted ? 1 : 0
  return {
    n: upserted ? 1 : matched,
    nModified: modified,
    ...(upserted ? { upserted: { _id: upserted.doc['_id'] } } : {}),
  }
}

function runDelete(
  context: CommandContext,
  namespace: string,
  { op, totals }: { op: Doc; totals: Totals },
): Doc {
  const { filter, collation, hint, multi } = op
  const n = deleteMatching(context, namespace, {
    q: filter,
    collation,
    hint,
    limit: toBoolean(multi, 'bulkWrite.ops.multi') ? 0 : 1,
  })
  totals.nDeleted += n
  return { n }
}

function toFailures({ writeErrors }: Doc): Doc[] {
  const list = Array.isArray(writeErrors) ? writeErrors.filter((error) => isDocument(error)) : []
  return list.map(({ index, ...error }) => ({ ok: asDouble(0), idx: index, ...error, n: 0 }))
}

function toReply(
  context: CommandContext,
  { results, failed, totals }: { results: Doc[]; failed: Doc[]; totals: Totals },
): Reply {
  const { body, server } = context
  const shown = body['errorsOnly'] === true ? failed : [...results, ...failed]
  const documents = shown
    .toSorted((a, b) => Number(a['idx']) - Number(b['idx']))
    .map((result) => encode(result))
  const options = toDocument(body['cursor'], 'bulkWrite.cursor')
  const cursor = server.cursors.open(
    {
      namespace: 'admin.$cmd.bulkWrite',
      documents: documents.values(),
      transaction: context.transaction,
      session: context.session,
    },
    { batchSize: toCount(options['batchSize'], 'cursor.batchSize') ?? Infinity },
  )
  return { fields: { nErrors: failed.length, ...totals }, cursor }
}
