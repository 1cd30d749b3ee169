import { Types } from 'mongoose'
import {
  type AccessFilter,
  all,
  any,
  defineRule,
  type Rule,
  type User,
} from '../../../src/index.ts'
import { type Doc, matches, type Value } from './matches.ts'

/** A source of random numbers with a seed. */
export interface Random {
  /** A whole number from 0, below `limit`. */
  below(limit: number): number
  pick<T>(values: readonly T[]): T
  chance(percent: number): boolean
}

export function createRandom(seed: number): Random {
  let state = seed
  // mulberry32
  function next(): number {
    state = (state + 0x6d2b79f5) | 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return {
    below,
    chance: (percent) => below(100) < percent,
    pick: (values) => {
      const { length } = values
      const value = values[below(length)]
      if (value === undefined && length === 0) throw new Error('There is nothing to pick from.')
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the index is below the length
      return value as (typeof values)[number]
    },
  }
}

/** A rule, and what it decides about each document. */
export interface Ruling {
  readonly rule: Rule
  /** Whether a caller can call the route. */
  readonly admits: (user: User | undefined) => boolean
  /** Whether a caller who is admitted can reach a document. */
  readonly reaches: (user: User | undefined, document: Doc) => boolean
}

/** Creates a rule and, beside it, what it means. */
export function createRuling(random: Random, depth = 2): Ruling {
  const kind = depth === 0 ? 0 : random.below(10)
  if (kind >= 8) return combine(random, depth, kind === 8)
  if (kind === 7) return toFixed(random.chance(75))
  const isAnonymous = random.chance(30)
  const filter = createFilter(random, 2)
  const isLate = random.chance(30)
  const decide = (user: User | undefined): AccessFilter => withCaller(filter, user)
  const respond = (user: User | undefined): AccessFilter | Promise<AccessFilter> =>
    isLate ? Promise.resolve(decide(user)) : decide(user)
  return {
    rule: isAnonymous
      ? defineRule('filter', respond, { anonymous: true })
      : defineRule('filter', respond),
    admits: (user) => isAnonymous || user !== undefined,
    reaches: (user, document) => matches(document, withCaller(filter, user)),
  }
}

function toFixed(decision: boolean): Ruling {
  return {
    rule: defineRule('fixed', () => decision),
    admits: (user) => decision && user !== undefined,
    reaches: () => decision,
  }
}

function combine(random: Random, depth: number, isUnion: boolean): Ruling {
  const parts = Array.from({ length: 1 + random.below(3) }, () => createRuling(random, depth - 1))
  const rules = parts.map(({ rule }) => rule)
  const reaches = (user: User | undefined, document: Doc) => (part: Ruling) =>
    part.admits(user) && part.reaches(user, document)
  if (isUnion) {
    return {
      rule: any(...rules),
      admits: (user) => parts.some((part) => part.admits(user)),
      reaches: (user, document) => parts.some(reaches(user, document)),
    }
  }
  return {
    rule: all(...rules),
    admits: (user) => parts.every((part) => part.admits(user)),
    reaches: (user, document) => parts.every(reaches(user, document)),
  }
}

const caller = Symbol('caller')
const noUser = '000000000000000000000000'

// Replaces the mark of the caller by an id, as a rule would.
export function withCaller(filter: Doc, user: Pick<User, 'id'> | undefined): Doc {
  const replace = (value: Value): Value => {
    if (value === caller) return user?.id ?? noUser
    if (Array.isArray(value)) return value.map(replace)
    if (Object.prototype.toString.call(value) !== '[object Object]') return value
    if (value instanceof Types.ObjectId) return value
    return withCaller(Object(value), user)
  }
  return Object.fromEntries(Object.entries(filter).map(([key, value]) => [key, replace(value)]))
}

export const tags = ['a', 'b', 'ab', 'c'] as const

export function createFilter(random: Random, depth: number): Doc {
  if (depth > 0 && random.chance(35)) {
    const parts = Array.from({ length: 1 + random.below(3) }, () => createFilter(random, depth - 1))
    return { [random.pick(['$and', '$or', '$nor'])]: parts }
  }
  const conditions = Array.from({ length: 1 + random.below(2) }, () => createCondition(random))
  return Object.fromEntries(conditions)
}

function createCondition(random: Random): readonly [path: string, condition: Value] {
  const number = (): number => random.below(4)
  const tag = (): string => random.pick(tags)
  const when = (): Date => new Date(number() * 1000)
  return random.pick<() => readonly [string, Value]>([
    () => ['owner', caller],
    () => ['owner', random.pick([{ $ne: caller }, { $in: [caller] }, { $exists: true }])],
    () => ['a', random.pick<Value>([number(), null, ...toTests(random, number)])],
    () => [
      'tags',
      random.pick<Value>([tag(), null, ...toTests(random, tag), ...toListTests(random)]),
    ],
    () => ['nested.x', random.pick<Value>([number(), null, ...toTests(random, number)])],
    () => ['nested.list.k', random.pick<Value>([tag(), ...toTests(random, tag)])],
    () => ['nested.list', { $elemMatch: { k: tag(), n: { $gte: number() } } }],
    () => ['nested.list', { $elemMatch: { n: number() } }],
    () => ['at', random.pick<Value>([when(), null, ...toTests(random, when)])],
    () => ['flag', random.pick<Value>([true, false, null, { $ne: true }])],
  ])()
}

function toTests(random: Random, value: () => Value): Doc[] {
  const operator = random.pick(['$gt', '$gte', '$lt', '$lte'])
  return [
    { $ne: value() },
    { $ne: null },
    { $in: [value(), value()] },
    { $in: [value(), null] },
    { $nin: [value(), value()] },
    { $in: [] },
    { [operator]: value() },
    { $not: { [operator]: value() } },
    { $exists: random.chance(50) },
  ]
}

function toListTests(random: Random): Doc[] {
  return [
    { $size: random.below(3) },
    { $all: [random.pick(tags), random.pick(tags)] },
    { $elemMatch: { $gte: 'b' } },
    { $regex: `^${random.pick(tags)}` },
    { $not: { $regex: `^${random.pick(tags)}` } },
  ]
}
