import { type Kind } from './fields.ts'

const numberText = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i
const booleans: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'yes', 'y', 'on', '1'].map((word) => [word, true] as const),
  ...['false', 'no', 'n', 'off', '0'].map((word) => [word, false] as const),
])

// Converts the text of a cell to a value of a field. Text that is none stays text, so that the service says what is wrong with
// it.
export function toValue(text: string, kind: Kind, separator: string): unknown {
  const { format, types, values } = kind
  const listed = values.find((value) => String(value) === text)
  if (listed !== undefined) return listed
  if (types.has('string')) return types.size === 7 ? toAny(text) : toText(text, format)
  const trimmed = text.trim()
  const scalar = toScalar(trimmed, types)
  if (scalar !== undefined) return scalar
  if (types.has('array') && !trimmed.startsWith('[')) return toListOf(trimmed, kind, separator)
  return types.has('array') || types.has('object') ? toAny(trimmed) : text
}

function toScalar(text: string, types: Kind['types']): number | boolean | undefined {
  const isNumber = (types.has('number') || types.has('integer')) && numberText.test(text)
  if (isNumber) return Number(text)
  return types.has('boolean') ? booleans.get(text.toLowerCase()) : undefined
}

// A date without a time is its beginning in UTC, as in ISO 8601 of JavaScript.
function toText(text: string, format: string | undefined): string {
  if (format === undefined) return text
  const trimmed = text.trim()
  return format === 'date-time' && /^\d{4}-\d{2}-\d{2}$/.test(trimmed)
    ? `${trimmed}T00:00:00.000Z`
    : trimmed
}

function toListOf(text: string, { items, types }: Kind, separator: string): unknown {
  if (types.has('object') && text.startsWith('{')) return toAny(text)
  const texts = text.split(separator).map((one) => one.trim())
  return texts
    .filter((one) => one !== '')
    .map((one) => (items ? toValue(one, items, separator) : toAny(one)))
}

function toAny(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
