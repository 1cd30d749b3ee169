import { type Arbitrary, constant, constantFrom, double, integer, oneof, tuple } from 'fast-check'
import { type JsonObject } from '../../src/lib/openapi/schema-components.ts'

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

/** Numbers near the bounds of a schema and where doubles lose precision. */
export function numbers(schema: JsonObject): Arbitrary<unknown> {
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
    numerals,
  )
}

export function around(bound: unknown): number[] {
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
// Numbers as text.
export const numerals = tuple(
  constantFrom('', '', '-', '+', ' '),
  digits,
  oneof(
    constant(''),
    integer({ min: 0, max: 15 }).map((length) => `.${'5'.repeat(length)}`),
    constantFrom('.0', '.00', '.,'),
  ),
  constantFrom('', '', '', 'e3', 'E+2', 'e-2', 'e400', 'e', ' ', '\n', 'n', '٣'),
).map((parts) => parts.join(''))
