import { isDocument } from '../bson/document.ts'
import { typeOrder } from '../bson/type-name.ts'
import { type Index, type IndexField } from '../catalog/collection.ts'
import { type Collation } from '../keys/collation.ts'
import { compareText } from '../keys/compare.ts'
import { encodeKey } from '../keys/encode-key.ts'
import { indexPrefix, prefixEnd } from '../storage/keys.ts'
import { type IndexPath, type KeyBounds } from './access-path.ts'
import { type Bounding, type Condition, type Conditions } from './conditions.ts'
import { type Query } from './query.ts'

const maxPoints = 2000
// Null and documents: their keys do not prove that the filter matches.
const unsureOrders = new Set([5, 20])
const stringOrder = 15
const documentOrder = 20

interface IndexDemand extends Pick<Query, 'sort' | 'collation'> {
  conditions: Conditions
}

// An equality prefix, then one range, then the order.
export function toIndexPath(index: Index, demand: IndexDemand): IndexPath {
  const bounds = toBounds(index, demand)
  const order = toOrder(index, demand, bounds)
  const prefix = indexPrefix(index.id)
  return {
    kind: 'index',
    index,
    ranges: bounds.keys.map(({ start, end }) => ({ start: prefix + start, end: prefix + end })),
    reverse: order === 'reverse',
    points: bounds.points,
    hasRange: bounds.hasRange,
    isSorted: order !== undefined,
    isExact: bounds.isExact && demand.conditions.complete,
  }
}

interface Bounds {
  keys: KeyBounds[]
  points: number
  hasRange: boolean
  // Paths bound to exactly one value.
  constants: Set<string>
  isExact: boolean
}

function toBounds(index: Index, demand: IndexDemand): Bounds {
  const bounds: Bounds = {
    keys: [{ start: '', end: '' }],
    points: 0,
    hasRange: false,
    constants: new Set(),
    isExact: true,
  }
  let hasArrayBounds = false
  let used = 0
  for (const [position, field] of index.fields.entries()) {
    const isMultikey = index.multikey[position] === true
    // Two conditions below one array may be fulfilled by different elements.
    if (isMultikey && hasArrayBounds) break
    const choice = chooseBounds(field, { demand, isMultikey, form: toForm(field, index, demand) })
    if (!choice || choice.intervals.length * bounds.keys.length > maxPoints) break
    hasArrayBounds ||= isMultikey
    used += choice.used
    bounds.isExact &&= choice.isExact && !isMultikey
    extend(bounds, choice.intervals, field.path)
    if (bounds.hasRange) break
  }
  close(bounds)
  bounds.isExact &&= used === countConditions(demand.conditions) && !isMultikeyIndex(index)
  return bounds
}

// Points extend the key prefix; a range is always last.
function extend(bounds: Bounds, intervals: Interval[], path: string): void {
  const isPoints = intervals.every((interval) => interval.isPoint)
  bounds.keys = bounds.keys.flatMap(({ start }) =>
    intervals.map((interval) => ({ start: start + interval.start, end: start + interval.end })),
  )
  if (isPoints) {
    bounds.points += 1
    if (intervals.length === 1) bounds.constants.add(path)
  } else bounds.hasRange = true
}

function close(bounds: Bounds): void {
  if (bounds.hasRange) return
  bounds.keys = bounds.keys.map(({ start }) => ({
    start,
    end: start === '' ? '\u00ff' : prefixEnd(start),
  }))
}

interface Choice {
  intervals: Interval[]
  // How many conditions the intervals cover.
  used: number
  isExact: boolean
}

function chooseBounds(
  field: IndexField,
  given: { demand: IndexDemand; isMultikey: boolean; form: FieldForm | undefined },
): Choice | undefined {
  const { demand, isMultikey, form } = given
  const conditions = demand.conditions.paths.get(field.path) ?? []
  const usable = conditions.filter((one): one is Bounding => isUsable(one, field, form))
  const shape = form ?? { descending: field.descending, collation: undefined }
  const first = usable.find(({ kind }) => kind === 'in') ?? usable[0]
  if (!first) return undefined
  // With arrays one element may be above the lower end and another below the upper one.
  const other = isMultikey ? undefined : usable.find((one) => isOtherEnd(first, one))
  if (other) return { intervals: toRange(first, other, shape), used: 2, isExact: true }
  return { intervals: toIntervals(first, shape), used: 1, isExact: isProof(first) }
}

function toRange(first: Bounding, other: Bounding, form: FieldForm): Interval[] {
  const [a] = toIntervals(first, form)
  const [b] = toIntervals(other, form)
  return a && b ? [intersect(a, b)] : []
}

function isUsable(
  condition: Condition,
  { path }: IndexField,
  form: FieldForm | undefined,
): boolean {
  // A number in a path is a field name or an array position: the index does not tell which.
  if (condition.kind === 'exists' || /(?:^|\.)\d+(?:\.|$)/.test(path)) return false
  if (form && !form.collation) return true
  if (condition.kind === 'prefix') return false
  // An index with a collation finds equal text under that collation, but has lost the order of text.
  if (condition.kind === 'in') return form !== undefined || !condition.values.some(hasText)
  return !hasText(condition.value)
}

function hasText(value: unknown): boolean {
  const order = typeOrder(value)
  return order === stringOrder || order === documentOrder
}

function isOtherEnd(first: Bounding, other: Bounding): boolean {
  return (
    first.kind === 'range' &&
    other.kind === 'range' &&
    first.side !== other.side &&
    typeOrder(first.value) === typeOrder(other.value)
  )
}

function isProof(condition: Bounding): boolean {
  if (condition.kind === 'in') {
    return condition.values.every((value) => !unsureOrders.has(typeOrder(value)))
  }
  // NaN lies below all numbers in an index, and below none in a filter.
  return condition.kind === 'range' && condition.side === 'lower'
}

// Under another collation an index still finds values other than text.
function toForm(
  { descending }: IndexField,
  { collation: own }: Index,
  { collation }: IndexDemand,
): FieldForm | undefined {
  return own?.id === collation?.id ? { descending, collation: own } : undefined
}

function toOrder(
  index: Index,
  { sort, collation }: IndexDemand,
  { constants }: Bounds,
): 'forward' | 'reverse' | undefined {
  const expected = Object.entries(sort ?? {}).filter(([path]) => !constants.has(path))
  if (isMultikeyIndex(index) || collation || index.collation) {
    return undefined
  }
  // Ranges are disjoint and read in order, so together they have the order of the index.
  const own = index.fields.filter(({ path }) => !constants.has(path))
  const directions = expected.map(([path, direction], position) => {
    const field = own[position]
    if (field?.path !== path || isDocument(direction)) return undefined
    return Number(direction) < 0 === field.descending ? 'forward' : 'reverse'
  })
  const [first = 'forward'] = directions
  return directions.every((direction) => direction === first) ? first : undefined
}

function isMultikeyIndex({ multikey }: Index): boolean {
  return multikey.includes(true)
}

function countConditions({ paths }: Conditions): number {
  return [...paths.values()].reduce((sum, list) => sum + list.length, 0)
}

// Encoded keys of one field from `start` (inclusive) to `end` (exclusive).
interface Interval {
  start: string
  end: string
  // All keys in it are equal.
  isPoint: boolean
}

// How an index encodes the field's values.
interface FieldForm {
  descending: boolean
  collation: Collation | undefined
}

// The keys that may fulfill a condition: a superset is fine, a missing key is not.
function toIntervals(condition: Bounding, form: FieldForm): Interval[] {
  if (condition.kind === 'in') return distinctPoints(condition.values, form)
  if (condition.kind === 'prefix') return prefixIntervals(condition, form)
  return [rangeInterval(condition, form)]
}

function intersect(a: Interval, b: Interval): Interval {
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
  // Without its two closing bytes a string's key is a prefix of the keys of all longer strings.
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
