import { isDocument } from '../bson/document.ts'
import { findCollection, saveCollection } from '../catalog/catalog.ts'
import { type Collection, type Index } from '../catalog/collection.ts'
import { dropIndexEntries } from '../catalog/drop-collection.ts'
import { CommandError } from '../errors/command-error.ts'
import { isEqual } from '../keys/compare.ts'
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

/**
 * Finds an index by its name or its key pattern.
 *
 * @param collection Where to look.
 * @param wanted Name or key pattern.
 * @returns The index, `undefined` when there is none.
 */
export function findIndex(collection: Collection, wanted: unknown): Index | undefined {
  return collection.indexes.find(({ name, pattern }) =>
    isDocument(wanted)
      ? isEqual(pattern, wanted) &&
        Object.keys(pattern).join('\0') === Object.keys(wanted).join('\0')
      : name === wanted,
  )
}
