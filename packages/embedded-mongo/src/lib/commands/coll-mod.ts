import { Long } from 'bson'
import { type Doc, isDocument } from '../bson/document.ts'
import { isNumeric, toNumber } from '../bson/numeric.ts'
import {
  dropIndexEntries,
  findCollection,
  findIndex,
  saveCollection,
  toIndex,
} from '../catalog/catalog.ts'
import { type Collection, type Index } from '../catalog/collection.ts'
import { buildIndex, findDuplicates } from '../catalog/index-entries.ts'
import { parseIndexSpec } from '../catalog/index-spec.ts'
import { parseValidation } from '../catalog/validator.ts'
import { CommandError, notImplemented } from '../errors/command-error.ts'
import { toObjectKeyId } from '../storage/keys.ts'
import { parseImages } from './collections.ts'
import { type Command, type CommandContext, requireNamespace } from './context.ts'
import { requireKnownFields, toBoolean, toDocument } from './requirements.ts'

const collModOptions = [
  'validator',
  'validationLevel',
  'validationAction',
  'changeStreamPreAndPostImages',
]
const indexFlags = ['hidden', 'prepareUnique', 'unique']
const indexOptions = ['expireAfterSeconds', ...indexFlags]
// What an index has without the option.
const none: Doc = { hidden: false, prepareUnique: false }
const unsupported = ['viewOn', 'pipeline', 'expireAfterSeconds', 'cappedSize', 'cappedMax']

export const collMod: Command = {
  options: ['index', 'dryRun', ...collModOptions, ...unsupported],
  run(context) {
    const { body, view } = context
    const namespace = requireNamespace(context)
    for (const option of unsupported) {
      if (body[option] !== undefined) throw notImplemented(`collMod option ${option}`)
    }
    const found = findCollection(view, namespace)
    if (!found) throw new CommandError('NamespaceNotFound', `ns does not exist: ${namespace}`)
    const changes = { ...parseValidation(body, 'collMod'), ...parseImages(body, 'collMod') }
    const collection = withOptions(found, changes)
    if (collection !== found) saveCollection(view, collection)
    const index = toDocument(body['index'], 'collMod.index')
    const report = Object.keys(index).length === 0 ? {} : changeIndex(context, collection, index)
    const description = body['index'] === undefined ? changes : { ...changes, index }
    view.schemaChanges.push({ kind: 'modify', namespace, uuid: found.uuid, description })
    return report
  },
}

function changeIndex(context: CommandContext, collection: Collection, change: Doc): Doc {
  requireKnownFields(change, 'collMod.index', ['name', 'keyPattern', ...indexOptions])
  const nameOrKey = isDocument(change['keyPattern']) ? change['keyPattern'] : change['name']
  const index = findIndex(collection, nameOrKey)
  if (!index) throw new CommandError('IndexNotFound', 'cannot find index for collMod')
  const options = { ...index.options, ...toOptions(change) }
  parseIndexSpec({ key: index.pattern, name: index.name, ...options })
  const isConverted = options['unique'] === true && !index.unique
  if (isConverted) requireConvertible(context, collection, index)
  if (toBoolean(context.body['dryRun'], 'collMod.dryRun')) return {}
  const changed = isConverted
    ? toUnique(context, collection, index)
    : toIndex({ key: index.pattern, name: index.name, ...options }, index.id, index.multikey)
  const indexes = collection.indexes.map((one) => (one === index ? changed : one))
  saveCollection(context.view, { ...collection, indexes })
  return toReport(index.options, options)
}

function requireConvertible({ view }: CommandContext, collection: Collection, index: Index): void {
  if (!index.prepareUnique) {
    throw new CommandError(
      'InvalidOptions',
      'Cannot make an index unique before it has prepareUnique: true',
    )
  }
  const violations = findDuplicates(view, collection, index).map((ids) => ({ ids }))
  if (violations.length === 0) return
  throw new CommandError(
    'CannotConvertIndexToUnique',
    'Cannot convert the index to unique. Please resolve conflicting documents before running collMod again.',
    { details: { violations } },
  )
}

// The keys of a unique index have another form, so it is built again.
function toUnique({ server, view }: CommandContext, collection: Collection, index: Index): Index {
  const { prepareUnique: _, ...options } = index.options
  const spec = { key: index.pattern, name: index.name, ...options, unique: true }
  dropIndexEntries(view, index)
  return buildIndex(view, collection, toIndex(spec, toObjectKeyId(server.ids.next())))
}

// An empty validator removes it.
function withOptions(collection: Collection, changed: Doc): Collection {
  if (Object.keys(changed).length === 0) return collection
  const { validator, ...others } = { ...collection.options, ...changed }
  const isEmpty = isDocument(validator) && Object.keys(validator).length === 0
  const options = validator === undefined || isEmpty ? others : { ...others, validator }
  return { ...collection, options }
}

function toOptions(change: Doc): Doc {
  const { expireAfterSeconds, ...flags } = change
  const given = indexFlags.filter((flag) => flags[flag] !== undefined)
  if (flags['unique'] === false) {
    throw new CommandError('BadValue', "collMod: 'unique' can only be set to true")
  }
  return {
    ...(expireAfterSeconds === undefined ? {} : { expireAfterSeconds }),
    ...Object.fromEntries(given.map((flag) => [flag, flags[flag] === true])),
  }
}

function toReported(value: unknown): unknown {
  return isNumeric(value) ? Long.fromNumber(toNumber(value)) : value
}

function toReport(before: Doc, after: Doc): Doc {
  const report: Doc = {}
  for (const option of indexOptions) {
    if (before[option] === after[option]) continue
    const old = before[option] ?? none[option]
    if (option !== 'unique' && old !== undefined) report[`${option}_old`] = toReported(old)
    report[`${option}_new`] = toReported(after[option])
  }
  return report
}
