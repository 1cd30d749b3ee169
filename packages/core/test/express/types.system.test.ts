import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { compileSnippet } from '../compile-snippet.ts'

const text = await readFile(path.join(import.meta.dirname, '../../../../docs/express.md'), 'utf8')
const [, section = ''] = /## The type of `req\.user`\n([\s\S]*?)\n## /.exec(text) ?? []
const snippets = [...section.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code)

describe('docs/express.md on the type of req.user', () => {
  it.each([
    ['the declaration of an existing application', 0],
    ['the interfaces of the framework', 1],
  ])('shows %s so that it compiles', (_title, index) => {
    expect(compileSnippet(snippets[index] ?? 'missing')).toEqual([])
  })

  it('compiles strictly', () => {
    const wrong = (snippets[0] ?? '').replace('req.user.email', 'req.user.name')
    expect(compileSnippet(wrong)).toEqual([expect.stringContaining("'name' does not exist")])
  })
})
