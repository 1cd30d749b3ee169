import { Types } from 'mongoose'
import { names } from './guarded-things.ts'
import { type Doc, matches, type Value } from './matches.ts'
import { type Choice, type Moment, type Stored } from './moment.ts'
import { type Random, tags } from './random-rules.ts'
import { type World } from './world.ts'

export const words = ['a', 'ab', 'B', 'bc', 'Cab']

export interface Query {
  readonly text: string
  /** What decides which documents it finds, and their order. */
  readonly list: string
  /** Whether its caller knows the fields that it names. */
  readonly isKnown: boolean
  readonly matches: (document: Doc) => boolean
  readonly sort: readonly (readonly [field: string, direction: 1 | -1])[]
  readonly choice: Choice
}

export function createQuery({ owners }: World, random: Random, reads: Moment['reads']): Query {
  const [text, filter] = random.pick(createFilters(random, owners))
  const sort = random.pick(['', 'a', '-a,at', '-flag', 'level,-name', 'name', '-at,a'])
  const fields = random.pick([undefined, undefined, undefined, ['flag'], ['a', 'tags'], ['level']])
  const include = random.chance(25)
  const search = random.chance(25) ? random.pick(['a', 'B', 'ca']) : undefined
  const wanted = sort === '' ? [] : sort.split(',').map(toOrder)
  const searched = (['name', 'code'] as const).filter(reads)
  const named = [
    ...Object.keys(filter),
    ...wanted.map(([field]) => field),
    ...(fields ?? []),
    ...(include ? ['other'] : []),
  ]
  const isRead = (field: string): boolean => names.some((name) => name === field && reads(name))
  const usual = ['-level', 'a'].map(toOrder).filter(([field]) => isRead(field))
  return {
    text: [
      text,
      sort && `sort=${sort}`,
      fields && `fields=${fields.join(',')}`,
      include && 'include=other',
      search && `q=${search}`,
    ]
      .filter(Boolean)
      .join('&'),
    list: JSON.stringify([text, search, wanted.length > 0 ? wanted : usual]),
    isKnown: named.every(isRead) && (search === undefined || searched.length > 0),
    matches: (document) =>
      matches(document, filter) &&
      (search === undefined ||
        searched.some((field) => toText(document[field]).includes(search.toLowerCase()))),
    sort: wanted.length > 0 ? wanted : usual,
    choice: { fields, include },
  }
}

function createFilters(random: Random, owners: readonly string[]) {
  const [number, tag, word] = [random.below(4), random.pick(tags), random.pick(words)]
  const owner = random.pick(owners)
  const at = new Date(random.below(4) * 1000)
  const filters: [text: string, filter: Doc][] = [
    ['', {}],
    ['', {}],
    [`a=${number}`, { a: number }],
    [`a[gte]=${number}`, { a: { $gte: number } }],
    [`tags=${tag}`, { tags: tag }],
    ['flag=true', { flag: true }],
    ['flag[ne]=true', { flag: { $ne: true } }],
    [`owner=${owner}`, { owner: new Types.ObjectId(owner) }],
    [`at[lte]=${at.toISOString()}`, { at: { $lte: at } }],
    [`level[in]=1,${number}`, { level: { $in: [1, number] } }],
    [`name=${word}&level[gte]=${number}`, { name: word, level: { $gte: number } }],
  ]
  return filters
}

function toOrder(name: string): readonly [field: string, direction: 1 | -1] {
  return name.startsWith('-') ? [name.slice(1), -1] : [name, 1]
}

/** Documents in the order of a query. */
export function toSorted(documents: readonly Stored[], sort: Query['sort']): Stored[] {
  const order = [...sort, ['_id', sort.at(-1)?.[1] ?? 1] as const]
  return documents.toSorted((one, other) => {
    for (const [field, direction] of order) {
      const difference = compare(toRank(one[field]), toRank(other[field]))
      if (difference !== 0) return difference * direction
    }
    return 0
  })
}

// Null and absent come first.
function toRank(value: Value): number | string {
  if (value === null || value === undefined) return Number.NEGATIVE_INFINITY
  if (typeof value === 'string' || typeof value === 'number') return value
  return value instanceof Types.ObjectId ? String(value) : Number(value)
}

function compare(one: number | string, other: number | string): number {
  const [left, right] = [toPosition(one), toPosition(other)]
  if (left !== right) return left - right
  return one < other ? -1 : Number(one > other)
}

// Numbers, and what has none, before text.
const toPosition = (value: number | string): number => Number(typeof value === 'string')

const toText = (value: Value): string => (typeof value === 'string' ? value.toLowerCase() : '')
