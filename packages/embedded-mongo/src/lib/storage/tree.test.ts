import { describe, expect, it } from 'vitest'
import { createRandom, type Random } from '../../../test/random.ts'
import { allKeys, type KeyRange, type Reader, scan, type Value } from './store.ts'
import { Tree } from './tree.ts'

const runs = 40
const writes = 1500

function contents(reader: Reader, range = allKeys): string[] {
  return [...scan(reader, range)].map(([key, value]) => `${key} ${show(value)}`)
}

function show(value: Value | undefined): string {
  return typeof value === 'string' ? value : `${value?.length} of ${value?.at(-1)}`
}

// Keys of all kinds, prefixes of each other, with the lowest and the highest byte.
function randomKey(random: Random): string {
  const kind = random.pick(['\u0000', '\u0001', '\u0001', '\u0002', '\u0002', '\u0003'])
  const rest = random.pick(['', 'a', 'ab', '\u0000', '\u00ff', '\u00ff\u00ff'])
  return kind + rest + String.fromCharCode(random.int(256)) + random.pick(['', '\u0000', 'z'])
}

function randomValue(random: Random): Value {
  if (random.chance(0.3)) return `record${random.int(100)}`
  // Some are too large for a page, and together they fill several.
  const length = random.pick([1, 300, 4000, 15_000, 17_000, 300_000])
  return Buffer.alloc(random.chance(0.05) ? length : 1 + random.int(4000), random.int(256))
}

function randomRange(random: Random): KeyRange {
  const [start = '', end = ''] = [randomKey(random), randomKey(random)].toSorted()
  return { start, end, reverse: random.chance(0.5) }
}

// What a map of all entries says.
function expected(model: Map<string, Value>, { start, end, reverse }: KeyRange): string[] {
  const keys = [...model.keys()].filter((key) => key >= start && key < end).toSorted()
  return (reverse ? keys.toReversed() : keys).map((key) => `${key} ${show(model.get(key))}`)
}

describe('Tree', () => {
  it(`holds what a map holds, and so do its clones, wherever writes are merged (${runs} runs)`, () => {
    const problems: string[] = []
    for (let seed = 1; seed <= runs; seed += 1) {
      const random = createRandom(seed)
      const tree = new Tree({ mergedWrites: random.pick([1, 7, 100, 10_000]) })
      const model = new Map<string, Value>()
      let clone = { reader: tree.clone(), state: contents(tree) }
      for (let i = 0; i < writes; i += 1) {
        const key = randomKey(random)
        if (random.chance(0.7)) {
          const value = randomValue(random)
          tree.set(key, value)
          model.set(key, value)
        } else if (random.chance(0.96)) {
          tree.delete(key)
          model.delete(key)
        } else if (random.chance(0.5)) {
          // As a queue does: what comes first, so that whole slices are deleted.
          const range = randomRange(random)
          const first = [...scan(tree, range)].slice(0, random.int(150))
          for (const [known] of first) {
            tree.delete(known)
            model.delete(known)
          }
        } else {
          const { start, end } = randomRange(random)
          tree.deleteRange(start, end)
          for (const known of model.keys()) if (known >= start && known < end) model.delete(known)
        }
        if (show(tree.get(key)) !== show(model.get(key))) problems.push(`${seed}: get after ${i}`)
        if (i % 100 > 0) continue
        const range = random.chance(0.2) ? allKeys : randomRange(random)
        if (contents(tree, range).join('\n') !== expected(model, range).join('\n'))
          problems.push(`${seed}: range after ${i}`)
        if (contents(clone.reader).join('\n') !== clone.state.join('\n'))
          problems.push(`${seed}: clone after ${i}`)
        clone = { reader: tree.clone(), state: contents(tree) }
      }
    }
    expect(problems).toEqual([])
  })

  it('visits deleted entries at the front of a range a few times only', () => {
    const key = (n: number): string => `\u0001${String(n).padStart(5, '0')}`
    const tree = new Tree()
    for (let n = 0; n < 1000; n += 1) tree.set(key(n), `record${n}`)
    tree.merge()
    const clone = tree.clone()
    for (let n = 0; n < 500; n += 1) tree.delete(key(n))
    const first = (): string | undefined => tree.slice(allKeys, 32).entries[0]?.[0]
    expect(first()).toBeUndefined()
    for (let repeat = 0; repeat < 8; repeat += 1) expect(contents(tree)).toHaveLength(500)
    expect(first()).toBe(key(500))
    expect(contents(clone)).toHaveLength(1000)
  })
})
