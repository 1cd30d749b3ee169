import { isUtf8 } from 'node:buffer'
import { ApiError } from '../errors/api-error.ts'
import { endOfString } from './json-text.ts'
import { mayBeUnstorable, requireStorable, type StorableOptions } from './require-storable.ts'

export interface JsonOptions extends StorableOptions {
  readonly maxDepth: number
  /**
   * Whether the value may contain what a database cannot store, because its parts are checked one by one.
   * @default false
   */
  readonly unchecked?: boolean | undefined
}

// Parses JSON strictly: only UTF-8 (RFC 8259 section 8.1), limited in depth, and nothing that a database
// cannot store or would read as an operator. The depth is checked in the text, before recursive code sees the value.
// `onText` receives the text of valid JSON.
export function parseJson(
  bytes: Buffer,
  options: JsonOptions,
  onText?: (text: string) => void,
): unknown {
  if (!isUtf8(bytes))
    throw new ApiError('invalid_encoding', { detail: 'The body is not valid UTF-8.' })
  const text = withoutByteOrderMark(bytes.toString())
  const { maxDepth } = options
  // Each level takes at least one character.
  if (text.length > maxDepth && isTextTooDeep(text, maxDepth)) throw tooDeep(maxDepth)
  const value = parse(text)
  onText?.(text)
  if (!options.unchecked && mayBeUnstorable(text)) requireStorable(value, options)
  return value
}

// Checks the depth of a value that another parser has read.
export function requireDepth(value: unknown, maxDepth: number): void {
  let level = [value].filter(isContainer)
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > maxDepth) throw tooDeep(maxDepth)
    level = level.flatMap((container) => Object.values(container).filter(isContainer))
  }
}

function withoutByteOrderMark(text: string): string {
  return text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The parser's message quotes the body, so it is not used.
    throw new ApiError('malformed_json')
  }
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

const byteOrderMark = 0xfeff
const quote = 0x22

function isTextTooDeep(text: string, maxDepth: number): boolean {
  let depth = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    // `[` 0x5b and `{` 0x7b, `]` 0x5d and `}` 0x7d differ in one bit.
    if ((code | 0x20) === 0x7b) {
      if (++depth > maxDepth) return true
    } else if ((code | 0x20) === 0x7d) depth--
    else if (code === quote) {
      index = endOfString(text, index)
      if (index === -1) return false
    }
  }
  return false
}

function tooDeep(maxDepth: number): ApiError {
  return new ApiError('too_deep', { detail: `At most ${maxDepth} levels are allowed.` })
}
