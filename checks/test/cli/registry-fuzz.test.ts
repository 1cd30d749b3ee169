import { describe, expect, it } from 'vitest'
import { rewritings } from './formatters.ts'
import { editedRegistry, freshRegistry, fuzzRegistry } from './fuzz-registry.ts'

// The short form: every formatter that works inside this process, a few steps each. The long one,
// with Biome, is registry-fuzz.e2e.ts.
describe('GEN-07: the registry under formatters, briefly', () => {
  it.each([
    ['a fresh registry', freshRegistry],
    ['an edited registry', editedRegistry],
  ])('parses, repeats and goes back to the start: %s', async (_what, start) => {
    for (const rewriting of rewritings) {
      const steps = await fuzzRegistry({ start, rewritings: [rewriting], steps: 3, seed: 7 })
      expect(steps).toBeGreaterThanOrEqual(3)
    }
  })
})
