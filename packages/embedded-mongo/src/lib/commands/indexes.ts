import { encode } from '../bson/codec.ts'
import { type Doc, isDocument } from '../bson/document.ts'
import {
  dropIndexEntries,
  findCollection,
  findIndex,
  saveCollection,
  toIndex,
} from '../catalog/catalog.ts'
import { type Collection, type Index } from '../catalog/collection.ts'
import { buildIndex } from '../catalog/index-entries.ts'
import { findSameIndex, parseIndexSpec } from '../catalog/index-spec.ts'
import { parseValidation } from '../catalog/validator.ts'
import { CommandError, notImplemented } from '../errors/command-error.ts'
import { toObjectKeyId } from '../storage/keys.ts'
import { ensureCollection } from './collections.ts'
import { type Command, type CommandContext, requireNamespace } from './context.ts'
import { openCursor } from './cursor-commands.ts'
import { requireKnownFields, toDocument } from './requirements.ts'

const MAX_INDEXES = 64

// Builds all of the indexes or none.
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

export const dropIndexes: Command = {
  options: ['index'],
  run(context) {
    const namespace = requireNamespace(context)
    const collection = findCollection(context.view, namespace)
    if (!collection) throw new CommandError(26, `ns not found ${namespace}`)
    const dropped = new Set(selectIndexes(collection, context.body['index']))
    for (const index of dropped) dropIndexEntries(context.view, index)
    const indexes = collection.indexes.filter((index) => !dropped.has(index))
    saveCollection(context.view, { ...collection, indexes })
    return { nIndexesWas: collection.indexes.length }
  },
}

function selectIndexes(collection: Collection, nameOrKey: unknown): Index[] {
  if (nameOrKey === '*') return collection.indexes.filter(({ name }) => name !== '_id_')
  if (Array.isArray(nameOrKey)) return nameOrKey.flatMap((one) => selectIndexes(collection, one))
  const found = findIndex(collection, nameOrKey)
  if (!found) {
    const shown = isDocument(nameOrKey) ? JSON.stringify(nameOrKey) : String(nameOrKey)
    throw new CommandError(27, `index not found with name [${shown}]`)
  }
  if (found.name === '_id_') throw new CommandError(72, 'cannot drop _id index')
  return [found]
}

export const listIndexes: Command = {
  options: ['cursor'],
  run(context) {
    const namespace = requireNamespace(context)
    const collection = findCollection(context.view, namespace)
    if (!collection) throw new CommandError(26, `ns does not exist: ${namespace}`)
    const documents = collection.indexes.map((index) => encode(describeIndex(index)))
    return openCursor(context, { namespace, documents: documents.values() })
  },
}

function describeIndex(index: Index): Doc {
  const { name, pattern, options } = index
  const { unique, ...others } = options
  const shown = name === '_id_' || unique !== true ? others : options
  return { v: 2, key: pattern, name, ...shown }
}

const VALIDATION = ['validator', 'validationLevel', 'validationAction']
const UNSUPPORTED = [
  'viewOn',
  'pipeline',
  'expireAfterSeconds',
  'changeStreamPreAndPostImages',
  'cappedSize',
  'cappedMax',
]

export const collMod: Command = {
  options: ['index', ...VALIDATION, ...UNSUPPORTED],
  run(context) {
    const { body, view } = context
    const namespace = requireNamespace(context)
    for (const option of UNSUPPORTED) {
      if (body[option] !== undefined) throw notImplemented(`collMod option ${option}`)
    }
    const found = findCollection(view, namespace)
    if (!found) throw new CommandError(26, `ns does not exist: ${namespace}`)
    const collection = withOptions(found, parseValidation(body, 'collMod'))
    if (collection !== found) saveCollection(view, collection)
    const change = toDocument(body['index'], 'collMod.index')
    if (Object.keys(change).length === 0) return {}
    requireKnownFields(change, 'collMod.index', [
      'name',
      'keyPattern',
      'expireAfterSeconds',
      'hidden',
    ])
    const nameOrKey = isDocument(change['keyPattern']) ? change['keyPattern'] : change['name']
    const index = findIndex(collection, nameOrKey)
    if (!index) throw new CommandError(27, 'cannot find index for collMod')
    const options = { ...index.options, ...toOptions(change) }
    const spec = { key: index.pattern, name: index.name, ...options }
    const changed = toIndex(spec, index.id, index.multikey)
    const indexes = collection.indexes.map((one) => (one === index ? changed : one))
    saveCollection(view, { ...collection, indexes })
    return toReport(index.options, options)
  },
}

// An empty validator removes it.
function withOptions(collection: Collection, changed: Doc): Collection {
  if (Object.keys(changed).length === 0) return collection
  const { validator, ...others } = { ...collection.options, ...changed }
  const isEmpty = isDocument(validator) && Object.keys(validator).length === 0
  const options = validator === undefined || isEmpty ? others : { ...others, validator }
  return { ...collection, options }
}

function toOptions({ expireAfterSeconds, hidden }: Doc): Doc {
  return {
    ...(expireAfterSeconds === undefined ? {} : { expireAfterSeconds }),
    ...(hidden === undefined ? {} : { hidden: hidden === true }),
  }
}

function toReport(before: Doc, after: Doc): Doc {
  const report: Doc = {}
  for (const option of ['expireAfterSeconds', 'hidden']) {
    if (before[option] === after[option]) continue
    report[`${option}_old`] = before[option] ?? (option === 'hidden' ? false : undefined)
    report[`${option}_new`] = after[option]
  }
  return report
}
