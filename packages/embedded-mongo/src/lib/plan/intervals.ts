import { type Collation } from '../keys/collation.ts'
import { compareText } from '../keys/compare-text.ts'
import { encodeKey } from '../keys/encode-key.ts'
import { prefixEnd } from '../storage/keys.ts'
import { type Bounding, type Condition } from './conditions.ts'

/** Encoded keys of one field from `start` (included) to `end` (not included). */
export interface Interval {
  start: string
  end: string
  /** All keys in it are equal. */
  isPoint: boolean
}

/** How a field's values are written in an index. */
export interface FieldForm {
  descending: boolean
  collation: Collation | undefined
}

/**
 * The keys that can fulfil a condition; a superset is fine, a missing key is not.
 *
 * @param condition What is demanded.
 * @param form How the field's keys are written.
 * @returns Disjoint intervals, in order.
 */
export function toIntervals(condition: Bounding, form: FieldForm): Interval[] {
  if (condition.kind === 'in') return distinctPoints(condition.values, form)
  if (condition.kind === 'prefix') return prefixIntervals(condition, form)
  return [rangeInterval(condition, form)]
}

/**
 * A range with both ends.
 *
 * @param a One interval.
 * @param b The other.
 * @returns What lies in both.
 */
export function intersect(a: Interval, b: Interval): Interval {
  return {
    start: a.start > b.start ? a.start : b.start,
    end: a.end < b.end ? a.end : b.end,
    isPoint: false,
  }
}

function distinctPoints(values: unknown[], form: FieldForm): Interval[] {
  const keys = values.map((value) => encodeKey(value, form.descending, form.collation))
  return [...new Set(keys)].toSorted(compareText).map((key) => toPoint(key))
}

function toPoint(key: string): Interval {
  return { start: key, end: prefixEnd(key), isPoint: true }
}

function prefixIntervals(
  { text, regex }: Extract<Condition, { kind: 'prefix' }>,
  { descending }: FieldForm,
): Interval[] {
  // Without its two closing bytes a string's key is what the keys of all longer strings begin with.
  const start = encodeKey(text, descending).slice(0, -2)
  const texts = { start, end: prefixEnd(start), isPoint: false }
  // A regular expression also matches itself, stored as a value.
  return [texts, toPoint(encodeKey(regex, descending))].toSorted((a, b) =>
    compareText(a.start, b.start),
  )
}

function rangeInterval(
  { side, inclusive, value }: Extract<Condition, { kind: 'range' }>,
  { descending }: FieldForm,
): Interval {
  const key = encodeKey(value, descending)
  const bracket = key.slice(0, 1)
  const isFromStart = (side === 'upper') !== descending
  const edge = inclusive === isFromStart ? prefixEnd(key) : key
  return isFromStart
    ? { start: bracket, end: edge, isPoint: false }
    : { start: edge, end: prefixEnd(bracket), isPoint: false }
}
