import { number, pattern, text } from '../code/literals.ts'
import { type TypedField } from '../fields/field-type.ts'
import { isCostly } from '../fields/foreign-pattern.ts'
import { sampleNumber, sampleText, tooGreat, tooLong } from '../fields/sample-values.ts'
import { type ModelPath } from '../project/model-description.ts'

// Code for values without parts.

/** The longest text of a model that states no limit. */
export const maxText = 10_000

export interface ScalarCode {
  readonly zod: string
  /** A value that the model accepts; undefined if none is known. */
  readonly sample?: string | undefined
  readonly wrong?: string | undefined
}

export function toScalarCode(path: ModelPath): ScalarCode | undefined {
  switch (path.type) {
    case 'String':
      return path.enum ? toTexts(path.enum) : toText(path)
    case 'Number':
    case 'Double':
    case 'Int32':
      return path.enum ? toNumbers(path.enum) : toNumber(path)
    case 'Date':
      return { zod: 'instant', sample: path.sample ?? toDateSample(path), wrong: "'nope nope'" }
    default:
      return others.get(path.type)
  }
}

const others: ReadonlyMap<string, ScalarCode> = new Map(
  Object.entries({
    Boolean: { zod: 'z.boolean()', sample: 'count % 2 === 0', wrong: "'nope'" },
    ObjectId: {
      zod: 'objectId',
      sample: "String(count).padStart(24, '0')",
      wrong: "'nope nope'",
    },
    Decimal128: { zod: 'decimal()', sample: 'String(count)', wrong: 'true' },
    BigInt: { zod: 'z.int64()', sample: 'String(count)', wrong: "'nope'" },
    UUID: {
      zod: 'z.uuid()',
      sample: "`00000000-0000-4000-8000-${String(count).padStart(12, '0')}`",
      wrong: "'nope nope'",
    },
    Mixed: { zod: 'z.unknown()', sample: '{ note: `note ${count}` }' },
  }),
)

// The bounds of a date are in its model.
function toDateSample({ max, min }: ModelPath): string {
  const bound = min ?? max
  if (typeof bound !== 'string') return 'new Date(Date.UTC(2026, 0, 1, 0, 0, count)).toISOString()'
  const sign = min === undefined ? '-' : '+'
  return `new Date(Date.parse(${text(bound)}) ${sign} count * 1000).toISOString()`
}

function toTexts(values: NonNullable<ModelPath['enum']>): ScalarCode {
  const texts = values.filter((value) => typeof value === 'string').map(text)
  return { zod: `z.enum([${texts.join(', ')}])`, sample: texts.at(-1), wrong: "'nope nope'" }
}

function toText(path: ModelPath): ScalarCode {
  const {
    examples = [],
    match,
    maxLength: max = maxText,
    minLength = 0,
    required,
    uses = [],
  } = path
  // Mongoose takes an empty text for a missing one.
  const min = required === 'always' ? Math.max(minLength, 1) : minLength
  const checks = [
    uses.includes('trim') ? '.trim()' : '',
    min > 0 ? `.min(${number(min)})` : '',
    toRegexCode(match),
  ]
  const field = { ...typed, name: toCase(path), min: Math.max(min, 1), max }
  return {
    zod: `z.string().max(${number(max)})${checks.join('')}`,
    sample: path.sample ?? toTextSample({ ...field, match: match?.source, examples }, max),
    wrong: match ? '1' : tooLong(field, max),
  }
}

function toTextSample(field: TypedField, max: number): string | undefined {
  const isUnknown = field.match !== undefined && field.examples?.length === 0
  return isUnknown ? undefined : sampleText(field, max)
}

function toRegexCode(match: ModelPath['match']): string {
  const isReadable = match !== undefined && findPatternFault(match) === undefined
  return isReadable ? `.regex(${pattern(match.source)})` : ''
}

const typed = { type: { kind: 'string' }, required: true } as const

function toCase({ name, uses = [] }: ModelPath): string {
  if (uses.includes('lowercase')) return name.toLowerCase()
  return uses.includes('uppercase') ? name.toUpperCase() : name
}

// Why a schema cannot contain a pattern: JSON Schema reads patterns with the flag u, and knows no others.
export function findPatternFault({
  flags,
  source,
}: NonNullable<ModelPath['match']>): string | undefined {
  if (flags !== '' && flags !== 'u') return `the flags of match: /${source}/${flags}`
  try {
    RegExp(source, 'u')
  } catch {
    return `match, which the flag u does not allow: /${source}/`
  }
  return isCostly(source)
    ? `match, which takes so long for some short texts that a request could block the service: /${source}/`
    : undefined
}

function toNumbers(values: NonNullable<ModelPath['enum']>): ScalarCode {
  const numbers = values.filter((value) => typeof value === 'number').map(number)
  return { zod: `z.literal([${numbers.join(', ')}])`, sample: numbers.at(-1), wrong: "'nope nope'" }
}

function toNumber({ max, min, name, sample, type }: ModelPath): ScalarCode {
  const bounds = { ...typed, name, min: toBound(min), max: toBound(max) }
  const isInt = type === 'Int32'
  const least = bounds.min ?? (isInt ? -(2 ** 31) : undefined)
  const greatest = bounds.max ?? (isInt ? 2 ** 31 - 1 : undefined)
  const checks = [
    least === undefined ? '' : `.min(${number(least)})`,
    greatest === undefined ? '' : `.max(${number(greatest)})`,
  ]
  return {
    zod: `z.${isInt ? 'int' : 'number'}()${checks.join('')}`,
    sample: sample ?? sampleNumber(bounds),
    wrong: tooGreat(bounds) ?? "'1'",
  }
}

const toBound = (bound: ModelPath['min']): number | undefined =>
  typeof bound === 'number' ? bound : undefined
