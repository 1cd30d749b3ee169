import { CliError } from '../errors/cli-error.ts'
import { type Field } from '../fields/field.ts'
import { mongooseFields } from '../fields/require-field-name.ts'
import { type ModelDescription, type ModelPath } from '../project/model-description.ts'
import { toPlace } from './findings.ts'
import { noForm, type Note, toNote } from './notes.ts'
import { maxItems, type PathCode, toPathCode } from './path-code.ts'

/** A field that clients send. */
export interface ReadField {
  readonly path: ModelPath
  readonly code: PathCode
  readonly field: Field
  /** Whether a client sends it only when it creates a document. */
  readonly isFixed: boolean
}

/** A field that they do not send. */
export interface LeftField {
  readonly state: 'hidden' | 'left out'
  readonly detail: string
}

export function readField(description: ModelDescription, given: ModelPath): ReadField | LeftField {
  const hidden = given.hidden ?? findSecretName(given)
  const path = toRequiredKey({ ...given, hidden })
  const isNeeded = path.required === 'always' && path.default === undefined
  if (hidden !== undefined && !isNeeded) return { state: 'hidden', detail: hidden }
  const found = toPathCode(path)
  const fault = found ? findNameFault(path) : noForm
  if (found && fault === undefined) return toReadField(path, found)
  const reason = fault ?? noForm
  if (isNeeded || found?.required) throw refuse(description, path, reason)
  return { state: 'left out', detail: reason }
}

// Mongoose stores no document without one.
function toRequiredKey(path: ModelPath): ModelPath {
  return path.name === '_id' ? { ...path, required: 'always' } : path
}

function toReadField(path: ModelPath, found: PathCode): ReadField {
  const fixed = toFixedNotes(path, found)
  const code = { ...found, notes: [...found.notes, ...fixed] }
  const isStated = path.immutable === true || path.name === '_id' || path.hidden !== undefined
  return { path, code, field: toField(path, code), isFixed: isStated || fixed.length > 0 }
}

// Named like a secret, and not declared as hidden.
function findSecretName({ name, type }: ModelPath): string | undefined {
  const isSecret = /passw(or)?d|secret|^salt$|hash$|token$|api_?key|private_?key/i.test(name)
  return isSecret && type === 'String' ? 'named like a secret' : undefined
}

function findNameFault({ name }: ModelPath): string | undefined {
  if (name === '_id') return undefined
  if (name === 'id') return 'the API calls the key of a document "id"'
  if (name === 'createdAt' || name === 'updatedAt') return 'the framework sets fields of this name'
  if (mongooseFields.includes(name)) return 'the name is reserved'
  return /^[A-Za-z_]\w*$/.test(name) ? undefined : 'the name is not an identifier'
}

function refuse(description: ModelDescription, { line, name }: ModelPath, fault: string): CliError {
  const place = toPlace(description, line)
  return new CliError('USAGE', `${place}: the required field "${name}" cannot be sent: ${fault}`, {
    hint: 'give it a default, or another name or type',
  })
}

// Why only POST takes it, besides `immutable`.
function toFixedNotes(path: ModelPath, { hides, isFilled }: PathCode): readonly Note[] {
  const { immutable, name, required } = path
  const isGiven = required === 'always' && isFilled === true && immutable !== true
  return [
    ...(isGiven
      ? [toNote(path, name, 'is required and set by the model: only POST takes it')]
      : []),
    ...(hides
      ? [toNote(path, name, 'has hidden parts, which a change would remove: only POST takes it')]
      : []),
  ]
}

function toField(path: ModelPath, code: PathCode): Field {
  const { name, sparse = false, unique = false } = path
  const notes = code.notes.map((note) =>
    note.path === name ? note.text : `${note.path}: ${note.text}`,
  )
  const shared = {
    name,
    required: code.required,
    unique,
    sparse,
    index: false,
    array: false,
    source: '',
    ...(notes.length > 0 && { notes }),
  }
  const model = findReferredModel(path)
  if (model === undefined) return { ...shared, type: { kind: 'modelled', code } }
  const type = { kind: 'ref', model } as const
  return path.type === 'Array'
    ? { ...shared, type, array: true, required: false, max: maxItems }
    : { ...shared, type }
}

// The model of a plain reference, or of a list of them.
function findReferredModel(path: ModelPath): string | undefined {
  const { default: stated, item, ref, type } = path
  const isList = type === 'Array'
  const isPlain = isList ? stated !== undefined && 'by' in stated : stated === undefined
  if (!isPlain || (isList ? item?.type : type) !== 'ObjectId') return undefined
  const model = ref ?? item?.ref
  return model !== undefined && /^\w+$/.test(model) ? model : undefined
}
