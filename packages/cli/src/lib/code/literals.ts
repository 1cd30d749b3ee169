// Source text of literals, keys and expressions: whatever text a value contains, it stays one literal. Nothing here is laid
// out: a formatter does that to the whole file.

// Invisible characters, and those that change the direction of text: a reader would not see what the source says.
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

export const text = (value: string): string => escape(JSON.stringify(value))

export type Quote = "'" | '"'

// The same in code that no formatter lays out.
export function quoted(value: string, quote: Quote = "'"): string {
  if (quote === '"') return text(value)
  const inside = text(value)
    .slice(1, -1)
    .replaceAll(/\\.|'/g, (part) => requoted.get(part) ?? part)
  return quote + inside + quote
}

const requoted: ReadonlyMap<string, string> = new Map([
  [String.raw`\"`, '"'],
  ["'", String.raw`\'`],
])

const escape = (source: string): string =>
  source.replaceAll(hidden, (character) => character.replaceAll(/[^]/g, escapeUnit))

const escapeUnit = (unit: string): string =>
  `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

// The name of a member.
export const key = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : text(name))

// A regular expression with the flag `u`.
export const pattern = (source: string): string => `/${escape(new RegExp(source, 'u').source)}/u`

// Digits are grouped from five on: 10_000.
export function number(value: number): string {
  const [whole = '', fraction] = String(value).split('.')
  const digits = whole.replace('-', '')
  const grouped = digits.length > 4 ? digits.replaceAll(/\B(?=(\d{3})+$)/g, '_') : digits
  return (value < 0 ? '-' : '') + grouped + (fraction === undefined ? '' : `.${fraction}`)
}

export const list = (items: readonly string[]): string => `[${items.join(', ')}]`

export const object = (members: readonly string[]): string =>
  members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
