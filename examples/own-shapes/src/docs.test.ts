import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'

const page = path.join(import.meta.dirname, '../../../docs/own-shapes.md')

const rows: readonly (readonly [name: string, ...files: string[]])[] = [
  ['routes, controllers and services', 'users', 'profiles', 'articles', 'comments'],
  ['authentication', 'auth'],
  ['errors', 'errors'],
  ['setup of the app', 'app', 'server'],
  ['models', 'user-model', 'models'],
  ['schemas of responses', 'views'],
]

async function read(file: string): Promise<string> {
  return readFile(path.join(import.meta.dirname, file), 'utf8').catch(() => '')
}

async function countLines(version: string, files: readonly string[]): Promise<number> {
  const texts = await Promise.all(files.map((file) => read(`${version}/${file}.ts`)))
  const code = texts.join('\n').replaceAll(/^import[^;]*? from '[^']*'$/gmu, '')
  return code.split('\n').filter((line) => line.trim() && !/^\s*(\/\/|\/?\*)/u.test(line)).length
}

async function toTable(): Promise<string[][]> {
  const counted = await Promise.all(
    rows.map(async ([name, ...files]) => [
      name,
      ...(await Promise.all(['with-core', 'by-hand'].map((version) => countLines(version, files)))),
    ]),
  )
  const sum = (index: number): number => counted.reduce((all, row) => all + Number(row[index]), 0)
  return [...counted, ['total', sum(1), sum(2)]].map((row) => row.map(String))
}

function withoutSpace(text: string): string {
  return text.replaceAll(/\s+/gu, '')
}

describe('docs/own-shapes.md', async () => {
  const text = await readFile(page, 'utf8')

  it('shows the code of the example', async () => {
    const snippets = [...text.matchAll(/```ts\n\/\/ (?<file>\S+)\n(?<code>[^`]*)```/gu)]
    expect(snippets.length).toBe(text.split('```ts').length - 1)
    for (const { groups } of snippets) {
      const source = withoutSpace(await read(groups?.['file'] ?? ''))
      expect(source).toContain(withoutSpace(groups?.['code'] ?? ''))
    }
  })

  it('states the lines of both versions', async () => {
    const table = await toTable()
    const body = table.map((row) => `| ${row.join(' | ')} |`).join('\n')
    const updated = text.replace(
      /(<!-- lines -->\n\n.*\n.*\n)[^<]*\n(?=<!-- \/lines -->)/u,
      (_all, head: string) => `${head}${body}\n\n`,
    )
    if (process.env['UPDATE_DOCS']) await writeFile(page, updated)
    const stated = [...text.matchAll(/^\| (.*?) +\| +(\d+) \| +(\d+) \|$/gmu)]
    expect(stated.map(([, ...cells]) => cells)).toEqual(table)
    const [withCore = 0, byHand = 0] = table[0]?.slice(1).map(Number) ?? []
    expect(withCore).toBeLessThan(byHand)
  })
})
