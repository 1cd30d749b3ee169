import {
  Binary,
  BSONRegExp,
  Decimal128,
  Double,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
} from 'bson'

/** A seeded generator of random values; the same seed gives the same values. */
export interface Random {
  /** A number from 0 up to, not including, 1. */
  next(): number
  /** An integer from 0 up to, not including, `below`. */
  int(below: number): number
  /** One of the items. */
  pick<T>(items: readonly T[]): T
  /** True with this probability. */
  chance(probability: number): boolean
}

/** mulberry32 */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
  const int = (below: number) => Math.floor(next() * below)
  return {
    next,
    int,
    chance: (probability) => next() < probability,
    pick: (items) => items[int(items.length)] as (typeof items)[number],
  }
}

/** Values of every type, many of them close to each other or equal across types. */
export function randomScalar(random: Random): unknown {
  switch (random.int(18)) {
    case 0:
      return null
    case 1:
      return random.chance(0.5)
    case 2:
      return random.pick(['', 'a', 'b', 'ab', 'a\0b', 'a\0', 'é', '\u{1F600}', '\uFFFD', 'Z'])
    case 3:
      return new Date(random.pick([-1, 0, 1, 1_700_000_000_000]))
    case 4:
      return new ObjectId(random.pick(['0'.repeat(24), 'f'.repeat(24), '0123456789ab0123456789ab']))
    case 5:
      return new Binary(Buffer.from(random.pick(['', 'a', 'ab', 'b'])), random.pick([0, 4, 128]))
    case 6:
      return new Timestamp({ t: random.int(3), i: random.int(3) })
    case 7:
      return new BSONRegExp(random.pick(['a', 'b']), random.pick(['', 'i']))
    case 8:
      return random.pick([new MinKey(), new MaxKey()])
    default:
      return randomNumber(random)
  }
}

const edges = [0n, 1n, 2n, 2n ** 31n, 2n ** 53n, 2n ** 62n, 2n ** 63n - 1n, 10n ** 15n]

export function randomNumber(random: Random): unknown {
  const edge = random.pick(edges) * random.pick([1n, -1n]) + BigInt(random.int(5) - 2)
  switch (random.int(6)) {
    case 0:
      return random.int(7) - 3
    case 1:
      return random.pick([0.1, -0.1, 0.5, 1.5, NaN, Infinity, -Infinity, -0, 5e-324, 1.7e308])
    case 2:
      return new Double(Number(edge))
    case 3:
      return Long.fromBigInt(BigInt.asIntN(64, edge))
    case 4:
      return Decimal128.fromString(edge.toString())
    default:
      return Decimal128.fromString(
        random.pick([
          '0.1',
          '0.10',
          '0.1000000000000000055511151231257827',
          '0.10000000000000000001',
          '-0',
          '1E+6000',
          '-1E+6000',
          '1E-6000',
          'NaN',
          'Infinity',
          '-Infinity',
          '1.10',
          '9007199254740992.5',
        ]),
      )
  }
}

export function randomValue(random: Random, depth = 2): unknown {
  if (depth === 0 || random.chance(0.7)) return randomScalar(random)
  const length = random.int(3)
  if (random.chance(0.5)) return Array.from({ length }, () => randomValue(random, depth - 1))
  const doc: Record<string, unknown> = {}
  for (let i = 0; i < length; i++)
    doc[random.pick(['x', 'y', 'é'])] = randomValue(random, depth - 1)
  return doc
}
