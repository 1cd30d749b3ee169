import { listCollections, findCollection } from '../catalog/catalog.ts'
import { dropCollection } from '../catalog/drop-collection.ts'
import { type Command, requireNamespace } from './context.ts'

/** Removes a collection with its indexes; one that does not exist is no error. */
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

/** Removes all collections of a database. */
export const dropDatabase: Command = {
  options: [],
  run({ view, database }) {
    for (const collection of listCollections(view, database)) dropCollection(view, collection)
    view.schemaChanges.push({ kind: 'dropDatabase', database })
    return { dropped: database }
  },
}
