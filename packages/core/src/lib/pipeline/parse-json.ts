import { isUtf8 } from 'node:buffer'
import { ApiError } from '../errors/api-error.ts'
import { mayBeUnstorable, requireStorable } from './require-storable.ts'

/**
 * Parses JSON strictly: only UTF-8 (RFC 8259 section 8.1), no deeper than allowed, which is checked on
 * the text, before any recursive code sees the value, and nothing that a database would change.
 * @param bytes - the body
 * @param maxDepth - how deep arrays and objects may be nested
 * @returns the value
 * @throws ApiError `invalid_encoding`, `too_deep`, `malformed_json` or `validation_failed`
 */
export function parseJson(bytes: Buffer, maxDepth: number): unknown {
  if (!isUtf8(bytes))
    throw new ApiError('invalid_encoding', { detail: 'The body is not valid UTF-8.' })
  const text = bytes.toString()
  // Each level takes at least a character.
  if (text.length > maxDepth && isTextTooDeep(text, maxDepth)) throw tooDeep(maxDepth)
  const value = parse(text)
  if (mayBeUnstorable(text)) requireStorable(value)
  return value
}

/**
 * Checks a value that somebody else parsed.
 * @param value - a value made of JSON
 * @param maxDepth - how deep arrays and objects may be nested
 * @throws ApiError `too_deep`
 */
export function requireDepth(value: unknown, maxDepth: number): void {
  let level = [value].filter(isContainer)
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > maxDepth) throw tooDeep(maxDepth)
    level = level.flatMap((container) => Object.values(container).filter(isContainer))
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text)
  } catch {
    // The message of the parser quotes the body.
    throw new ApiError('malformed_json')
  }
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

const byteOrderMark = 0xfeff
const quote = 0x22
const backslash = 0x5c

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

// Position of the closing quote; -1 when there is none, and the text is no JSON anyway.
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end
}

function isEscaped(text: string, position: number): boolean {
  let before = position - 1
  while (text.charCodeAt(before) === backslash) before--
  return (position - before) % 2 === 0
}

function tooDeep(maxDepth: number): ApiError {
  return new ApiError('too_deep', { detail: `At most ${maxDepth} levels are allowed.` })
}
