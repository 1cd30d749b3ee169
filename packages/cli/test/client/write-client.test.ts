import { describe, expect, it } from 'vitest'
import { writeClient } from '../../src/lib/client/write-client.ts'
import { parseCode } from '../../src/lib/code/parse-code.ts'
import { formatCode } from '../../src/lib/code/prettier.ts'
import { toShape, walk } from '../syntax-shape.ts'
import { readBlogDocument } from './blog-document.ts'

const command = 'npx --no-install api client'

function withOperation(operation: object, rest: object = {}): unknown {
  return { openapi: '3.1.0', paths: { '/things/{id}': { post: operation } }, ...rest }
}

async function readAuthPath(text: string): Promise<string | undefined> {
  let path: string | undefined
  walk(await parseCode(text), (node) => {
    if (node.type === 'ObjectProperty' && node.value.type === 'StringLiteral')
      path = node.value.value
  })
  return path
}

interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

interface Operation {
  readonly operationId: string
  readonly responses: Readonly<Record<string, unknown>>
}

function toFailureName(id: string): string {
  return `${id.charAt(0).toUpperCase()}${id.slice(1)}Failure`
}

function readUnions(text: string): ReadonlyMap<string, readonly string[]> {
  const matches = text.matchAll(/^export type (\w+Failure) = (.*)$/gm)
  return new Map(Array.from(matches, ([, name = '', union = '']) => [name, union.split(' | ')]))
}

// As `404 not_found`.
function expand(types: ReadonlyMap<string, readonly string[]>, name: string): readonly string[] {
  const parts = (types.get(name) ?? []).flatMap((part) => {
    if (types.has(part)) return expand(types, part)
    if (part.startsWith('PreconditionFailure<')) return ['412 precondition_failed']
    const [, code, status] = /Failure<["'](\w+)["'], (\d+)>/.exec(part) ?? []
    return [`${status} ${code}`]
  })
  return parts.toSorted()
}

// Reads the codes of a document of this framework, whose problems are components with one code.
function readCodes(root: object, responses: Operation['responses']): readonly string[] {
  const find = (value: unknown): readonly string[] => {
    if (typeof value !== 'object' || value === null) return []
    const { $ref: reference, code } = value as { $ref?: string; code?: { enum?: string[] } }
    const target = reference
      ?.slice(2)
      .split('/')
      .reduce<unknown>((part, key) => Reflect.get(Object(part), key), root)
    return [
      ...(code?.enum?.length === 1 ? code.enum : []),
      ...find(target),
      ...Object.values(value).flatMap(find),
    ]
  }
  const codes = Object.entries(responses)
    .filter(([status]) => Number(status) >= 400)
    .flatMap(([status, response]) => find(response).map((code) => `${status} ${code}`))
  return [...new Set(codes)].toSorted()
}

function withRefresh(path: string): unknown {
  return { openapi: '3.1.0', paths: { [path]: { post: { operationId: 'refreshToken' } } } }
}

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` })

const done = { 200: { description: 'OK' } }

describe('the client of a document', () => {
  it('of the blog is the committed one, and the same each time', async () => {
    const { omissions, text } = writeClient(readBlogDocument(), command)
    expect(omissions).toEqual([])
    expect(writeClient(readBlogDocument(), command).text).toBe(text)
    await expect(await formatCode(text)).toMatchFileSnapshot(
      '../../../../examples/blog/src/client.ts',
    )
  })

  it('has exactly the failures of each operation, by status and code', () => {
    const document = readBlogDocument() as Described
    const types = readUnions(writeClient(document, command).text)
    const operations = Object.values(document.paths)
      .flatMap((item) => Object.values(item))
      .filter(({ operationId }) => !['refreshToken', 'logout'].includes(operationId))
    const toEntries = (read: (operation: Operation) => readonly string[]) =>
      Object.fromEntries(operations.map((operation) => [operation.operationId, read(operation)]))
    expect(toEntries(({ operationId }) => expand(types, toFailureName(operationId)))).toEqual(
      toEntries(({ responses }) => readCodes(document, responses)),
    )
  })

  it('names the failures that all operations of a kind have, once', () => {
    const problem = (...codes: string[]) => ({
      content: {
        'application/json': { schema: { type: 'object', properties: { code: { enum: codes } } } },
      },
    })
    const responses = {
      ...done,
      401: problem('expired', 'unknown'),
      404: problem('missing'),
      500: problem('broken'),
    }
    const { text } = writeClient(
      {
        openapi: '3.1.0',
        security: [{ key: [] }],
        paths: {
          '/things': {
            get: { operationId: 'things', responses },
            post: { operationId: 'addThing', responses },
          },
          '/status': { get: { operationId: 'status', security: [], responses: done } },
          '/news': { get: { operationId: 'news', security: [{}, { key: [] }], responses: done } },
        },
      },
      command,
    )
    expect(text).toContain(`export type ThingsFailure = AuthenticationFailure
export type AddThingFailure = AuthenticationFailure
export type StatusFailure = never
export type NewsFailure = never`)
    expect(text.match(/"expired"/g)).toHaveLength(1)
    expect(text).not.toContain('CommonFailure')
  })

  it.each([
    [{ swagger: '2.0' }, /no member "openapi"/],
    [{ openapi: '3.2.0' }, /is OpenAPI 3.2.0/],
    [[], /no member "openapi"/],
  ])('is refused for %j', (document, message) => {
    expect(() => writeClient(document, command)).toThrow(message)
  })

  it.each([
    [
      'a body of another type',
      { requestBody: { content: { 'application/xml': {} } } },
      'its body is application/xml',
    ],
    [
      'a path parameter of another style',
      { parameters: [{ in: 'path', name: 'id', style: 'matrix' }] },
      'the path parameter id has the style matrix',
    ],
    [
      'a required query parameter with content',
      { parameters: [{ in: 'query', name: 'where', required: true, content: {} }] },
      'the query parameter where has "content" instead of a schema',
    ],
    [
      'a dangling reference',
      { requestBody: { $ref: '#/nowhere' } },
      'the reference #/nowhere cannot be resolved in the document',
    ],
    [
      'a nested form',
      {
        requestBody: {
          content: {
            'application/x-www-form-urlencoded': {
              schema: { type: 'object', required: ['a'], properties: { a: { type: 'object' } } },
            },
          },
        },
      },
      'the member a of its form is nested',
    ],
    [
      'two forms of success',
      {
        responses: {
          200: { content: { 'text/plain': {} } },
          201: { content: { 'image/png': {} } },
        },
      },
      'its successful responses have different forms',
    ],
    [
      'a required cookie',
      { parameters: [{ in: 'cookie', name: 'cart', required: true }] },
      'the cookie parameter cart is required',
    ],
    [
      'a separate server',
      { servers: [{ url: 'https://files.example.com' }] },
      'it has its own server, https://files.example.com',
    ],
  ])('leaves out an operation with %s, and says so', (_, operation, why) => {
    const { omissions, operations } = writeClient(
      withOperation({ responses: done, ...operation }),
      command,
    )
    expect(omissions).toEqual([{ what: 'POST /things/{id}', why }])
    expect(operations).toBe(0)
  })

  it('leaves out the operations of a path that refers to nothing, and reads malformed references as such', () => {
    const { omissions, operations } = writeClient(
      {
        openapi: '3.1.0',
        paths: {
          '/a': { $ref: '#/%' },
          '/b': { $ref: '#/toString' },
          '/c': { get: { responses: done } },
        },
      },
      command,
    )
    expect(operations).toBe(1)
    expect(omissions).toEqual([
      { what: '/a', why: 'the reference #/% cannot be resolved in the document' },
      { what: '/b', why: 'the reference #/toString cannot be resolved in the document' },
    ])
  })

  it('forgets the types of an operation that it leaves out', () => {
    const schemas = {
      Post: { type: 'object', properties: { tags: reference('Tag'), more: { $ref: '#/nowhere' } } },
      Tag: { type: 'object', properties: { post: reference('Post'), name: { type: 'string' } } },
    }
    const toGet = (name: string) => ({
      get: { responses: { 200: { content: { 'application/json': { schema: reference(name) } } } } },
    })
    const { omissions, text } = writeClient(
      {
        openapi: '3.1.0',
        paths: { '/tags': toGet('Tag'), '/posts': toGet('Post') },
        components: { schemas },
      },
      command,
    )
    expect(omissions.map(({ what }) => what)).toEqual(['GET /tags', 'GET /posts'])
    expect(text).not.toMatch(/Post|Tag/)
  })

  it('leaves out an optional parameter that it cannot send, and says so', () => {
    const parameters = [
      { in: 'query', name: 'tags', explode: false, schema: { type: 'array' } },
      { in: 'query', name: 'q', schema: { type: 'string' } },
    ]
    const { omissions, text } = writeClient(
      withOperation({ operationId: 'find', parameters, responses: done }),
      command,
    )
    expect(omissions).toEqual([
      { what: 'query parameter tags of find', why: 'it has the style form without explode' },
    ])
    expect(text).toContain('q?: string')
    expect(text).not.toContain('tags')
  })

  it('names optional cookies, other methods, servers of paths and repeated parameters', () => {
    const ok = { responses: done }
    const { omissions, operations } = writeClient(
      {
        openapi: '3.1.0',
        paths: {
          '/cart': {
            get: { ...ok, operationId: 'cart', parameters: [{ in: 'cookie', name: 'theme' }] },
            head: ok,
            trace: ok,
          },
          '/files': { servers: [{ url: 'https://files.example.com' }], get: ok },
          '/a/{id}/b/{id}': { get: ok },
        },
      },
      command,
    )
    expect(operations).toBe(1)
    expect(omissions).toEqual([
      { what: 'HEAD /cart', why: 'the method is not supported' },
      { what: 'TRACE /cart', why: 'the method is not supported' },
      { what: 'cookie parameter theme of cart', why: 'cookies are set by the browser' },
      { what: 'GET /files', why: 'it has its own server, https://files.example.com' },
      { what: 'GET /a/{id}/b/{id}', why: 'the path parameter id is repeated' },
    ])
  })

  it('keeps the session of the client apart from a resource of that name', () => {
    const { text } = writeClient(withOperation({ operationId: 'open', tags: ['session'] }), command)
    expect(text).toContain('readonly sessionResource: SessionResourceClient')
    expect(text).not.toMatch(/\bsession: /)
  })

  it('keeps texts of the document out of the code', () => {
    const description = '*/ alert(1) /*'
    const { text } = writeClient(
      withOperation(
        {
          operationId: "x'); alert(1)//",
          summary: description,
          tags: ["a'b"],
          responses: {
            200: {
              content: { 'application/json': { schema: { $ref: '#/components/schemas/Call' } } },
            },
          },
        },
        {
          components: {
            schemas: { Call: { description, properties: { "it's": { const: "'\u2028" } } } },
          },
        },
      ),
      command,
    )
    expect(text).not.toMatch(/\*\/ alert/)
    expect(text).toContain('export interface CallSchema')
    expect(text).toContain(String.raw`"it's"?: "'\u2028"`)
  })

  it.each([
    "/' + globalThis.alert(1) + '",
    "/a'",
    '/a"',
    '/a`${alert(1)}',
    '/a\\',
    '/a\u2028',
    '/*/a',
    '/a*/',
  ])('keeps the path of authentication %j out of the code', async (path) => {
    const { text } = writeClient(withRefresh(`${path}/refresh-token`), command)
    const expected = writeClient(withRefresh('/id/refresh-token'), command).text
    expect(toShape(text)).toBe(toShape(expected))
    expect(await readAuthPath(text)).toBe(path)
  })

  it.each([
    [':4390/refresh-token', 'the path does not begin with a slash'],
    ['.example.org/refresh-token', 'the path does not begin with a slash'],
    ['/../refresh-token', 'the path leads out of the API'],
    ['/%2e./refresh-token', 'the path leads out of the API'],
    ['/a/.\t./refresh-token', 'the path leads out of the API'],
  ])('leaves out %j, which leads elsewhere', (path, why) => {
    const { omissions, text } = writeClient(withRefresh(path), command)
    expect(omissions).toEqual([{ what: `POST ${path}`, why }])
    expect(text).not.toContain('authPath')
  })

  it('has a number for a choice that is larger than any number', () => {
    const schemas = JSON.parse(
      '{ "Size": { "enum": [1, -1e999, "all"] }, "Most": { "const": 1e999 } }',
    )
    const size = { in: 'query', name: 'size', schema: reference('Size') }
    const { text } = writeClient(
      {
        openapi: '3.1.0',
        paths: {
          '/a': { get: { parameters: [size] } },
          '/b': {
            get: {
              responses: {
                200: {
                  description: 'OK',
                  content: {
                    'application/json': { schema: reference('Most') },
                  },
                },
              },
            },
          },
        },
        components: { schemas },
      },
      command,
    )
    expect(text).not.toContain('Infinity')
    expect(text).toContain('export type Size = 1 | number | "all"')
    expect(text).toContain('export type Most = number')
  })

  it.each(['this', 'arguments', 'eval', 'class', 'yield', 'options'])(
    'has another name for a path parameter called %s',
    (name) => {
      const parameter = { in: 'path', name, required: true, schema: { type: 'string' } }
      const paths = { [`/things/{${name}}`]: { get: { parameters: [parameter] } } }
      const { text } = writeClient({ openapi: '3.1.0', paths }, command)
      expect(text).toContain(`(${name}Value: string`)
    },
  )

  it('has the path of authentication, unless it is the default', () => {
    const at = (path: string) =>
      writeClient(
        {
          openapi: '3.1.0',
          paths: { [`${path}/refresh-token`]: { post: { operationId: 'refreshToken' } } },
        },
        command,
      ).text
    expect(at('/id')).toContain('{ authPath: "/id", ...options }')
    expect(at('/api/v1/auth')).not.toContain('authPath')
  })

  it('marks what is deprecated, with what the document says about it', () => {
    const fields = { old: { type: 'string', deprecated: true, description: 'Use name.' } }
    const schema = { type: 'object', properties: fields }
    const operation = {
      operationId: 'createThing',
      description: 'Creates.',
      deprecated: true,
      requestBody: { content: { 'application/json': { schema } } },
    }
    const write = (more: object): string =>
      writeClient(withOperation({ ...operation, ...more }), command).text
    const description = 'Deprecated since 2026-01-31. Use /v2/things instead. */'
    expect(write({ 'x-deprecation': { description } })).toMatch(
      /\* @deprecated Deprecated since 2026-01-31\. Use \/v2\/things instead\. \*\u200B\/\n/,
    )
    expect(write({ 'x-sunset': '2026-12-31' })).toContain(
      '* @deprecated May stop working on 2026-12-31.\n',
    )
    expect(write({ 'x-deprecation': 1, 'x-sunset': 2 })).toContain('* @deprecated\n')
    expect(write({})).toMatch(/\* Use name\.\n\s+\* @deprecated\n/)
    expect(write({ deprecated: false, 'x-sunset': '2026-12-31' })).not.toContain('Creates.\n')
  })

  it('marks the iterators of a deprecated list', async () => {
    const document: { paths: Record<string, { get?: Record<string, unknown> }> } = JSON.parse(
      JSON.stringify(await readBlogDocument()),
    )
    Object.assign(document.paths['/api/posts']?.get ?? {}, { deprecated: true })
    const { text } = writeClient(document, command)
    expect(text).toMatch(/\* Reads the documents of all pages\.\n\s+\* @deprecated\n/)
    expect(text).toMatch(/\* Reads all pages\.\n\s+\* @deprecated\n/)
  })
})

describe('a live list', () => {
  const toEvent = (type: string, members: object = {}): object => ({
    type: 'object',
    properties: { type: { type: 'string', const: type }, ...members },
  })
  const toDocument = (path: string, types: readonly string[]): object => {
    const data = { $ref: '#/components/schemas/Note' }
    const events = types.map((type) => toEvent(type, type === 'changed' ? { data } : {}))
    const content = { 'text/event-stream': { schema: { oneOf: events } } }
    const query = { name: 'state', in: 'query', schema: { type: 'string' } }
    const get = { operationId: 'getNotesChanges', tags: ['notes'], parameters: [query] }
    return {
      openapi: '3.1.0',
      paths: { [path]: { get: { ...get, responses: { 200: { description: '', content } } } } },
      components: {
        schemas: { Note: { type: 'object', properties: { id: { type: 'string' } } } },
      },
    }
  }

  it('has typed changes', () => {
    const types = ['changed', 'removed', 'reset']
    const { text } = writeClient(toDocument('/api/notes/changes', types), command)
    expect(text).toMatch(/changes\(.*options\?: CallOptions\): AsyncGenerator<ListChange<Note>>/)
    expect(text).toContain('events: readChanges')
    expect(text).toMatch(
      /import \{ type ListChange, readChanges \} from ['"]@create-api\/client\/live/,
    )
    expect(text).not.toMatch(/ServerEvent|readEvents/)
  })

  it.each([
    ['of another path', '/api/notes/news', ['changed', 'removed', 'reset'], /getNotesChanges\(/],
    ['of other events', '/api/notes/changes', ['changed', 'added'], /AsyncGenerator<ServerEvent>/],
  ])('is not a stream %s', (_name, path, types, expected) => {
    expect(writeClient(toDocument(path, types), command).text).toMatch(expected)
  })
})
