import { isDocument } from '../bson/document.ts'
import { buildIndex } from '../catalog/build-index.ts'
import { findCollection, saveCollection, toIndex } from '../catalog/catalog.ts'
import { type Collection } from '../catalog/collection.ts'
import { findSameIndex, parseIndexSpec } from '../catalog/index-spec.ts'
import { CommandError } from '../errors/command-error.ts'
import { toObjectKeyId } from '../storage/keys.ts'
import { type Command, type CommandContext, requireNamespace } from './context.ts'
import { ensureCollection } from './ensure-collection.ts'

const MAX_INDEXES = 64

/** Builds indexes; all of them or none. */
export const createIndexes: Command = {
  options: ['indexes', 'commitQuorum', 'ignoreUnknownIndexOptions'],
  run(context) {
    const namespace = requireNamespace(context)
    const specs = context.body['indexes']
    if (!Array.isArray(specs) || specs.length === 0) {
      throw new CommandError(2, 'Must specify at least one index to create')
    }
    const isNew = !findCollection(context.view, namespace)
    const first = ensureCollection(context, namespace)
    let collection = first
    for (const spec of specs) collection = addIndex(context, collection, spec)
    const numIndexesBefore = first.indexes.length
    return {
      numIndexesBefore,
      numIndexesAfter: collection.indexes.length,
      createdCollectionAutomatically: isNew,
      ...(collection === first ? { note: 'all indexes already exist' } : {}),
    }
  },
}

function addIndex(
  { server, view }: CommandContext,
  collection: Collection,
  given: unknown,
): Collection {
  if (!isDocument(given)) throw new CommandError(14, 'The indexes array must contain objects')
  const inherited = collection.options['collation']
  const spec = parseIndexSpec(inherited ? { collation: inherited, ...given } : given)
  if (findSameIndex(collection, spec)) return collection
  if (collection.indexes.length >= MAX_INDEXES) {
    throw new CommandError(67, `add index fails, too many indexes for ${collection.namespace}`)
  }
  const empty = toIndex(spec, toObjectKeyId(server.ids.next()))
  const index = buildIndex(view, collection, empty)
  const grown = { ...collection, indexes: [...collection.indexes, index] }
  saveCollection(view, grown)
  return grown
}
