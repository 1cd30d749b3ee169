import { CommandError } from '../errors/command-error.ts'
import { type Doc, getField, isDocument } from '../bson/document.ts'
import { type Collation } from './collation.ts'
import { encodeKey } from './encode-key.ts'

interface DocumentKeys {
  // Without duplicates, unordered, at least one.
  keys: string[]
  // Per field of the pattern: its path goes through or ends in an array.
  multikey: boolean[]
  // Whether any field of the pattern exists (a sparse index holds the document then).
  present: boolean
}

export function documentKeys(doc: Doc, pattern: Doc, collation?: Collation): DocumentKeys {
  const { fields, parts, descending } = parsePattern(pattern)
  const expansion = readPlain(doc, parts) ?? expand(doc, fields)
  const keys = new Set<string>()
  for (const row of expansion.rows) {
    let key = ''
    for (let i = 0; i < row.length; i++) key += encodeKey(row[i], descending[i], collation)
    keys.add(key)
  }
  return { keys: [...keys], multikey: expansion.multikey, present: expansion.present }
}

interface Pattern {
  fields: string[]
  parts: string[][]
  descending: boolean[]
}

const patterns = new WeakMap<Doc, Pattern>()

function parsePattern(pattern: Doc): Pattern {
  let parsed = patterns.get(pattern)
  if (parsed === undefined) {
    const fields = Object.keys(pattern)
    const descending = fields.map((field) => Number(pattern[field]) < 0)
    parsed = { fields, descending, parts: fields.map((field) => field.split('.')) }
    patterns.set(pattern, parsed)
  }
  return parsed
}

// Most documents have no array on these paths: one row, nothing to pair.
function readPlain(doc: Doc, paths: readonly string[][]): Expansion | undefined {
  const row: unknown[] = []
  const multikey: boolean[] = []
  let present = false
  for (const parts of paths) {
    let node: unknown = doc
    for (const part of parts) {
      if (Array.isArray(node)) return undefined
      node = isDocument(node) ? getField(node, part) : undefined
    }
    if (Array.isArray(node)) return undefined
    if (node !== undefined) present = true
    row.push(node ?? null)
    multikey.push(false)
  }
  return { rows: [row], multikey, present }
}

interface Expansion {
  // One row per combination of array elements, one value per field: null when missing, undefined
  // for `[]`.
  rows: unknown[][]
  // Per field: it met an array.
  multikey: boolean[]
  present: boolean
}

// Follows several paths at once, pairing those that go through the same array.
export function expand(doc: Doc, fields: readonly string[]): Expansion {
  const state: Expansion = { rows: [], multikey: fields.map(() => false), present: false }
  const open = fields.map((field) => ({ parts: field.split('.'), at: 0, node: doc as unknown }))
  follow(open, state)
  return state
}

// `node` is the current position, `parts[at]` the next step.
interface Walk {
  parts: string[]
  at: number
  node: unknown
}

function follow(walks: Walk[], state: Expansion): void {
  const advanced = walks.map((walk) => advance(walk))
  const stopped = advanced.find((walk) => stopsAtArray(walk))
  if (stopped === undefined) {
    if (advanced.some((walk) => walk.node !== undefined)) state.present = true
    state.rows.push(advanced.map((walk) => walk.node ?? null))
    return
  }
  state.present = true
  for (const [i, walk] of advanced.entries()) {
    if (!stopsAtArray(walk)) continue
    if (walk.node !== stopped.node) throw parallel(stopped, walk)
    state.multikey[i] = true
  }
  spread(advanced, stopped.node, state)
}

// A walk whose `at` is Infinity has reached its array element and is complete.
function stopsAtArray(walk: Walk): walk is Walk & { node: unknown[] } {
  return Array.isArray(walk.node) && walk.at !== Infinity
}

function advance(walk: Walk): Walk {
  let { node, at } = walk
  while (at < walk.parts.length) {
    const part = walk.parts[at] ?? ''
    if (isDocument(node)) node = getField(node, part)
    else if (!Array.isArray(node)) return { parts: walk.parts, at: Infinity, node: undefined }
    else if (isPosition(node, part)) node = node[Number(part)] as unknown
    else return { parts: walk.parts, at, node }
    at++
  }
  return { parts: walk.parts, at, node }
}

// A number in a path is an array position, unless elements could have it as a field.
function isPosition(array: unknown[], part: string): boolean {
  return /^(?:0|[1-9]\d*)$/.test(part) && !array.some((item) => isDocument(item))
}

function spread(walks: Walk[], array: unknown[], state: Expansion): void {
  if (array.length === 0) {
    state.rows.push(walks.map((walk) => emptyValue(walk, array)))
    return
  }
  for (const item of array) {
    follow(
      walks.map((walk) => (walk.node === array && walk.at !== Infinity ? enter(walk, item) : walk)),
      state,
    )
  }
}

function emptyValue(walk: Walk, array: unknown[]): unknown {
  if (walk.node !== array) return walk.node ?? null
  return walk.at >= walk.parts.length ? undefined : null
}

function enter(walk: Walk, item: unknown): Walk {
  const ends = walk.at >= walk.parts.length
  if (ends) return { parts: walk.parts, at: Infinity, node: item }
  return isDocument(item)
    ? { parts: walk.parts, at: walk.at, node: item }
    : { parts: walk.parts, at: Infinity, node: undefined }
}

function parallel(a: Walk, b: Walk): CommandError {
  const name = (walk: Walk) => walk.parts[Math.min(walk.at, walk.parts.length) - 1]
  return new CommandError(
    'CannotIndexParallelArrays',
    `cannot index parallel arrays [${name(b)}] [${name(a)}]`,
  )
}
