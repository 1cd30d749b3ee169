import { type LeadingQuery, type PipelineContext, type WriteTarget } from '../aggregate/stage.ts'
import { type Doc } from '../bson/document.ts'
import { isCapped } from '../catalog/capped.ts'
import {
  dropCollection,
  findCollection,
  newCollection,
  saveCollection,
  toIndex,
} from '../catalog/catalog.ts'
import { type Collection, type Index, type Row } from '../catalog/collection.ts'
import { buildIndex } from '../catalog/index-entries.ts'
import { CommandError } from '../errors/command-error.ts'
import { type Collation, simple } from '../keys/collation.ts'
import { toConditions } from '../plan/conditions.ts'
import { hasAllMatches } from '../plan/membership.ts'
import { toObjectKeyId } from '../storage/keys.ts'
import { ensureCollection } from './collections.ts'
import { type CommandContext, toNamespace } from './context.ts'
import { queryRows, toCollation } from './query-rows.ts'
import { toDocument, toStorableRow } from './requirements.ts'
import { writeRow } from './write-row.ts'

// The collation of `source` is the default, for other collections too.
export function createPipelineContext(
  context: CommandContext,
  source?: Collection,
): PipelineContext {
  const { body, database, now } = context
  const collation = toCollation(body['collation'], source)
  const read = createReader(context, collation)
  return {
    collection: (name, query) => read(toNamespace(database, name), query),
    write: (name, other) =>
      createWriteTarget(context, toNamespace(other ?? database, name), collation),
    isIndexed(name, field) {
      const collection = findCollection(context.view, toNamespace(database, name))
      return (
        collection?.indexes.some(
          (index) => index.fields[0]?.path === field && isUsable(index, collation),
        ) ?? false
      )
    },
    variables: toDocument(body['let'], 'let'),
    now,
    collation,
  }
}

// An index in which a join can look up any value.
function isUsable(index: Index, collation: Collation | undefined): boolean {
  const isWhole = !index.hidden && hasAllMatches(index, toConditions({}))
  return isWhole && index.collation?.id === collation?.id
}

function createReader(context: CommandContext, used: Collation | undefined) {
  // Reads use the pipeline's collation, never the other collection's.
  const collation = used?.spec ?? simple
  return function* read(namespace: string, query: LeadingQuery = {}): Generator<Doc> {
    const collection = findCollection(context.view, namespace)
    if (!collection) return
    const { filter = {}, sort, skip, limit } = query
    const rows = queryRows(context, collection, { filter, sort, skip, limit, collation })
    for (const { doc } of rows) yield doc
  }
}

function createWriteTarget(
  context: CommandContext,
  namespace: string,
  collation: Collation | undefined,
): WriteTarget {
  if (context.transaction) {
    throw new CommandError(
      'OperationNotSupportedInTransaction',
      '$out and $merge are not allowed in a multi-document transaction',
    )
  }
  if (context.readTime) {
    throw new CommandError(
      'InvalidOptions',
      "$out and $merge cannot be used with a 'snapshot' read concern level",
    )
  }
  const { server, view } = context
  const found = new WeakMap<Doc, Row>()

  function insert(doc: Doc): void {
    const { id } = ensureCollection(context, namespace)
    writeRow(context, namespace, { after: toStorableRow(server.ids.nextRecord(id), { doc }) })
  }

  return {
    insert,
    findOne(filter) {
      const collection = findCollection(view, namespace)
      const spec = collation?.spec ?? simple
      const request = { filter, limit: 1, collation: spec }
      const [row] = collection ? queryRows(context, collection, request) : []
      if (row) found.set(row.doc, row)
      return row?.doc
    },
    replace(before, after) {
      const row = found.get(before)
      if (!row) throw new Error('Only a document that was found can be replaced')
      writeRow(context, namespace, {
        before: row,
        after: toStorableRow(row.recordId, { doc: after }),
        replaced: true,
      })
    },
    replaceAll(docs) {
      // Read everything first: the pipeline may read what is about to be dropped.
      const all = [...docs]
      renew(context, namespace)
      for (const doc of all) insert(doc)
    },
    isUnique: (fields) => isUnique(findCollection(view, namespace), fields, collation),
  }
}

// Replaces the collection by an empty one with the same options and indexes.
function renew(context: CommandContext, namespace: string): void {
  const { server, view } = context
  const old = findCollection(view, namespace)
  if (!old) return
  if (isCapped(old)) {
    throw new CommandError(
      'Location17152',
      `namespace '${namespace}' is capped so it can't be used for $out`,
    )
  }
  dropCollection(view, old)
  const fresh = newCollection(namespace, [server.ids.next(), server.ids.next()], old.options)
  for (const { name, pattern, options } of old.indexes.slice(1)) {
    const spec = { key: pattern, name, ...options }
    fresh.indexes.push(buildIndex(view, fresh, toIndex(spec, toObjectKeyId(server.ids.next()))))
  }
  saveCollection(view, fresh)
}

// The unique index must use the pipeline's collation.
function isUnique(
  collection: Collection | undefined,
  fields: readonly string[],
  collation: Collation | undefined,
): boolean {
  const expected = fields.toSorted().join('\n')
  if (!collection) return expected === '_id'
  return collection.indexes.some((index) => {
    const own = index.fields.map(({ path }) => path).toSorted()
    const isWhole = index.unique && index.partialFilter === undefined
    return isWhole && own.join('\n') === expected && index.collation?.id === collation?.id
  })
}
