import { type ModelPath } from '../project/model-description.ts'
import { toDefaultCode } from './default-code.ts'
import { findPatternFault } from './scalar-code.ts'

/** What the generated validation leaves to the model. */
export interface Note {
  /** Path of the field. */
  readonly path: string
  readonly text: string
  readonly line?: number | undefined
}

export const toNote = ({ line }: ModelPath, path: string, text: string): Note => ({
  path,
  text,
  line,
})

export const noForm = 'binary data has no form in JSON'

const meanings: ReadonlyMap<string, string> = new Map(
  Object.entries({
    validate: 'a validator of the model',
    get: 'a getter of the model: the response has the stored value',
    set: 'a setter of the model: the response has the changed value',
    'min()': 'a minimum that a function returns',
    'max()': 'a maximum that a function returns',
    'immutable()': 'a function decides whether it can be changed',
    'ref()': 'a function decides which model it refers to, so that the document need not exist',
    refPath: 'another field decides which model it refers to, so that the document need not exist',
    timestamps: 'the times of these objects are not part of the response',
  }),
)

const untranslated = new Set(['Recursive', 'Union'])
const known = new Set(
  `String Number Double Int32 Boolean Date ObjectId Decimal128 BigInt UUID Mixed Array Map Nested
  Subdocument Buffer`.split(/\s+/),
)

// What is not translated of a field itself.
export function toNotes(path: ModelPath, place: string): readonly Note[] {
  const { discriminators, match, required, type, uses = [] } = path
  const fault = type === 'String' && match ? findPatternFault(match) : undefined
  const texts = [
    ...uses.flatMap((use) => meanings.get(use) ?? []),
    ...(required === 'sometimes' ? ['a function decides whether it is required'] : []),
    ...(fault === undefined ? [] : [fault]),
    ...toDateNotes(path),
    ...(hasOpenDefault(path) ? ['its default is set by the model'] : []),
    ...(discriminators ? [`its members depend on its kind: ${discriminators.join(', ')}`] : []),
    ...(untranslated.has(type) || !known.has(type) ? [describeType(type)] : []),
  ]
  return texts.map((text) => toNote(path, place, text))
}

function describeType(type: string): string {
  return type === 'Recursive'
    ? 'objects that contain themselves'
    : `the type ${type}, which the model alone knows`
}

function toDateNotes({ max, min, type }: ModelPath): readonly string[] {
  if (type !== 'Date') return []
  return [
    ...(min === undefined ? [] : [`the minimum ${min}`]),
    ...(max === undefined ? [] : [`the maximum ${max}`]),
  ]
}

function hasOpenDefault(path: ModelPath): boolean {
  return path.default !== undefined && 'value' in path.default && toDefaultCode(path) === undefined
}
