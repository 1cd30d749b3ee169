import { type BSONRegExp } from 'bson'
import { CommandError } from '../errors/command-error.ts'
import { errorText } from '../errors/error-text.ts'
import { lookUp } from './document.ts'
import { typeNumber } from './type-name.ts'

export function isRegExp(value: unknown): value is BSONRegExp {
  return typeNumber(value) === 11
}

// Translates a PCRE pattern, which MongoDB uses.
export function toRegExp(pattern: string, options = ''): RegExp {
  requireFlags(options)
  const leading = /^\(\?([imsx]+)\)/.exec(pattern)
  const flags = new Set(options + (leading?.[1] ?? ''))
  const source = translate(pattern.slice(leading?.[0].length ?? 0), flags)
  try {
    return new RegExp(source, `${flags.has('i') ? 'i' : ''}${flags.has('m') ? 'm' : ''}u`)
  } catch (error) {
    const reason = errorText(error)
    throw new CommandError('Location51091', `Regular expression is invalid: ${reason}`, {
      cause: error,
    })
  }
}

export function requireFlags(options: string): void {
  const bad = /[^imsux]/.exec(options)
  if (bad) throw new CommandError('Location51108', `invalid flag in regex options: ${bad[0]}`)
}

export function fromBsonRegExp(value: BSONRegExp): RegExp {
  return toRegExp(value.pattern, value.options)
}

const spaces = '\\t\\n\\v\\f\\r '
const atEnd = '(?![\\s\\S])'

const escapes: Readonly<Record<string, string>> = {
  A: '(?<![\\s\\S])',
  z: atEnd,
  Z: `(?=\\n?${atEnd})`,
  h: '[ \\t]',
  R: '(?:\\r\\n|[\\n\\v\\f\\r])',
  a: '\\x07',
  e: '\\x1b',
  s: `[${spaces}]`,
  S: `[^${spaces}]`,
}

const classEscapes: Readonly<Record<string, string>> = {
  h: ' \\t',
  a: '\\x07',
  e: '\\x1b',
  s: spaces,
}

const posix: Readonly<Record<string, string>> = {
  alpha: 'a-zA-Z',
  digit: '0-9',
  alnum: 'a-zA-Z0-9',
  upper: 'A-Z',
  lower: 'a-z',
  space: spaces,
  blank: ' \\t',
  punct: '!-\\/:-@\\[-`{-~',
  xdigit: '0-9a-fA-F',
  word: '\\w',
  cntrl: '\\x00-\\x1f\\x7f',
  print: ' -~',
  graph: '!-~',
}

// One token of a pattern outside a character class, or a whole class.
const tokens =
  /\\Q(?<literal>[\s\S]*?)(?:\\E|$)|\\(?<escape>[\s\S])|\[(?<class>\^?\]?(?:\[:\^?\w+:\]|\\[\s\S]|[^\]\\])*)\]|(?<quantifier>\{\d+(?:,\d*)?\}|\{,\d+\})|(?<named>\(\?P[<=>])|(?<comment>\(\?#[^)]*\))|(?<other>[\s\S])/gu

function translate(pattern: string, flags: ReadonlySet<string>): string {
  let source = ''
  let inComment = false
  for (const { groups = {} } of pattern.matchAll(tokens)) {
    if (inComment) inComment = groups['other'] !== '\n'
    else if (flags.has('x') && groups['other'] === '#') inComment = true
    else source += translateToken(groups, flags)
  }
  return source
}

type Groups = Readonly<Record<string, string | undefined>>

function translateToken(token: Groups, flags: ReadonlySet<string>): string {
  if (token['literal'] !== undefined)
    return token['literal'].replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
  if (token['escape'] !== undefined) return escapes[token['escape']] ?? escaped(token['escape'])
  if (token['class'] !== undefined) return `[${translateClass(token['class'])}]`
  if (token['quantifier'] !== undefined) return token['quantifier'].replace('{,', '{0,')
  if (token['named'] !== undefined) return token['named'] === '(?P<' ? '(?<' : token['named']
  if (token['comment'] !== undefined) return ''
  return translateOther(token['other'] ?? '', flags)
}

// Only these characters may be escaped without need in a `u` pattern.
function escaped(char: string): string {
  return /[A-Za-z0-9^$\\.*+?()[\]{}|/]/.test(char) ? `\\${char}` : char
}

function translateOther(char: string, flags: ReadonlySet<string>): string {
  if (char === '.') return flags.has('s') ? '[\\s\\S]' : '[^\\n]'
  if (char === '$') return flags.has('m') ? `(?=\\n|${atEnd})` : `(?=\\n?${atEnd})`
  if (char === '{' || char === '}' || char === ']') return `\\${char}`
  return flags.has('x') && /\s/.test(char) ? '' : char
}

// A token inside a character class that needs translation.
const classTokens =
  /\[:(?<not>\^?)(?<name>\w+):\]|\\(?<escape>[\s\S])|(?<plain>[[(){}/|])|(?<other>[\s\S])/gu

function translateClass(body: string): string {
  let source = ''
  for (const { groups = {} } of body.replace(/^(\^?)\]/, '$1\\]').matchAll(classTokens)) {
    source += groups['other'] ?? translateClassToken(groups)
  }
  return source
}

function translateClassToken(token: Groups): string {
  if (token['plain'] !== undefined) return `\\${token['plain']}`
  if (token['escape'] === '-') return '\\-'
  if (token['escape'] !== undefined)
    return classEscapes[token['escape']] ?? escaped(token['escape'])
  const set = lookUp(posix, token['name'] ?? '')
  if (set === undefined || token['not'] === '^') {
    throw new CommandError(
      'Location51091',
      'Regular expression is invalid: unknown POSIX class name',
    )
  }
  return set
}
