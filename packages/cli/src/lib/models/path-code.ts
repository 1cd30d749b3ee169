import { key, number, object } from '../code/literals.ts'
import { type ModelPath } from '../project/model-description.ts'
import { toDefaultCode } from './default-code.ts'
import { noForm, type Note, toNote, toNotes } from './notes.ts'
import { type ScalarCode, toScalarCode } from './scalar-code.ts'

/** The longest list of a model, which states no limit. */
export const maxItems = 1000
const maxKey = 200

/** Code for a field of a model. */
export interface PathCode extends ScalarCode {
  readonly required: boolean
  /** What a client reads after leaving it out. */
  readonly readDefault?: string | undefined
  /** Whether the model gives it a value that the validation does not know. */
  readonly isFilled?: boolean | undefined
  /** What is left to the model. */
  readonly notes: readonly Note[]
  /** Whether objects in it have hidden members, which an object that replaces them would lose. */
  readonly hides?: boolean | undefined
}

// Undefined for a value that has no form in JSON. The schema contains the default, and whether the field may be absent.
export function toPathCode(path: ModelPath, prefix = ''): PathCode | undefined {
  const place = prefix + path.name
  const value = toValueCode(path, place)
  if (value === undefined) return undefined
  const notes = [...toNotes(path, place), ...value.notes]
  return toPresence(path, { ...value, notes })
}

interface ValueCode extends Omit<PathCode, 'required'> {
  /** Whether a nested object must be sent because one of its members must. */
  readonly isNeeded?: boolean
}

function toValueCode(path: ModelPath, place: string): ValueCode | undefined {
  if (path.discriminators)
    return { zod: `z.record(z.string().max(${maxKey}), z.unknown())`, notes: [] }
  switch (path.type) {
    case 'Array':
      return toList(path, place)
    case 'Map':
      return toMap(path, place)
    case 'Nested':
    case 'Subdocument':
      return toObject(path, place)
    case 'Buffer':
      return undefined
    default:
      return { notes: [], ...(toScalarCode(path) ?? { zod: 'z.unknown()' }) }
  }
}

// An item is never absent.
function toItemCode({ item, ref }: ModelPath, place: string): ValueCode | undefined {
  if (item === undefined) return undefined
  const path = { ref, ...item, name: '' }
  const value = toValueCode(path, place)
  return value && { ...value, notes: [...toNotes(path, place), ...value.notes] }
}

function toList(path: ModelPath, place: string): ValueCode | undefined {
  const code = toItemCode(path, place)
  if (code === undefined) return undefined
  return {
    zod: `z.array(${code.zod}).max(${number(maxItems)})`,
    sample: code.sample && `[${code.sample}]`,
    wrong: "'no list'",
    notes: code.notes,
    hides: code.hides,
  }
}

// Mongoose refuses keys with dots, and MongoDB those that begin with a dollar sign.
function toMap(path: ModelPath, place: string): ValueCode | undefined {
  const code = toItemCode(path, `${place}.*`)
  if (code === undefined) return undefined
  return {
    zod: `z.record(z.string().max(${maxKey}).regex(/^[^.$][^.]*$/u), ${code.zod})`,
    sample: code.sample && `{ one: ${code.sample} }`,
    wrong: "'nope'",
    notes: code.notes,
    hides: code.hides,
  }
}

interface Member {
  readonly name: string
  readonly code: PathCode
}

function toObject({ loose, members = [], type }: ModelPath, place: string): ValueCode {
  const found: Member[] = []
  const left: Note[] = []
  for (const member of members) {
    if (member.hidden !== undefined) continue
    const code = toPathCode(member, `${place}.`)
    if (code) found.push({ name: member.name, code })
    else left.push(toNote(member, `${place}.${member.name}`, noForm))
  }
  const shape = found.map(({ code, name }) => `${key(name)}: ${code.zod}`)
  return {
    zod: `z.${loose ? 'looseObject' : 'strictObject'}(${object(shape)})`,
    sample: toObjectSample(found),
    wrong: "'nope'",
    ...(type === 'Nested' && describeNested(found)),
    notes: [...left, ...found.flatMap(({ code }) => code.notes)],
    hides: found.length < members.length || found.some(({ code }) => code.hides),
  }
}

function toObjectSample(members: readonly Member[]): string | undefined {
  if (members.some(({ code }) => code.required && code.sample === undefined)) return undefined
  return object(
    members.flatMap(({ code, name }) =>
      code.sample === undefined ? [] : [`${key(name)}: ${code.sample}`],
    ),
  )
}

// Mongoose creates a nested object for the defaults of its members.
function describeNested(
  members: readonly Member[],
): Pick<ValueCode, 'isNeeded' | 'isFilled' | 'readDefault'> {
  const defaults = members.flatMap(({ code, name }) =>
    code.readDefault === undefined ? [] : [`${key(name)}: ${code.readDefault}`],
  )
  return {
    isNeeded: members.some(({ code }) => code.required),
    isFilled: members.some(({ code }) => code.isFilled),
    readDefault: defaults.length > 0 ? object(defaults) : undefined,
  }
}

function toPresence(path: ModelPath, value: ValueCode): PathCode {
  const { isNeeded = false, ...code } = value
  const isRequired = path.required === 'always'
  if (path.type === 'Mixed' && isRequired)
    return { ...code, zod: code.zod + present, required: true }
  if (path.type === 'Nested') return toNestedPresence(code, isNeeded)
  const stated = toDefaultCode(path)
  if (stated) {
    const { readDefault, suffix } = stated
    return { ...code, zod: code.zod + suffix, readDefault, required: false }
  }
  const isFilled = path.default !== undefined
  if (isRequired && !isFilled) return { ...code, required: true }
  return { ...code, zod: `${code.zod}.optional()`, required: false, isFilled }
}

// An unknown value may be absent.
const present = ".refine((value) => value != null, 'is required').meta({ not: { type: 'null' } })"

function toNestedPresence(code: Omit<ValueCode, 'isNeeded'>, isNeeded: boolean): PathCode {
  if (isNeeded) return { ...code, readDefault: undefined, isFilled: false, required: true }
  const suffix = code.readDefault === undefined ? '.optional()' : '.prefault({})'
  return { ...code, zod: code.zod + suffix, required: false }
}
