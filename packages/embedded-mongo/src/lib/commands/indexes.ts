import { encode } from '../bson/codec.ts'
import { type Doc, isDocument } from '../bson/document.ts'
import {
  countsOf,
  dropIndexEntries,
  findCollection,
  findIndex,
  saveCollection,
  toIndex,
} from '../catalog/catalog.ts'
import { type Collection, type Index } from '../catalog/collection.ts'
import { buildIndex } from '../catalog/index-entries.ts'
import {
  findSameIndex,
  isSamePattern,
  parseIndexSpec,
  withoutUnknownOptions,
} from '../catalog/index-spec.ts'
import { CommandError } from '../errors/command-error.ts'
import { toObjectKeyId } from '../storage/keys.ts'
import { ensureCollection } from './collections.ts'
import { type Command, type CommandContext, requireNamespace } from './context.ts'
import { openCursor } from './cursor-commands.ts'
import { toBoolean } from './requirements.ts'

const maxIndexes = 64

// Builds all of the indexes or none.
export const createIndexes: Command = {
  options: ['indexes', 'commitQuorum', 'ignoreUnknownIndexOptions'],
  inTransaction: true,
  run(context) {
    const namespace = requireNamespace(context)
    const specs = context.body['indexes']
    if (!Array.isArray(specs) || specs.length === 0) {
      throw new CommandError('BadValue', 'Must specify at least one index to create')
    }
    const ignoresUnknown = toBoolean(
      context.body['ignoreUnknownIndexOptions'],
      'createIndexes.ignoreUnknownIndexOptions',
    )
    const isNew = !findCollection(context.view, namespace)
    const first = ensureCollection(context, namespace)
    let collection = first
    for (const spec of specs) {
      const isCut = ignoresUnknown && isDocument(spec)
      collection = addIndex(context, collection, isCut ? withoutUnknownOptions(spec) : spec)
    }
    const numIndexesBefore = first.indexes.length
    const added = collection.indexes.slice(numIndexesBefore)
    if (added.length > 0) announce(context, collection, { kind: 'createIndexes', indexes: added })
    return {
      numIndexesBefore,
      numIndexesAfter: collection.indexes.length,
      createdCollectionAutomatically: isNew,
      ...(collection === first ? { note: 'all indexes already exist' } : {}),
    }
  },
}

function announce(
  { view }: CommandContext,
  { namespace, uuid }: Collection,
  { kind, indexes }: { kind: 'createIndexes' | 'dropIndexes'; indexes: Index[] },
): void {
  const description = { indexes: indexes.map((index) => describeIndex(index)) }
  view.schemaChanges.push({ kind, namespace, uuid, description })
}

function addIndex(context: CommandContext, collection: Collection, given: unknown): Collection {
  const { server, view } = context
  if (!isDocument(given))
    throw new CommandError('TypeMismatch', 'The indexes array must contain objects')
  const inherited = collection.options['collation']
  const spec = parseIndexSpec(inherited ? { collation: inherited, ...given } : given)
  if (findSameIndex(collection, spec)) return collection
  requireNewInTransaction(context, collection)
  if (collection.indexes.length >= maxIndexes) {
    throw new CommandError(
      'CannotCreateIndex',
      `add index fails, too many indexes for ${collection.namespace}`,
    )
  }
  const empty = toIndex(spec, toObjectKeyId(server.ids.next()))
  const index = buildIndex(view, collection, empty)
  const grown = { ...collection, indexes: [...collection.indexes, index] }
  saveCollection(view, grown)
  return grown
}

// Within a transaction only for an empty collection that it has created.
function requireNewInTransaction(
  { transaction, view }: CommandContext,
  { namespace, id }: Collection,
): void {
  if (!transaction) return
  if (!findCollection(view.base, namespace) && countsOf(view, id).documents === 0) return
  throw new CommandError(
    'OperationNotSupportedInTransaction',
    `Cannot create new indexes on existing collection ${namespace} in a multi-document transaction.`,
  )
}

export const dropIndexes: Command = {
  options: ['index'],
  run(context) {
    const namespace = requireNamespace(context)
    const collection = findCollection(context.view, namespace)
    if (!collection) throw new CommandError('NamespaceNotFound', `ns not found ${namespace}`)
    const dropped = new Set(selectIndexes(collection, context.body['index']))
    for (const index of dropped) dropIndexEntries(context.view, index)
    const indexes = collection.indexes.filter((index) => !dropped.has(index))
    saveCollection(context.view, { ...collection, indexes })
    announce(context, collection, { kind: 'dropIndexes', indexes: [...dropped] })
    return {
      nIndexesWas: collection.indexes.length,
      ...(context.body['index'] === '*' ? { msg: 'non-_id indexes dropped for collection' } : {}),
    }
  },
}

function selectIndexes(collection: Collection, nameOrKey: unknown): Index[] {
  if (nameOrKey === '*') return collection.indexes.filter(({ name }) => name !== '_id_')
  if (Array.isArray(nameOrKey)) return nameOrKey.flatMap((one) => selectIndexes(collection, one))
  requireUnambiguous(collection, nameOrKey)
  const found = findIndex(collection, nameOrKey)
  if (!found) {
    const shown = isDocument(nameOrKey) ? JSON.stringify(nameOrKey) : String(nameOrKey)
    throw new CommandError('IndexNotFound', `index not found with name [${shown}]`)
  }
  if (found.name === '_id_') throw new CommandError('InvalidOptions', 'cannot drop _id index')
  return [found]
}

function requireUnambiguous({ indexes }: Collection, key: unknown): void {
  if (!isDocument(key)) return
  const names = indexes.filter(({ pattern }) => isSamePattern(pattern, key)).map(({ name }) => name)
  if (names.length < 2) return
  throw new CommandError(
    'AmbiguousIndexKeyPattern',
    `${names.length} indexes found for key: ${JSON.stringify(key)}, identify by name instead. Conflicting indexes: ${names.join(', ')}`,
  )
}

export const listIndexes: Command = {
  options: ['cursor'],
  run(context) {
    const namespace = requireNamespace(context)
    const collection = findCollection(context.view, namespace)
    if (!collection) throw new CommandError('NamespaceNotFound', `ns does not exist: ${namespace}`)
    const documents = collection.indexes.map((index) => encode(describeIndex(index)))
    return openCursor(context, { namespace, documents: documents.values() })
  },
}

export function describeIndex(index: Index): Doc {
  const { name, pattern, options } = index
  const { unique, ...others } = options
  const shown = name === '_id_' || unique !== true ? others : options
  return { v: 2, key: pattern, name, ...shown }
}
