import { type Doc, isDocument } from '../bson/document.ts'
import { type Collection } from '../catalog/collection.ts'
import { findCollection } from '../catalog/catalog.ts'
import { writeRecord } from '../catalog/records.ts'
import { type Row } from '../catalog/row.ts'
import { CommandError } from '../errors/command-error.ts'
import { isEqual } from '../keys/compare.ts'
import { compileUpdate } from '../update/compile-update.ts'
import { type CommandContext } from './context.ts'
import { ensureCollection } from './ensure-collection.ts'
import { queryRows, toCollation, toQuery } from './query-rows.ts'
import { toDocument, toDocuments, toStorableRow } from './requirements.ts'

/** One part of an update, as `update` and `findAndModify` carry it; unchecked. */
export interface UpdatePart {
  filter: unknown
  update: unknown
  multi: boolean
  upsert: boolean
  sort?: unknown
  arrayFilters?: unknown
  collation?: unknown
  hint?: unknown
  constants?: unknown
}

/** What an update did. */
export interface UpdateResult {
  matched: number
  modified: number
  /** The first document before and after; equal when nothing changed. */
  first?: { before: Row; after: Row } | undefined
  upserted?: Row | undefined
}

type CompiledUpdate = ReturnType<typeof compileUpdate>

/**
 * Changes what a filter selects, or inserts what the filter and the modifiers describe.
 *
 * @param context The command.
 * @param namespace The collection.
 * @param part What to do.
 * @returns What was done.
 */
export function updateMatching(
  context: CommandContext,
  namespace: string,
  part: UpdatePart,
): UpdateResult {
  const filter = toDocument(part.filter, 'q')
  const collection = findCollection(context.view, namespace)
  const compiled = compilePart(context, collection, part)
  const rows = collection ? findRows(context, collection, part) : []
  if (rows.length === 0 && part.upsert) {
    const { id } = collection ?? ensureCollection(context, namespace)
    const doc = compiled.onInsert(filter)
    const upserted = toStorableRow(context.server.ids.nextRecord(id), { doc })
    writeRecord(context.view, namespace, { after: upserted })
    return { matched: 0, modified: 0, upserted }
  }
  const result: UpdateResult = { matched: rows.length, modified: 0 }
  const replaced = isReplacement(part.update)
  const { matches } = toQuery(context, collection, {
    filter,
    collation: part.collation,
  })
  for (const before of rows) {
    const after = applyUpdate(compiled, before, matches.hit(before.doc))
    if (after !== before) {
      writeRecord(context.view, namespace, { before, after, replaced })
      result.modified += 1
    }
    result.first ??= { before, after }
  }
  return result
}

function compilePart(
  context: CommandContext,
  collection: Collection | undefined,
  part: UpdatePart,
): CompiledUpdate {
  if (part.multi && isReplacement(part.update)) {
    throw new CommandError(9, 'multi update is not supported for replacement-style update')
  }
  return compileUpdate(toUpdate(part.update), {
    arrayFilters:
      part.arrayFilters === undefined ? undefined : toDocuments(part.arrayFilters, 'arrayFilters'),
    variables: { ...toDocument(context.body['let'], 'let'), ...toLiterals(part.constants) },
    collation: toCollation(part.collation, collection),
    now: context.now,
  })
}

// Variables are expressions, constants are not.
function toLiterals(constants: unknown): Doc {
  const entries = Object.entries(toDocument(constants, 'c'))
  return Object.fromEntries(entries.map(([name, value]) => [name, { $literal: value }]))
}

function toUpdate(update: unknown): Doc | Doc[] {
  return Array.isArray(update) ? toDocuments(update, 'u') : toDocument(update, 'u')
}

function isReplacement(update: unknown): boolean {
  return isDocument(update) && !(Object.keys(update)[0] ?? '').startsWith('$')
}

// All rows are found before the first is changed: no write moves the ground under the search.
function findRows(context: CommandContext, collection: Collection, part: UpdatePart): Row[] {
  return [
    ...queryRows(context, collection, {
      filter: toDocument(part.filter, 'q'),
      sort: part.sort === undefined ? undefined : toDocument(part.sort, 'sort'),
      limit: part.multi ? 0 : 1,
      hint: part.hint,
      collation: part.collation,
    }),
  ]
}

function applyUpdate(compiled: CompiledUpdate, before: Row, hit: number | undefined): Row {
  const doc = compiled.apply(before.doc, hit)
  if (doc === before.doc) return before
  if (!isEqual(doc['_id'], before.doc['_id'])) {
    throw new CommandError(
      66,
      "Performing an update on the path '_id' would modify the immutable field '_id'",
    )
  }
  const after = toStorableRow(before.recordId, { doc })
  return after.raw.equals(before.raw) ? before : after
}
