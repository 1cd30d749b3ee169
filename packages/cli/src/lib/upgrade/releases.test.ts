import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { laterRange } from './later-range.ts'
import { renameImports } from './rename-imports.ts'
import { compareVersions, notesBetween, type Release, releases } from './releases.ts'

function exportsOf(module: string): readonly string[] {
  const name = module.replace('@create-api/core', '').slice(1) || 'index'
  const file = new URL(`../../../../core/src/${name}.ts`, import.meta.url)
  const lists = readFileSync(file, 'utf8').matchAll(/export (?:type )?\{([^}]*)\}/g)
  return [...lists].flatMap(([, list = '']) =>
    list.split(',').map((entry) =>
      entry
        .trim()
        .replace(/^type /, '')
        .replace(/^.* as /, ''),
    ),
  )
}

describe('releases', () => {
  it('move exports to where they are now', () => {
    const moved = releases.flatMap((release) => release.moved)
    expect(moved.length).toBeGreaterThan(0)
    for (const { from, names, to } of moved) {
      const [before, after] = [exportsOf(from), exportsOf(to)]
      const targets = names.map((name) => name.split('=').at(-1))
      expect(targets.filter((name) => !after.includes(name ?? ''))).toEqual([])
      expect(names.filter((name) => before.includes(name.split('=')[0] ?? ''))).toEqual([])
    }
  })

  it('have notes, which are printed for the versions between', () => {
    const release = (version: string): Release => ({ version, notes: [`note`], moved: [] })
    const known = ['2.0.0', '1.1.0', '1.0.0', '1.10.0'].map(release)
    expect(notesBetween('1.0.0', '1.10.0', known)).toEqual(['1.1.0: note', '1.10.0: note'])
    expect(notesBetween('1.10.0', '1.10.0', known)).toEqual([])
  })
})

it.each([
  ['1.0.0', '1.0.0', 0],
  ['1.2.0', '1.10.0', -1],
  ['2.0.0', '1.10.0', 1],
  ['1.0.0-rc.1', '1.0.0', -1],
  ['1.0.0', '1.0.0-rc.1', 1],
  ['1.0.0-rc.1', '1.0.0-rc.2', -1],
])('compareVersions: %s and %s', (one, other, expected) => {
  expect(Math.sign(compareVersions(one, other))).toBe(expected)
})

it.each([
  ['^1.2.0', '^1.10.0', '^1.10.0'],
  ['2.0.0', '~1.9.9', '2.0.0'],
  ['^1.0.0', '1.0.0', '^1.0.0'],
  ['workspace:*', '^1.0.0', undefined],
  ['>=1 <3', '^1.0.0', undefined],
  [1, '^1.0.0', undefined],
])('laterRange: %s and %s', (one, other, expected) => {
  expect(laterRange(one, other)).toBe(expected)
})

describe('renameImports', () => {
  const moved = [{ from: 'a', to: 'b', names: ['one', 'two=zwei'] }]

  it.each([
    ["import { one } from 'a'\n", "import { one } from 'b'\n"],
    [
      'import { keep, one as x } from "a";\n',
      'import { keep } from "a";\nimport { one as x } from "b";\n',
    ],
    ["import { two } from 'a'\n", "import { zwei as two } from 'b'\n"],
    ["import type { one } from 'a'\n", "import type { one } from 'b'\n"],
    [
      "import { type one, keep } from 'a'\r\n",
      "import { keep } from 'a'\r\nimport { type one } from 'b'\r\n",
    ],
  ])('changes %j', async (before, after) => {
    expect(await renameImports(before, moved)).toBe(after)
  })

  it.each([
    "import { keep } from 'a'\n",
    "import * as all from 'a'\n",
    "import all, { one } from 'a'\n",
    "import { one } from 'c'\n",
    "<<<<<<< yours\nimport { one } from 'a'\n",
  ])('leaves %j', async (text) => {
    expect(await renameImports(text, moved)).toBe(text)
  })
})
