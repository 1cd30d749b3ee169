import { type Doc } from '../bson/document.ts'
import { findCollection } from '../catalog/catalog.ts'
import { CommandError, notImplemented } from '../errors/command-error.ts'
import { createCollation } from '../keys/collation.ts'
import { isEqual } from '../keys/compare.ts'
import { type Command, requireNamespace } from './context.ts'
import { addCollection } from './ensure-collection.ts'
import { toDocument } from './requirements.ts'

const UNSUPPORTED = [
  'capped',
  'timeseries',
  'viewOn',
  'pipeline',
  'validator',
  'clusteredIndex',
  'changeStreamPreAndPostImages',
  'expireAfterSeconds',
  'encryptedFields',
]
const IGNORED = [
  'size',
  'max',
  'validationLevel',
  'validationAction',
  'autoIndexId',
  'storageEngine',
  'indexOptionDefaults',
  'writeConcern',
]

/** Creates a collection. */
export const create: Command = {
  options: [...UNSUPPORTED, ...IGNORED, 'collation'],
  inTransaction: true,
  run(context) {
    const namespace = requireNamespace(context)
    const options = toOptions(context.body)
    const known = findCollection(context.view, namespace)
    if (!known) addCollection(context, namespace, options)
    else if (!isEqual(known.options, options)) {
      throw new CommandError(48, `Collection ${namespace} already exists.`)
    }
    return {}
  },
}

function toOptions(body: Doc): Doc {
  for (const option of UNSUPPORTED) {
    if (body[option] !== undefined && body[option] !== false) {
      throw notImplemented(`create option ${option}`)
    }
  }
  const collation = createCollation(toDocument(body['collation'], 'create.collation'))
  return collation ? { collation: collation.spec } : {}
}
