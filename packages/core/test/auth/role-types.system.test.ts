import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { compileSnippet } from '../compile-snippet.ts'

const text = await readFile(path.join(import.meta.dirname, '../../../../docs/auth.md'), 'utf8')
const [, section = ''] = /## Roles and permissions\n([\s\S]*?)\n## /.exec(text) ?? []
const snippets = [...section.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code)
const [declarations = 'missing'] = snippets
const route = snippets.find((code) => code.includes('permission(')) ?? 'missing'

const use = `
  import { any, createRouter, get, permission, type User } from '@create-api/core'
  export const user: User = { id: '1', email: 'a@b.co', roles: ['editor', 'admin'] }
  user.permissions = roles.permissionsOf(user.roles)
  const list = (): void => {}
  ${route}
`

describe('docs/auth.md on roles', () => {
  it('shows code that compiles and makes the names known', () => {
    expect(compileSnippet(declarations + use)).toEqual([])
    const wrong = use.replace("'posts:publish'", "'posts:published'").replace("'editor'", "'editr'")
    expect(compileSnippet(declarations + wrong)).toEqual([
      expect.stringContaining('"editr"'),
      expect.stringContaining('"posts:published"'),
    ])
  })
})
