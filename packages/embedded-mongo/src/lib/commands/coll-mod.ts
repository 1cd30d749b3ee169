import { type Doc, isDocument } from '../bson/document.ts'
import { findCollection, findIndex, saveCollection, toIndex } from '../catalog/catalog.ts'
import { type Collection } from '../catalog/collection.ts'
import { parseValidation } from '../catalog/validator.ts'
import { CommandError, notImplemented } from '../errors/command-error.ts'
import { type View } from '../storage/view.ts'
import { parseImages } from './collections.ts'
import { type Command, requireNamespace } from './context.ts'
import { requireKnownFields, toDocument } from './requirements.ts'

const OPTIONS = ['validator', 'validationLevel', 'validationAction', 'changeStreamPreAndPostImages']
const UNSUPPORTED = ['viewOn', 'pipeline', 'expireAfterSeconds', 'cappedSize', 'cappedMax']

export const collMod: Command = {
  options: ['index', ...OPTIONS, ...UNSUPPORTED],
  run(context) {
    const { body, view } = context
    const namespace = requireNamespace(context)
    for (const option of UNSUPPORTED) {
      if (body[option] !== undefined) throw notImplemented(`collMod option ${option}`)
    }
    const found = findCollection(view, namespace)
    if (!found) throw new CommandError(26, `ns does not exist: ${namespace}`)
    const changes = { ...parseValidation(body, 'collMod'), ...parseImages(body, 'collMod') }
    const collection = withOptions(found, changes)
    if (collection !== found) saveCollection(view, collection)
    const index = toDocument(body['index'], 'collMod.index')
    const report = Object.keys(index).length === 0 ? {} : changeIndex(view, collection, index)
    const description = body['index'] === undefined ? changes : { ...changes, index }
    view.schemaChanges.push({ kind: 'modify', namespace, uuid: found.uuid, description })
    return report
  },
}

function changeIndex(view: View, collection: Collection, change: Doc): Doc {
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
