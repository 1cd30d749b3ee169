import { isDocument } from '../bson/document.ts'
import { findCollection, saveCollection } from '../catalog/catalog.ts'
import { type Collection, type Index } from '../catalog/collection.ts'
import { dropIndexEntries } from '../catalog/drop-collection.ts'
import { findIndex } from '../catalog/find-index.ts'
import { CommandError } from '../errors/command-error.ts'
import { type Command, requireNamespace } from './context.ts'

/** Removes indexes, by name, by key pattern, a list of names, or `*`. */
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

function selectIndexes(collection: Collection, wanted: unknown): Index[] {
  if (wanted === '*') return collection.indexes.filter(({ name }) => name !== '_id_')
  if (Array.isArray(wanted)) return wanted.flatMap((one) => selectIndexes(collection, one))
  const found = findIndex(collection, wanted)
  if (!found) {
    const shown = isDocument(wanted) ? JSON.stringify(wanted) : String(wanted)
    throw new CommandError(27, `index not found with name [${shown}]`)
  }
  if (found.name === '_id_') throw new CommandError(72, 'cannot drop _id index')
  return [found]
}
