/** Numbers that look random and are the same for the same seed. */
export interface Random {
  /** A number from 0 up to and without 1. */
  readonly next: () => number
  /** A whole number from 0 up to and without `limit`. */
  readonly below: (limit: number) => number
  /** One of the items. */
  readonly pick: <T>(items: readonly [T, ...T[]]) => T
}

/**
 * Makes a generator (mulberry32).
 * @param seed - any number
 * @returns the generator
 */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return { next, below, pick: (items) => items[below(items.length)] ?? items[0] }
}
