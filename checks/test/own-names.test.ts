import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const oxlint = fileURLToPath(new URL('../node_modules/.bin/oxlint', import.meta.url))
const plugin = fileURLToPath(new URL('../own-names.js', import.meta.url))

it('reports names that come from users, and no others', () => {
  const folder = mkdtempSync(join(tmpdir(), 'own-names-'))
  const rules = { 'own-names/no-dynamic-in': 2 }
  const config = { jsPlugins: [plugin], categories: { correctness: 'off' }, rules }
  writeFileSync(join(folder, '.oxlintrc.json'), JSON.stringify(config))
  const lines = [
    'export const a = (name: string, fields: object) => name in fields',
    "export const b = (value: object) => 'code' in value",
    'export const c = (name: string) => name in Object.prototype',
    'export const d = (name: string, fields: object) => Object.hasOwn(fields, name)',
  ]
  writeFileSync(join(folder, 'a.ts'), lines.join('\n'))
  const { stdout } = spawnSync(oxlint, ['--format', 'json'], { cwd: folder, encoding: 'utf8' })
  rmSync(folder, { recursive: true })
  const { diagnostics } = JSON.parse(stdout) as {
    diagnostics: readonly { labels: readonly { span: { line: number } }[] }[]
  }
  expect(diagnostics.map(({ labels }) => labels[0]?.span.line)).toEqual([1])
})
