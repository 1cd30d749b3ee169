import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { addOption, createLinkedJavaScript, sourceEnv } from './linked-project.ts'
import { type Result, runProgram } from './run-program.ts'

function api(cwd: string, ...args: string[]): Promise<Result> {
  return runProgram(createApiProgram, args, { cwd, env: sourceEnv })
}

async function explain(root: string, ...words: string[]): Promise<Record<string, unknown>[]> {
  const { code, stderr, stdout } = await api(root, 'explain', ...words, '--json')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout).found
}

const fields = ['title:string', 'body:text:optional']

describe('api explain, in a project', () => {
  it('explains a route by method and path, by path and by operation id', async () => {
    const root = await createLinkedJavaScript()
    await api(root, 'generate', 'resource', 'posts', ...fields, '--access', 'owner')
    const routes = 'src/resources/posts/posts.routes.js'
    const lines = readFileSync(join(root, routes), 'utf8').split('\n')
    const [found] = await explain(root, 'PATCH', '/api/posts/:id')
    expect(found).toMatchObject({
      kind: 'route',
      method: 'PATCH',
      path: '/api/posts/:id',
      access: 'owner',
      handler: 'patch',
      file: routes,
      line: lines.findIndex((line) => line.includes('patch(')) + 1,
      operationId: 'updatePost',
      body: { mediaTypes: expect.arrayContaining(['application/merge-patch+json']) },
    })
    expect(found?.['parameters']).toContainEqual(
      expect.objectContaining({ name: 'id', in: 'path', required: true, type: 'string' }),
    )
    expect(found?.['errors']).toContainEqual({ status: 422, codes: ['validation_failed'] })
    expect(found?.['errors']).toContainEqual({ status: 404, codes: ['not_found'] })
    expect(await explain(root, 'updatePost')).toEqual([found])
    expect(await explain(root, 'patch /api/posts/{id}')).toEqual([found])
    const all = await explain(root, '/api/posts/:id')
    expect(all.map(({ method }) => method)).toEqual(['GET', 'PUT', 'PATCH', 'DELETE'])
    const { stdout } = await api(root, 'explain', 'POST', '/api/posts')
    expect(stdout).toMatch(/^POST \/api\/posts, operation createPost\n/)
    expect(stdout).toContain('body        application/json: { title: string, body?: string }')
    expect(stdout).toContain('access      owner')
    const wrong = await api(root, 'explain', 'GET', '/api/pots')
    expect(wrong.code).toBe(2)
    expect(wrong.stderr).toContain('did you mean "GET /api/posts"?')
  })

  it('explains codes that the application declares, and routes without a document', async () => {
    const root = await createLinkedJavaScript('posts title:string')
    const app = join(root, 'src/app.js')
    const source = readFileSync(app, 'utf8')
    const declared =
      "defineErrors({ quota_exceeded: { status: 402, title: 'The quota is used.' } })"
    writeFileSync(app, `import { defineErrors } from '@create-api/core'\n${source}\n${declared}\n`)
    addOption(root, 'openapi: false')
    expect(await explain(root, 'quota_exceeded')).toEqual([
      {
        kind: 'own-error',
        code: 'quota_exceeded',
        status: 402,
        title: 'The quota is used.',
        page: 'errors.md#codes-of-the-application',
      },
    ])
    const [found] = await explain(root, 'GET', '/api/posts')
    expect(found).toMatchObject({ access: 'public', handler: 'list' })
  })
})
