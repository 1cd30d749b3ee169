import {
  type Arbitrary,
  array,
  constant,
  constantFrom,
  double,
  emailAddress,
  integer,
  jsonValue,
  nat,
  oneof,
  string,
  stringMatching,
  tuple,
  uuid,
  webUrl,
} from 'fast-check'
import { isJsonObject, type JsonObject } from '../../src/lib/openapi/schema-components.ts'

/** What the values of a schema are drawn from. */
export interface Source {
  /** Follows a `$ref`. */
  readonly resolve: (schema: JsonObject) => JsonObject
  /** A value that the document accepts. */
  readonly toValid: (schema: JsonObject) => unknown
}

const drawn = new WeakMap<JsonObject, Arbitrary<unknown>>()

/** Values near the edges of a schema, on both sides, and of other types. */
export function nearEdges(schema: JsonObject, source: Source): Arbitrary<unknown> {
  const known = drawn.get(schema)
  if (known) return known
  const arbitrary = toArbitrary(schema, source)
  drawn.set(schema, arbitrary)
  return arbitrary
}

function toArbitrary(schema: JsonObject, source: Source): Arbitrary<unknown> {
  const resolved = source.resolve(schema)
  const { allOf, anyOf, const: fixed, enum: values, type } = resolved
  const own: Arbitrary<unknown>[] = []
  if (fixed !== undefined) own.push(constant(fixed))
  if (Array.isArray(values))
    own.push(oneof(constantFrom(...values), mutated(constantFrom(...values.map(String)))))
  for (const option of [anyOf, allOf].flat().filter(isJsonObject))
    own.push(nearEdges(option, source))
  const types = [type].flat()
  if (types.includes('object')) own.push(objects(resolved, source))
  if (types.includes('array')) own.push(arrays(resolved, source))
  if (types.includes('string')) own.push(texts(resolved), texts(resolved))
  if (types.includes('integer') || types.includes('number'))
    own.push(numbers(resolved), numbers(resolved))
  if (types.includes('boolean')) own.push(constantFrom(true, false))
  if (own.length === 0) own.push(anything, texts({}), numbers({}))
  return oneof(...own.map((arbitrary) => ({ arbitrary, weight: 8 })), {
    arbitrary: anything,
    weight: 1,
  })
}

const anything = oneof(
  constantFrom<unknown>(
    null,
    true,
    'true',
    0,
    '',
    '0',
    ' ',
    [],
    {},
    [null],
    [[]],
    { $ne: 1 },
    { '': 1 },
  ),
  jsonValue({ maxDepth: 3 }),
)

const strangeNames = [
  'nope',
  '__proto__',
  'constructor',
  'toString',
  '$set',
  'a.b',
  '_id',
  'id',
  '',
  'owner',
]

function objects(schema: JsonObject, source: Source): Arbitrary<unknown> {
  const { properties } = schema
  if (!isJsonObject(properties)) return records(schema, source)
  const required = [schema['required']].flat()
  const names = Object.keys(properties)
  const change = constantFrom(...names, undefined).chain((name): Arbitrary<Change> => {
    if (name === undefined)
      return tuple(
        constantFrom(...strangeNames, ...names.map((key) => key.toUpperCase())),
        anything,
      )
    const member = toObject(properties[name])
    return tuple(
      constant(name),
      oneof({ arbitrary: nearEdges(member, source), weight: 9 }, constant(undefined)),
    )
  })
  return tuple(constantFrom(...names), array(change, { minLength: 1, maxLength: 2 })).map(
    ([included, changes]) => {
      const entries = names
        .filter((name) => required.includes(name) || name === included)
        .map((name): Change => [name, source.toValid(toObject(properties[name]))])
      // Own properties, as JSON.parse creates them: also `__proto__`.
      const members = new Map([...entries, ...changes].filter(([, value]) => value !== undefined))
      for (const [name, value] of changes) if (value === undefined) members.delete(name)
      return fromEntries([...members])
    },
  )
}

type Change = [name: string, value: unknown]

function fromEntries(entries: readonly Change[]): unknown {
  return JSON.parse(
    `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`,
  )
}

function records(
  { additionalProperties, propertyNames }: JsonObject,
  source: Source,
): Arbitrary<unknown> {
  const names = oneof(
    constantFrom(...strangeNames),
    texts(isJsonObject(propertyNames) ? propertyNames : { maxLength: 200 }),
  )
  const values = isJsonObject(additionalProperties)
    ? nearEdges(additionalProperties, source)
    : anything
  return array(tuple(names, values), { maxLength: 3 }).map((entries) => fromEntries(entries))
}

function arrays({ items, minItems, maxItems }: JsonObject, source: Source): Arbitrary<unknown> {
  const item = toObject(items)
  const lengths = [0, 1, ...around(minItems), ...around(maxItems)].filter(
    (length) => length >= 0 && length < 200,
  )
  const alike = constantFrom(...lengths).map((length) =>
    Array.from({ length }, () => source.toValid(item)),
  )
  const edged = tuple(alike, nearEdges(item, source), nat()).map(([list, value, at]) =>
    list.length === 0 ? [value] : list.with(at % list.length, value),
  )
  return oneof(
    alike,
    edged,
    edged,
    anything.map((value) => [value]),
  )
}

const bounds = [
  2,
  7,
  -3,
  -1,
  12,
  0,
  1e20,
  1e21,
  2 ** 53 - 1,
  -(2 ** 53 - 1),
  9e299,
  1e-7,
  1e-10,
  1e-11,
]

function numbers(schema: JsonObject): Arbitrary<unknown> {
  const { exclusiveMaximum, exclusiveMinimum, maximum, minimum } = schema
  const edges = [minimum, maximum, exclusiveMinimum, exclusiveMaximum].flatMap(around)
  const spellings = [
    '-0',
    '1.0',
    '1e3',
    '1E+2',
    '100e-2',
    '-1.50',
    '9007199254740993',
    '1e400',
    '0.30000000000000004',
  ]
  return oneof(
    constantFrom(...bounds.flatMap(around), ...edges),
    constantFrom(...spellings.map((text): unknown => JSON.parse(text))),
    double({ noNaN: true }),
    integer({ min: -15, max: 15 }),
    tuple(integer(), integer({ min: 0, max: 14 })).map(([digits, scale]) => digits / 10 ** scale),
    // Numbers as text.
    numerals,
  )
}

function around(bound: unknown): number[] {
  if (typeof bound !== 'number') return []
  return [
    bound,
    bound - 1,
    bound + 1,
    bound - 0.5,
    bound + 0.5,
    bound * (1 + 2 ** -52),
    bound * (1 - 2 ** -52),
  ]
}

const digits = constantFrom(
  '',
  '0',
  '1',
  '2',
  '7',
  '8',
  '12',
  '007',
  '1'.repeat(15),
  '9'.repeat(16),
  '9'.repeat(19),
  '1'.repeat(20),
  '9'.repeat(21),
)
const numerals = tuple(
  constantFrom('', '', '-', '+', ' '),
  digits,
  oneof(
    constant(''),
    integer({ min: 0, max: 15 }).map((length) => `.${'5'.repeat(length)}`),
    constantFrom('.0', '.00', '.,'),
  ),
  constantFrom('', '', '', 'e3', 'E+2', 'e-2', 'e400', 'e', ' ', '\n', 'n', '٣'),
).map((parts) => parts.join(''))

function texts(schema: JsonObject): Arbitrary<string> {
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

const localParts = [
  'a',
  'a.b',
  '.a',
  'a.',
  'a..b',
  'a+b',
  "o'neil",
  'ä',
  '"a b"',
  'a b',
  'a@b',
  'x'.repeat(64),
  'x'.repeat(65),
  '',
  '!#$%&',
  'a_b-c',
  '-',
  "'",
  '\u212A',
]
const domains = [
  'example.org',
  'b',
  'b.c',
  'b.co',
  '-b.co',
  'b-.co',
  'b--c.co',
  'b.c-o',
  'b.co.',
  '.b.co',
  'b..co',
  `${'x'.repeat(63)}.co`,
  `${'x'.repeat(64)}.co`,
  `${'x.'.repeat(120)}co`,
  'B.CO',
  '[127.0.0.1]',
  '127.0.0.1',
  'ü.de',
  'xn--tda.de',
  'b_c.co',
  'b.c0',
  'b.123',
  'b co.de',
  'b.co\n',
  '',
]

const schemes = [
  'http://',
  'https://',
  'HTTP://',
  'Https://',
  'http:',
  'http:/',
  'http:///',
  'ftp://',
  'javascript:',
  '//',
  '',
  'http:\\\\',
  ' http://',
  'mailto:',
  'https://u:p@',
  'https://u@',
  'http://@',
]
const hosts = [
  ...domains,
  'localhost',
  '1.2.3.4',
  '1.2.3.999',
  '256.1.1.1',
  '1',
  '0x7f.1',
  '[::1]',
  '[::g]',
  '[v1.a]',
  'a%20b',
  'a%zz',
  'a,b',
  "a'b",
  '*.co',
  '~.co',
  'a/b',
  'xn--a',
  '...',
  'a.b.',
  '%41',
]
const ports = [
  '',
  '',
  '',
  ':',
  ':0',
  ':80',
  ':65535',
  ':65536',
  ':99999',
  ':100000',
  ':x',
  ':-1',
  ':00080',
]
const tails = [
  '',
  '',
  '/',
  '/a b',
  '/ä',
  '/a%20b',
  '/%',
  '/%zz',
  '/a|b',
  '/a"b',
  '/<>',
  '/{}',
  '/\\',
  '//',
  '/./..',
  "/!$&'()*+,;=:@",
  '?',
  '?a=b&c[]=d',
  '?a=%',
  '#',
  '#a#b',
  '#ä',
  '/a?b#c',
  '?\n',
  '/\t',
  ' ',
  '\n',
  '/^`',
  '/\u0000',
  '?q=a|b',
  '#!/x',
]

const years = [
  '0000',
  '0001',
  '1969',
  '1970',
  '2024',
  '2023',
  '2100',
  '2000',
  '9998',
  '9999',
  '10000',
  '-001',
  '+2024',
  '20',
]
const months = ['00', '01', '02', '04', '12', '13', '1']
const days = ['00', '01', '28', '29', '30', '31', '32', '1']
const times = [
  '00:00:00',
  '23:59:59',
  '23:59:60',
  '12:59:60',
  '24:00:00',
  '12:60:00',
  '12:00',
  '1:00:00',
  '12:00:61',
  '23:00:00',
]
const fractions = ['', '', '.0', '.1', '.123', '.123456', `.${'9'.repeat(20)}`, '.', ',5']
const offsets = [
  'Z',
  'Z',
  'z',
  '+00:00',
  '-00:00',
  '+23:59',
  '-23:59',
  '+24:00',
  '-14:00',
  '+01:00',
  '+0530',
  '+05',
  '',
  '+12:60',
  ' Z',
  '-00:01',
  '+00:01',
]

function join(...parts: readonly (readonly string[])[]): Arbitrary<string> {
  return tuple(...parts.map((part) => constantFrom(...part))).map((chosen) => chosen.join(''))
}

const formats: Readonly<Record<string, Arbitrary<string>>> = {
  email: oneof(
    emailAddress(),
    join(localParts, ['@'], domains),
    join(['a@'], domains),
    join(localParts, ['@b.co']),
  ),
  uri: oneof(
    webUrl({ withQueryParameters: true, withFragments: true }),
    join(schemes, hosts, ports, tails),
    join(['https://'], hosts),
    join(['https://b.co'], tails),
    join(['http://b.co'], ports, tails),
  ),
  uuid: oneof(
    uuid(),
    join(
      [
        '00000000-0000-',
        'ffffffff-ffff-',
        'FFFFFFFF-FFFF-',
        'urn:uuid:00000000-0000-',
        '{00000000-0000-',
      ],
      ['0', '1', '4', '8', '9', 'f'],
      ['000-', 'fff-'],
      ['0', '8', 'b', 'c', 'f'],
      ['000-', 'fff-'],
      ['000000000000', 'ffffffffffff', 'FFFFFFFFFFFF', '00000000000', '000000000000}'],
    ),
  ),
  'date-time': oneof(
    join(
      years,
      ['-'],
      months,
      ['-'],
      days,
      ['T', 'T', 't', ' ', '_', ''],
      times,
      fractions,
      offsets,
    ),
    join(
      years,
      ['-'],
      ['01', '12'],
      ['-'],
      ['01', '31'],
      ['T'],
      ['00:00:00', '23:59:59'],
      fractions,
      offsets,
    ),
    join(['2024', '2023', '1900', '2000'], ['-02-'], days, ['T00:00:00Z']),
    join(['2024-01-31T'], times, fractions, offsets),
  ),
  objectid: join(
    ['0'.repeat(22), 'f'.repeat(22), 'F'.repeat(22)],
    ['', '0', '1'],
    ['', '0', 'f', 'F', 'g', '\n'],
  ),
  numeral: numerals,
}

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

// One character is replaced, inserted or removed, or the case is changed.
function mutated(text: Arbitrary<string>): Arbitrary<string> {
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

function toObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}
