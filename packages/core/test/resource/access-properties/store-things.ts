import { Types } from 'mongoose'
import { GuardedModel } from './guarded-things.ts'
import { type Value } from './matches.ts'
import { type Random } from './random-rules.ts'
import { words } from './random-query.ts'
import { toFields } from './random-things.ts'
import { type World } from './world.ts'

/** Random fields of a guarded thing, as they are stored or as a client sends them. */
export function toInput(
  random: Random,
  { owners }: World,
  isStored: boolean,
): Record<string, Value> {
  return {
    ...toFields(random, owners, isStored),
    ...(random.chance(70) && { name: random.pick(words) }),
    ...(random.chance(50) && { code: random.pick(words) }),
    ...(random.chance(60) && { level: random.below(4) }),
  }
}

/** Stores documents of all organizations. */
export async function storeThings(random: Random, current: World): Promise<void> {
  await GuardedModel.collection.deleteMany({})
  const ids = Array.from({ length: 15 }, () => new Types.ObjectId())
  await GuardedModel.collection.insertMany(
    ids.map((_id) => ({
      _id,
      __v: 0,
      createdAt: new Date(0),
      updatedAt: new Date(0),
      organization: new Types.ObjectId(random.pick(current.organizations)),
      ...toInput(random, current, true),
      ...(random.chance(50) && { other: random.pick([...ids, new Types.ObjectId()]) }),
    })),
  )
}
