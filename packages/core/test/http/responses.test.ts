import { gzipSync } from 'node:zlib'
import request from 'supertest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { problemSchema } from './problem-schema.ts'
import { createNotes } from './service.ts'

const api = createNotes({
  rateLimit: { limit: 1000 },
  environment: 'production',
  log: { level: 'silent' },
  accessLog: { format: false },
})
const agent = request(api.app)
const id = '0'.repeat(24)

interface Input {
  method?: 'get' | 'post' | 'patch' | 'put' | 'delete' | 'head' | 'options'
  path?: string
  headers?: Record<string, string>
  body?: string | Buffer
}

const json = { 'Content-Type': 'application/json' }
const inputs: [string, Input, number, string, Record<string, string | RegExp>?][] = [
  ['malformed JSON', { body: '{"a":' }, 400, 'malformed_json'],
  ['bytes that are not UTF-8', { body: Buffer.from([0x7b, 0xff]) }, 400, 'invalid_encoding'],
  [
    'a path that is not UTF-8',
    { method: 'get', path: '/api/notes/%E0%A4%A' },
    400,
    'invalid_encoding',
  ],
  ['deep nesting', { body: '['.repeat(40) }, 400, 'too_deep'],
  ['an unknown query parameter', { method: 'get', path: '/api/notes?x=1' }, 400, 'invalid_query'],
  [
    'a repeated query parameter',
    { method: 'get', path: '/api/notes?limit=1&limit=1' },
    400,
    'invalid_query',
  ],
  [
    'an operator in the query',
    { method: 'get', path: '/api/notes?title[$ne]=x' },
    400,
    'invalid_query',
  ],
  [
    'a query for the prototype',
    { method: 'get', path: '/api/notes?__proto__[a]=1' },
    400,
    'invalid_query',
  ],
  [
    'a query on a route without one',
    { method: 'get', path: `/api/notes/${id}?x=1` },
    400,
    'invalid_query',
  ],
  ['an unknown path', { method: 'get', path: '/nope' }, 404, 'not_found'],
  ['a malformed id', { method: 'get', path: '/api/notes/abc' }, 404, 'not_found'],
  ['a NUL in the path', { method: 'get', path: '/api/notes/%00' }, 404, 'not_found'],
  ['a path that climbs', { method: 'get', path: '/api/notes/..%2f..%2fetc' }, 404, 'not_found'],
  [
    'another method',
    { method: 'put', path: '/api/notes' },
    405,
    'method_not_allowed',
    { allow: /GET.*POST/ },
  ],
  [
    'another method on health',
    { method: 'delete', path: '/' },
    405,
    'method_not_allowed',
    { allow: 'GET, HEAD, OPTIONS' },
  ],
  [
    'HTML wanted',
    { method: 'get', path: '/api/notes', headers: { Accept: 'text/html' } },
    406,
    'not_acceptable',
  ],
  [
    'a large body',
    { body: `"${'x'.repeat(110_000)}"` },
    413,
    'payload_too_large',
    { connection: 'close' },
  ],
  [
    'a large body once inflated',
    { headers: { 'Content-Encoding': 'gzip' }, body: gzipSync(Buffer.alloc(1_000_000)) },
    413,
    'payload_too_large',
  ],
  [
    'text',
    { headers: { 'Content-Type': 'text/plain' }, body: 'x' },
    415,
    'unsupported_media_type',
    { 'accept-post': 'application/json' },
  ],
  [
    'another charset',
    { headers: { 'Content-Type': 'application/json; charset=latin1' }, body: '{}' },
    415,
    'unsupported_media_type',
  ],
  [
    'another encoding',
    { headers: { 'Content-Encoding': 'x' }, body: '{}' },
    415,
    'unsupported_media_type',
    { 'accept-encoding': 'gzip, deflate, br' },
  ],
  [
    'text for PATCH',
    {
      method: 'patch',
      path: `/api/notes/${id}`,
      headers: { 'Content-Type': 'text/plain' },
      body: 'x',
    },
    415,
    'unsupported_media_type',
    { 'accept-patch': 'application/json, application/merge-patch+json' },
  ],
  ['no body', {}, 422, 'validation_failed'],
  ['a list for an object', { body: '[]' }, 422, 'validation_failed'],
  ['null for an object', { body: 'null' }, 422, 'validation_failed'],
  ['an unknown field', { body: '{"title":"x","role":"admin"}' }, 422, 'validation_failed'],
  ['an operator for a text', { body: '{"title":{"$ne":null}}' }, 422, 'validation_failed'],
]

const secured = {
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'; sandbox",
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-permitted-cross-domain-policies': 'none',
  'x-dns-prefetch-control': 'off',
  'cache-control': 'no-store',
}

async function send({
  method = 'post',
  path = '/api/notes',
  headers = {},
  body,
}: Input): Promise<request.Response> {
  const pending = agent[method](path).set(body === undefined ? headers : { ...json, ...headers })
  if (body === undefined) return pending
  return pending.serialize(() => body as never).send(body)
}

beforeAll(() => api.start({ signals: false }))
afterAll(() => api.stop())

describe('a response of the whole pipeline', () => {
  it.each(inputs)(
    'ERR-01 HDR-01 HDR-02 for %s is the right problem',
    async (_name, input, status, code, headers = {}) => {
      const response = await send(input)
      expect({ status: response.status, code: response.body.code }).toEqual({ status, code })
      expect(response.headers['content-type']).toBe('application/problem+json; charset=utf-8')
      const problem = problemSchema.parse(response.body)
      expect(problem.requestId).toBe(response.headers['x-request-id'])
      expect(response.headers).toMatchObject(secured)
      for (const [name, value] of Object.entries(headers)) {
        expect(response.headers[name]).toEqual(
          typeof value === 'string' ? value : expect.stringMatching(value),
        )
      }
      expect(response.headers).not.toHaveProperty('x-powered-by')
      expect(response.headers).not.toHaveProperty('server')
    },
  )

  it.each<[number, Input]>([
    [200, { method: 'get' }],
    [201, { body: '{"title":"x"}' }],
    [204, { method: 'options' }],
    [200, { method: 'head' }],
    [200, { method: 'get', path: '/' }],
    [200, { method: 'get', path: '/openapi.json' }],
  ])('HDR-01 has every header with %i too (%#)', async (status, input) => {
    const response = await send(input)
    expect(response.status).toBe(status)
    expect(response.headers).toMatchObject(secured)
  })

  it('VAL-06 returns the same for a malformed id and an absent path', async () => {
    const strip = ({ body }: request.Response): unknown => ({
      ...body,
      instance: '',
      requestId: '',
    })
    expect(strip(await send({ method: 'get', path: '/api/notes/abc' }))).toEqual(
      strip(await send({ method: 'get', path: '/nope' })),
    )
  })

  it('HTTP-05 responds to HEAD like GET, without the body', async () => {
    const [head, get] = [await send({ method: 'head' }), await send({ method: 'get' })]
    expect(head.headers['content-length']).toBe(get.headers['content-length'])
    expect(head.text).toBeUndefined()
  })

  it('VAL-05 keeps the prototype clean', async () => {
    const response = await send({ body: '{"title":"x","__proto__":{"a":1}}' })
    expect([201, 422]).toContain(response.status)
    await send({ body: '{"title":"x","constructor":{"prototype":{"a":1}}}' })
    expect(({} as { a?: unknown }).a).toBeUndefined()
  })

  it('VAL-13 accepts any Unicode text and returns it byte for byte', async () => {
    const texts = [
      '\u202eabc',
      'e\u0301',
      '👩\u200d👩\u200d👧',
      '\u200b',
      '\u0000',
      '<b>"\'</b>',
      '../..',
      '${x}',
      '{{x}}',
      '\u2028',
      '𝒳',
    ]
    for (const title of texts) {
      const response = await send({ body: JSON.stringify({ title }) })
      expect(response.body.data.title).toBe(title)
    }
  })

  it('RL-10 never limits health', async () => {
    const limited = createNotes({ rateLimit: { limit: 1 } })
    const client = request(limited.app)
    await client.get('/api/notes').expect(200)
    await client.get('/api/notes').expect(429)
    for (const path of ['/', '/health/live', '/health/ready']) {
      const response = await client.get(path).expect(200)
      expect(response.headers).not.toHaveProperty('ratelimit')
    }
  })

  it('RL-09 rejects before the body is read', async () => {
    const limited = createNotes({ rateLimit: { limit: 1 } })
    const client = request(limited.app)
    await client.get('/api/notes').expect(200)
    await client.post('/api/notes').set(json).send('{"a":').expect(429)
  })

  it('lets the listed origins embed, preflight and read responses', async () => {
    const shared = request(createNotes({ cors: { origins: ['https://app.example.com'] } }).app)
    const response = await shared.get('/api/notes').set('Origin', 'https://app.example.com')
    expect(response.headers).toMatchObject({
      'access-control-allow-origin': 'https://app.example.com',
      'cross-origin-resource-policy': 'cross-origin',
      vary: 'Origin',
    })
    const preflight = await shared
      .options('/api/notes')
      .set('Origin', 'https://app.example.com')
      .set('Access-Control-Request-Method', 'POST')
    expect(preflight.status).toBe(204)
    expect(preflight.headers['access-control-allow-methods']).toContain('POST')
    expect(preflight.headers).not.toHaveProperty('allow')
  })
})
