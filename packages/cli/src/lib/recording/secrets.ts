import { matchesPath, parsePath, type Path } from './body-paths.ts'
import {
  createPlaceholders,
  decode,
  type Placeholders,
  placeholderPattern,
} from './placeholders.ts'
import { type Headers } from './recording.ts'
import { isSecretName, toWords } from './secret-names.ts'

/** Replaces secrets by placeholders, the same one for the same value: `{{password_1}}`, or `{{#pin_1}}` for a number. */
export interface Masker {
  readonly headers: (headers: Headers) => Headers
  readonly url: (url: string) => string
  readonly json: (value: unknown) => unknown
  readonly form: (text: string) => string
  readonly multipart: (body: Buffer, boundary: string) => Buffer
  readonly text: (text: string) => string
  /** The placeholders so far. */
  readonly placeholders: () => readonly string[]
}

// `names` are further names such as `ssn`, or paths in JSON bodies such as `user.email`.
export function createMasker(names: readonly string[]): Masker {
  const placeholders = createPlaceholders()
  const { all, mask } = placeholders
  const paths = names.filter((name) => /[.[*$]/.test(name)).map(parsePath)
  const more = new Set(names.map((name) => toWords(name).join(' ')))
  const isSecret = (name: string): boolean => isSecretName(name, more)
  const text = (value: string): string => maskText(value, isSecret, placeholders)

  const json = (value: unknown, path: Path, secret: string | undefined): unknown => {
    if (Array.isArray(value)) {
      return value.map((item, index) => json(item, [...path, String(index)], secret))
    }
    if (typeof value === 'object' && value !== null) {
      const entries = Object.entries(value).map(([name, member]) => {
        const below = [...path, name]
        // `totalTokens` is a number of tokens.
        const isCount = typeof member === 'number' && /tokens$/i.test(name)
        const isNamed =
          (isSecret(name) && !isCount) || paths.some((pattern) => matchesPath(pattern, below))
        return [name, json(member, below, secret ?? (isNamed ? name : undefined))]
      })
      return Object.fromEntries(entries)
    }
    if (typeof value === 'string' && value !== '') {
      return secret === undefined ? text(value) : mask(secret, value)
    }
    return typeof value === 'number' && secret !== undefined ? mask(secret, value) : value
  }
  const pair = (part: string): string => {
    const at = part.indexOf('=')
    const [name, value] = [part.slice(0, at), part.slice(at + 1)]
    if (at < 0 || value === '') return text(part)
    const plain = decode(name)
    const isNamed = isSecret(plain) || paths.some((path) => matchesPath(path, [plain]))
    if (isNamed) return `${name}=${mask(plain, decode(value))}`
    const [raw, masked] = [decode(value), text(decode(value))]
    return `${name}=${masked === raw ? value : encode(masked)}`
  }
  const form = (pairs: string): string =>
    pairs
      .split(/([?&#])/)
      .map(pair)
      .join('')
  const url = (value: string): string => {
    const query = value.search(/[?#]/)
    return query < 0 ? text(value) : text(value.slice(0, query)) + form(value.slice(query))
  }
  return {
    url,
    text,
    form,
    json: (value) => json(value, [], undefined),
    headers: (headers) =>
      headers.map(([name, value]) => [
        name,
        maskHeader(name, value, { isSecret, mask, text, url }),
      ]),
    multipart: (body, boundary) => maskParts(body, boundary, { isSecret, mask, text }),
    placeholders: all,
  }
}

interface Masks {
  readonly isSecret: (name: string) => boolean
  readonly mask: Placeholders['mask']
  readonly text: (value: string) => string
  readonly url: (value: string) => string
}

const inQuery = /([?&#;]([^\s=?&#;"'<>]{1,80})=)([^\s&#;"'<>]+)()/g
// JSON, also in a string or invalid, GraphQL, scripts and attributes of HTML.
const inDoubleQuotes =
  /((?<![\w.$-])([A-Za-z_$][\w.$-]{0,80})["']?\s*[:=]\s*")([^"\\]*(?:\\.[^"\\]*)*)(")/gs
const inSingleQuotes =
  /((?<![\w.$-])([A-Za-z_$][\w.$-]{0,80})["']?\s*[:=]\s*')([^'\\]*(?:\\.[^'\\]*)*)(')/gs
const inElement = /(<([\w:.-]{1,80})(?:\s[^<>]*)?>)([^<>]+)(<)/g
const inUserInfo = /(:\/\/[^\s/:@?#"'<>]*:)([^\s/@?#"'<>]+)(?=@)/g
// A match begins only where such a run begins, so that each character is read a few times at most.
const withPoints = /(?<![\w-])[\w-]{8,}\.[\w-]{5,}\.[\w-]*/g

// Secrets whose names are next to them, JSON web tokens, and the secrets so far.
function maskText(
  value: string,
  isSecret: (name: string) => boolean,
  { mask, replace }: Placeholders,
): string {
  const named = (
    whole: string,
    ...[before, name, secret, after]: readonly [string, string, string, string]
  ): string =>
    secret.trim() === '' || secret.search(placeholderPattern) >= 0 || !isSecret(name)
      ? whole
      : `${before}${mask(name, before.endsWith('=') ? decode(secret) : secret)}${after}`
  const masked = value
    .replace(inUserInfo, (_, before: string, secret: string) => before + mask('password', secret))
    .replace(inQuery, named)
    .replace(inDoubleQuotes, named)
    .replace(inSingleQuotes, named)
    .replace(inElement, named)
    .replace(withPoints, (run) => {
      const at = run.search(/\beyJ/)
      return at < 0 ? run : run.slice(0, at) + mask('token', run.slice(at))
    })
  return replace(masked)
}

function encode(masked: string): string {
  return encodeURIComponent(masked).replace(
    /%7B%7B(%23)?([a-z0-9_]+_\d+)%7D%7D/g,
    (_, hash: string | undefined, name: string) => `{{${hash ? '#' : ''}${name}}}`,
  )
}

function maskHeader(name: string, value: string, masks: Masks): string {
  const lower = name.toLowerCase()
  if (/^(proxy-)?authorization$/.test(lower)) return maskCredentials(value, masks)
  if (lower === 'cookie' || lower === 'set-cookie') {
    // The first part of Set-Cookie is the cookie, the others are its attributes.
    const isMasked = (index: number): boolean => lower === 'cookie' || index === 0
    const parts = value.split(';')
    return parts.map((part, index) => (isMasked(index) ? maskCookie(part, masks) : part)).join(';')
  }
  if (/^(content-location|location|referer)$/.test(lower)) return masks.url(value)
  const isSecret = masks.isSecret(name) && !lower.startsWith('access-control-')
  return isSecret && value !== '' ? masks.mask(name, value) : masks.text(value)
}

function maskCredentials(value: string, { mask }: Masks): string {
  const [, scheme = '', secret = ''] = /^(\S+\s+)?(\S.*)$/.exec(value) ?? []
  return `${scheme}${mask(/^basic/i.test(scheme) ? 'basic' : 'token', secret)}`
}

function maskCookie(pair: string, { mask }: Masks): string {
  const [, before = '', name = '', secret = ''] = /^(\s*(?:([^=]*)=)?)(.*)$/.exec(pair) ?? []
  return secret === '' ? pair : `${before}${mask(`cookie ${name}`, secret)}`
}

// Form fields of a multipart body; files stay as they are.
function maskParts(
  body: Buffer,
  boundary: string,
  { isSecret, mask, text }: Pick<Masks, 'isSecret' | 'mask' | 'text'>,
): Buffer {
  const parts = body.toString('latin1').split(`--${boundary}`)
  const masked = parts.map((part) => {
    const end = part.indexOf('\r\n\r\n')
    const head = part.slice(0, end)
    const [, quoted, plain] = /\bname=(?:"([^"]*)"|([^\s;"]+))/i.exec(head) ?? []
    const name = quoted ?? plain
    if (end < 0 || name === undefined || /\bfilename\*?=/i.test(head)) return part
    const value = Buffer.from(part.slice(end + 4).replace(/\r\n$/, ''), 'latin1').toString('utf8')
    const shown = isSecret(name) && value !== '' ? mask(name, value) : text(value)
    return shown === value ? part : `${head}\r\n\r\n${Buffer.from(shown).toString('latin1')}\r\n`
  })
  return Buffer.from(masked.join(`--${boundary}`), 'latin1')
}
