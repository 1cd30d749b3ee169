import { type WriteTarget } from '../aggregate/stage.ts'
import { type Doc } from '../bson/document.ts'
import { buildIndex } from '../catalog/build-index.ts'
import { findCollection, newCollection, saveCollection, toIndex } from '../catalog/catalog.ts'
import { dropCollection } from '../catalog/drop-collection.ts'
import { writeRecord } from '../catalog/records.ts'
import { type Collection } from '../catalog/collection.ts'
import { type Row } from '../catalog/row.ts'
import { CommandError } from '../errors/command-error.ts'
import { type Collation, SIMPLE } from '../keys/collation.ts'
import { toObjectKeyId } from '../storage/keys.ts'
import { type CommandContext } from './context.ts'
import { ensureCollection } from './ensure-collection.ts'
import { queryRows } from './query-rows.ts'
import { toStorableRow } from './requirements.ts'

/**
 * A collection as `$out` and `$merge` write it.
 *
 * @param context The command; its batch is all or nothing.
 * @param namespace The collection.
 * @param collation The pipeline's; the target's own does not count.
 * @returns What the stages need.
 * @throws {CommandError} 263 in a transaction.
 */
export function createWriteTarget(
  context: CommandContext,
  namespace: string,
  collation: Collation | undefined,
): WriteTarget {
  if (context.transaction) {
    throw new CommandError(263, '$out and $merge are not allowed in a multi-document transaction')
  }
  const { server, view } = context
  const found = new WeakMap<Doc, Row>()

  function insert(doc: Doc): void {
    const { id } = ensureCollection(context, namespace)
    writeRecord(view, namespace, { after: toStorableRow(server.ids.nextRecord(id), { doc }) })
  }

  return {
    insert,
    findOne(filter) {
      const collection = findCollection(view, namespace)
      const spec = collation?.spec ?? SIMPLE
      const request = { filter, limit: 1, collation: spec }
      const [row] = collection ? queryRows(context, collection, request) : []
      if (row) found.set(row.doc, row)
      return row?.doc
    },
    replace(before, after) {
      const row = found.get(before)
      if (!row) throw new Error('Only a document that was found can be replaced')
      writeRecord(view, namespace, {
        before: row,
        after: toStorableRow(row.recordId, { doc: after }),
        replaced: true,
      })
    },
    replaceAll(docs) {
      // Read to the end first: the pipeline may read what is about to be dropped.
      const all = [...docs]
      renew(context, namespace)
      for (const doc of all) insert(doc)
    },
    isUnique: (fields) => isUnique(findCollection(view, namespace), fields, collation),
  }
}

// An empty collection of the same options and indexes takes the old one's place.
function renew(context: CommandContext, namespace: string): void {
  const { server, view } = context
  const old = findCollection(view, namespace)
  if (!old) return
  dropCollection(view, old)
  const fresh = newCollection(namespace, [server.ids.next(), server.ids.next()], old.options)
  for (const { name, pattern, options } of old.indexes.slice(1)) {
    const spec = { key: pattern, name, ...options }
    fresh.indexes.push(buildIndex(view, fresh, toIndex(spec, toObjectKeyId(server.ids.next()))))
  }
  saveCollection(view, fresh)
}

// Two documents that are one to the pipeline must be one to the index too.
function isUnique(
  collection: Collection | undefined,
  fields: readonly string[],
  collation: Collation | undefined,
): boolean {
  const wanted = fields.toSorted().join('\n')
  if (!collection) return wanted === '_id'
  return collection.indexes.some((index) => {
    const own = index.fields.map(({ path }) => path).toSorted()
    const isWhole = index.unique && index.options['partialFilterExpression'] === undefined
    return isWhole && own.join('\n') === wanted && index.collation?.id === collation?.id
  })
}
