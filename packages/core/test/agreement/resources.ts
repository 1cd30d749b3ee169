import { array, constantFrom, integer, record, sample, tuple, uniqueArray } from 'fast-check'
import { type FieldKind, fieldKinds, toFieldType } from '../../../cli/src/lib/fields/field-types.ts'
import { type GenerateRequest } from '../../../cli/src/lib/resource/resolve-request.ts'

const operands: Partial<Record<FieldKind, string>> = {
  enum: 'draft,in-progress,C++,Ünï çode,v1.0/beta',
  ref: 'Widget',
}

const defaults: Partial<Record<FieldKind, string>> = {
  string: 'a',
  text: 'a',
  int: '3',
  number: '2.5',
  decimal: '2.50',
  boolean: 'true',
  date: 'now',
  email: 'ada@example.org',
  url: 'https\\://example.org',
  uuid: '00000000-0000-4000-8000-000000000000',
}

const matches = [
  String.raw`^[A-Z]{2}-\d{1,4}$`,
  '^.{2,3}$',
  String.raw`^[\p{L}\w.-]+$`,
  String.raw`\s`,
]

/** One resource for each field type, with every modifier that the type accepts. */
export function toTypeRequests(): GenerateRequest[] {
  return fieldKinds.map((kind) => ({ name: `${kind}samples`, fields: toFields(kind) }))
}

function toFields(kind: FieldKind): string[] {
  const type = toWords(kind)
  const { acceptsMatch, bounds } = toFieldType(kind)
  const value = defaults[kind]
  return [
    `plain:${type}`,
    `optional:${type}:optional`,
    `few:array:${type}:min=1:max=3`,
    `many:array:${type}`,
    ...(kind === 'ref' ? [] : toObjects(type)),
    ...(value === undefined ? [] : [`preset:${type}:default=${value}`]),
    ...(bounds === undefined ? [] : [`bounded:${type}:min=2:max=12`, `least:${type}:min=0`]),
    ...(bounds?.endsWith('number') ? [`negative:${type}:min=-3:max=-1`] : []),
    ...(acceptsMatch ? matches.map((match, index) => `match${index}:${type}:match=${match}`) : []),
  ]
}

// A field in an object cannot be a reference.
function toObjects(type: string): string[] {
  return [
    `place.plain:${type}`,
    `place.optional:${type}:optional`,
    'place:object:optional',
    `rows.plain:${type}`,
    'rows:array:object:max=2',
  ]
}

function toWords(kind: FieldKind): string {
  const operand = operands[kind]
  return operand === undefined ? kind : `${kind}:${operand}`
}

const field = record({
  kind: constantFrom(...fieldKinds),
  ends: uniqueArray(integer({ min: 0, max: 12 }), { minLength: 2, maxLength: 2 }),
  flag: constantFrom('', '', ':optional'),
  list: constantFrom('', '', '', 'array:'),
  prefix: constantFrom('', '', '', 'inner.', 'inner.deep.'),
})

/** Resources with fields at random. */
export function toRandomRequests(seed: number, count: number): GenerateRequest[] {
  const drawn = sample(tuple(array(field, { minLength: 5, maxLength: 9 })), {
    seed,
    numRuns: count,
  })
  return drawn.map(([fields], index) => ({
    name: `random${String.fromCodePoint(97 + index)}items`,
    fields: fields.map(({ ends, flag, kind, list, prefix }, place) => {
      const [min = 0, max = 0] = ends.toSorted((a, b) => a - b)
      // No URL or address is that short.
      const isBounded =
        list !== '' || (toFieldType(kind).bounds !== undefined && !/url|email/.test(kind))
      const bounds = isBounded ? `:min=${min}:max=${max}` : ''
      return `${kind === 'ref' ? '' : prefix}f${place}:${list}${toWords(kind)}${flag}${bounds}`
    }),
  }))
}
