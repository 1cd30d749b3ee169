import { typeOrder } from '../bson/type-name.ts'
import { type Index, type IndexField } from '../catalog/collection.ts'
import { indexPrefix, prefixEnd } from '../storage/keys.ts'
import { type IndexPath, type KeyBounds } from './access-path.ts'
import { type Bounding, type Condition, type Conditions } from './conditions.ts'
import { type Query } from './query.ts'
import { type FieldForm, intersect, type Interval, toIntervals } from './intervals.ts'

const MAX_POINTS = 2000
// Null, documents: keys of them are not proof enough that the filter matches.
const UNSURE_ORDERS = new Set([5, 20])
const STRING_ORDER = 15
const DOCUMENT_ORDER = 20

/** What a query wants of an index. */
export interface IndexDemand extends Pick<Query, 'sort' | 'collation'> {
  conditions: Conditions
}

/**
 * How an index can serve a query: an equality prefix, then one range, then the order.
 *
 * @param index The index; it must hold all documents the query can match.
 * @param demand What is wanted.
 * @returns The path; without bounds it covers the whole index.
 */
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
  /** Paths bound to exactly one value. */
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
    // Two conditions below one array may be met by different elements.
    if (isMultikey && hasArrayBounds) break
    const choice = chooseBounds(field, { demand, isMultikey, form: toForm(field, index, demand) })
    if (!choice || choice.intervals.length * bounds.keys.length > MAX_POINTS) break
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

// Points become longer prefixes of keys; a range ends the matter.
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
  /** How many conditions the intervals stand for. */
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
  // A number in a path is a field's name or a place in an array: no index tells which.
  if (condition.kind === 'exists' || /(?:^|\.)\d+(?:\.|$)/.test(path)) return false
  if (form && !form.collation) return true
  if (condition.kind === 'prefix') return false
  // An index with a collation finds equal text of this collation; order of text it has lost.
  if (condition.kind === 'in') return form !== undefined || !condition.values.some(hasText)
  return !hasText(condition.value)
}

function hasText(value: unknown): boolean {
  const order = typeOrder(value)
  return order === STRING_ORDER || order === DOCUMENT_ORDER
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
    return condition.values.every((value) => !UNSURE_ORDERS.has(typeOrder(value)))
  }
  // NaN lies below all numbers in an index, and below none in a filter.
  return condition.kind === 'range' && condition.side === 'lower'
}

// Under another collation an index still finds what is no text.
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
  const wanted = Object.entries(sort ?? {}).filter(([path]) => !constants.has(path))
  if (isMultikeyIndex(index) || collation || index.collation) {
    return undefined
  }
  // Ranges are disjoint and read in order, so together they have the order of the index.
  const own = index.fields.filter(({ path }) => !constants.has(path))
  const directions = wanted.map(([path, direction], position) => {
    const field = own[position]
    if (field?.path !== path) return undefined
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
