import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
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
  // The second column of each topic: functions, classes and constants.
  const rows = read('docs/api.md').matchAll(/^\| \[[^\]]+\]\(reference\S+ \| (.*?) \|/gm)
  const names = Array.from(rows, ([, values = '']) => values.match(/(?<=\[`)\w+/g) ?? []).flat()
  expect(names.length).toBeGreaterThan(50)
  expect(names.filter((name) => !words.has(name))).toEqual([])
})

it.each(['index', 'resource', 'auth', 'pipeline'])(
  'src/%s.ts imports nothing of what has its own entry point, type-only imports included',
  (name) => {
    const source = path.join(import.meta.dirname, '../src')
    const files = findImported(path.join(source, `${name}.ts`))
    expect(files.size).toBeGreaterThan(10)
    const ofOthers =
      /^lib\/(?:audit|bulk|exports|live|metrics|migrations|personal-data|tenants|testing)\//
    const found = Array.from(files, (file) => path.relative(source, file))
    expect(found.filter((file) => ofOthers.test(file))).toEqual([])
  },
)

const features = 'audit bulk exports live metrics migrations personal-data tenants'.split(' ')

it('the entry points of features import the code of their folders', () => {
  for (const name of features) {
    const files = findImported(path.join(import.meta.dirname, `../src/${name}.ts`))
    expect([...files].some((file) => file.includes(`/lib/${name}/`))).toBe(true)
  }
})

function findImported(file: string, found: Set<string> = new Set()): Set<string> {
  found.add(file)
  const { importedFiles } = ts.preProcessFile(readFileSync(file, 'utf8'))
  for (const { fileName } of importedFiles) {
    const imported = path.join(path.dirname(file), fileName)
    if (fileName.startsWith('.') && !found.has(imported)) findImported(imported, found)
  }
  return found
}
