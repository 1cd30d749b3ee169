import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { addMount, type Mount, removeMount } from '../../src/lib/registry/edit-registry.ts'
import { createTemporaryFolder } from '../run-program.ts'

const oxfmt = fileURLToPath(new URL('../../../../node_modules/oxfmt/bin/oxfmt', import.meta.url))

const start = `import { createRegistry } from '@create-api/core'
// <api:imports>
// </api:imports>

export const routes = createRegistry()

// <api:mounts>
// </api:mounts>
`

type Rewrite = (text: string) => string

function formatter(settings: object): Rewrite {
  const cwd = createTemporaryFolder()
  writeFileSync(join(cwd, '.oxfmtrc.json'), JSON.stringify(settings))
  return (text) => {
    const args = [oxfmt, '--stdin-filepath=routes.ts']
    const { status, stdout } = spawnSync(process.execPath, args, { cwd, input: text })
    expect(status).toBe(0)
    return stdout.toString()
  }
}

function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

function toMount(index: number): Mount {
  const name = `${'z'.repeat((index * 7) % 31)}thing${'abcdefghijklmnopqrst'[index] ?? ''}`
  return {
    router: `${name}Router`,
    specifier: `./resources/${name}/${name}.routes.js`,
    path: `/api/${name}`,
  }
}

describe('the registry under formatters', () => {
  it.each([
    ['none', () => (text: string) => text],
    ['oxfmt', () => formatter({ semi: false, singleQuote: true })],
    ['oxfmt, semicolons and double quotes', () => formatter({})],
    ['oxfmt, 40 columns and tabs', () => formatter({ printWidth: 40, useTabs: true })],
    ['oxfmt, sorted imports', () => formatter({ experimentalSortImports: {}, semi: false })],
    ['CRLF', () => (text: string) => text.replaceAll(/\r?\n/g, '\r\n')],
    ['a byte order mark', () => (text: string) => `\uFEFF${text.replace('\uFEFF', '')}`],
  ])(
    'parses, repeats and goes back to the start: %s',
    async (name, createRewrite) => {
      const rewrite = createRewrite()
      const random = createRandom(20_261_121)
      const origin = rewrite(start)
      let text = origin
      const present = new Set<number>()
      const toggle = async (index: number): Promise<void> => {
        const mount = toMount(index)
        const edit = present.has(index) ? removeMount : addMount
        if (!present.delete(index)) present.add(index)
        text = rewrite((await edit(text, mount)).source)
        const again = await edit(text, mount)
        expect(again).toEqual({ source: text, imports: 0, mounts: 0 })
        expect(text.match(/\.use\(/g)?.length ?? 0).toBe(present.size)
      }
      for (let step = 0; step < 40; step += 1) await toggle(random(20))
      for (const index of present) await toggle(index)
      // A sorter sets groups of imports apart by an empty line, and leaves it when a group goes.
      const plain: Rewrite = name.includes('sorted')
        ? (kept) => kept.replaceAll(/\n+/g, '\n')
        : (kept) => kept
      expect(plain(text)).toBe(plain(origin))
    },
    120_000,
  )
})
