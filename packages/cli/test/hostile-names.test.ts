import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { createProjectProgram } from '../src/lib/programs/create-program.ts'
import { createProject, createTemporaryFolder, readTree, runProgram } from './run-program.ts'

// GEN-01: names that are none.
const malformed = [
  '',
  ' ',
  '.',
  '..',
  '../../x',
  '..\\x',
  '/etc/passwd',
  'a/b',
  'C:\\x',
  'C:x',
  'a\0b',
  'a\nb',
  '日本',
  'naïve',
  'po"sts',
  "po'sts",
  'po`sts',
  '1abc',
  '9',
  '_x',
  '-x',
  'x-',
  'x_',
  'a--b',
  'a__b',
  'a b',
  'a.b',
  'a:b',
  'a@b',
  '@scope/x',
  '%2e%2e',
  'a\u202Eb',
  '\uFEFFposts',
  '😀',
  'x'.repeat(65),
  'x'.repeat(300),
]

// GEN-03: names that somebody might run.
const code = [
  'posts;touch PWNED',
  'posts|touch PWNED',
  'posts&touch PWNED',
  '$(touch PWNED)',
  '`touch PWNED`',
  '${1}',
  '$HOME',
  '{{constructor}}',
  '{{#with this}}x{{/with}}',
  '<%=1%>',
  '#{1}',
  '<script>',
  '*/ process.exit() /*',
  "');process.exit();('",
]

// GEN-02: names that the language, the framework or a system has taken.
const reserved = `
  class Class new delete return await yield let static package interface enum import default
  function import-s typeof void while with __proto__ constructor prototype
  Object Array Map Set Date Error Promise Symbol Function Document Model Schema Router Request
  Response auth health docs openapi v1 index con prn aux nul com1 lpt9 User users session`
  .trim()
  .split(/\s+/)
  .filter((name) => name !== 'import-s')

describe('hostile names', () => {
  it.each([
    ['GEN-01', malformed],
    ['GEN-02', reserved],
    ['GEN-03', code],
  ])('%s: are refused with exit code 2 and an unchanged tree', async (_row, names) => {
    const root = await createProject()
    const before = readTree(root)
    for (const name of names) {
      for (const args of [
        ['generate', 'resource', '--', name],
        ['generate', 'model', '--', name],
        ['destroy', 'resource', '--', name],
      ]) {
        const { code: exit, stderr } = await runProgram(createApiProgram, args, { cwd: root })
        expect([name, exit]).toEqual([name, 2])
        expect(stderr).toMatch(/^error: /)
      }
    }
    expect(readTree(root)).toEqual(before)
  })

  it('are at least sixty', () => {
    expect(new Set([...malformed, ...code, ...reserved]).size).toBeGreaterThanOrEqual(60)
  })

  it.each([
    ['GEN-01', malformed.filter((name) => !/^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/.test(name))],
    ['GEN-03', code],
  ])('%s: are refused as fields and middleware', async (_row, names) => {
    const root = await createProject()
    const before = readTree(root)
    // These are types or modifiers after a colon, not part of the name.
    for (const name of names.filter((field) => !field.includes(':'))) {
      for (const args of [
        ['generate', 'resource', 'posts', '--', name],
        ['generate', 'middleware', '--', name],
      ]) {
        const { code: exit } = await runProgram(createApiProgram, args, { cwd: root })
        expect([args, exit]).toEqual([args, 2])
      }
    }
    expect(readTree(root)).toEqual(before)
  })

  it.each([
    ['GEN-01', malformed],
    ['GEN-03', code],
  ])('%s: are refused as names of projects and their resources', async (row, names) => {
    const cwd = createTemporaryFolder()
    const quick = ['--yes', '--no-install', '--no-git']
    for (const name of names) {
      const named = ['svc', '--name', name, ...quick]
      // npm allows these; a resource cannot have them.
      const isName = /^(9|1abc|_x|-x|x-|x_|a--b|a__b|a\.b|@scope\/x|x{65})$/.test(name)
      if (!isName) {
        const { code: exit } = await runProgram(createProjectProgram, named, { cwd })
        expect([name, exit]).toEqual([name, 2])
      }
      if (row === 'GEN-03' && /^[^\s"']+$/.test(name)) {
        const args = ['svc', `--resource=${name}`, ...quick]
        const { code: exit } = await runProgram(createProjectProgram, args, { cwd })
        expect([name, exit]).toEqual([name, 2])
      }
    }
    expect(readTree(cwd)).toEqual(new Map())
  })

  it('GEN-03: stay what they are in a default, a pattern and a choice', async () => {
    const root = await createProject()
    const args = ['generate', 'resource', 'posts', '--', 'title:string:default={{x}}${1}$(id)`']
    const { code: exit } = await runProgram(createApiProgram, args, { cwd: root })
    expect(exit).toBe(0)
    const texts = [...readTree(join(root, 'src/resources')).values()].join('\n')
    expect(texts).toContain("'{{x}}${1}$(id)`'")
  })
})
