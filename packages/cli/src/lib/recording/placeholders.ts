import { toWords } from './secret-names.ts'

export const placeholderPattern = /\{\{#?[a-z0-9_]+_\d+\}\}/g

// The environment variable with the value of a placeholder: `{{password_1}}` is REPLAY_PASSWORD_1.
export function toVariable(placeholder: string): string {
  return `REPLAY_${placeholder.replace(/[{}#]/g, '').toUpperCase()}`
}

// The values at the places of the placeholders of a recorded text; none if the rest of the text differs.
export function matchPlaceholders(recorded: string, live: string): readonly string[] | undefined {
  const [first = '', ...texts] = recorded.split(placeholderPattern)
  const last = texts.at(-1)
  if (last === undefined) return recorded === live ? [] : undefined
  if (!live.startsWith(first) || !live.endsWith(last)) return undefined
  const values: string[] = []
  let before = first
  let from = first.length
  for (const [index, text] of texts.entries()) {
    const isLast = index === texts.length - 1
    const end = isLast ? live.length - text.length : live.indexOf(text, from + 1)
    if (end <= from) return undefined
    const value = live.slice(from, end)
    values.push(isInQuery(before) ? decode(value) : value)
    from = end + text.length
    before = text
  }
  return values
}

// Whether a value after this text is one of a query, which is encoded.
export function isInQuery(before: string): boolean {
  return /[?&#][^=?&#\s]+=$/.test(before.slice(-100))
}

export function decode(text: string): string {
  const spaced = text.replaceAll('+', ' ')
  try {
    return decodeURIComponent(spaced)
  } catch {
    return spaced
  }
}

// Shorter values would be found by chance.
const minLength = 8
const commonWords = new Set(['authorization', 'passcode', 'passphrase', 'password', 'undefined'])
// Older values are no longer searched for in text.
const searched = 500

export interface Placeholders {
  /** The placeholder of a secret with this name. */
  readonly mask: (name: string, value: string | number) => string
  /** Replaces the secrets so far. */
  readonly replace: (text: string) => string
  readonly all: () => readonly string[]
}

// The same value has the same placeholder.
export function createPlaceholders(): Placeholders {
  const known = new Map<string, string>()
  const numbers = new Map<string, number>()
  const recent = new Map<string, string>()
  let pattern: RegExp | undefined
  const search = (secret: string, placeholder: string): void => {
    if (secret.length < minLength || commonWords.has(secret.toLowerCase()) || recent.has(secret)) {
      return
    }
    recent.set(secret, placeholder)
    const [oldest] = recent.keys()
    if (recent.size > searched && oldest !== undefined) recent.delete(oldest)
    pattern = undefined
  }
  const mask = (name: string, value: string | number): string => {
    const slug = toWords(name).join('_').slice(0, 40) || 'secret'
    const secret = String(value)
    const hash = typeof value === 'number' ? '#' : ''
    // A short value is the same one by chance.
    const key = secret.length < minLength || hash ? `${hash}${slug} ${secret}` : secret
    const number = (numbers.get(slug) ?? 0) + 1
    const placeholder = known.get(key) ?? `{{${hash}${slug}_${number}}}`
    if (!known.has(key)) numbers.set(slug, number)
    known.set(key, placeholder)
    search(secret, placeholder)
    return placeholder
  }
  const replace = (text: string): string => {
    pattern ??= toPattern([...recent.keys()])
    return text.replace(pattern, (found) => recent.get(found) ?? found)
  }
  return { mask, replace, all: () => [...known.values()] }
}

// Longer secrets first, as one may contain another; a placeholder is not searched.
function toPattern(secrets: readonly string[]): RegExp {
  const longest = secrets.toSorted((one, other) => other.length - one.length)
  const escaped = longest.map((secret) => secret.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return new RegExp([placeholderPattern.source, ...escaped].join('|'), 'g')
}
