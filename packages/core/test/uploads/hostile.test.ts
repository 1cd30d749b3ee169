import { defineRoute, multipart, success } from '@create-api/core'
import { type OutgoingHttpHeaders } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { send, startUploads, untilEmpty, type UploadService } from './upload-service.ts'

let service: UploadService

beforeAll(async () => {
  service = await startUploads((directory) => [
    defineRoute({
      method: 'post',
      path: '/',
      access: 'public',
      body: multipart({
        fields: z.strictObject({
          title: z.string().min(1).optional(),
          count: z.int().optional(),
          tags: z.array(z.string()).optional(),
        }),
        files: {
          avatar: { maxSize: 1000, types: ['image/png', 'text/plain'], required: false },
          photo: { types: ['image/png'], checkContent: true, required: false },
          pages: { maxCount: 2, maxSize: 1000, required: false },
        },
        maxFieldSize: 500,
        maxParts: 20,
        maxSize: 20_000,
        directory,
      }),
      handler: (_req, res) => success(res),
    }),
  ])
})

afterAll(() => service.stop())

interface Hostile {
  readonly body: string | Buffer
  readonly headers?: OutgoingHttpHeaders
  readonly status: number
  readonly code: string
  /** Pointer and code of the first item of `errors`. */
  readonly item?: readonly [string, string]
}

const disposition = 'Content-Disposition: form-data; '
const end = '--X--\r\n'

function part(head: string, content: string): string {
  return `--X\r\n${head}\r\n\r\n${content}\r\n`
}

function field(name: string, content: string): string {
  return part(`${disposition}name="${name}"`, content)
}

function file(name: string, content: string, type = 'text/plain', filename = 'a.txt'): string {
  return part(
    `${disposition}name="${name}"; filename="${filename}"\r\nContent-Type: ${type}`,
    content,
  )
}

function bytes(text: string): Buffer {
  return Buffer.from(text, 'latin1')
}

const malformed = { status: 400, code: 'malformed_multipart' }
const rejected = { status: 422, code: 'validation_failed' }
const tooLarge = { status: 413, code: 'payload_too_large' }
const unsupported = { status: 415, code: 'unsupported_media_type' }
const encoding = { status: 400, code: 'invalid_encoding' }
const type = (value: string): { headers: OutgoingHttpHeaders } => ({
  headers: { 'Content-Type': value },
})
const start = file('avatar', 'A'.repeat(100))

const cases: Readonly<Record<string, Hostile>> = {
  'no Content-Type': { body: start + end, ...type(''), ...unsupported },
  'JSON instead': { body: '{}', ...type('application/json'), ...unsupported },
  'a form without files': {
    body: 'title=x',
    ...type('application/x-www-form-urlencoded'),
    ...unsupported,
  },
  'multipart/mixed': { body: start + end, ...type('multipart/mixed; boundary=X'), ...unsupported },
  'a compressed body': {
    body: start + end,
    headers: { 'Content-Encoding': 'gzip' },
    ...unsupported,
  },
  'no boundary': { body: start + end, ...type('multipart/form-data'), ...malformed },
  'an empty boundary': {
    body: start + end,
    ...type('multipart/form-data; boundary='),
    ...malformed,
  },
  'a boundary of 71 characters': {
    body: start + end,
    ...type(`multipart/form-data; boundary=${'b'.repeat(71)}`),
    ...malformed,
  },
  'a boundary with other characters': {
    body: start + end,
    ...type('multipart/form-data; boundary="a<b>"'),
    ...malformed,
  },
  'another boundary in the body': {
    body: start + end,
    ...type('multipart/form-data; boundary=Y'),
    ...malformed,
  },
  'an empty body': {
    body: '',
    headers: { 'Transfer-Encoding': 'chunked' },
    ...malformed,
  },
  'text instead of parts': { body: 'hello', ...malformed },
  'a body that ends within a file': { body: start.slice(0, -20), ...malformed },
  'a body that ends within a header field': { body: `${start}--X\r\nContent-Dispo`, ...malformed },
  'a body that ends after a boundary': { body: `${start}--X\r\n`, ...malformed },
  'a body without its last boundary': { body: start, ...malformed },
  'a last boundary with one dash': { body: `${start}--X-\r\n`, ...malformed },
  'line feeds only': { body: (start + end).replaceAll('\r\n', '\n'), ...malformed },
  'a part without header fields': { body: `${start}--X\r\n\r\nhello\r\n${end}`, ...malformed },
  'a part that ends within its header fields': {
    body: `${start}--X\r\n${disposition}name="title"\r\n${end}`,
    ...malformed,
  },
  'a part without Content-Disposition': {
    body: start + part('Content-Type: text/plain', 'hello') + end,
    ...malformed,
  },
  'another Content-Disposition': {
    body: start + part('Content-Disposition: attachment; name="title"', 'hello') + end,
    ...malformed,
  },
  'two Content-Dispositions': {
    body: part(`${disposition}name="title"\r\n${disposition}name="count"`, '1') + end,
    ...malformed,
  },
  'two names in one part': {
    body: part(`${disposition}name="title"; name="count"`, '1') + end,
    ...malformed,
  },
  'a quote that is not closed': {
    body: part(`${disposition}name="title`, 'x') + end,
    ...malformed,
  },
  'a header field without a colon': {
    body: part(`nonsense\r\n${disposition}name="title"`, 'x') + end,
    ...malformed,
  },
  'a part without a name': {
    body: part(`${disposition}filename="a.txt"`, 'x') + end,
    ...malformed,
  },
  'a Content-Type that is not a media type': {
    body: file('pages', 'x', 'text\u0001') + end,
    ...malformed,
  },
  'an empty name': { body: field('', 'x') + end, ...malformed },
  'a name of 1,000 characters': { body: field('n'.repeat(1000), 'x') + end, ...malformed },
  'a name with NUL': { body: field('title\0', 'x') + end, ...malformed },
  'a name that is not UTF-8': { body: bytes(field('t\xff', 'x') + end), ...encoding },
  'a file name that is not UTF-8': {
    body: bytes(file('avatar', 'x', 'text/plain', 'a\xff.txt') + end),
    ...encoding,
  },
  'a header field of 20 KB': {
    body: part(`${disposition}name="title"\r\nX-Filler: ${'f'.repeat(18_000)}`, 'x') + end,
    ...malformed,
  },
  '100 header fields': {
    body: part(`${disposition}name="title"${'\r\nX-Filler: f'.repeat(100)}`, 'x') + end,
    ...malformed,
  },
  'nested multipart': {
    body:
      part(`${disposition}name="pages"\r\nContent-Type: multipart/mixed; boundary=Y`, '--Y--') +
      end,
    ...malformed,
  },
  'Base64 as transfer encoding': {
    body: part(`${disposition}name="title"\r\nContent-Transfer-Encoding: base64`, 'eA==') + end,
    ...malformed,
  },
  'a field in UTF-16': {
    body:
      part(`${disposition}name="title"\r\nContent-Type: text/plain; charset=utf-16le`, 'x\0') + end,
    ...unsupported,
  },
  'a field that is not UTF-8': { body: bytes(field('title', '\xc3\x28') + end), ...encoding },
  'the field __proto__': {
    body: field('__proto__', '{"admin":true}') + end,
    ...rejected,
    item: ['#/__proto__', 'unrecognized_key'],
  },
  'the field constructor': {
    body: field('constructor', 'x') + end,
    ...rejected,
    item: ['#/constructor', 'unrecognized_key'],
  },
  'a file named __proto__': {
    body: file('__proto__', 'x') + end,
    ...rejected,
    item: ['#/__proto__', 'unrecognized_key'],
  },
  'an unknown field': {
    body: field('role', 'admin') + end,
    ...rejected,
    item: ['#/role', 'unrecognized_key'],
  },
  'a field with brackets': {
    body: field('title[$ne]', 'x') + end,
    ...rejected,
    item: ['#/title%5B%24ne%5D', 'unrecognized_key'],
  },
  'an unknown file': {
    body: start + file('cv', 'x') + end,
    ...rejected,
    item: ['#/cv', 'unrecognized_key'],
  },
  'a repeated field': {
    body: field('title', 'x') + field('title', 'y') + end,
    ...rejected,
    item: ['#/title', 'repeated'],
  },
  'a repeated file': { body: start + start + end, ...rejected, item: ['#/avatar', 'too_big'] },
  'three files where two are allowed': {
    body: file('pages', 'x').repeat(3) + end,
    ...rejected,
    item: ['#/pages', 'too_big'],
  },
  'text for a file': {
    body: field('avatar', 'x') + end,
    ...rejected,
    item: ['#/avatar', 'invalid_type'],
  },
  'a file for a field': {
    body: file('title', 'x') + end,
    ...rejected,
    item: ['#/title', 'invalid_type'],
  },
  'a field that is not valid': {
    body: start + field('count', 'many') + end,
    ...rejected,
    item: ['#/count', 'invalid_type'],
  },
  'an empty field': { body: field('title', '') + end, ...rejected, item: ['#/title', 'too_small'] },
  'a type that is not allowed': {
    body: file('avatar', 'x', 'text/html') + end,
    ...rejected,
    item: ['#/avatar', 'invalid_value'],
  },
  'a type in other letters': {
    body: file('avatar', 'x', 'TEXT/HTML') + end,
    ...rejected,
    item: ['#/avatar', 'invalid_value'],
  },
  'HTML declared as PNG': {
    body: file('photo', '<script>', 'image/png') + end,
    ...rejected,
    item: ['#/photo', 'invalid_format'],
  },
  'an empty PNG': {
    body: file('photo', '', 'image/png') + end,
    ...rejected,
    item: ['#/photo', 'invalid_format'],
  },
  'a file above its limit': {
    body: file('avatar', 'A'.repeat(1001)) + end,
    ...tooLarge,
    item: ['#/avatar', 'too_big'],
  },
  'the second file above its limit': {
    body: file('pages', 'x') + file('pages', 'A'.repeat(1001)) + end,
    ...tooLarge,
    item: ['#/pages', 'too_big'],
  },
  'a field above its limit': {
    body: field('title', 't'.repeat(501)) + end,
    ...tooLarge,
    item: ['#/title', 'too_big'],
  },
  'too many parts': { body: field('tags', 't').repeat(21) + end, ...tooLarge },
  'a Content-Length above the limit': { body: 'A'.repeat(20_001), ...tooLarge },
  'a chunked body above the limit': {
    body: 'A'.repeat(20_001),
    headers: { 'Transfer-Encoding': 'chunked' },
    ...tooLarge,
  },
  'text of 20 KB after the last boundary': {
    body: start + end + 'A'.repeat(20_001),
    headers: { 'Transfer-Encoding': 'chunked' },
    ...tooLarge,
  },
}

it('has 50 hostile bodies', () => {
  expect(Object.keys(cases).length).toBeGreaterThanOrEqual(50)
})

it('accepts a harmless body', async () => {
  const png = '\x89PNG\r\n\x1a\n0000'
  const body =
    start + file('photo', png, 'image/png') + field('tags', 'a') + field('tags', 'b') + end
  expect((await send(service.url, bytes(body))).status).toBe(204)
  await untilEmpty(service)
})

it.each(Object.entries(cases))(
  'rejects %s',
  async (_name, { body, headers, item, ...expected }) => {
    const response = await send(service.url, body, headers)
    expect(response).toMatchObject({
      status: expected.status,
      type: 'application/problem+json; charset=utf-8',
      body: expected,
    })
    if (item) {
      const [pointer, code] = item
      expect(response.body.errors[0]).toMatchObject({ in: 'body', pointer, code })
    }
    await untilEmpty(service)
    expect(service.log).toEqual([])
  },
)

it('rejects them in small pieces in the same way', async () => {
  for (const [name, { body, headers, status, code }] of Object.entries(cases)) {
    // A longer one is rejected before all of it has been sent, which can reset the connection.
    if (body.length > 2000) continue
    const response = await send(service.url, body, headers, 7)
    expect([name, response.status, response.body?.code]).toEqual([name, status, code])
  }
  await untilEmpty(service)
})
