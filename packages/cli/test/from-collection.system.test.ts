import { expect, it } from 'vitest'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { createLinkedJavaScript, sourceEnv } from './linked-project.ts'
import { runProgram } from './run-program.ts'

it('api generate resource --from-collection infers the fields of stored documents', async () => {
  const root = await createLinkedJavaScript('posts title price:decimal at:date tags:array:string')
  const api = (...args: readonly string[]) =>
    runProgram(createApiProgram, args, { cwd: root, env: sourceEnv })
  for (const n of [1, 2]) {
    const body = { title: `Post ${n}`, price: '1.50', at: '2026-01-02T03:04:05Z', tags: ['a'] }
    const { stderr } = await api('request', 'POST', '/api/posts', '--data', JSON.stringify(body))
    expect(stderr).not.toContain('error')
  }
  const { stderr, stdout } = await api(
    'generate',
    'resource',
    'copies',
    '--from-collection',
    'posts',
    '--json',
  )
  expect(stderr).toBe('')
  const { inference } = JSON.parse(stdout)
  expect(inference.source).toBe('2 documents')
  expect(inference.fields.map(({ argument }: { argument: string }) => argument)).toEqual([
    'title:string',
    'price:decimal',
    'at:date',
    'tags:array:string',
  ])
  const missing = await api('generate', 'resource', 'others', '--from-collection', 'post')
  expect(missing.code).toBe(2)
  expect(missing.stderr).toContain('the collection post has no documents')
  expect(missing.stderr).toContain('did you mean "posts"?')
})
