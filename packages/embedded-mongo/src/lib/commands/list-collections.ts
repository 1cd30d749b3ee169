import { Binary } from 'bson'
import { type Doc } from '../bson/document.ts'
import { encode } from '../bson/encode.ts'
import { countsOf, listCollections } from '../catalog/catalog.ts'
import { type Collection } from '../catalog/collection.ts'
import { compileFilter } from '../query/compile-filter.ts'
import { type Command } from './context.ts'
import { openCursor } from './open-cursor.ts'
import { toDocument } from './requirements.ts'

/** The collections of a database. */
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

/** The databases that hold a collection. */
export const listDatabases: Command = {
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
    idIndex: { v: 2, key: { _id: 1 }, name: '_id_' },
  }
}
