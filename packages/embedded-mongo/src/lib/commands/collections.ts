import { Binary } from 'bson'
import { encode } from '../bson/codec.ts'
import { type Doc } from '../bson/document.ts'
import { parseCapped } from '../catalog/capped.ts'
import {
  countsOf,
  dropCollection,
  findCollection,
  listCollections,
  newCollection,
  saveCollection,
} from '../catalog/catalog.ts'
import { type Collection } from '../catalog/collection.ts'
import { requireIdIndex } from '../catalog/index-spec.ts'
import { parseValidation } from '../catalog/validator.ts'
import { CommandError, notImplemented } from '../errors/command-error.ts'
import { createCollation } from '../keys/collation.ts'
import { isEqual } from '../keys/compare.ts'
import { toNs } from '../change-streams/event-document.ts'
import { compileFilter } from '../query/compile-filter.ts'
import { catalogKey } from '../storage/keys.ts'
import { type Command, type CommandContext, parseNamespace, requireNamespace } from './context.ts'
import { openCursor } from './cursor-commands.ts'
import { requireFields, requireKnownFields, toBoolean, toDocument } from './requirements.ts'

const unsupported = [
  'timeseries',
  'viewOn',
  'pipeline',
  'clusteredIndex',
  'expireAfterSeconds',
  'encryptedFields',
]
const supported = [
  'capped',
  'size',
  'max',
  'validator',
  'validationLevel',
  'validationAction',
  'collation',
  'changeStreamPreAndPostImages',
  'idIndex',
]
const ignored = ['autoIndexId', 'storageEngine', 'indexOptionDefaults', 'writeConcern']

export const create: Command = {
  options: [...supported, ...unsupported, ...ignored],
  inTransaction: true,
  run(context) {
    const namespace = requireNamespace(context)
    const options = toOptions(context.body)
    const known = findCollection(context.view, namespace)
    if (!known) addCollection(context, namespace, options)
    else if (!isEqual(known.options, options)) {
      throw new CommandError('NamespaceExists', `Collection ${namespace} already exists.`)
    }
    return {}
  },
}

function toOptions(body: Doc): Doc {
  for (const option of unsupported) {
    if (body[option] !== undefined && body[option] !== false) {
      throw notImplemented(`create option ${option}`)
    }
  }
  const collation = createCollation(toDocument(body['collation'], 'create.collation'))
  const { idIndex: spec } = body
  if (spec !== undefined) requireIdIndex(toDocument(spec, 'create.idIndex'), collation)
  return {
    ...parseCapped(body),
    ...parseValidation(body, 'create'),
    ...parseImages(body, 'create'),
    ...(collation ? { collation: collation.spec } : {}),
  }
}

// Whether change streams can return documents as they were before and after a change.
export function parseImages(body: Doc, command: string): Doc {
  const { changeStreamPreAndPostImages: images } = body
  if (images === undefined) return {}
  const name = `${command}.changeStreamPreAndPostImages`
  const options = toDocument(images, name)
  requireFields(options, name, ['enabled'])
  requireKnownFields(options, name, ['enabled'])
  return { changeStreamPreAndPostImages: { enabled: toBoolean(options['enabled'], name) } }
}

export function ensureCollection(context: CommandContext, namespace: string): Collection {
  return findCollection(context.view, namespace) ?? addCollection(context, namespace, {})
}

function addCollection(context: CommandContext, namespace: string, options: Doc): Collection {
  const { server, view } = context
  const collection = newCollection(namespace, [server.ids.next(), server.ids.next()], options)
  saveCollection(view, collection)
  const description = { idIndex: idIndex, ...options }
  view.schemaChanges.push({ kind: 'create', namespace, uuid: collection.uuid, description })
  return collection
}

const idIndex = { v: 2, key: { _id: 1 }, name: '_id_' }

// A collection that does not exist is not an error.
export const drop: Command = {
  options: [],
  run(context) {
    const namespace = requireNamespace(context)
    const collection = findCollection(context.view, namespace)
    if (!collection) return { ns: namespace, nIndexesWas: 0 }
    dropCollection(context.view, collection)
    return { nIndexesWas: collection.indexes.length, ns: namespace }
  },
}

export const dropDatabase: Command = {
  options: [],
  run({ view, database }) {
    for (const collection of listCollections(view, database)) dropCollection(view, collection)
    view.schemaChanges.push({ kind: 'dropDatabase', database })
    return { dropped: database }
  },
}

export const renameCollection: Command = {
  adminOnly: true,
  options: ['to', 'dropTarget'],
  run({ body, view }) {
    const source = parseNamespace(body['renameCollection'])
    const target = parseNamespace(body['to'])
    const collection = findCollection(view, source)
    if (!collection)
      throw new CommandError('NamespaceNotFound', `Source collection ${source} does not exist`)
    if (source === target)
      throw new CommandError('IllegalOperation', "Can't rename a collection to itself")
    const existing = findCollection(view, target)
    if (existing) {
      if (body['dropTarget'] !== true)
        throw new CommandError('NamespaceExists', 'target namespace exists')
      dropCollection(view, existing)
    }
    view.delete(catalogKey(source))
    saveCollection(view, { ...collection, namespace: target })
    const { uuid } = collection
    const dropped = existing ? { dropTarget: new Binary(existing.uuid, 4) } : {}
    const description = { to: toNs(target), ...dropped }
    view.schemaChanges.push({ kind: 'rename', namespace: source, uuid, to: target, description })
    return {}
  },
}

export const listCollectionsCommand: Command = {
  options: ['filter', 'nameOnly', 'authorizedCollections', 'cursor'],
  run(context) {
    const matches = compileFilter(toDocument(context.body['filter'], 'listCollections.filter'))
    const documents = listCollections(context.view, context.database)
      .map((collection) => describeCollection(collection))
      .filter((doc) => matches(doc))
      .map((doc) =>
        context.body['nameOnly'] === true ? { name: doc['name'], type: doc['type'] } : doc,
      )
    return openCursor(context, {
      namespace: `${context.database}.$cmd.listCollections`,
      documents: documents.map((doc) => encode(doc)).values(),
    })
  },
}

export const listDatabases: Command = {
  adminOnly: true,
  options: ['filter', 'nameOnly', 'authorizedDatabases'],
  run({ body, view }) {
    const sizes = new Map<string, number>()
    for (const { database, id } of listCollections(view)) {
      sizes.set(database, (sizes.get(database) ?? 0) + countsOf(view, id).bytes)
    }
    const matches = compileFilter(toDocument(body['filter'], 'listDatabases.filter'))
    const databases = [...sizes]
      .map(([name, bytes]) => ({ name, sizeOnDisk: bytes, empty: bytes === 0 }))
      .filter((doc) => matches(doc))
    if (body['nameOnly'] === true) return { databases: databases.map(({ name }) => ({ name })) }
    const totalSize = databases.reduce((sum, { sizeOnDisk }) => sum + sizeOnDisk, 0)
    return { databases, totalSize, totalSizeMb: Math.floor(totalSize / 1024 / 1024) }
  },
}

function describeCollection({ name, options, uuid }: Collection): Doc {
  return {
    name,
    type: 'collection',
    options,
    info: { readOnly: false, uuid: new Binary(uuid, 4) },
    idIndex: idIndex,
  }
}
