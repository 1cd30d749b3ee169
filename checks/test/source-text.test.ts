import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'

const oxlint = fileURLToPath(new URL('../node_modules/.bin/oxlint', import.meta.url))
const plugin = fileURLToPath(new URL('../source-text.js', import.meta.url))

const rule = 'source-text/no-quoted-interpolation'

function lint(code: string): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'source-text-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const config = { jsPlugins: [plugin], categories: { correctness: 'off' }, rules: { [rule]: 2 } }
  writeFileSync(join(folder, '.oxlintrc.json'), JSON.stringify(config))
  writeFileSync(join(folder, 'a.ts'), code)
  const { stdout } = spawnSync(oxlint, ['--format', 'json'], { cwd: folder, encoding: 'utf8' })
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: readonly { code: string }[] }
  return diagnostics.map(({ code: name }) => name)
}

it.each([
  "export const line = (name: string) => `ref: '${name}'`",
  'export const line = (path: string) => `import { a } from ${path}`',
  "export const line = (names: string, path: string) => `import { ${names} } from './${path}.js'`",
])('reports %s', (code) => {
  expect(lint(code)).toEqual(['source-text(no-quoted-interpolation)'])
})

it.each([
  'export const line = (name: string) => `ref: ${quoted(name)}`',
  'export const line = (path: string) => `import { a } from ${quoted(path)}`',
  'export const line = (name: string) => `field "${name}" is repeated`',
])('accepts %s', (code) => {
  expect(lint(code)).toEqual([])
})
