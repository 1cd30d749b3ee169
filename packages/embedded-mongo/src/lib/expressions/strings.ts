import { toText } from './to-text.ts'
import { isNumeric, toNumber } from '../bson/numeric.ts'
import { toRegExp } from '../bson/regex.ts'
import { typeName } from '../bson/type-name.ts'
import { CommandError, type ErrorName } from '../errors/command-error.ts'
import { compare } from '../keys/compare.ts'
import { isRegExp } from '../bson/regex.ts'
import { isNullish, listOperator, type Named, namedOperator, type Operator } from './operator.ts'

export const strings: Readonly<Record<string, Operator>> = {
  $concat: listOperator([0, Infinity], (values) => {
    if (values.some(isNullish)) return null
    return values
      .map((value) => requireText(value, 'Location16702', '$concat only supports strings, not '))
      .join('')
  }),
  $toLower: listOperator([1, 1], ([value]) =>
    asciiCase(coerce(value), /[A-Z]/g, (c) => c.toLowerCase()),
  ),
  $toUpper: listOperator([1, 1], ([value]) =>
    asciiCase(coerce(value), /[a-z]/g, (c) => c.toUpperCase()),
  ),
  $strcasecmp: listOperator([2, 2], ([a, b]) =>
    Math.sign(
      compare(
        asciiCase(coerce(a), /[a-z]/g, (c) => c.toUpperCase()),
        asciiCase(coerce(b), /[a-z]/g, (c) => c.toUpperCase()),
      ),
    ),
  ),
  $strLenBytes: listOperator([1, 1], ([value]) =>
    Buffer.byteLength(
      requireText(value, 'Location34473', '$strLenBytes requires a string argument, found: '),
    ),
  ),
  $strLenCP: listOperator(
    [1, 1],
    ([value]) =>
      toCharacters(
        requireText(value, 'Location34471', '$strLenCP requires a string argument, found: '),
      ).length,
  ),
  $substr: listOperator([3, 3], ([value, from, count]) => substrBytes(value, from, count)),
  $substrBytes: listOperator([3, 3], ([value, from, count]) => substrBytes(value, from, count)),
  $substrCP: listOperator([3, 3], ([value, from, count]) => {
    const start = requireCount('$substrCP', from)
    return toCharacters(coerce(value))
      .slice(start, start + requireCount('$substrCP', count))
      .join('')
  }),
  $split: listOperator([2, 2], ([value, by]) => {
    if (isNullish(value) || isNullish(by)) return null
    const text = requireText(
      value,
      'Location40085',
      '$split requires an expression that evaluates to a string as a first argument, found: ',
    )
    const separator = requireText(
      by,
      'Location40086',
      '$split requires an expression that evaluates to a string as a second argument, found: ',
    )
    if (separator === '')
      throw new CommandError('Location40087', '$split requires a non-empty separator')
    return text.split(separator)
  }),
  $indexOfCP: listOperator([2, 4], (values) => indexOf('$indexOfCP', values)),
  $indexOfBytes: listOperator([2, 4], (values) => indexOf('$indexOfBytes', values)),
  $trim: trim('$trim'),
  $ltrim: trim('$ltrim'),
  $rtrim: trim('$rtrim'),
  $replaceOne: replace('$replaceOne', (text, find, by) => {
    const at = text.indexOf(find)
    return at < 0 ? text : text.slice(0, at) + by + text.slice(at + find.length)
  }),
  $replaceAll: replace('$replaceAll', (text, find, by) => text.split(find).join(by)),
  $regexMatch: regex((text, regExp) => (text === null ? false : regExp.test(text))),
  $regexFind: regex((text, regExp) => {
    const match = text === null ? null : regExp.exec(text)
    return match === null ? null : toMatch(match)
  }),
  $regexFindAll: regex((text, regExp) => {
    if (text === null) return []
    const all = new RegExp(regExp.source, `${regExp.flags}g`)
    return [...text.matchAll(all)].map((match) => toMatch(match))
  }),
}

function requireText(value: unknown, error: ErrorName, message: string): string {
  if (typeof value === 'string') return value
  throw new CommandError(error, message + typeName(value))
}

// The older operators convert to text: null becomes the empty string, numbers and dates are formatted.
function coerce(value: unknown): string {
  if (isNullish(value)) return ''
  const text = toText(value)
  if (text !== undefined && typeof value !== 'boolean') return text
  throw new CommandError(
    'Location16007',
    `can't convert from BSON type ${typeName(value)} to String`,
  )
}

function asciiCase(text: string, letters: RegExp, change: (char: string) => string): string {
  return text.replace(letters, change)
}

function requireCount(name: string, value: unknown): number {
  const count = isNumeric(value) ? toNumber(value) : NaN
  if (Number.isInteger(count) && count >= 0) return count
  throw new CommandError(
    'Location34451',
    `${name}: the starting index and length must be non-negative integers, found: ${String(value)}`,
  )
}

// A byte inside a character.
function isContinuation(byte = 0): boolean {
  return byte >> 6 === 2
}

function substrBytes(value: unknown, from: unknown, count: unknown): string {
  const bytes = Buffer.from(coerce(value))
  const start = isNumeric(from) ? toNumber(from) : NaN
  const length = isNumeric(count) ? toNumber(count) : NaN
  if (Number.isNaN(start) || Number.isNaN(length))
    throw new CommandError(
      'Location16034',
      '$substrBytes: starting index and length must be numeric',
    )
  if (start < 0) return ''
  const end = length < 0 ? bytes.length : Math.min(bytes.length, start + length)
  if (isContinuation(bytes[start])) {
    throw new CommandError(
      'Location28656',
      '$substrBytes:  Invalid range, starting index is a UTF-8 continuation byte.',
    )
  }
  if (isContinuation(bytes[end])) {
    throw new CommandError(
      'Location28657',
      '$substrBytes:  Invalid range, ending index is in the middle of a UTF-8 character.',
    )
  }
  return bytes.toString('utf8', start, Math.max(start, end))
}

function indexOf(name: string, [value, find, from, to]: readonly unknown[]): unknown {
  if (isNullish(value)) return null
  const text = requireText(
    value,
    'Location40091',
    `${name} requires a string as the first argument, found: `,
  )
  const expected = requireText(
    find,
    'Location40092',
    `${name} requires a string as the second argument, found: `,
  )
  const split = name === '$indexOfCP' ? toCharacters : (part: string) => [...Buffer.from(part)]
  const items: readonly unknown[] = split(text)
  const sought: readonly unknown[] = split(expected)
  const start = from === undefined ? 0 : requireCount(name, from)
  const end = to === undefined ? items.length : Math.min(items.length, requireCount(name, to))
  for (let i = start; i + sought.length <= end; i++) {
    if (sought.every((item, j) => items[i + j] === item)) return i
  }
  return -1
}

const blanks =
  '\0\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a'

function trim(name: string): Operator {
  return namedOperator(['input', 'chars?'], ({ input, chars = blanks }) => {
    if (isNullish(input) || chars === null) return null
    const text = toCharacters(
      requireText(input, 'Location50699', `${name} requires its input to be a string, got `),
    )
    const set = new Set(
      requireText(chars, 'Location50700', `${name} requires 'chars' to be a string, got `),
    )
    const first = name === '$rtrim' ? 0 : text.findIndex((char) => !set.has(char))
    const last = name === '$ltrim' ? text.length - 1 : text.findLastIndex((char) => !set.has(char))
    return first < 0 ? '' : text.slice(first, last + 1).join('')
  })
}

function replace(
  name: string,
  change: (text: string, find: string, by: string) => string,
): Operator {
  return namedOperator(['input', 'find', 'replacement'], ({ input, find, replacement }) => {
    const parts = [input, find, replacement].map((value, i) =>
      isNullish(value)
        ? null
        : requireText(
            value,
            `Location${51746 - i}`,
            `${name} requires that '${['input', 'find', 'replacement'][i]}' be a string, found: `,
          ),
    )
    const [text, expected, by] = parts
    if (typeof text !== 'string' || typeof expected !== 'string' || typeof by !== 'string')
      return null
    return change(text, expected, by)
  })
}

function regex(compute: (text: string | null, regExp: RegExp) => unknown): Operator {
  // The pattern is nearly always the same for all documents.
  let known: { key: string; regExp: RegExp } | undefined
  return namedOperator(['input', 'regex', 'options?'], (args, { name }) => {
    const parts = readRegex(args, name)
    if (parts === undefined) return compute(null, /(?:)/u)
    const key = `${parts.options}/${parts.pattern}`
    if (known?.key !== key) known = { key, regExp: toRegExp(parts.pattern, parts.options) }
    return compute(parts.text, known.regExp)
  })
}

function readRegex(args: Named, name: string): RegexParts | undefined {
  const { input, regex: pattern, options } = args
  if (!isNullish(input)) {
    requireText(input, 'Location51104', `${name} needs 'input' to be of type string, found `)
  }
  if (isNullish(pattern)) return undefined
  const flags = isNullish(options)
    ? ''
    : requireText(options, 'Location51106', `${name} needs 'options' to be of type string, found `)
  const parts = isRegExp(pattern)
    ? { pattern: pattern.pattern, options: pattern.options + flags }
    : {
        pattern: requireText(
          pattern,
          'Location51105',
          `${name} needs 'regex' to be of type string or regex, found `,
        ),
        options: flags,
      }
  return typeof input === 'string' ? { text: input, ...parts } : undefined
}

interface RegexParts {
  text: string
  pattern: string
  options: string
}

function toMatch(match: RegExpExecArray): unknown {
  const before = toCharacters(match.input.slice(0, match.index))
  return {
    match: match[0],
    idx: before.length,
    captures: match.slice(1).map((group: string | undefined) => group ?? null),
  }
}

function toCharacters(text: string): string[] {
  return Array.from(text)
}
