import { isPlainObject } from '../json/plain.ts'
import { isSame, normalise } from './canonical.ts'
import { type Path } from '../resource/secret-fields.ts'
import { type Masks } from './masks.ts'

// A value that is not recorded.
export const masked = Symbol('masked')

/** The change of one field; undefined is a field that is missing. */
export interface FieldChange {
  readonly path: string
  readonly before: unknown
  readonly after: unknown
}

// The fields in which two versions of a document differ. Members of objects are fields; arrays are compared as a whole.
export function compareDocuments(
  before: object | undefined,
  after: object | undefined,
  masks: Masks,
): FieldChange[] {
  return compare([], before && normalise(before), after && normalise(after), masks)
}

function compare(path: Path, before: unknown, after: unknown, masks: Masks): FieldChange[] {
  if (masks.isLeftOut(path) || isSame(before, after)) return []
  if (masks.isMasked(path)) return [toChange(path, before, after, () => masked)]
  const names = toNames(before, after)
  return names
    ? names.flatMap((name) =>
        compare([...path, name], Object(before)[name], Object(after)[name], masks),
      )
    : [toChange(path, before, after, (value) => withoutSecrets(value, path, masks))]
}

function toChange(
  path: Path,
  before: unknown,
  after: unknown,
  show: (value: unknown) => unknown,
): FieldChange {
  const toShown = (value: unknown): unknown => (value === undefined ? undefined : show(value))
  return { path: path.join('.'), before: toShown(before), after: toShown(after) }
}

// The members of two objects that a path can name; undefined where the values are compared as a whole.
function toNames(before: unknown, after: unknown): string[] | undefined {
  const present = [before, after].filter((value) => value !== undefined)
  if (!present.every(isPlainObject)) return undefined
  const names = [...new Set(present.flatMap((value) => Object.keys(value)))]
  const isPlain = names.every((name) => /^[^$.][^.]*$/.test(name) && name !== '__proto__')
  return isPlain && present.every((value) => Object.keys(value).length > 0) ? names : undefined
}

// A value that is stored as a whole, without the members that are masked or left out.
function withoutSecrets(value: unknown, path: Path, masks: Masks): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, path, masks))
  if (!isPlainObject(value)) return value
  const members = Object.entries(value)
    .filter(([name]) => !masks.isMasked([...path, name]) && !masks.isLeftOut([...path, name]))
    .map(([name, member]) => [name, withoutSecrets(member, [...path, name], masks)])
  return Object.fromEntries(members)
}
