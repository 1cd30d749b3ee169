import { findCollection, newCollection, saveCollection } from '../catalog/catalog.ts'
import { type Collection } from '../catalog/collection.ts'
import { type Doc } from '../bson/document.ts'
import { type CommandContext } from './context.ts'

/**
 * The collection, created when it does not exist yet.
 *
 * @param context The command.
 * @param namespace `database.collection`.
 * @returns The collection.
 */
export function ensureCollection(context: CommandContext, namespace: string): Collection {
  return findCollection(context.view, namespace) ?? addCollection(context, namespace, {})
}

/**
 * Creates a collection.
 *
 * @param context The command.
 * @param namespace `database.collection`, which must be free.
 * @param options What `listCollections` shall tell of it.
 * @returns The collection.
 */
export function addCollection(
  context: CommandContext,
  namespace: string,
  options: Doc,
): Collection {
  const { server, view } = context
  const collection = newCollection(namespace, [server.ids.next(), server.ids.next()], options)
  saveCollection(view, collection)
  return collection
}
