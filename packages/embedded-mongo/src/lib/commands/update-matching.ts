import { type Timestamp } from 'bson'
import { usesOperator } from '../query/uses-operator.ts'
import { type Doc, isDocument } from '../bson/document.ts'
import { findCollection } from '../catalog/catalog.ts'
import { type Row } from '../catalog/collection.ts'
import { CommandError } from '../errors/command-error.ts'
import { type Query } from '../plan/query.ts'
import { compileUpdate, type Update } from '../update/compile-update.ts'
import { type CommandContext } from './context.ts'
import { ensureCollection } from './collections.ts'
import { fillTimestamps } from './fill-timestamps.ts'
import { readRows, toQuery } from './query-rows.ts'
import { toBoolean, toDocument, toDocuments, toStorableRow } from './requirements.ts'
import { writeRow } from './write-row.ts'

interface UpdateResult {
  matched: number
  modified: number
  // The first document, before and after; equal when nothing changed.
  first?: { before: Row; after: Row } | undefined
  upserted?: Row | undefined
}

function toFilter({ q }: Doc, isUpsert: boolean): Doc {
  const filter = toDocument(q, 'q')
  if (!isUpsert || !usesOperator(filter, ['$expr'])) return filter
  throw new CommandError(
    'QueryFeatureNotAllowed',
    '$expr is not allowed in the query predicate for an upsert',
  )
}

export function updateMatching(
  context: CommandContext,
  namespace: string,
  part: Doc,
): UpdateResult {
  const isMulti = toBoolean(part['multi'], 'multi')
  const isUpsert = toBoolean(part['upsert'], 'upsert')
  const replaced = isReplacement(part['u'])
  if (isMulti && replaced) {
    throw new CommandError(
      'FailedToParse',
      'multi update is not supported for replacement-style update',
    )
  }
  const filter = toFilter(part, isUpsert)
  const collection = findCollection(context.view, namespace)
  const query = toQuery(context, collection, {
    filter,
    sort: toDocument(part['sort'], 'sort'),
    limit: isMulti ? 0 : 1,
    hint: part['hint'],
    collation: part['collation'],
  })
  const update = compilePart(context, query, part)
  // Find all rows first: an update must not disturb the search.
  const rows = collection ? [...readRows(context, collection, query)] : []
  if (rows.length === 0 && isUpsert) {
    const { id } = collection ?? ensureCollection(context, namespace)
    const doc = update.onInsert(filter)
    const upserted = toStorableRow(context.server.ids.nextRecord(id), { doc })
    writeRow(context, namespace, { after: upserted })
    return { matched: 0, modified: 0, upserted }
  }
  const result: UpdateResult = { matched: rows.length, modified: 0 }
  for (const before of rows) {
    const after = applyUpdate(update, before, query.matches.hit(before.doc))
    if (after !== before) {
      writeRow(context, namespace, { before, after, replaced })
      result.modified += 1
    }
    result.first ??= { before, after }
  }
  return result
}

function compilePart(context: CommandContext, { collation }: Query, part: Doc): Update {
  const { u, c, arrayFilters } = part
  const nextTimestamp = (): Timestamp => context.server.clock.tick()
  const update = isReplacement(u) ? fillTimestamps(u, nextTimestamp) : u
  return compileUpdate(Array.isArray(update) ? toDocuments(update, 'u') : toDocument(update, 'u'), {
    arrayFilters:
      arrayFilters === undefined ? undefined : toDocuments(arrayFilters, 'arrayFilters'),
    variables: { ...toDocument(context.body['let'], 'let'), ...toLiterals(c) },
    collation,
    now: context.now,
    nextTimestamp,
  })
}

// Values of `let` are expressions, values of `c` are constants.
function toLiterals(constants: unknown): Doc {
  const entries = Object.entries(toDocument(constants, 'c'))
  return Object.fromEntries(entries.map(([name, value]) => [name, { $literal: value }]))
}

function isReplacement(update: unknown): update is Doc {
  return isDocument(update) && !(Object.keys(update)[0] ?? '').startsWith('$')
}

function applyUpdate(update: Update, before: Row, hit: number | undefined): Row {
  const doc = update.apply(before.doc, hit)
  if (doc === before.doc) return before
  const after = toStorableRow(before.recordId, { doc })
  return after.raw.equals(before.raw) ? before : after
}
