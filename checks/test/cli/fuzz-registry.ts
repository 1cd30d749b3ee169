import { expect } from 'vitest'
import {
  addMount,
  type Mount,
  removeMount,
} from '../../../packages/cli/src/lib/registry/edit-registry.ts'
import { parseSource, readRegistry } from '../../../packages/cli/src/lib/registry/read-registry.ts'
import { type Rewriting } from './formatters.ts'

/** A registry as create-api writes it. */
export const freshRegistry = `import { createRegistry } from '@create-api/core'
// <api:imports> \`api generate\` adds imports above the closing line
// </api:imports>

export const routes = createRegistry()

// <api:mounts> \`api generate\` adds mounts above the closing line
// </api:mounts>
`

/** The same after somebody has worked on it. */
export const editedRegistry = `import { createRegistry } from '@create-api/core'
import { readFileSync } from 'node:fs'
/* <api:imports> */
import type { RequestHandler } from 'express'
import zebra, { type Stripe } from './zebra.js'
/* </api:imports> keep me */
import './side-effect.js'

const stripes: Stripe[] = [zebra(readFileSync('x'))]
export const routes = createRegistry()
const log: RequestHandler = (_req, _res, next) => next()

// <api:mounts>
routes.use('/own', log as never)
// between the markers
// </api:mounts>
;[...stripes].forEach(String)
`

/** Numbers that look random and are the same in every run with the same seed. */
export function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const words = ['api', 'blog', 'zoo', 'order', 'item', 'a', 'very', 'longish', 'node', 'express']

// Twenty resources with names of one to seven words: some sort first, some last, some wrap.
function toMount(index: number, random: (below: number) => number): Mount {
  const name = Array.from({ length: 1 + random(7) }, () => words[random(words.length)])
  const kebab = `${name.join('-')}-${'abcdefghijklmnopqrst'[index] ?? ''}s`
  const router = kebab.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
  return {
    router: `${router}Router`,
    specifier: `./resources/${kebab}/${kebab}.routes.js`,
    path: `${random(4) === 0 ? '/api/v2/' : '/api/'}${kebab}`,
  }
}

/** What {@link fuzzRegistry} does. */
export interface Fuzz {
  readonly start: string
  readonly rewritings: readonly Rewriting[]
  readonly steps: number
  readonly seed: number
}

/**
 * Adds and removes random resources one at a time, the file rewritten after each step. Every state
 * must parse, hold exactly what was added, and not change when the step is repeated; at the end
 * everything is removed, and the start must be left.
 *
 * @param fuzz what to do
 * @returns the number of steps done
 */
export async function fuzzRegistry({ start, rewritings, steps, seed }: Fuzz): Promise<number> {
  const random = createRandom(seed)
  const mounts = Array.from({ length: 20 }, (_, index) => toMount(index, random))
  const present = new Set<Mount>()
  const [first] = rewritings
  if (first === undefined) return 0
  const origin = await first.rewrite(start)
  const begun = await readRegistry(origin)
  let text = origin
  let done = 0

  const toggle = async (mount: Mount, rewriting: Rewriting): Promise<void> => {
    const edit = present.has(mount) ? removeMount : addMount
    if (!present.delete(mount)) present.add(mount)
    const edited = await edit(text, mount)
    expect(edited).toMatchObject({ imports: 1, mounts: 1 })
    text = await rewriting.rewrite(edited.source)
    expect(await edit(text, mount)).toEqual({ source: text, imports: 0, mounts: 0 })
    const registry = await readRegistry(text)
    const expected = [...begun.mounts, ...present].map(({ path }) => path)
    expect(new Set(registry.mounts.map(({ path }) => path))).toEqual(new Set(expected))
    expect(registry.mounts).toHaveLength(expected.length)
    expect(registry.imports).toHaveLength(begun.imports.length + present.size)
    done += 1
  }

  for (let step = 0; step < steps; step += 1) {
    const mount = mounts[random(mounts.length)]
    const rewriting = rewritings[random(rewritings.length)]
    if (mount !== undefined && rewriting !== undefined) await toggle(mount, rewriting)
  }
  for (const mount of present) await toggle(mount, first)
  await parseSource(text)
  const moves = rewritings.length > 1 || first.sorts === true
  const plain = moves ? toPlainLines : String
  expect(plain(await first.rewrite(text))).toBe(plain(origin))
  return done
}

// A sorter moves comments with imports and sets groups apart, a team has several styles at once:
// what is left is the same lines.
function toPlainLines(text: string): string {
  return text
    .replace('\uFEFF', '')
    .replaceAll('"', "'")
    .split(/;?\s*\n/)
    .filter((line) => line.trim() !== '')
    .toSorted()
    .join('\n')
}
