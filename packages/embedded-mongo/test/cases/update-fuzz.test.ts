import { Double, EJSON } from 'bson'
import { describe, expect, it } from 'vitest'
import { CommandError } from '../../src/lib/errors/command-error.ts'
import { compileUpdate } from '../../src/lib/update/compile-update.ts'
import { createRandom, type Random } from '../random.ts'
import { type Plain, referenceUpdate, Refused } from './reference-update.ts'

// More: UPDATE_FUZZ_ROUNDS=200000 FUZZ_SEED=7 npx vitest run update-fuzz
const rounds = Number(process.env['UPDATE_FUZZ_ROUNDS'] ?? 20_000)
const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_121)

describe('compileUpdate', () => {
  it(`does what a slow and obvious implementation does, ${rounds} times`, () => {
    const random = createRandom(seed)
    const faults: string[] = []
    let refused = 0
    let changed = 0
    for (let i = 0; i < rounds; i++) {
      const doc: Plain = { _id: 1, ...randomDocument(random, 3) }
      const update = randomUpdate(random)
      const hit = random.pick([undefined, -1, 0, 1])
      const before = write(doc)
      const found = outcome(() => {
        const result = compileUpdate(update, { arrayFilters: filtersFor(update) }).apply(doc, hit)
        if (result !== doc) changed++
        if ((result === doc) !== (write(result) === before))
          return 'wrong about whether anything changed'
        return write(result)
      })
      const wanted = outcome(() =>
        write(referenceUpdate(doc, update, { hit, filters: { x: isBig } })),
      )
      if (found.startsWith('code')) refused++
      if (write(doc) !== before) faults.push(`changed its input: ${write(update)}`)
      if (found !== wanted)
        faults.push(`${write(doc)} ${write(update)} hit ${hit}: ${found} instead of ${wanted}`)
    }
    expect(faults.slice(0, 5), `seed ${seed}`).toEqual([])
    // A fuzz that mostly refuses, or mostly changes nothing, would prove little.
    expect(refused).toBeLessThan(rounds * 0.6)
    expect(changed).toBeGreaterThan(rounds * 0.25)
  })
})

function outcome(run: () => string): string {
  try {
    return run()
  } catch (error) {
    if (error instanceof CommandError || error instanceof Refused) return `code ${error.code}`
    throw error
  }
}

function write(value: unknown): string {
  return EJSON.stringify(value, { relaxed: false })
}

function isBig(item: unknown): boolean {
  const candidates: unknown[] = Array.isArray(item) ? item : [item]
  return candidates.some(
    (value) => (value instanceof Double ? value.value : typeof value === 'number' ? value : 0) >= 2,
  )
}

function filtersFor(update: Plain): Plain[] {
  return JSON.stringify(update).includes('$[x]') ? [{ x: { $gte: 2 } }] : []
}

const names = ['a', 'b', 'c']

function randomDocument(random: Random, depth: number): Plain {
  const doc: Plain = {}
  for (const name of names) if (random.chance(0.7)) doc[name] = randomItem(random, depth)
  return doc
}

function randomItem(random: Random, depth: number): unknown {
  const kind = random.int(depth > 0 ? 10 : 5)
  if (kind < 2) return random.pick([0, 1, 2, 3, -1])
  if (kind === 2) return random.pick([0.5, 1.5, new Double(2), null])
  if (kind === 3) return random.pick(['x', 'y', ''])
  if (kind < 6 && depth > 0) return randomDocument(random, depth - 1)
  if (depth === 0) return random.int(4)
  return Array.from({ length: random.int(4) }, () => randomItem(random, depth - 1))
}

function randomPath(random: Random): string {
  const parts = [random.pick(names)]
  while (random.chance(0.3)) {
    parts.push(random.pick(['0', '1', '3', '$[]', '$[x]', '$', ...names, ...names]))
  }
  return parts.filter((part, i) => part !== '$' || parts.indexOf('$') === i).join('.')
}

const operators = [
  '$set',
  '$unset',
  '$inc',
  '$mul',
  '$min',
  '$max',
  '$push',
  '$addToSet',
  '$pull',
  '$pullAll',
  '$pop',
]

function randomUpdate(random: Random): Plain {
  const update: Record<string, Plain> = {}
  for (let i = random.int(2); i >= 0; i--) {
    if (random.chance(0.1)) {
      const [from, to] = [randomPlainPath(random), randomPlainPath(random)]
      if (from !== to) update['$rename'] = { ...update['$rename'], [from]: to }
    } else {
      const operator = random.pick(operators)
      update[operator] = {
        ...update[operator],
        [randomPath(random)]: randomOperand(random, operator),
      }
    }
  }
  return Object.keys(update).length > 0 ? update : { $set: { a: 1 } }
}

function randomPlainPath(random: Random): string {
  return random.chance(0.6)
    ? random.pick(names)
    : `${random.pick(names)}.${random.pick(['a', 'b', '0'])}`
}

function randomOperand(random: Random, operator: string): unknown {
  const item = randomItem(random, 1)
  const items = Array.from({ length: random.int(4) }, () => randomItem(random, 1))
  switch (operator) {
    case '$inc':
    case '$mul':
      return random.pick([1, 2, -1, 0, 0.5, new Double(3)])
    case '$pop':
      return random.pick([1, -1])
    case '$pullAll':
      return items
    case '$pull':
      return random.chance(0.3)
        ? { $gte: random.int(3) }
        : random.chance(0.3)
          ? { a: random.int(3) }
          : item
    case '$addToSet':
      return random.chance(0.4) ? { $each: items } : item
    case '$push':
      return random.chance(0.6) ? randomPush(random, items) : item
    default:
      return item
  }
}

function randomPush(random: Random, items: unknown[]): Plain {
  const push: Plain = { $each: items }
  if (random.chance(0.4)) push['$position'] = random.int(5) - 2
  if (random.chance(0.4)) push['$sort'] = random.pick([1, -1])
  if (random.chance(0.4)) push['$slice'] = random.int(7) - 3
  return push
}
