import { type Doc, isDocument } from '../bson/document.ts'
import { findCollection, saveCollection, toIndex } from '../catalog/catalog.ts'
import { findIndex } from '../catalog/find-index.ts'
import { CommandError, notImplemented } from '../errors/command-error.ts'
import { type Command, requireNamespace } from './context.ts'
import { requireKnownFields, toDocument } from './requirements.ts'

const UNSUPPORTED = [
  'validator',
  'validationLevel',
  'validationAction',
  'viewOn',
  'pipeline',
  'expireAfterSeconds',
  'changeStreamPreAndPostImages',
  'cappedSize',
  'cappedMax',
]

/** Changes an index: when its documents expire, whether the planner sees it. */
export const collMod: Command = {
  options: ['index', ...UNSUPPORTED],
  run(context) {
    const { body, view } = context
    const namespace = requireNamespace(context)
    for (const option of UNSUPPORTED) {
      if (body[option] !== undefined) throw notImplemented(`collMod option ${option}`)
    }
    const collection = findCollection(view, namespace)
    if (!collection) throw new CommandError(26, `ns does not exist: ${namespace}`)
    const change = toDocument(body['index'], 'collMod.index')
    if (Object.keys(change).length === 0) return {}
    requireKnownFields(change, 'collMod.index', [
      'name',
      'keyPattern',
      'expireAfterSeconds',
      'hidden',
    ])
    const wanted = isDocument(change['keyPattern']) ? change['keyPattern'] : change['name']
    const index = findIndex(collection, wanted)
    if (!index) throw new CommandError(27, 'cannot find index for collMod')
    const options = { ...index.options, ...toOptions(change) }
    const spec = { key: index.pattern, name: index.name, ...options }
    const changed = toIndex(spec, index.id, index.multikey)
    const indexes = collection.indexes.map((one) => (one === index ? changed : one))
    saveCollection(view, { ...collection, indexes })
    return toReport(index.options, options)
  },
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
