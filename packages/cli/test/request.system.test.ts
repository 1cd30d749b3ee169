import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { addOption, createLinkedJavaScript, sourceEnv } from './linked-project.ts'
import { type Result, runProgram } from './run-program.ts'

let root: string

beforeEach(async () => {
  root = await createLinkedJavaScript('posts title:string views:int:default=0 --access owner')
})

function api(args: readonly string[], input?: string): Promise<Result> {
  const options = { cwd: root, env: sourceEnv, ...(input !== undefined && { input }) }
  return runProgram(createApiProgram, ['request', ...args], options)
}

describe('api request', () => {
  it('prints status, headers and body', async () => {
    const { code, stdout } = await api(['get', '/health/live'])
    expect(code).toBe(0)
    const [head, body] = stdout.split('\n\n')
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\n/)
    expect(head).toMatch(/^content-type: application\/health\+json$/m)
    expect(head).toMatch(/^x-content-type-options: nosniff$/m)
    expect(JSON.parse(body ?? '')).toEqual({ status: 'pass' })
  })

  it('sends a body as a user that it creates in memory, and prints JSON', async () => {
    const flags = ['--memory', '--as', 'ada@example.com', '--json']
    const { code, stdout } = await api([
      'POST',
      '/api/posts',
      ...flags,
      '--data',
      '{"title":"Hello"}',
    ])
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      command: 'request',
      status: 201,
      headers: { location: expect.stringMatching(/^\/api\/posts\//) },
      body: { data: { title: 'Hello', views: 0 } },
    })
    expect(code).toBe(0)
  })

  it('creates a user with the own fields that the application requires', async () => {
    const file = join(root, 'src/app.js')
    const source = readFileSync(file, 'utf8')
    const schemas =
      "{ handle: z.string(), plan: z.enum(['free', 'paid']), code: z.string().regex(/^K-[0-9]$/) }"
    const model = '{ handle: String, plan: String, code: String }'
    addOption(
      root,
      `auth: { userFields: { model: ${model}, input: ${schemas}, output: ${schemas} } }`,
    )
    writeFileSync(file, `import { z } from 'zod'\n${readFileSync(file, 'utf8')}`)
    const me = ['GET', '/api/v1/auth/me', '--memory', '--as', 'ada@example.com', '--json']
    const missing = await api(me)
    expect(JSON.parse(missing.stdout)).toMatchObject({
      ok: false,
      error: {
        code: 'USAGE',
        message: 'the user was rejected',
        details: ['  code is required'],
        hint: 'set a custom field of the user: --field name=value',
      },
    })
    const created = await api([...me, '--field', 'code=K-1', '--field', 'handle=ada'])
    expect(JSON.parse(created.stdout)).toMatchObject({
      status: 200,
      body: { data: { handle: 'ada', plan: 'free', code: 'K-1' } },
    })
    writeFileSync(file, source)
  })

  it('does not call a failure of the application one of its import', async () => {
    const app = join(root, 'src/app.js')
    writeFileSync(app, 'export const api = { auth: false, config: {}, app: null }\n')
    const { code, stderr } = await api(['GET', '/'])
    expect(stderr).toContain('error: the application failed\n  ')
    expect(code).toBe(1)
  })

  it('suggests how to escape a path', async () => {
    const { code, stderr } = await api(['GET', '/api/posts?title=a b'])
    expect(stderr).toContain('"/api/posts?title=a b" has characters that a URL must escape')
    expect(stderr).toContain("request GET '/api/posts?title=a%20b'")
    expect(code).toBe(2)
  })

  it('reads the body from standard input, and sends headers', async () => {
    const flags = ['--memory', '--as', 'ada@example.com', '--data', '-']
    const { code, stdout } = await api(
      ['POST', '/api/posts', ...flags, '--header', 'X-Request-Id: mine'],
      '{"title":',
    )
    expect(stdout).toMatch(/^HTTP\/1\.1 400 Bad Request\n/)
    expect(stdout).toMatch(/^x-request-id: mine$/m)
    expect(code).toBe(1)
  })

  it('exits with 1 for an error of the application', async () => {
    const { code, stdout } = await api(['POST', '/api/posts', '--memory', '--data', '{}', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
    expect(code).toBe(1)
  })

  it('uses the database of the project, and ends the session that it began', async () => {
    const users = ['users', 'create', '--email', 'eve@example.com', '--password-stdin']
    const options = { cwd: root, env: sourceEnv, input: 'TestRiver42!' }
    await runProgram(createApiProgram, users, options)
    const me = await api(['GET', '/api/v1/auth/sessions', '--as', 'eve@example.com', '--json'])
    expect(JSON.parse(me.stdout)).toMatchObject({
      status: 200,
      body: { data: [{ current: true }] },
    })
    const again = await api(['GET', '/api/v1/auth/sessions', '--as', 'eve@example.com', '--json'])
    expect(JSON.parse(again.stdout).body.data).toHaveLength(1)
  })

  it.each([
    [['FETCH', '/'], 'unknown method "FETCH"'],
    [['GET', 'posts'], '"posts" is not a path: it must begin with /'],
    [['GET', '/', '--header', 'none'], '"none" is not a header such as "If-Match: *"'],
    [['GET', '/', '--as', 'unknown@example.com'], 'there is no user unknown@example.com'],
  ])('rejects %j', async (args, message) => {
    const { code, stderr } = await api(args)
    expect(stderr).toContain(message)
    expect(code).toBe(2)
  })

  it('says that there are no users without authentication', async () => {
    const file = join(root, 'src/app.js')
    writeFileSync(
      file,
      `import { createApi, createRegistry } from '@create-api/core'
export const api = createApi({ routes: createRegistry(), auth: false, database: false })
`,
    )
    const { code, stderr } = await api(['GET', '/', '--as', 'ada@example.com'])
    expect(stderr).toContain('authentication is disabled (auth: false)')
    expect(code).toBe(1)
    const without = await api(['GET', '/health/live'])
    expect(without.stdout).toContain('HTTP/1.1 200 OK')
    rmSync(file)
  })
})
