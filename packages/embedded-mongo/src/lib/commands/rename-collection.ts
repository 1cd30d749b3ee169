import { findCollection, saveCollection } from '../catalog/catalog.ts'
import { dropCollection } from '../catalog/drop-collection.ts'
import { CommandError } from '../errors/command-error.ts'
import { catalogKey } from '../storage/keys.ts'
import { type Command, parseNamespace } from './context.ts'

/** Gives a collection another name, in any database. */
export const renameCollection: Command = {
  options: ['to', 'dropTarget'],
  run({ body, view }) {
    const source = parseNamespace(body['renameCollection'])
    const target = parseNamespace(body['to'])
    const collection = findCollection(view, source)
    if (!collection) throw new CommandError(26, `Source collection ${source} does not exist`)
    if (source === target) throw new CommandError(20, "Can't rename a collection to itself")
    const existing = findCollection(view, target)
    if (existing) {
      if (body['dropTarget'] !== true) throw new CommandError(48, 'target namespace exists')
      dropCollection(view, existing)
    }
    view.delete(catalogKey(source))
    saveCollection(view, { ...collection, namespace: target })
    view.schemaChanges.push({ kind: 'rename', namespace: source, to: target })
    return {}
  },
}
