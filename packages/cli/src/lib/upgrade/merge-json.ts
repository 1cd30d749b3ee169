import { isDeepStrictEqual } from 'node:util'
import {
  applyEdits,
  findNodeAtLocation,
  type JSONPath,
  modify,
  type Node,
  parse,
  type ParseError,
  parseTree,
  visit,
} from 'jsonc-parser'
import { laterRange } from './later-range.ts'
import { type Merged, type MergeOptions, mergeText, type Versions } from './merge-text.ts'

interface KeyEdit {
  readonly path: JSONPath
  /** Undefined removes the key. */
  readonly value: unknown
  /** Keys that precede it in the template, the nearest last. */
  readonly after: readonly string[]
}

interface KeyConflict extends KeyEdit {
  readonly base: unknown
}

interface KeyMerge {
  readonly edits: readonly KeyEdit[]
  readonly conflicts: readonly KeyConflict[]
}

// Merges JSON, with comments or without, key by key. A file that is not valid is merged by lines,
// and so is one with a comment inside a value that changes.
export async function mergeJson(versions: Versions, options: MergeOptions): Promise<Merged> {
  const merged = await mergeByKey(versions, options)
  const isComplete = listComments(versions.ours).every((comment) => merged?.text.includes(comment))
  return merged !== undefined && isComplete ? merged : mergeText(versions, options)
}

function listComments(text: string): readonly string[] {
  const comments: string[] = []
  visit(text, {
    onComment: (offset, length) => void comments.push(text.slice(offset, offset + length)),
  })
  return comments
}

async function mergeByKey(versions: Versions, options: MergeOptions): Promise<Merged | undefined> {
  const { ours } = versions
  const values = [versions.base === '' ? '{}' : versions.base, ours, versions.theirs].map(
    readObject,
  )
  const [base, own, their] = values
  if (base === undefined || own === undefined || their === undefined) return undefined
  const { conflicts, edits } = mergeKeys(base, own, their)
  const edit = createEdit(ours, versions.theirs)
  const merged = edit(ours, edits)
  if (conflicts.length === 0 || options.favor === 'ours') return { text: merged, conflicts: 0 }
  const theirs = edit(merged, conflicts)
  if (options.favor === 'theirs') return { text: theirs, conflicts: 0 }
  // The three texts differ in the conflicting keys only, so only these are marked.
  const bases = conflicts.map((conflict) => ({ ...conflict, value: conflict.base }))
  return mergeText({ base: edit(merged, bases), ours: merged, theirs }, options)
}

type JsonObject = Readonly<Record<string, unknown>>

function readObject(text: string): JsonObject | undefined {
  const errors: ParseError[] = []
  const value: unknown = parse(text, errors, { allowTrailingComma: true })
  return errors.length === 0 && isObject(value) ? value : undefined
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function mergeKeys(
  base: JsonObject,
  ours: JsonObject,
  theirs: JsonObject,
  parent: JSONPath = [],
): KeyMerge {
  const order = Object.keys(theirs)
  const dropped = Object.keys(base).filter((key) => !order.includes(key))
  const merges = [...order, ...dropped].map((key) =>
    mergeKey(
      { base: base[key], ours: ours[key], theirs: theirs[key] },
      { path: [...parent, key], after: order.slice(0, Math.max(0, order.indexOf(key))) },
    ),
  )
  return {
    edits: merges.flatMap(({ edits }) => edits),
    conflicts: merges.flatMap(({ conflicts }) => conflicts),
  }
}

interface Values {
  readonly base: unknown
  readonly ours: unknown
  readonly theirs: unknown
}

const unchanged: KeyMerge = { edits: [], conflicts: [] }

function mergeKey({ base, ours, theirs }: Values, key: Pick<KeyEdit, 'path' | 'after'>): KeyMerge {
  const toEdit = (value: unknown): KeyMerge => ({ edits: [{ ...key, value }], conflicts: [] })
  if (isDeepStrictEqual(base, theirs) || isDeepStrictEqual(ours, theirs)) return unchanged
  if (isDeepStrictEqual(base, ours)) return toEdit(theirs)
  // What the user has removed stays removed, and what the user has changed stays.
  if (ours === undefined || theirs === undefined) return unchanged
  if (isObject(ours) && isObject(theirs)) {
    return mergeKeys(isObject(base) ? base : {}, ours, theirs, key.path)
  }
  const value = mergeLists(base, ours, theirs) ?? laterRange(ours, theirs)
  if (value !== undefined) return toEdit(value)
  return { edits: [], conflicts: [{ ...key, value: theirs, base }] }
}

// Lists of words are sets with an order.
function mergeLists(base: unknown, ours: unknown, theirs: unknown): unknown {
  if (!isWords(ours) || !isWords(theirs)) return undefined
  const before = isWords(base) ? base : []
  const kept = ours.filter((word) => theirs.includes(word) || !before.includes(word))
  const added = theirs.filter((word) => !before.includes(word) && !ours.includes(word))
  return [...kept, ...added]
}

function isWords(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

type Edit = (text: string, edits: readonly KeyEdit[]) => string

// Edits keep comments and layout. A value is laid out as in the template, unless the user's file
// is indented in another way.
function createEdit(ours: string, theirs: string): Edit {
  const formattingOptions = { ...readIndent(ours), eol: '\n' }
  const template =
    ours.includes('\t') || formattingOptions.tabSize !== readIndent(theirs).tabSize
      ? undefined
      : parseTree(theirs)
  return (text, edits) => {
    const layouts = new Map<string, string>()
    const changed = edits.reduce((current, { after, path, value }) => {
      const mark = `\u0000${layouts.size}`
      const source = readLayout(value, template && findNodeAtLocation(template, path), theirs)
      if (source !== undefined) layouts.set(JSON.stringify(mark), source)
      const changes = modify(current, path, source === undefined ? value : mark, {
        formattingOptions,
        getInsertionIndex: (present) =>
          1 + Math.max(-1, ...after.map((key) => present.indexOf(key))),
      })
      return applyEdits(current, changes)
    }, text)
    return [...layouts].reduce(
      (current, [mark, source]) => current.replace(mark, () => source),
      changed,
    )
  }
}

// The text of a value, where it need not be laid out anew.
function readLayout(value: unknown, node: Node | undefined, theirs: string): string | undefined {
  const source = node && theirs.slice(node.offset, node.offset + node.length)
  if (source !== undefined && isDeepStrictEqual(parse(source), value)) return source
  return isWords(value) ? `[${value.map((word) => JSON.stringify(word)).join(', ')}]` : undefined
}

function readIndent(text: string): { readonly insertSpaces: boolean; readonly tabSize: number } {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? '  '
  return { insertSpaces: !indent.includes('\t'), tabSize: indent.length }
}
