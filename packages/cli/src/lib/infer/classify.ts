import {
  emailPattern,
  maxEmailLength,
  maxUrlLength,
  urlPattern,
} from '@create-api/core/internal/text-patterns'
import { isJson, type Json } from '../client/document.ts'

/** The type of a single value, as far as it can be seen. */
export type ValueKind =
  | 'null'
  | 'boolean'
  | 'int'
  | 'number'
  | 'decimal'
  | 'date'
  | 'day'
  | 'objectid'
  | 'uuid'
  | 'email'
  | 'url'
  | 'string'
  | 'array'
  | 'object'
  | 'other'

/** A value without the markers of Extended JSON. */
export interface Classified {
  readonly kind: ValueKind
  readonly value: unknown
}

// Markers of Extended JSON v2, as `mongoexport` writes them.
const markers = new Map<string, (value: unknown) => Classified>(
  Object.entries({
    $oid: (value: unknown): Classified => ({ kind: 'objectid', value }),
    $date: (value: unknown): Classified => ({ kind: 'date', value }),
    $numberInt: (value: unknown): Classified => ({ kind: 'int', value: Number(value) }),
    $numberLong: (value: unknown): Classified => ({ kind: 'int', value: Number(value) }),
    $numberDouble: (value: unknown): Classified => classifyNumber(Number(value)),
    $numberDecimal: (value: unknown): Classified => ({ kind: 'decimal', value: Number(value) }),
    $uuid: (value: unknown): Classified => ({ kind: 'uuid', value }),
  }),
)

export function classify(value: unknown): Classified {
  if (value === null || value === undefined) return { kind: 'null', value }
  if (typeof value === 'boolean') return { kind: 'boolean', value }
  if (typeof value === 'number') return classifyNumber(value)
  if (typeof value === 'string') return { kind: classifyText(value), value }
  if (Array.isArray(value)) return { kind: 'array', value }
  return isJson(value) ? classifyObject(value) : { kind: 'other', value }
}

function classifyObject(value: Json): Classified {
  const [name = '', ...others] = Object.keys(value)
  if (!name.startsWith('$') || others.length > 0) return { kind: 'object', value }
  const read = markers.get(name)
  return read ? read(value[name]) : { kind: 'other', value }
}

function classifyNumber(value: number): Classified {
  return { kind: Number.isSafeInteger(value) ? 'int' : 'number', value }
}

const forms: readonly (readonly [ValueKind, (text: string) => boolean])[] = [
  ['objectid', (text) => /^[\da-f]{24}$/.test(text)],
  [
    'uuid',
    (text) => /^[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i.test(text),
  ],
  ['date', isInstant],
  ['day', isDay],
  ['url', (text) => text.length <= maxUrlLength && urlPattern.test(text)],
  ['email', (text) => text.length <= maxEmailLength && emailPattern.test(text)],
]

const instantPattern =
  /^(\d{4}-\d{2}-\d{2})T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

function isInstant(text: string): boolean {
  const day = instantPattern.exec(text)?.[1]
  return day !== undefined && isDay(day) && !/^(0000|9999)/.test(day)
}

function classifyText(text: string): ValueKind {
  return forms.find(([, matches]) => matches(text))?.[0] ?? 'string'
}

function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}
