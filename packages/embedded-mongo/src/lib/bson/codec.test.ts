import { BSONRegExp, BSONSymbol, Code, deserialize, Double, EJSON, Long, serialize } from 'bson'
import { describe, expect, it } from 'vitest'
import { createRandom, randomValue } from '../../../test/random.ts'
import { CommandError } from '../errors/command-error.ts'
import { decode, decodeFields, encode } from './codec.ts'
import { typeName } from './type-name.ts'

describe('decode', () => {
  it('keeps the exact type of every number', () => {
    const doc = decode(
      encode({ int: 1, double: new Double(1), half: 0.5, long: Long.fromInt(1), zero: -0 }),
    )
    expect(Object.values(doc).map((value) => typeName(value))).toEqual([
      'int',
      'double',
      'double',
      'long',
      'double',
    ])
    expect(Object.is(doc['zero'], -0)).toBe(true)
  })

  it('keeps the same bytes over a round trip, for 20,000 random documents', () => {
    const random = createRandom(11)
    const faults: string[] = []
    for (let i = 0; i < 20_000; i++) {
      const bytes = encode({ a: randomValue(random, 3), é: randomValue(random, 2) })
      if (!encode(decode(bytes)).equals(bytes)) faults.push(EJSON.stringify(deserialize(bytes)))
    }
    expect(faults).toEqual([])
  })

  it('reads __proto__ as an ordinary field', () => {
    const doc = decode(serialize(JSON.parse('{"__proto__": {"polluted": true}, "a": 1}') as object))
    expect(Object.keys(doc)).toEqual(['__proto__', 'a'])
    expect(Object.getPrototypeOf(doc)).toBe(Object.prototype)
    expect(encode(doc)).toEqual(encode(decode(encode(doc))))
  })

  it('reads names and texts of any length and script', () => {
    const doc = {
      ['n'.repeat(300)]: 'x'.repeat(5000),
      日本: '語',
      '': '',
      a: 'é',
      'sixteen chars ok': '0123456789abcdef',
    }
    expect(decode(encode(doc))).toEqual(doc)
  })

  it('rejects invalid BSON, wherever it is cut or flipped, without hanging', () => {
    const bytes = encode({
      a: [1, 'two', { b: new Date(0) }],
      c: Long.fromInt(5),
      d: Buffer.from('xyz'),
    })
    for (let length = 0; length < bytes.length; length++) {
      expect(() => decode(bytes.subarray(0, length)), `cut at ${length}`).toThrow(CommandError)
    }
    const outcomes = new Set<string>()
    for (let at = 0; at < bytes.length; at++) {
      const flipped = Buffer.from(bytes)
      flipped[at] = 255 - (flipped[at] ?? 0)
      outcomes.add(outcome(flipped))
    }
    expect([...outcomes].filter((name) => name !== 'decoded' && name !== 'InvalidBSON')).toEqual([])
  })

  it('rejects documents that are nested too deeply', () => {
    let doc: Record<string, unknown> = {}
    for (let depth = 0; depth < 200; depth++) doc = { a: doc }
    expect(() => decode(serialize(doc))).toThrow(expect.objectContaining({ code: 15 }))
  })
})

function outcome(bytes: Buffer): string {
  try {
    decode(bytes)
    return 'decoded'
  } catch (error) {
    return error instanceof CommandError ? error.codeName : String(error)
  }
}

describe('decodeFields', () => {
  it('reads what decode reads of these fields, for 20,000 random documents', () => {
    const random = createRandom(12)
    const names = ['a', 'b', 'é', 'ab', '__proto__', 'constructor', '']
    const faults: string[] = []
    for (let i = 0; i < 20_000; i++) {
      const present = names.filter(() => random.chance(0.6))
      const doc = Object.fromEntries(present.map((name) => [name, randomValue(random, 2)]))
      const bytes = encode(doc)
      const wanted = new Set(names.filter(() => random.chance(0.4)))
      const all = decode(bytes)
      for (const name of Object.keys(all)) if (!wanted.has(name)) delete all[name]
      if (!encode(decodeFields(bytes, wanted)).equals(encode(all)))
        faults.push(EJSON.stringify(deserialize(bytes)))
    }
    expect(faults).toEqual([])
  })

  it('skips code, with and without a scope, and patterns', () => {
    const bytes = encode({
      a: new Code('f()'),
      b: new Code('g()', { x: 1 }),
      c: new BSONRegExp('a', 'i'),
      d: new BSONSymbol('s'),
      e: 1,
    })
    expect(decodeFields(bytes, new Set(['e']))).toEqual({ e: 1 })
  })

  it('rejects invalid BSON, wherever it is cut', () => {
    const bytes = encode({ a: [1, 'two', { b: new Date(0) }], d: Buffer.from('xyz'), e: 1 })
    for (let length = 0; length < bytes.length; length++) {
      expect(() => decodeFields(bytes.subarray(0, length), new Set(['e']))).toThrow(CommandError)
    }
    for (let place = 0; place < bytes.length; place++) {
      for (let bit = 0; bit < 8; bit++) {
        const flipped = Buffer.from(bytes)
        flipped[place] = (flipped[place] ?? 0) ^ (1 << bit)
        try {
          decodeFields(flipped, new Set(['e']))
        } catch (error) {
          expect(error).toBeInstanceOf(CommandError)
        }
      }
    }
  })
})
