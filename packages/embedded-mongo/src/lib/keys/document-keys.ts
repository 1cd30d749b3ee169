import { CommandError } from '../errors/command-error.ts'
import { assume } from '../bson/assume.ts'
import { type Doc, getField, isDocument } from '../bson/document.ts'
import { type Collation } from './collation.ts'
import { encodeKey } from './encode-key.ts'

/** The keys of one document in one index. */
export interface DocumentKeys {
  /** Each once, in no order; a document has at least one. */
  keys: string[]
  /** For each field of the pattern, whether its path goes through or ends in an array. */
  multikey: boolean[]
  /** Whether any field of the pattern exists in the document (a sparse index holds it then). */
  present: boolean
}

/**
 * Gives the index keys of a document.
 * @param doc - The document.
 * @param pattern - The index's key pattern, such as `{ "a.b": 1, c: -1 }`.
 * @param collation - The index's collation.
 * @returns The keys and which fields are multikey.
 * @throws {CommandError} 171 when two independent arrays meet in one index.
 */
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

// Most documents have no array on the way: one row, and nothing to pair.
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

/** What the paths of several fields lead to in one document. */
export interface Expansion {
  /** One row for each combination of array elements, a value for each field: null when missing, undefined for `[]`. */
  rows: unknown[][]
  /** For each field, whether it met an array. */
  multikey: boolean[]
  /** Whether any field exists. */
  present: boolean
}

/**
 * Follows several paths through a document at once, pairing those that go through the same array.
 * @param doc - The document.
 * @param fields - Dotted paths.
 * @returns The rows of values.
 * @throws {CommandError} 171 when the paths meet two independent arrays.
 */
export function expand(doc: Doc, fields: readonly string[]): Expansion {
  const state: Expansion = { rows: [], multikey: fields.map(() => false), present: false }
  const open = fields.map((field) => ({ parts: field.split('.'), at: 0, node: doc as unknown }))
  follow(open, state)
  return state
}

/** A path on its way: `node` is where it stands, `parts[at]` the next step. */
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
  spread(advanced, assume(stopped.node), state)
}

// A walk whose `at` is Infinity took its array element and goes no further.
function stopsAtArray(walk: Walk): boolean {
  return Array.isArray(walk.node) && walk.at !== Infinity
}

function advance(walk: Walk): Walk {
  let { node, at } = walk
  while (at < walk.parts.length) {
    const part = walk.parts[at] ?? ''
    if (isDocument(node)) node = getField(node, part)
    else if (Array.isArray(node) && isPosition(node, part))
      node = assume<unknown[]>(node)[Number(part)]
    else if (Array.isArray(node)) return { parts: walk.parts, at, node }
    else return { parts: walk.parts, at: Infinity, node: undefined }
    at++
  }
  return { parts: walk.parts, at, node }
}

// A number in a path is a place in an array, unless elements could have it as a field.
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
  return new CommandError(171, `cannot index parallel arrays [${name(b)}] [${name(a)}]`)
}
