import { EJSON } from 'bson'
import { describe, expect, it } from 'vitest'
import { createRandom, randomNumber, randomValue } from '../../../test/random.ts'
import { CommandError } from '../errors/command-error.ts'
import { compare } from './compare.ts'
import { documentKeys } from './document-keys.ts'
import { encodeKey } from './encode-key.ts'

describe('encodeKey', () => {
  it.each([
    ['numbers', 40_000, randomNumber],
    ['values of all types', 60_000, randomValue],
  ] as const)('orders %s as compare does, both ways', (_name, pairs, make) => {
    const seed = 20_261_121
    const random = createRandom(seed)
    const faults: string[] = []
    for (let i = 0; i < pairs; i++) {
      const a = make(random)
      const b = make(random)
      const order = Math.sign(compare(a, b))
      const found = [
        Math.sign(compare(b, a)),
        sign(encodeKey(a), encodeKey(b)),
        sign(encodeKey(a, true), encodeKey(b, true)),
      ]
      const wanted = [0 - order, order, 0 - order]
      if (found.join() !== wanted.join()) faults.push(EJSON.stringify([i, a, b, found]))
    }
    expect(faults, `seed ${seed}`).toEqual([])
  })

  it('returns keys of which none is a prefix of another', () => {
    const random = createRandom(7)
    const keys = Array.from({ length: 3000 }, () => encodeKey(randomValue(random))).toSorted()
    for (let i = 1; i < keys.length; i++) {
      const [before = '', key = ''] = keys.slice(i - 1)
      expect(key === before || !key.startsWith(before)).toBe(true)
    }
  })
})

describe('compare', () => {
  it('is transitive over mixed numbers', () => {
    const random = createRandom(3)
    for (let i = 0; i < 5000; i++) {
      const [a, b, c] = [randomNumber(random), randomNumber(random), randomNumber(random)].toSorted(
        (x, y) => compare(x, y),
      )
      expect(compare(a, b) <= 0 && compare(b, c) <= 0 && compare(a, c) <= 0).toBe(true)
    }
  })
})

describe('documentKeys', () => {
  it('creates a null key for a missing field and reports the field as absent', () => {
    expect(documentKeys({}, { a: 1 })).toEqual({
      keys: [ascending(null)],
      multikey: [false],
      present: false,
    })
  })

  it('creates a key for each element once, and a key below null for an empty array', () => {
    const { keys, multikey } = documentKeys({ a: [1, 2, 1] }, { a: 1 })
    expect(keys).toEqual([ascending(1), ascending(2)])
    expect(multikey).toEqual([true])
    expect(documentKeys({ a: [] }, { a: 1 }).keys).toEqual([ascending(undefined)])
    expect(ascending(undefined) < ascending(null)).toBe(true)
  })

  it('pairs the subpaths of one array instead of crossing them', () => {
    const doc = { a: [{ b: 1, c: 2 }, { b: 3 }, 4] }
    const { keys, multikey } = documentKeys(doc, { 'a.b': 1, 'a.c': 1 })
    expect(keys).toEqual([ascending(1, 2), ascending(3, null), ascending(null, null)])
    expect(multikey).toEqual([true, true])
  })

  it('follows arrays inside arrays of documents', () => {
    const doc = { a: [{ b: [1, 2] }, { b: 3 }], c: 9 }
    expect(documentKeys(doc, { c: 1, 'a.b': 1 }).keys).toEqual([
      ascending(9, 1),
      ascending(9, 2),
      ascending(9, 3),
    ])
  })

  it('keeps a nested array as one value', () => {
    expect(documentKeys({ a: [[1, 2], 3] }, { a: 1 }).keys).toEqual([
      ascending([1, 2]),
      ascending(3),
    ])
  })

  it('treats a number in a path as an array position', () => {
    expect(documentKeys({ a: [5, 6] }, { 'a.1': 1 }).keys).toEqual([ascending(6)])
    expect(documentKeys({ a: [[{ b: 1 }]] }, { 'a.0.b': 1 }).keys).toEqual([ascending(1)])
  })

  it('rejects two independent arrays', () => {
    expect(() => documentKeys({ a: [1], b: [2] }, { a: 1, b: 1 })).toThrow(
      new CommandError('CannotIndexParallelArrays', 'cannot index parallel arrays [b] [a]'),
    )
  })
})

function ascending(...values: unknown[]): string {
  return values.map((value) => encodeKey(value)).join('')
}

function sign(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
