import { Double, EJSON } from 'bson'
import { describe, expect, it } from 'vitest'
import { CommandError } from '../../src/lib/errors/command-error.ts'
import { compileUpdate } from '../../src/lib/update/compile-update.ts'
import { filtersFor, randomDocument, randomUpdate } from '../generators/updates.ts'
import { createRandom } from '../random.ts'
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
