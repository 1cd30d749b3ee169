import { list, number, object, pattern, quoted, text } from '../code/literals.ts'
import { type FieldType, type TypedField } from './field-type.ts'
import { parseDate, parseDay, parseNumber, parseText } from './parse-default.ts'
import {
  initialNumber,
  initialText,
  sampleNumber,
  sampleText,
  tooGreat,
  tooLong,
} from './sample-values.ts'

const objectIdExamples = {
  zod: () => 'objectId',
  wrong: () => "'nope nope'",
  initial: () => `new Types.ObjectId(${quoted('0'.repeat(24))})`,
  distinct: () => "new Types.ObjectId(String(count).padStart(24, '0'))",
}

// One row a type, in the order in which messages list them. A new type needs a row here, one in
// docs/cli.md, and a test.
export const fieldTypes = {
  string: {
    meaning: 'text, trimmed unless it has `match`; at most 200 characters',
    aliases: ['str'],
    bounds: 'length',
    maxLength: 200,
    acceptsMatch: true,
    default: { parse: parseText },
    zod: zodString,
    mongoose: () => ['type: String'],
    mongooseRules: (field) => (field.match === undefined ? ['trim: true'] : mongooseMatch(field)),
    sample: (field) => sampleText(field, 200),
    wrong: (field) => tooLong(field, 200),
    initial: initialText,
    filterable: true,
    collated: true,
    sortable: true,
    key: {
      type: 'string',
      absent: ({ max = 200 }) => `[absent, 'x'.repeat(${number(max + 1)})]`,
    },
  },
  text: {
    meaning: 'long text, kept as it is; at most 10,000 characters',
    bounds: 'length',
    maxLength: 10_000,
    acceptsMatch: true,
    default: { parse: parseText },
    zod: (field) => zodText(field, 10_000),
    mongoose: () => ['type: String'],
    mongooseRules: mongooseMatch,
    sample: (field) => sampleText(field, 10_000),
    wrong: (field) => tooLong(field, 10_000),
    initial: initialText,
  },
  int: {
    meaning: 'whole number in the safe range',
    aliases: ['integer'],
    bounds: 'whole number',
    default: {
      parse: (value) => (/^-?\d+$/.test(value) ? parseNumber(value) : undefined),
      hint: 'a whole number',
    },
    // z.int() is limited to the safe integers.
    zod: ({ max, min }) => `z.int()${call('min', min)}${call('max', max)}`,
    mongoose: () => ['type: Number'],
    mongooseRules: numberRules,
    sample: (field) => sampleNumber(field, Math.ceil),
    wrong: (field) => tooGreat(field) ?? "'1'",
    initial: (field) => number(initialNumber(field, Math.ceil)),
    filterable: true,
    sortable: true,
    key: { type: 'number', absent: () => "['999999999', 'nope']" },
  },
  number: {
    meaning: 'number in the safe range',
    aliases: ['float', 'double'],
    bounds: 'number',
    default: { parse: parseNumber, hint: 'a number' },
    zod: ({ max, min }) => {
      const least = min === undefined ? 'Number.MIN_SAFE_INTEGER' : number(min)
      const greatest = max === undefined ? 'Number.MAX_SAFE_INTEGER' : number(max)
      return `z.number().min(${least}).max(${greatest})`
    },
    mongoose: () => ['type: Number'],
    mongooseRules: numberRules,
    sample: (field) => sampleNumber(field),
    wrong: (field) => tooGreat(field) ?? "'1'",
    initial: (field) => number(initialNumber(field)),
    filterable: true,
    sortable: true,
  },
  decimal: {
    meaning: 'exact decimal number; clients read it as text',
    bounds: 'number',
    // Text, so that it stays exact.
    default: {
      parse: (value) => (parseNumber(value) === undefined ? undefined : value),
      hint: 'a number',
    },
    zod: (field) => {
      const bounds = numberRules(field)
      return `decimal(${bounds.length === 0 ? '' : object(bounds)})`
    },
    mongoose: () => ['type: Schema.Types.Decimal128'],
    sample: (field) => `String(${sampleNumber(field)})`,
    // Numbers and text are both accepted.
    wrong: (field) => tooGreat(field) ?? 'true',
    initial: (field) => decimalLiteral(String(initialNumber(field))),
    distinct: (field) => `Types.Decimal128.fromString(String(${sampleNumber(field)}))`,
    stored: decimalLiteral,
    filterable: true,
    sortable: true,
  },
  boolean: {
    meaning: '`true` or `false`',
    aliases: ['bool'],
    default: {
      parse: (value) => (value === 'true' ? true : value === 'false' ? false : undefined),
      hint: 'true or false',
    },
    zod: () => 'z.boolean()',
    mongoose: () => ['type: Boolean'],
    sample: () => 'count % 2 === 0',
    wrong: () => "'nope'",
    initial: () => 'false',
    filterable: true,
  },
  date: {
    meaning: 'point in time, RFC 3339 with any offset; the default may be `now`',
    aliases: ['datetime', 'timestamp'],
    default: { parse: parseDate, hint: 'now or a date such as 2026-01-31' },
    zod: () => 'instant',
    mongoose: () => ['type: Date'],
    sample: () => 'new Date(Date.UTC(2026, 0, 1, 0, 0, count)).toISOString()',
    wrong: () => "'nope nope'",
    initial: () => 'new Date()',
    distinct: () => 'new Date(Date.UTC(2026, 0, 1, 0, 0, count))',
    stored: (value) => `new Date(${text(value)})`,
    filterable: true,
    sortable: true,
  },
  day: {
    meaning: 'calendar date without time and zone: `2026-01-31` (RFC 3339)',
    aliases: ['dateonly', 'localdate', 'plaindate'],
    default: {
      parse: parseDay,
      hint: 'a calendar date such as 2026-01-31; today depends on the time zone, so set it in the service',
    },
    zod: () => 'z.iso.date()',
    mongoose: () => ['type: String'],
    // Mongoose would store a Date as its text in the time zone of the process.
    mongooseRules: () => [String.raw`match: /^\d{4}-\d{2}-\d{2}$/`],
    sample: () => 'new Date(Date.UTC(2026, 0, count)).toISOString().slice(0, 10)',
    wrong: () => "'2026-02-30'",
    initial: () => 'new Date().toISOString().slice(0, 10)',
    filterable: true,
    sortable: true,
  },
  email: {
    meaning: 'e-mail address, stored in lower case; at most 254 characters',
    bounds: 'length',
    maxLength: 254,
    default: {
      parse: (value) =>
        /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value) ? value.toLowerCase() : undefined,
    },
    zod: ({ max, min }) => `emailAddress${call('min', min)}${call('max', max)}`,
    mongoose: () => ['type: String'],
    mongooseRules: () => ['lowercase: true'],
    sample: () => '`person-${count}@example.org`',
    wrong: () => "'nope nope'",
    initial: () => "'unknown@example.org'",
    filterable: true,
    collated: true,
    sortable: true,
  },
  url: {
    meaning: '`http` or `https` URL (RFC 3986); at most 2,048 characters',
    bounds: 'length',
    maxLength: 2048,
    default: { parse: (value) => (URL.canParse(value) ? value : undefined) },
    zod: ({ max, min }) => `webUrl${call('min', min)}${call('max', max)}`,
    mongoose: () => ['type: String'],
    sample: () => '`https://example.org/${count}`',
    wrong: () => "'nope nope'",
    initial: () => "'https://example.org'",
  },
  uuid: {
    meaning: 'UUID',
    default: {
      parse: (value) =>
        /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value) ? value : undefined,
    },
    zod: () => 'z.uuid()',
    mongoose: () => ['type: String'],
    sample: () => "`00000000-0000-4000-8000-${String(count).padStart(12, '0')}`",
    wrong: () => "'nope nope'",
    initial: () => "'00000000-0000-4000-8000-000000000000'",
    filterable: true,
    collated: true,
    key: { type: 'string', absent: () => "[absent, 'nope']" },
  },
  objectid: {
    ...objectIdExamples,
    meaning: 'id of a document, which need not exist',
    mongoose: () => ['type: Schema.Types.ObjectId'],
    sample: () => "String(count).padStart(24, '0')",
    filterable: true,
  },
  object: {
    meaning: 'any JSON object, or one with fields: `address.city:string`',
    schemaless: true,
    zod: () => 'z.record(z.string().max(200), z.unknown())',
    mongoose: () => ['type: Schema.Types.Mixed'],
    sample: () => '{ note: `note ${count}` }',
    wrong: () => "'nope'",
    initial: () => '{}',
  },
  any: {
    meaning: 'any JSON value',
    aliases: ['json', 'mixed'],
    schemaless: true,
    // An unknown value may be absent, a required one may not.
    zod: ({ required }) =>
      required
        ? "z.unknown().refine((value) => value != null, 'is required').meta({ not: { type: 'null' } })"
        : 'z.unknown()',
    mongoose: () => ['type: Schema.Types.Mixed'],
    sample: () => '`anything ${count}`',
    initial: () => '{}',
  },
  enum: {
    meaning: 'one of the listed values',
    operand: { what: 'its values', example: 'enum:draft,published' },
    zod: ({ type }) => `z.enum(${list(valuesOf(type))})`,
    mongoose: ({ type }) => ['type: String', `enum: ${list(valuesOf(type))}`],
    sample: ({ type }) => valuesOf(type).at(-1) ?? '',
    wrong: () => "'nope nope'",
    initial: ({ type }) => valuesOf(type)[0] ?? '',
    filterable: true,
  },
  ref: {
    ...objectIdExamples,
    meaning: 'id of a document of another model, which must exist',
    aliases: ['references', 'belongs_to'],
    operand: { what: 'the name of a model', example: 'ref:User' },
    mongoose: ({ type: { model = '' } }) => ['type: Schema.Types.ObjectId', `ref: ${text(model)}`],
    sample: ({ name }) => `references.${name}`,
    filterable: true,
  },
} as const satisfies Readonly<Record<string, FieldType>>

export type FieldKind = keyof typeof fieldTypes

export type ScalarKind = Exclude<FieldKind, 'enum' | 'ref'>

export const fieldKinds: readonly FieldKind[] = Object.keys(fieldTypes).filter(isFieldKind)

function isFieldKind(word: string): word is FieldKind {
  return Object.hasOwn(fieldTypes, word)
}

// True for types that take no operand.
export function isScalarKind(word: string): word is ScalarKind {
  return isFieldKind(word) && toFieldType(word).operand === undefined
}

// A shape, an object with known fields, is an object. Of a field of a model, only its own code is known.
export function toFieldType(kind: FieldKind | 'shape' | 'modelled'): FieldType {
  if (kind === 'modelled') return fieldTypes.any
  return fieldTypes[kind === 'shape' ? 'object' : kind]
}

const valuesOf = ({ values = [] }: TypedField['type']): readonly string[] => values.map(text)

function call(name: string, value: number | undefined): string {
  return value === undefined ? '' : `.${name}(${number(value)})`
}

// The minimum applies to the text that is stored, the maximum to the text that is sent, so that both
// can be expressed in the OpenAPI document. The text that `match` describes is not trimmed.
function zodString(field: TypedField): string {
  if (field.match !== undefined) return zodText(field, 200)
  return `z.string()${call('max', field.max ?? 200)}.trim()${zodLeast(field)}`
}

// Unlimited lengths would let a client send anything.
function zodText(field: TypedField, maxLength: number): string {
  const { match, max = maxLength } = field
  const matches = match === undefined ? '' : `.regex(${pattern(match)})`
  return `z.string()${zodLeast(field)}${call('max', max)}${matches}`
}

// Mongoose takes an empty text for a missing one.
function zodLeast({ min = 0, required }: TypedField): string {
  const least = required ? Math.max(min, 1) : min
  return call('min', least > 0 ? least : undefined)
}

// The Zod schema limits the length: Mongoose counts UTF-16 units, clients and JSON Schema count
// characters.
function mongooseMatch({ match }: TypedField): readonly string[] {
  return match === undefined ? [] : [`match: ${pattern(match)}`]
}

function numberRules({ max, min }: TypedField): readonly string[] {
  return [
    ...(min === undefined ? [] : [`min: ${number(min)}`]),
    ...(max === undefined ? [] : [`max: ${number(max)}`]),
  ]
}

function decimalLiteral(value: string): string {
  return `Types.Decimal128.fromString(${text(value)})`
}
