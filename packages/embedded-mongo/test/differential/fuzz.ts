import { generators } from '../generators/scripts.ts'
import { createRandom } from '../random.ts'
import { compareScript, type Difference, type Pair, write } from './compare.ts'
import { explained } from './explained.ts'
import { shrinkDifference } from './shrink.ts'
import { connectWire } from './wire.ts'

export interface FuzzOptions {
  /** Connection strings: the embedded database, and the server that is right. */
  readonly a: string
  readonly b: string
  readonly seed: number
  /** Cases for each generator. */
  readonly runs: number
  readonly generators: readonly string[]
  readonly print: (line: string) => void
}

const casesPerScript = 100
// Enough to work on; the others are often the same.
const maxDifferences = 10

/** @returns the number of unexplained differences */
export async function fuzz(options: FuzzOptions): Promise<number> {
  const servers = { a: await connectWire(options.a), b: await connectWire(options.b) }
  let total = 0
  try {
    for (const name of options.generators) total += await fuzzGenerator(servers, name, options)
  } finally {
    servers.a.close()
    servers.b.close()
  }
  return total
}

async function fuzzGenerator(servers: Pair, name: string, options: FuzzOptions): Promise<number> {
  const generate = generators[name]
  if (!generate) {
    throw new Error(`No generator '${name}'; there are ${Object.keys(generators).join(', ')}`)
  }
  const counts = new Map(explained.map((item) => [item.name, 0]))
  let cases = 0
  let unexplained = 0
  for (let number = 0; cases < options.runs && unexplained < maxDifferences; number++) {
    const seed = options.seed * 1_000_000 + number
    const length = Math.min(casesPerScript, options.runs - cases)
    cases += length
    for (const difference of await compareScript(servers, generate(createRandom(seed), length))) {
      if (difference.explanation !== undefined) {
        counts.set(difference.explanation, (counts.get(difference.explanation) ?? 0) + 1)
        continue
      }
      unexplained += 1
      options.print(describe(name, seed, await shrinkDifference(servers, difference)))
      if (unexplained >= maxDifferences) break
    }
  }
  const known = [...counts].filter(([, count]) => count > 0).map(([key, n]) => `${key}: ${n}`)
  options.print(
    `${name}: ${cases} cases, ${unexplained} unexplained differences${known.length > 0 ? ` (${known.join(', ')})` : ''}`,
  )
  return unexplained
}

function describe(name: string, seed: number, { script, command, a, b }: Difference): string {
  const steps = [...script.setup, command].map((step) => `    ${write(step)}`)
  return [`${name}, seed ${seed}:`, ...steps, `  A ${a}`, `  B ${b}`].join('\n')
}
