import { Types } from 'mongoose'
import { type Doc, type Value } from './matches.ts'
import { type Random, tags } from './random-rules.ts'

/** Random fields, as they are stored or as a client sends them. */
export function toFields(
  random: Random,
  owners: readonly string[],
  isStored: boolean,
): Record<string, Value> {
  const number = (): number => random.below(4)
  const owner = random.pick(owners)
  const list = (): object[] =>
    Array.from({ length: random.below(3) }, () => ({ k: random.pick(tags), n: number() }))
  const nested = {
    ...(random.chance(70) && { x: random.chance(20) ? null : number() }),
    ...(random.chance(60) && { list: list() }),
  }
  const time = new Date(number() * 1000)
  return {
    ...(random.chance(70) && { a: random.chance(15) ? null : number() }),
    ...(random.chance(70) && {
      tags: Array.from({ length: random.below(4) }, () => random.pick(tags)),
    }),
    ...(random.chance(70) && Object.keys(nested).length > 0 && { nested }),
    ...(random.chance(70) && { owner: isStored ? new Types.ObjectId(owner) : owner }),
    ...(random.chance(60) && { at: isStored ? time : time.toISOString() }),
    ...(random.chance(60) && { flag: random.chance(50) }),
  }
}

/** Gives what a client sends the types of the model. */
export function asStored(fields: Doc): Doc {
  const { at, owner } = fields
  return {
    ...fields,
    ...(typeof at === 'string' && { at: new Date(at) }),
    ...(typeof owner === 'string' && { owner: new Types.ObjectId(owner) }),
  }
}

/** RFC 7396 section 2. */
export function mergePatch(target: Value, patch: Value): Value {
  if (
    Object.prototype.toString.call(patch) !== '[object Object]' ||
    patch instanceof Types.ObjectId
  ) {
    return patch
  }
  const isObject = Object.prototype.toString.call(target) === '[object Object]'
  const merged = { ...(isObject ? Object(target) : {}) }
  for (const [key, value] of Object.entries(Object(patch))) {
    if (value === null) Reflect.deleteProperty(merged, key)
    else merged[key] = mergePatch(merged[key], value)
  }
  return merged
}
