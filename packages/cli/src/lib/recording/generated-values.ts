/** Text of a string, or a part of it that a server generates: an id, a date or a token. */
export interface Token {
  readonly kind: 'text' | 'date' | 'uuid' | 'id' | 'token'
  readonly value: string
}

const patterns = [
  ['date', String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?`],
  ['date', String.raw`(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT`],
  ['token', String.raw`(?<![\w-])eyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]*`],
  ['uuid', String.raw`\b[\da-fA-F]{8}-(?:[\da-fA-F]{4}-){3}[\da-fA-F]{12}\b`],
  ['id', String.raw`(?<![\w-])[\da-f]{24}(?![\w-])`],
  ['token', String.raw`(?<![\w-])[\w-]{16,}(?![\w-])`],
] as const
const generated = new RegExp(patterns.map(([, source]) => `(${source})`).join('|'), 'g')

// Words with dashes, such as slugs, are not tokens.
function isToken(value: string): boolean {
  if (value.includes('.')) return true
  if (!/\d/.test(value)) return false
  const isHex = /^[\da-f]+$/.test(value) || /^[\dA-HJKMNP-TV-Z]{26}$/.test(value)
  const isMixed = /[a-z]/.test(value) && /[A-Z]/.test(value)
  return isHex || isMixed || /^c[a-z\d]{23,24}$/.test(value)
}

export function toTokens(text: string): readonly Token[] {
  const tokens: Token[] = []
  let from = 0
  for (const match of text.matchAll(generated)) {
    const [value] = match
    const kind = patterns[match.slice(1).findIndex((group) => group !== undefined)]?.[0]
    if (kind === undefined || (kind === 'token' && !isToken(value))) continue
    tokens.push({ kind: 'text', value: text.slice(from, match.index) }, { kind, value })
    from = match.index + value.length
  }
  return [...tokens, { kind: 'text', value: text.slice(from) }]
}

export function isIdName(name: string): boolean {
  return /^_?id$|[a-z\d]Id$|_id$/.test(name)
}

const milliseconds = [1.2e12, 4e12] as const
const seconds = [1e9, 4e9] as const

export function areDates(name: string, left: number, right: number): boolean {
  const both = (bounds: readonly [number, number]): boolean =>
    [left, right].every((value) => value > bounds[0] && value < bounds[1])
  return both(milliseconds) || (/(at|time|date|exp|iat|timestamp)$/i.test(name) && both(seconds))
}

// The collection of `/orders/4711/items` is `items`, that of `/orders/4711` is `orders`.
export function collectionOf(path: string): string {
  const segments = path.replace(/[?#].*$/, '').split('/')
  return segments.findLast((segment) => segment !== '' && !/^\d+$/.test(segment)) ?? ''
}
