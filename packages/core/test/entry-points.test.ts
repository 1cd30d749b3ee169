import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'

// A change of an entry point shows up in the reference, and so in the review of the change.
it('the API reference describes exactly what each entry point exports', () => {
  const script = path.join(import.meta.dirname, '../../../scripts/docs/api-reference.js')
  const check = (): Buffer => execFileSync(process.execPath, [script, '--check'])
  expect(check).not.toThrow()
})

it('the documentation mentions every function, class and constant', () => {
  const root = path.join(import.meta.dirname, '../../..')
  const read = (name: string): string => readFileSync(path.join(root, name), 'utf8')
  const pages = readdirSync(path.join(root, 'docs'))
    .filter((name) => name.endsWith('.md') && name !== 'api.md')
    .map((name) => `docs/${name}`)
  const all = [...pages, 'README.md', 'packages/openapi-diff/README.md']
  const words = new Set(all.flatMap((name) => read(name).match(/\w+/g) ?? []))
  const rows = read('docs/api.md').matchAll(/^\| \[`(\w+)`\]\S+ \| (?:function|class|constant)/gm)
  const names = Array.from(rows, ([, name = '']) => name)
  expect(names.length).toBeGreaterThan(50)
  expect(names.filter((name) => !words.has(name))).toEqual([])
})
