import { matchesPath, parsePath, type Path } from './body-paths.ts'
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

export const placeholderPattern = /\{\{#?[a-z0-9_]+_\d+\}\}/g

// The environment variable with the value of a placeholder: `{{password_1}}` is REPLAY_PASSWORD_1.
export function toVariable(placeholder: string): string {
  return `REPLAY_${placeholder.replace(/[{}#]/g, '').toUpperCase()}`
}

// The values at the places of the placeholders of a recorded text; none if the rest of the text differs.
export function matchPlaceholders(recorded: string, live: string): readonly string[] | undefined {
  const texts = recorded
    .split(placeholderPattern)
    .map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return new RegExp(`^${texts.join('([\\s\\S]+?)')}$`).exec(live)?.slice(1)
}

const jwt = /\beyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]*/g
// Shorter values would be found by chance.
const minLength = 8
// Older values are no longer searched for in text.
const searched = 500

interface Placeholders {
  readonly mask: (name: string, value: string | number) => string
  /** Replaces the values so far. */
  readonly text: (value: string) => string
  readonly all: () => readonly string[]
}

function createPlaceholders(): Placeholders {
  const known = new Map<string, { readonly secret: string; readonly placeholder: string }>()
  const numbers = new Map<string, number>()
  const mask = (name: string, value: string | number): string => {
    const slug = toWords(name).join('_').slice(0, 40) || 'secret'
    const secret = String(value)
    const hash = typeof value === 'number' ? '#' : ''
    // A short value is the same one by chance.
    const key = secret.length < minLength || hash ? `${hash}${slug} ${secret}` : secret
    const before = known.get(key)
    if (before) return before.placeholder
    const number = (numbers.get(slug) ?? 0) + 1
    numbers.set(slug, number)
    const placeholder = `{{${hash}${slug}_${number}}}`
    known.set(key, { secret, placeholder })
    return placeholder
  }
  const text = (value: string): string => {
    const masked = value.replace(jwt, (token) => mask('token', token))
    const recent = [...known.values()].slice(-searched)
    return recent
      .filter(({ secret }) => secret.length >= minLength)
      .reduce((all, { placeholder, secret }) => all.replaceAll(secret, placeholder), masked)
  }
  return { mask, text, all: () => [...known.values()].map(({ placeholder }) => placeholder) }
}

// `names` are further names such as `ssn`, or paths in JSON bodies such as `user.email`.
export function createMasker(names: readonly string[]): Masker {
  const { all, mask, text } = createPlaceholders()
  const paths = names.filter((name) => /[.[*$]/.test(name)).map(parsePath)
  const more = new Set(names.map((name) => toWords(name).join(' ')))
  const isSecret = (name: string): boolean => isSecretName(name, more)

  const json = (value: unknown, path: Path, secret: string | undefined): unknown => {
    if (Array.isArray(value)) {
      return value.map((item, index) => json(item, [...path, String(index)], secret))
    }
    if (typeof value === 'object' && value !== null) {
      const entries = Object.entries(value).map(([name, member]) => {
        const below = [...path, name]
        const isNamed = isSecret(name) || paths.some((pattern) => matchesPath(pattern, below))
        return [name, json(member, below, secret ?? (isNamed ? name : undefined))]
      })
      return Object.fromEntries(entries)
    }
    if (typeof value === 'string' && value !== '') {
      return secret === undefined ? text(value) : mask(secret, value)
    }
    return typeof value === 'number' && secret !== undefined ? mask(secret, value) : value
  }
  const form = (pairs: string): string =>
    pairs.replace(/([^&=?#]+)=([^&#]*)/g, (pair, name: string, value: string) => {
      const plain = decode(name)
      const isNamed = isSecret(plain) || paths.some((path) => matchesPath(path, [plain]))
      return isNamed && value !== '' ? `${name}=${mask(plain, decode(value))}` : pair
    })
  const url = (value: string): string => {
    const query = value.indexOf('?')
    return text(query < 0 ? value : value.slice(0, query) + form(value.slice(query)))
  }
  return {
    url,
    text,
    form: (value) => text(form(value)),
    json: (value) => json(value, [], undefined),
    headers: (headers) =>
      headers.map(([name, value]) => [
        name,
        maskHeader(name, value, { isSecret, mask, text, url }),
      ]),
    multipart: (body, boundary) => maskParts(body, boundary, { isSecret, mask }),
    placeholders: all,
  }
}

interface Masks {
  readonly isSecret: (name: string) => boolean
  readonly mask: (name: string, value: string | number) => string
  readonly text: (value: string) => string
  readonly url: (value: string) => string
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
  if (/^(location|referer)$/.test(lower)) return masks.url(value)
  return masks.isSecret(name) && value !== '' ? masks.mask(name, value) : masks.text(value)
}

function maskCredentials(value: string, { mask }: Masks): string {
  const [, scheme = '', secret = ''] = /^(\S+\s+)?(\S.*)$/.exec(value) ?? []
  return `${scheme}${mask(/^basic/i.test(scheme) ? 'basic' : 'token', secret)}`
}

function maskCookie(pair: string, { mask }: Masks): string {
  const [, before = '', name = '', secret = ''] = /^(\s*([^=\s]+)=)(.+)$/.exec(pair) ?? []
  return secret === '' ? pair : `${before}${mask(`cookie ${name}`, secret)}`
}

// Form fields of a multipart body; files stay as they are.
function maskParts(
  body: Buffer,
  boundary: string,
  { isSecret, mask }: Pick<Masks, 'isSecret' | 'mask'>,
): Buffer {
  const parts = body.toString('latin1').split(`--${boundary}`)
  const masked = parts.map((part) => {
    const end = part.indexOf('\r\n\r\n')
    const head = part.slice(0, end)
    const name = /\bname="([^"]*)"/i.exec(head)?.[1]
    if (end < 0 || name === undefined || /\bfilename\*?=/i.test(head) || !isSecret(name))
      return part
    const value = Buffer.from(part.slice(end + 4).replace(/\r\n$/, ''), 'latin1').toString('utf8')
    return value === '' ? part : `${head}\r\n\r\n${mask(name, value)}\r\n`
  })
  return Buffer.from(masked.join(`--${boundary}`), 'latin1')
}

function decode(text: string): string {
  const spaced = text.replaceAll('+', ' ')
  try {
    return decodeURIComponent(spaced)
  } catch {
    return spaced
  }
}
