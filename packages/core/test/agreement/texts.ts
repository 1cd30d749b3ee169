import {
  type Arbitrary,
  constantFrom,
  integer,
  nat,
  oneof,
  string,
  stringMatching,
  tuple,
} from 'fast-check'
import { type JsonObject } from '../../src/lib/openapi/schema-components.ts'
import { formats } from './formats.ts'

/** Texts near the lengths, the pattern and the format of a schema. */
export function texts(schema: JsonObject): Arbitrary<string> {
  const { format, maxLength, minLength, pattern } = schema
  const known = typeof format === 'string' ? formats[format] : undefined
  const matching =
    typeof pattern === 'string' && !known ? [stringMatching(new RegExp(pattern, 'u'))] : []
  const wellFormed = [...(known ? [known, known] : []), ...matching]
  const lengths = [
    0,
    1,
    2,
    3,
    7,
    8,
    ...[minLength, maxLength].flatMap((length) =>
      typeof length === 'number' ? [length - 1, length, length + 1] : [],
    ),
  ]
  return oneof(
    ...wellFormed,
    ...wellFormed.map((text) => mutated(text)),
    ofLengths(lengths.filter((length) => length >= 0)),
    lists,
    oneof(...Object.values(formats), constantFrom(...odd)),
    mutated(oneof(...Object.values(formats))),
    string({ unit: 'binary', maxLength: 10 }),
  )
}

const lists = tuple(
  constantFrom('a', 'draft', '1', 'true', '0'.repeat(24), '1.5'),
  constantFrom(1, 2, 99, 100, 101),
).map(([item, count]) => Array.from({ length: count }, () => item).join(','))

// A character of one and of two UTF-16 units, combining ones, and those that NFKC or a change of case
// makes longer or shorter.
const units = [
  'x',
  'ü',
  '\u{1F600}',
  'e\u0301',
  '\u0301',
  'ﬃ',
  'ﷺ',
  'İ',
  '\u212A',
  ' ',
  '\u0000',
  '\uFEFF',
  '7',
  '가',
]
const spaces = [
  '',
  '',
  '',
  ' ',
  '\t',
  '\n',
  '\r\n',
  '\u00a0',
  '\u2028',
  '\uFEFF',
  '\u180e',
  '\u200b',
  '\u0085',
  '\u3000',
  '\u0000',
]

function ofLengths(lengths: readonly number[]): Arbitrary<string> {
  return tuple(
    constantFrom(...lengths),
    constantFrom(...units),
    constantFrom(...spaces),
    constantFrom(...spaces),
  ).map(([length, unit, before, after]) => {
    const inside = length - before.length - after.length
    const text = Array.from(unit.repeat(length)).slice(0, Math.max(inside, 0)).join('')
    return before + text + after
  })
}

const odd = [
  '',
  ' ',
  '$ne',
  '{"$gt":""}',
  '__proto__',
  'null',
  'true',
  'True',
  'false',
  'TRUE',
  '1',
  'undefined',
  'NaN',
  'Infinity',
  '-Infinity',
  '0x10',
  '1_000',
  '/',
  '\u0000',
  'draft',
  'DRAFT',
  'draft ',
  'draft,draft',
  'in-progress',
  'C++',
  'AB-1',
  'AB-12345',
  '😀a',
  '😀😀😀',
  'a b',
  '\ud800',
  'title,',
  ',',
  '-',
  '--createdAt',
  '-createdAt',
  'createdAt,-createdAt',
]

const inserted = [
  '',
  ' ',
  '\n',
  '\t',
  '\u0000',
  ',',
  '.',
  '-',
  '+',
  '@',
  '/',
  '%',
  '0',
  'a',
  'Z',
  'ü',
  '\u{1F600}',
  '\u0301',
  '\u212A',
  "'",
  '"',
  '\\',
  ',,',
  '1e3',
]

/** The text with one character replaced, inserted or removed, or with its case changed. */
export function mutated(text: Arbitrary<string>): Arbitrary<string> {
  return tuple(text, nat(), constantFrom(...inserted), integer({ min: 0, max: 5 })).map(
    ([original, place, piece, kind]) => {
      const characters = Array.from(original)
      const at = kind === 0 ? characters.length : kind === 1 ? 0 : place % (characters.length + 1)
      if (kind === 4) return original.toUpperCase()
      if (kind === 5) return original + piece + original
      return characters.toSpliced(at, kind === 3 ? 0 : 1, piece).join('')
    },
  )
}
