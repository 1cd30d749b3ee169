import { describe, expect, it } from 'vitest'
import { biomeRewritings, rewritings } from './formatters.ts'
import { editedRegistry, freshRegistry, fuzzRegistry } from './fuzz-registry.ts'

// FUZZ_STEPS=5000 FUZZ_SEED=1 for a long run of another kind.
const steps = Number(process.env['FUZZ_STEPS'] ?? 10)
const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_121)

describe('the registry under formatters', () => {
  it.each([
    ['a fresh registry', freshRegistry],
    ['an edited registry', editedRegistry],
  ])(
    'parses, repeats and goes back to the start under each formatter: %s',
    async (_what, start) => {
      let done = 0
      for (const rewriting of [...rewritings, ...biomeRewritings()]) {
        done += await fuzzRegistry({ start, rewritings: [rewriting], steps, seed })
      }
      expect(done).toBeGreaterThanOrEqual(200)
    },
  )

  it('survives a team of which everybody has set up another formatter', async () => {
    const all = [...rewritings, ...biomeRewritings()]
    const done = await fuzzRegistry({
      start: freshRegistry,
      rewritings: all,
      steps: 20 * steps,
      seed,
    })
    expect(done).toBeGreaterThanOrEqual(200)
  })
})
