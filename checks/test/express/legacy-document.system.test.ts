import { createConfig, lintFromString } from '@redocly/openapi-core'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createApiProgram } from '../../../packages/cli/src/lib/programs/api-program.ts'
import { createLinkedProject, sourceEnv } from '../../../packages/cli/test/linked-project.ts'
import { type Result, runProgram } from '../../../packages/cli/test/run-program.ts'
import { createApp } from './express-project.ts'

const end = '(req, res) => res.end()'

function openapi(cwd: string, ...args: readonly string[]): Promise<Result> {
  return runProgram(createApiProgram, ['openapi', ...args], { cwd, env: sourceEnv })
}

async function findProblems(source: string) {
  const config = await createConfig({ extends: ['spec'] })
  const problems = await lintFromString({ source, config })
  return problems.map(({ message, ruleId }) => `${ruleId}: ${message}`)
}

describe.each([
  [4, "'/:lang?/news', '/user/:id(\\\\d+)'"],
  [5, "'{/:lang}/news', '/user/:id'"],
] as const)('api openapi --express with Express %i', (version, more) => {
  const source = `const app = require('express')()
app.get('/posts', function list(req, res) { res.end() })
app.get('/posts/:id', ${end})
app.put('/posts/:slug', ${end})
app.get('/posts/latest', ${end})
app.all('/tasks/:a-:b', ${end})
app.purge('/cache', ${end})
app.get(/^\\/x/, ${end})
app.get([${more}], ${end})
module.exports = app
`

  it('writes a valid document of what is known', async () => {
    const root = createApp(version, {
      'app.js': source,
      'package.json': '{"name":"shop","version":"2.0.0"}',
    })
    const { code, stderr, stdout } = await openapi(root, '--express')
    expect(code).toBe(0)
    expect(await findProblems(stdout)).toEqual([])
    const document = JSON.parse(stdout)
    expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'shop', version: '2.0.0' } })
    const operations = Object.entries<object>(document.paths).map(
      ([path, item]) => `${path} ${Object.keys(item).join(' ')}`,
    )
    expect(operations).toEqual([
      '/posts get',
      '/posts/{id} get put',
      '/tasks/{a}-{b} get put post delete patch',
      '/news get',
      '/{lang}/news get',
      '/user/{id} get',
    ])
    expect(document.paths['/posts'].get).toEqual({
      tags: ['posts'],
      summary: 'GET /posts',
      'x-legacy': { handler: 'list', file: 'app.js', line: 2, column: 32 },
      'x-unvalidated': true,
      responses: { default: { description: 'Not known.' } },
    })
    const pattern = version === 4 ? { pattern: '^(?:\\d+)$' } : {}
    expect(document.paths['/user/{id}'].get.parameters).toEqual([
      { name: 'id', in: 'path', required: true, schema: { type: 'string', ...pattern } },
    ])
    expect(stderr.split('\n')).toEqual([
      '  warning: GET /posts/latest: it is never reached, because of GET /posts/:id',
      '  warning: PURGE /cache: OpenAPI does not have its method',
      '  warning: GET </^\\/x/>: OpenAPI cannot express its path',
      '',
    ])
  })
})

describe('api openapi --express', () => {
  it('adds legacy routes to the document of the API, which takes precedence', async () => {
    const root = await createLinkedProject(['posts title:string'])
    const host = `import express from 'express'
import { api } from './app.ts'
export const host = express()
host.use(api.app)
host.get('/api/posts', ${end.replace('(req, res)', '(_req: unknown, res: express.Response)')})
host.delete('/api/posts/:slug', ${end.replace('(req, res)', '(_req: unknown, res: express.Response)')})
host.get('/shop', ${end.replace('(req, res)', '(_req: unknown, res: express.Response)')})
`
    writeFileSync(join(root, 'src/host.ts'), host)
    const { code, stderr } = await openapi(root, '--express', 'src/host.ts', '--write')
    expect([code, stderr]).toEqual([0, expect.any(String)])
    const text = readFileSync(join(root, 'openapi.json'), 'utf8')
    expect(await findProblems(text)).toEqual([])
    const { paths } = JSON.parse(text)
    expect(Object.keys(paths['/shop'])).toEqual(['get'])
    expect(paths['/api/posts'].get).not.toHaveProperty('x-legacy')
    expect(paths['/api/posts/{slug}']).toBeUndefined()
    const check = await openapi(root, '--express', 'src/host.ts', '--check')
    expect(check.stdout).toContain('No difference for clients.')
    const plain = await openapi(root, '--check')
    expect([plain.code, plain.stdout.includes('GET /shop')]).toEqual([1, true])
  })
})
