import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  CallToolResultSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { buildProgram } from './built-modules.ts'
import { createLinkedJavaScript, modules, sourceEnv } from './linked-project.ts'
import { runProgram } from './run-program.ts'

const program = buildProgram()
let root: string

beforeEach(async () => {
  root = await createLinkedJavaScript('posts title:string --access owner')
  // Written by anything that an application prints, such as its log.
  appendFileSync(
    join(root, 'src/app.js'),
    `
import { mcp } from '@create-api/mcp'
mcp(api, { tools: { read: ['/api/posts', 'GET /api/v1/auth/me'], write: ['/api/posts'] } })
console.log('not a message')
`,
  )
})

const tokens = z.object({ data: z.object({ accessToken: z.string() }) })

interface Result {
  readonly text: string
  readonly isError: boolean
  readonly json: Readonly<Record<string, unknown>>
}

interface Connected {
  readonly client: Client
  readonly run: (name: string, values?: Record<string, unknown>) => Promise<Result>
}

async function connect(
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Connected> {
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [program, 'mcp', '--cwd', root, ...args],
      cwd: fileURLToPath(new URL('..', import.meta.url)),
      env: { PATH: process.env['PATH'] ?? '', ...sourceEnv, ...env },
      stderr: 'ignore',
    }),
  )
  onTestFinished(() => client.close())
  await client.listTools()
  return {
    client,
    async run(name, values = {}) {
      const result = CallToolResultSchema.parse(await client.callTool({ name, arguments: values }))
      const [first] = result.content
      return {
        text: first?.type === 'text' ? first.text : '',
        isError: result.isError ?? false,
        json: result.structuredContent ?? {},
      }
    },
  }
}

async function createUser(email: string): Promise<void> {
  const args = ['users', 'create', '--email', email, '--password-stdin']
  const world = { cwd: root, env: sourceEnv, input: 'correct horse battery' }
  const { code, stderr } = await runProgram(createApiProgram, args, world)
  expect([code, stderr]).toEqual([0, expect.any(String)])
}

describe('api mcp', () => {
  it('serves the tools of the application as a user', async () => {
    await createUser('ada@example.com')
    const { client, run } = await connect(['--as', 'ada@example.com'])
    const { tools } = await client.listTools()
    const names = tools.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['posts_list', 'posts_create', 'dev_routes']))
    const created = await run('posts_create', { body: { title: 'Hello' } })
    expect(created).toMatchObject({ isError: false, json: { data: { title: 'Hello' } } })
    expect((await run('posts_list')).json).toMatchObject({ data: [{ title: 'Hello' }] })
    expect((await run('auth_me_get')).json).toMatchObject({ data: { email: 'ada@example.com' } })
    const invalid = await run('posts_create', { body: { title: 1 } })
    expect(invalid.isError).toBe(true)
    expect(JSON.parse(invalid.text)).toMatchObject({ code: 'validation_failed' })
    await expect(client.callTool({ name: 'no_such_tool' })).rejects.toThrow('There is no tool')
  })

  it('calls them without credentials, or with those of API_TOKEN', async () => {
    const { run } = await connect()
    expect(JSON.parse((await run('posts_list')).text)).toMatchObject({ code: 'unauthenticated' })
    const other = await connect([], { API_TOKEN: 'not.a.token' })
    expect(JSON.parse((await other.run('posts_list')).text)).toMatchObject({
      code: 'invalid_token',
    })
  })

  it('serves tools for developers, which change nothing', async () => {
    const { client, run } = await connect()
    const { tools } = await client.listTools()
    const own = tools.filter(({ name }) => name.startsWith('dev_'))
    expect(own.map(({ annotations, name }) => [name, annotations?.readOnlyHint])).toEqual([
      ['dev_routes', true],
      ['dev_schema', true],
      ['dev_doctor', true],
      ['dev_generate', true],
      ['dev_request', true],
    ])
    const { json } = await run('dev_routes', { filter: '/api/posts', method: 'get' })
    expect(json).toMatchObject({ command: 'routes', routes: [{ path: '/api/posts' }, {}] })
    const schema = await run('dev_schema', { method: 'POST', path: '/api/posts' })
    expect(schema.json).toMatchObject({
      operation: { operationId: 'createPost' },
      components: { '#/components/requestBodies/CreatePost': { required: true } },
    })
    expect((await run('dev_doctor')).json).toMatchObject({ command: 'doctor' })
    expect((await run('dev_request', { path: '/health/live' })).json).toMatchObject({ status: 200 })

    const resource = { name: 'tags', fields: ['name:string'] }
    const planned = await run('dev_generate', resource)
    expect(planned.text).toContain('src/resources/tags/tags.routes.js')
    expect(existsSync(join(root, 'src/resources/tags'))).toBe(false)
    for (const [name, values] of [
      ['dev_generate', { ...resource, dryRun: false }],
      ['dev_request', { method: 'POST', path: '/api/posts', body: { title: 'x' } }],
    ] as const) {
      const refused = await run(name, values)
      expect([name, refused.isError]).toEqual([name, true])
      expect(refused.text).toContain('--write')
    }
    expect(existsSync(join(root, 'src/resources/tags'))).toBe(false)
  })

  it('reports what is wrong with the arguments of a tool for developers', async () => {
    const { run } = await connect()
    expect(await run('dev_routes', { color: 'red' })).toMatchObject({ isError: true })
    expect((await run('dev_schema', { method: 'GET', path: '/api/nothing' })).text).toContain(
      'there is no operation GET /api/nothing',
    )
    expect((await run('dev_generate', { name: '../x', fields: [] })).isError).toBe(true)
    expect((await run('dev_request', { path: 'no-slash' })).text).toContain('is not a path')
  })

  it('writes with --write', async () => {
    const { run } = await connect(['--write'])
    const values = { name: 'tags', fields: ['name:string'], dryRun: false }
    expect((await run('dev_generate', values)).isError).toBe(false)
    expect(existsSync(join(root, 'src/resources/tags/tags.routes.js'))).toBe(true)
    const { json } = await run('dev_request', {
      method: 'POST',
      path: '/api/tags',
      body: { name: 'new' },
    })
    expect(json).toMatchObject({ status: 201, body: { data: { name: 'new' } } })
  })

  it('serves the tools for developers of a service that has no others', async () => {
    const file = join(root, 'src/app.js')
    writeFileSync(file, readFileSync(file, 'utf8').replace(/\nimport \{ mcp \}[^]*/, ''))
    const { client } = await connect()
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('posts_list')
  })

  it('is not needed for the same tools over HTTP', async () => {
    const service = spawn(process.execPath, ['src/server.js'], {
      cwd: root,
      env: { PATH: process.env['PATH'], PORT: '0', LOG_FORMAT: 'json', ...sourceEnv },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(service, 'close')
    onTestFinished(async () => {
      service.kill('SIGTERM')
      await ended
    })
    let url: string | undefined
    for await (const line of createInterface(service.stdout)) {
      url = /http:\/\/localhost:\d+/.exec(line)?.[0]
      if (url !== undefined) break
    }
    const sent = await fetch(`${url}/api/v1/auth/register`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: 'ada@example.org', password: 'correct horse battery' }),
    })
    expect(sent.status).toBe(201)
    const { data } = tokens.parse(await sent.json())
    const client = new Client({ name: 'test', version: '1.0.0' })
    const headers = { Authorization: `Bearer ${data.accessToken}` }
    const endpoint = new URL(`${url}/mcp`)
    await client.connect(new StreamableHTTPClientTransport(endpoint, { requestInit: { headers } }))
    onTestFinished(() => client.close())
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'posts_list',
      'posts_get',
      'auth_me_get',
      'posts_create',
      'posts_replace',
      'posts_update',
      'posts_delete',
    ])
    const body = { title: 'Hello' }
    const created = await client.callTool({ name: 'posts_create', arguments: { body } })
    expect(created).toMatchObject({ structuredContent: { data: { title: 'Hello' } } })
  })

  const fail = async (args: readonly string[] = []): Promise<[number, string]> => {
    const run = await runProgram(createApiProgram, ['mcp', ...args], { cwd: root, env: sourceEnv })
    return [run.code, run.stderr]
  }

  it('says why the application cannot be imported', async () => {
    appendFileSync(join(root, 'src/app.js'), "\nthrow new Error('The moon is full.')\n")
    expect(await fail()).toEqual([1, expect.stringContaining('The moon is full.')])
  })

  it('says that there is no such user', async () => {
    expect(await fail(['--as', 'unknown@example.com'])).toEqual([
      1,
      expect.stringContaining('There is no user unknown@example.com.'),
    ])
  })

  it('says how to install what is missing', async () => {
    rmSync(join(root, 'node_modules'))
    expect(existsSync(modules)).toBe(true)
    expect(await fail()).toEqual([1, expect.stringMatching(/npm install \S*create-api[/-]mcp/)])
  })

  it('starts the application again after a change, in the same session', async () => {
    await createUser('ada@example.com')
    const { client, run } = await connect(['--as', 'ada@example.com'])
    const listNames = async (): Promise<readonly string[]> =>
      (await client.listTools()).tools.map(({ name }) => name)
    const nextNotice = (): Promise<void> =>
      new Promise((resolve) =>
        client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve()),
      )
    const app = join(root, 'src/app.js')
    const source = readFileSync(app, 'utf8')
    const removed = nextNotice()
    writeFileSync(app, source.replace(", 'GET /api/v1/auth/me'", ''))
    await removed
    const names = await listNames()
    expect(names).toContain('posts_list')
    expect(names).not.toContain('auth_me_get')

    writeFileSync(app, 'const (')
    await expect.poll(async () => (await run('posts_list')).isError).toBe(true)
    expect((await run('posts_list')).text).toContain("Unexpected token '('")
    expect(await listNames()).toEqual(names)

    const restored = nextNotice()
    writeFileSync(app, source)
    await restored
    expect(await listNames()).toContain('auth_me_get')
    expect((await run('auth_me_get')).json).toMatchObject({ data: { email: 'ada@example.com' } })
  })

  it('lists the tools of the caller, and calls others', async () => {
    const { client, run } = await connect()
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).not.toContain('posts_list')
    expect(JSON.parse((await run('posts_list')).text)).toMatchObject({ code: 'unauthenticated' })
  })
})
