import type { Comment, Node } from '@babel/types'
import { type Edit, type Range, rangeOf } from './text-edits.ts'

export interface CommentedSource {
  readonly source: string
  readonly comments: readonly Comment[]
}

const width = 100

// Puts tags into the comment directly above a node, or into a new one.
export function documentNode(file: CommentedSource, start: number, tags: readonly string[]): Edit {
  const { source } = file
  const indent = source.slice(source.lastIndexOf('\n', start - 1) + 1, start)
  if (indent.trim() !== '') return { start, end: start, text: `${printComment(tags, '')} ` }
  const above = findAbove(file, start)
  const lines = above === undefined ? tags : joinTags(above.lines, tags)
  return {
    start: above?.start ?? start,
    end: start,
    text: `${printComment(lines, indent)}\n${indent}`,
  }
}

export function printComment(lines: readonly string[], indent: string): string {
  const [only = '', ...others] = lines.flatMap((line) => line.split('\n'))
  if (others.length === 0) return `/** ${only} */`
  const inner = [only, ...others].map((line) => `${indent} * ${line}`.trimEnd())
  return ['/**', ...inner, `${indent} */`].join('\n')
}

// `@import { One, Two } from './module.js'`, on several lines where one would be too long.
export function importTag(clause: string, from: string): string {
  const tag = `@import ${clause} from ${from}`
  const names = /^\{ (.*) \}$/.exec(clause)?.[1]
  if (names === undefined || tag.length + ' * '.length <= width) return tag
  const lines = names.split(', ').map((name) => `  ${name},`)
  return ['@import {', ...lines, `} from ${from}`].join('\n')
}

// The text of a type in a comment.
export function typeText({ comments, source }: CommentedSource, node: Node): string {
  const { end, start } = rangeOf(node)
  const inside = comments
    .map(rangeOf)
    .filter((range) => range.start >= start && range.end <= end)
    .toReversed()
  const text = inside.reduce(
    (rest, range) => rest.slice(0, range.start - start) + rest.slice(range.end - start),
    source.slice(start, end),
  )
  const lines = text.split('\n').map((line) => line.trim())
  // Only a literal can contain the end of a comment.
  return lines
    .filter((line) => line !== '')
    .join('\n')
    .replaceAll('*/', String.raw`*\/`)
}

interface Above extends Range {
  readonly lines: readonly string[]
}

// What tools read stays a separate comment, and so does text that would end the new one.
const separate = /^\s*(?:@|<|\/|eslint|oxlint|oxfmt|biome|prettier|v8|c8|istanbul)|\*\//

function findAbove({ comments, source }: CommentedSource, start: number): Above | undefined {
  const found: Comment[] = []
  for (const comment of comments.toReversed()) {
    const next = found[0] === undefined ? start : rangeOf(found[0]).start
    const range = rangeOf(comment)
    if (range.end > next) continue
    const isDirectlyAbove = /^[^\S\n]*\n[^\S\n]*$/.test(source.slice(range.end, next))
    const lineStart = source.lastIndexOf('\n', range.start - 1) + 1
    const isAlone = source.slice(lineStart, range.start).trim() === ''
    if (!isDirectlyAbove || !isAlone || separate.test(comment.value)) break
    const isBlock = comment.type === 'CommentBlock'
    if (isBlock && (found.length > 0 || !comment.value.startsWith('*'))) break
    found.unshift(comment)
    if (isBlock) break
  }
  const [first] = found
  if (first === undefined) return undefined
  const lines = found.flatMap(({ type, value }) =>
    type === 'CommentBlock' ? readBlock(value) : [value.trim()],
  )
  return { ...rangeOf(first), lines }
}

function readBlock(value: string): readonly string[] {
  const lines = value.slice(1).split('\n')
  return lines
    .map((line) => line.replace(/^\s*\* ?/, '').trimEnd())
    .map((line, index) => (index === 0 ? line.trim() : line))
    .filter((line, index) => line !== '' || (index > 0 && index < lines.length - 1))
}

// Gives the tags of the comment their types: `@param name - text` becomes `@param {string} name - text`.
function joinTags(lines: readonly string[], tags: readonly string[]): readonly string[] {
  const left = new Set(tags)
  const typed = lines.map((line) => {
    const name = /^@(?:param \w+|returns)\b/.exec(line)?.[0]
    const tag = name === undefined ? undefined : tags.find((one) => withoutType(one) === name)
    if (name === undefined || tag === undefined) return line
    left.delete(tag)
    return tag + line.slice(name.length)
  })
  if (left.size === 0) return typed
  const hasTags = lines.some((line) => line.startsWith('@'))
  return [...typed, ...(hasTags ? [] : ['']), ...left]
}

function withoutType(tag: string): string {
  return tag.replace(/^(@\w+) \{[^]*\}/, '$1').replace(/\[(\w+)\]$/, '$1')
}
