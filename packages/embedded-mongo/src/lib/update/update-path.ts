import { type Doc, getField, isDocument, setField } from '../bson/document.ts'
import { showValue } from '../bson/show-value.ts'
import { CommandError } from '../errors/command-error.ts'
import { type ValueTest } from '../query/match-path.ts'

export interface Modifier {
  // A missing field is passed to `modify` too (and its parents are created).
  creates: boolean
  // Returns the same reference for no change, undefined to remove the field.
  modify(value: unknown, where: UpdateLocation): unknown
}

export interface UpdateLocation {
  doc: Doc
  path: string
  // The array element the filter matched.
  hit: number | undefined
  // Copies made by this update: each document and array is copied once, however many places change.
  owned: WeakSet<object>
  // By identifier.
  arrayFilters: ReadonlyMap<string, ValueTest>
}

// The paths with `$`, `$[]` and `$[identifier]` replaced by the positions they match.
export function toPlaces(doc: Doc, parts: readonly string[], where: UpdateLocation): string[][] {
  let places: Place[] = [{ path: [], node: doc }]
  for (const part of parts) {
    places = places.flatMap(({ path, node }): Place[] => {
      if (isFilterPart(part)) {
        return elementsOf(node, part, where).map(([i, item]) => ({
          path: [...path, `${i}`],
          node: item,
        }))
      }
      const name = part === '$' ? requireHit(where) : part
      return [{ path: [...path, name], node: stepInto(node, name) }]
    })
  }
  return places.map(({ path }) => path)
}

// `$`, `$[]` or `$[identifier]`; any other name is a field, also when it starts with `$`.
export function isPlaceholder(part: string): boolean {
  return part === '$' || isFilterPart(part)
}

export function isFilterPart(part: string): boolean {
  return /^\$\[.*\]$/.test(part)
}

interface Place {
  path: string[]
  node: unknown
}

function stepInto(node: unknown, name: string): unknown {
  if (isDocument(node)) return getField(node, name)
  return Array.isArray(node) && isIndex(name) ? node[Number(name)] : undefined
}

function isIndex(name: string): boolean {
  return /^(?:0|[1-9]\d*)$/.test(name)
}

function elementsOf(node: unknown, part: string, where: UpdateLocation): [number, unknown][] {
  if (!Array.isArray(node)) throw notArray(node, part, where)
  const identifier = part.slice(2, -1)
  const isMatch = identifier === '' ? () => true : where.arrayFilters.get(identifier)
  return [...node.entries()].filter(([, item]) => isMatch?.(item))
}

// Leaves its input unchanged; returns the same reference when nothing changed.
export function updatePath(node: Doc, parts: readonly string[], step: Step): Doc
export function updatePath(node: unknown, parts: readonly string[], step: Step): unknown
export function updatePath(node: unknown, parts: readonly string[], step: Step): unknown {
  const [name, ...rest] = parts
  if (name === undefined) {
    return node === undefined && !step.modifier.creates
      ? undefined
      : step.modifier.modify(node, step.where)
  }
  if (isDocument(node)) return updateField(node, [name, ...rest], step)
  if (Array.isArray(node)) return updateItem(node, [name, ...rest], step)
  if (!step.modifier.creates) return node
  if (node !== undefined) throw notViable(name, node, step.where)
  const value = updatePath(undefined, rest, step)
  if (value === undefined) return undefined
  const doc: Doc = {}
  setField(doc, name, value)
  return doc
}

// A modifier and where it applies.
interface Step {
  modifier: Modifier
  where: UpdateLocation
}

function requireHit({ hit }: UpdateLocation): string {
  if (hit === undefined || hit < 0) {
    throw new CommandError(
      'BadValue',
      'The positional operator did not find the match needed from the query.',
    )
  }
  return String(hit)
}

function updateField(doc: Doc, parts: readonly string[], step: Step): Doc {
  const [name = '', ...rest] = parts
  const before = getField(doc, name)
  const after = updatePath(before, rest, step)
  if (after === before) return doc
  const copy = own(doc, step, () => ({ ...doc }))
  if (after === undefined) delete copy[name]
  else setField(copy, name, after)
  return copy
}

function own<T extends object>(value: T, { where }: Step, copy: () => T): T {
  if (where.owned.has(value)) return value
  const copied = copy()
  where.owned.add(copied)
  return copied
}

const maxPadding = 1_500_000

function updateItem(array: unknown[], parts: readonly string[], step: Step): unknown[] {
  const [name = '', ...rest] = parts
  if (!isIndex(name)) {
    if (step.modifier.creates) throw notViable(name, array, step.where)
    return array
  }
  const index = Number(name)
  const before = array[index]
  const changed = updatePath(before, rest, step)
  // Unsetting an element leaves null, so that the others keep their positions.
  const after = before === undefined ? changed : (changed ?? null)
  if (after === before) return array
  if (index > array.length + maxPadding) {
    throw new CommandError('CannotMutateObject', `can't backfill more than ${maxPadding} elements`)
  }
  const copy = own(array, step, () => array.slice())
  while (copy.length < index) copy.push(null)
  copy[index] = after
  return copy
}

function notArray(node: unknown, part: string, { path }: UpdateLocation): CommandError {
  const parent = path.slice(0, path.indexOf(`.${part}`))
  if (node === undefined) {
    return new CommandError(
      'BadValue',
      `The path '${parent}' must exist in the document in order to apply array updates.`,
    )
  }
  return new CommandError(
    'BadValue',
    `Cannot apply array updates to non-array element ${parent}: ${showValue(node)}`,
  )
}

function notViable(name: string, node: unknown, { path }: UpdateLocation): CommandError {
  const parts = path.split('.')
  const parent = parts[parts.lastIndexOf(name) - 1] ?? parts[parts.length - 2] ?? ''
  return new CommandError(
    'PathNotViable',
    `Cannot create field '${name}' in element {${parent}: ${showValue(node)}}`,
  )
}
