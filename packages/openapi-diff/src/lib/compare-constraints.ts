import { type Direction, type Pair, type Report } from './comparison.ts'
import { type Json } from './json.ts'

interface ConstraintComparison {
  readonly direction: Direction
  readonly report: Report
}

// Compares type, enum, format, pattern and limits. Limits and patterns count for what clients send
// only: for what they read, every widening would otherwise be breaking.
export function compareConstraints(
  comparison: ConstraintComparison,
  pair: Pair<Json>,
  at: string,
): void {
  compareTypes(comparison, pair, at)
  compareEnums(comparison, pair, at)
  compareFormats(comparison, pair, at)
  if (comparison.direction === 'output') return
  for (const keyword of lowerBounds) compareBound(comparison, { pair, keyword, sign: 1 }, at)
  for (const keyword of upperBounds) compareBound(comparison, { pair, keyword, sign: -1 }, at)
}

const lowerBounds = ['minLength', 'minimum', 'exclusiveMinimum', 'minItems', 'minProperties']
const upperBounds = ['maxLength', 'maximum', 'exclusiveMaximum', 'maxItems', 'maxProperties']

function compareTypes(comparison: ConstraintComparison, pair: Pair<Json>, at: string): void {
  const { direction, report } = comparison
  const [before, after] = [toTypes(pair.before), toTypes(pair.after)]
  const message = `${before?.join(' or ') ?? 'anything'} → ${after?.join(' or ') ?? 'anything'}`
  if (!covers(after, before)) report(`${direction}-type-narrowed`, at, message)
  if (!covers(before, after)) report(`${direction}-type-widened`, at, message)
}

type Types = readonly string[] | undefined

function toTypes(schema: Json): Types {
  const { type } = schema
  if (type !== undefined) return [type].flat().map(String)
  const values = toValues(schema)
  return values === undefined ? undefined : [...new Set(values.map(typeOf))]
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Number.isInteger(value) ? 'integer' : typeof value
}

// Whether the first types accept every value of the others.
function covers(types: Types, others: Types): boolean {
  if (types === undefined) return true
  if (others === undefined) return false
  return others.every(
    (type) => types.includes(type) || (type === 'integer' && types.includes('number')),
  )
}

function compareEnums(comparison: ConstraintComparison, pair: Pair<Json>, at: string): void {
  const { direction, report } = comparison
  const [before, after] = [toValues(pair.before), toValues(pair.after)]
  const lost = minus(before, after)
  const gained = minus(after, before)
  if (before === undefined && after !== undefined) {
    report(`${direction}-enum-narrowed`, at, `only ${after.map(print).join(', ')}`)
  } else if (before !== undefined && after === undefined) {
    report(`${direction}-enum-widened`, at, 'any value')
  } else {
    if (lost.length > 0) report(`${direction}-enum-narrowed`, at, `${lost.join(', ')} removed`)
    if (gained.length > 0) report(`${direction}-enum-widened`, at, `${gained.join(', ')} new`)
  }
}

function toValues(schema: Json): readonly unknown[] | undefined {
  const values = schema['enum']
  if (Array.isArray(values)) return values
  return 'const' in schema ? [schema['const']] : undefined
}

function minus(
  values: readonly unknown[] | undefined,
  others: readonly unknown[] | undefined,
): readonly string[] {
  const known = (others ?? []).map(print)
  return (values ?? []).map(print).filter((value) => !known.includes(value))
}

function print(value: unknown): string {
  return JSON.stringify(value)
}

function compareFormats(comparison: ConstraintComparison, pair: Pair<Json>, at: string): void {
  compareText(comparison, { pair, keyword: 'format' }, at)
  // The pattern of a known format adds nothing.
  const known =
    pair.before['format'] !== undefined && pair.before['format'] === pair.after['format']
  if (comparison.direction === 'input' && !known) {
    compareText(comparison, { pair, keyword: 'pattern' }, at)
  }
}

interface Keyword {
  readonly pair: Pair<Json>
  readonly keyword: string
}

function compareText(
  { direction, report }: ConstraintComparison,
  { keyword, pair }: Keyword,
  at: string,
): void {
  const [before, after] = [pair.before[keyword], pair.after[keyword]]
  if (before === after) return
  const message = `${keyword} ${toText(before)} → ${toText(after)}`
  // A changed format both narrows and widens; report the breaking side.
  const changed = before !== undefined && after !== undefined
  const narrowed = changed ? direction === 'input' : after !== undefined
  report(narrowed ? `${direction}-format-narrowed` : `${direction}-format-widened`, at, message)
}

interface Bound extends Keyword {
  /** 1 for a lower limit, -1 for an upper one. */
  readonly sign: 1 | -1
}

function compareBound({ report }: ConstraintComparison, bound: Bound, at: string): void {
  const { keyword, pair, sign } = bound
  const [before, after] = [pair.before[keyword], pair.after[keyword]]
  const [from, to] = [before, after].map((value) =>
    typeof value === 'number' ? value * sign : -Infinity,
  )
  if (from === undefined || to === undefined || from === to) return
  const message = `${keyword} ${toText(before)} → ${toText(after)}`
  report(to > from ? 'input-bound-tightened' : 'input-bound-loosened', at, message)
}

function toText(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value)
}
