import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { compileSnippet } from '../compile-snippet.ts'

const text = await readFile(path.join(import.meta.dirname, '../../../../docs/auth.md'), 'utf8')
const [, snippet = 'missing'] =
  /## Roles and permissions\n[\s\S]*?```ts\n([\s\S]*?)```/.exec(text) ?? []

describe('docs/auth.md on roles', () => {
  it('shows declarations that compile and make the names known', { timeout: 60_000 }, () => {
    const use = `
      import { type Permission, type User } from '@create-api/core'
      export const permission: Permission = 'posts:write'
      export const user: User = { id: '1', email: 'a@b.co', roles: ['editor', 'admin'], permissions: [] }
      user.permissions = roles.permissionsOf(user.roles)
    `
    expect(compileSnippet(snippet + use)).toEqual([])
    const wrong = use.replace('posts:write', 'posts:wrote').replace("'editor'", "'editr'")
    expect(compileSnippet(snippet + wrong)).toEqual([
      expect.stringContaining('"posts:wrote"'),
      expect.stringContaining('"editr"'),
    ])
  })
})
