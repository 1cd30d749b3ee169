import { randomBytes } from 'node:crypto'
import { createApi, createRegistry, createRouter, defineRoute, success } from '@create-api/core'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import * as entryPoint from '../src/index.ts'
import { getMcp, mcp, type McpOptions, type ToolChoices } from '../src/index.ts'
import { allTools, createLibrary } from './library.ts'

afterEach(() => vi.unstubAllEnvs())

function create(tools: ToolChoices, options: Partial<McpOptions> = {}): ReturnType<typeof mcp> {
  return mcp(createLibrary(), { ...options, tools })
}

it('exports what docs/mcp.md describes', () => {
  expect(Object.keys(entryPoint).toSorted()).toEqual(['getMcp', 'mcp', 'serveStdio'])
})

describe('MCP-01 mcp()', () => {
  const read = ['/api/books']

  it.each<[ToolChoices, string]>([
    [{}, 'needs at least one tool'],
    [{ read: [], write: [] }, 'needs at least one tool'],
    [{ read: ['books'] }, "tools.read contains 'books', which is not a route"],
    [{ read: ['get /api/books'] }, 'which is not a route'],
    [{ read: ['/api/bocks'] }, "no route '/api/bocks'. Did you mean '/api/books'?"],
    [{ read: ['GET /api/books/{id}'] }, "Did you mean 'GET /api/books/:id'?"],
    [{ read: ['GET /somewhere/else/entirely'] }, '`api routes` lists them'],
    [{ read: ['/api/books', 'GET /api/books'] }, 'GET /api/books is a tool twice'],
    [{ read: ['POST /api/books'] }, 'POST /api/books writes. List it in tools.write'],
    [{ write: ['GET /api/books'] }, 'GET /api/books reads. List it in tools.read'],
    [{ read: ['/api/covers'] }, "tools.read contains '/api/covers', but no route there reads"],
    [{ write: ['/api/whoami'] }, 'but no route there writes'],
    [{ read: ['GET /api/export'] }, 'cannot be a tool: its response is text/csv, not JSON'],
    [
      { write: ['POST /api/covers'] },
      'cannot be a tool: its body is multipart/form-data, not JSON',
    ],
    [{ read: [{ route: '/api/books', name: 'books' }] }, "needs a single route: 'GET /api/books'"],
    [{ read: [{ route: 'GET /api/books', name: 'two words' }] }, "the name 'two words'"],
    [{ read: [{ route: 'GET /api/books', name: 'x'.repeat(65) }] }, 'it needs 1 to 64'],
    [
      { read: ['GET /api/books', { route: 'GET /api/authors', name: 'books_list' }] },
      "GET /api/books and GET /api/authors would both be the tool 'books_list'",
    ],
  ])('rejects %j', (tools, message) => {
    expect(() => create(tools)).toThrow(TypeError)
    expect(() => create(tools)).toThrow(message)
  })

  it.each<[Partial<McpOptions>, string]>([
    [{ path: 'mcp' }, "path must be like '/mcp'"],
    [{ path: '/:any' }, "path must be like '/mcp'"],
    [{ url: 'api.example.com' }, 'url must be an absolute URL'],
    [{ url: 'javascript:alert(1)' }, 'url must be an absolute URL'],
    [{ url: 'https://api.example.com/tools' }, "url must end with the path '/mcp'"],
    [{ origins: ['https://app.example.com/'] }, 'is not an origin'],
    [{ origins: ['*'] }, "'*' is not an origin"],
    [{ maxItems: 0 }, 'maxItems must be a whole number'],
    [{ maxBytes: 1.5 }, 'maxBytes must be a whole number'],
  ])('rejects %j', (options, message) => {
    expect(() => create({ read }, options)).toThrow(TypeError)
    expect(() => create({ read }, options)).toThrow(message)
  })

  it('is called once for an API, which then has its tools', () => {
    const api = createLibrary()
    expect(getMcp(api)).toBeUndefined()
    const tools = mcp(api, { tools: { read } })
    expect(getMcp(api)).toBe(tools)
    expect(tools.tools.map(({ name }) => name)).toEqual(['books_list', 'books_get'])
    expect(() => mcp(api, { tools: { read } })).toThrow('has been called for this API already')
  })

  it('needs the OpenAPI document', () => {
    const api = createLibrary({ openapi: false })
    expect(() => mcp(api, { tools: { read } })).toThrow('reads the OpenAPI document, which is off')
    const hidden = createLibrary({ openapi: { serve: false } })
    expect(mcp(hidden, { tools: { read } }).tools).toHaveLength(2)
  })

  it('needs its URL in production', () => {
    vi.stubEnv('NODE_ENV', 'production')
    vi.stubEnv('MONGODB_URI', 'embedded:memory')
    vi.stubEnv('JWT_SECRET', randomBytes(32).toString('base64'))
    expect(() => create({ read })).toThrow('needs its public URL in production')
    expect(create({ read }, { url: 'https://api.example.com/mcp' }).tools).toHaveLength(2)
  })

  it('needs a statement that everyone may call an API without authentication', () => {
    const router = createRouter([
      defineRoute({
        method: 'get',
        path: '/',
        access: 'public',
        response: z.array(z.string()),
        handler: (_req, res) => success(res, ['a']),
      }),
    ])
    const routes = createRegistry().use('/api/words', router)
    const bare = (): ReturnType<typeof createApi> =>
      createApi({ routes, auth: false, database: false })
    expect(() => mcp(bare(), { tools: { read: ['/api/words'] } })).toThrow('anonymous: true')
    const { tools } = mcp(bare(), { tools: { read: ['/api/words'] }, anonymous: true })
    expect(tools.map(({ name }) => name)).toEqual(['words_list'])
  })
})

describe('a tool', () => {
  it('has its own name and description', () => {
    const named = { route: 'GET /api/books', name: 'find_books', description: 'Finds books.' }
    expect(create({ read: [named] }).tools[0]).toMatchObject({
      name: 'find_books',
      title: 'List books',
      description: 'Finds books.',
    })
  })

  it('has only names of arguments that every client accepts', () => {
    const names = create(allTools).tools.flatMap(({ inputSchema }) =>
      Object.keys(z.record(z.string(), z.unknown()).parse(inputSchema['properties'])),
    )
    expect(names).toContain('dueAt_gte')
    expect(names.filter((name) => !/^[A-Za-z0-9_.-]{1,64}$/.test(name))).toEqual([])
  })

  it('is called in the process of the service', async () => {
    const { call } = create(allTools)
    const { structuredContent } = await call('constructor_get', { name: 'x' })
    expect(structuredContent).toEqual({ data: { name: 'x' } })
    const { content, isError } = await call('members_list')
    expect(isError).toBe(true)
    expect(JSON.parse(content[0]?.text ?? '')).toMatchObject({ code: 'unauthenticated' })
    await expect(call('no_such_tool')).rejects.toThrow("There is no tool 'no_such_tool'.")
    const aborted = { signal: AbortSignal.abort() }
    await expect(call('whoami_get', {}, aborted)).rejects.toThrow('aborted')
  })
})
