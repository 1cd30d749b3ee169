import { describe, expect, it } from 'vitest'
import { writeClient } from '../../src/lib/client/write-client.ts'
import { formatCode } from '../../src/lib/code/prettier.ts'
import { readBlogDocument } from './blog-document.ts'

const command = 'npx --no-install api client'

function withOperation(operation: object, rest: object = {}): unknown {
  return { openapi: '3.1.0', paths: { '/things/{id}': { post: operation } }, ...rest }
}

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
      'the style matrix of the path parameter id',
    ],
    [
      'a required query parameter with content',
      { parameters: [{ in: 'query', name: 'where', required: true, content: {} }] },
      'the content of the query parameter where',
    ],
    [
      'a dangling reference',
      { requestBody: { $ref: '#/nowhere' } },
      'the reference #/nowhere leads nowhere in the document',
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
      'the nested member a of its form',
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
      'the cookie parameter cart',
    ],
    [
      'a separate server',
      { servers: [{ url: 'https://files.example.com' }] },
      'its own server https://files.example.com',
    ],
  ])('leaves out an operation with %s, and says so', (_, operation, why) => {
    const { omissions, operations } = writeClient(
      withOperation({ responses: done, ...operation }),
      command,
    )
    expect(omissions).toEqual([{ what: 'POST /things/{id}', why }])
    expect(operations).toBe(0)
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
      { what: 'query parameter tags of find', why: 'the style form without explode' },
    ])
    expect(text).toContain('q?: string')
    expect(text).not.toContain('tags')
  })

  it('names optional cookies, other methods, servers of paths and parameters that are there twice', () => {
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
      { what: 'HEAD /cart', why: 'its method' },
      { what: 'TRACE /cart', why: 'its method' },
      { what: 'cookie parameter theme of cart', why: 'cookies are set by the browser' },
      { what: 'GET /files', why: 'its own server https://files.example.com' },
      { what: 'GET /a/{id}/b/{id}', why: 'the path parameter id, which is there twice' },
    ])
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

  it('has the path of authentication, unless it is the default', () => {
    const at = (path: string) =>
      writeClient(
        {
          openapi: '3.1.0',
          paths: { [`${path}/refresh-token`]: { post: { operationId: 'refreshToken' } } },
        },
        command,
      ).text
    expect(at('/id')).toContain("{ authPath: '/id', ...options }")
    expect(at('/api/v1/auth')).not.toContain('authPath')
  })
})
