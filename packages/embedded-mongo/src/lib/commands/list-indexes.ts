import { type Doc } from '../bson/document.ts'
import { encode } from '../bson/encode.ts'
import { findCollection } from '../catalog/catalog.ts'
import { type Index } from '../catalog/collection.ts'
import { CommandError } from '../errors/command-error.ts'
import { type Command, requireNamespace } from './context.ts'
import { openCursor } from './open-cursor.ts'

/** The indexes of a collection. */
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

/**
 * An index as `listIndexes` tells it.
 *
 * @param index The index.
 * @returns Its description.
 */
export function describeIndex(index: Index): Doc {
  const { name, pattern, options } = index
  const { unique, ...others } = options
  const shown = name === '_id_' || unique !== true ? others : options
  return { v: 2, key: pattern, name, ...shown }
}
