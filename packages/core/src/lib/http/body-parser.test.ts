import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import express, { type Express, type RequestHandler } from 'express'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { bodyParser, type BodyParserOptions } from './body-parser.ts'
import { errorHandler } from './error-handler.ts'

const silent = { error: () => {}, warn: () => {} }

function createApp(options: BodyParserOptions = {}, ...before: RequestHandler[]): Express {
  const app = express()
  app.use(...before, (_req, _res, next) => next())
  app.all('/', bodyParser(options), (req, res) => {
    res.json({ type: typeof req.body, body: req.body })
  })
  app.use(errorHandler({ logger: silent }))
  return app
}

async function send(
  app: Express,
  body: string | Buffer,
  headers: Record<string, string> = {},
): Promise<request.Response> {
  const pending = request(app).post('/').set('Content-Type', 'application/json').set(headers)
  // Without this superagent would encode a text by itself.
  return pending.serialize((value: unknown) => value as string).send(body as unknown as string)
}

async function exchange(app: Express, text: string | Buffer): Promise<string> {
  const server = app.listen(0)
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  let response = ''
  socket.on('data', (chunk) => {
    response += chunk.toString()
  })
  socket.on('error', () => {})
  socket.write(text)
  await once(socket, 'close')
  server.close()
  return response
}

describe('bodyParser', () => {
  const app = createApp()

  it('reads JSON of any kind; what it must be is for the schema', async () => {
    for (const value of [{ a: [1, 'ü😀', null] }, [1], 'text', 1, null, true]) {
      const response = await send(app, JSON.stringify(value))
      expect(response.body.body).toEqual(value)
    }
  })

  it('VAL-01 leaves req.body undefined when there is no body', async () => {
    await request(app).get('/').expect(200, { type: 'undefined' })
    await request(app).post('/').expect(200, { type: 'undefined' })
    await request(app)
      .post('/')
      .set('Content-Type', 'text/plain')
      .send('')
      .expect(200, { type: 'undefined' })
  })

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'Application/JSON; Charset="utf-8"',
    'application/json; profile="x"',
  ])('HTTP-02 accepts %s', async (type) => {
    expect((await send(app, '{}', { 'Content-Type': type })).status).toBe(200)
  })

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/json, text/plain',
    'json',
    '/',
    'application/vnd.api+json',
  ])('HTTP-02 rejects %s with 415 and Accept-Post', async (type) => {
    const response = await send(app, '{"a":1}', { 'Content-Type': type })
    expect(response.status).toBe(415)
    expect(response.body.code).toBe('unsupported_media_type')
    expect(response.headers['accept-post']).toBe('application/json')
  })

  it('HTTP-02 rejects a body without a type', async () => {
    const text = await exchange(
      app,
      'POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}',
    )
    expect(text).toContain('HTTP/1.1 415')
  })

  it.each(['utf-7', 'utf-16le', 'latin1', 'iso-8859-1', 'utf8; charset=utf-8'])(
    'VAL-10 rejects charset=%s with 415',
    async (charset) => {
      const response = await send(app, '{"a":1}', {
        'Content-Type': `application/json; charset=${charset}`,
      })
      expect(response.status).toBe(415)
    },
  )

  it('names the types of PATCH in Accept-Patch', async () => {
    const types = ['application/json', 'application/merge-patch+json']
    const patch = createApp({ types })
    const refused = await request(patch).patch('/').set('Content-Type', 'text/plain').send('x')
    expect(refused.status).toBe(415)
    expect(refused.headers['accept-patch']).toBe(types.join(', '))
    await request(patch)
      .patch('/')
      .set('Content-Type', types[1] ?? '')
      .send('{"a":1}')
      .expect(200)
  })

  it.each([
    Buffer.from([0x22, 0xff, 0x22]),
    Buffer.from([0x22, 0xc3, 0x22]),
    Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
    Buffer.from([0x22, 0xc0, 0x80, 0x22]),
  ])('VAL-10 rejects bytes that are not UTF-8 (%#)', async (bytes) => {
    const response = await send(app, bytes)
    expect(response.status).toBe(400)
    expect(response.body.code).toBe('invalid_encoding')
  })

  it('accepts a byte order mark', async () => {
    expect((await send(app, '\ufeff{"a":1}')).body.body).toEqual({ a: 1 })
  })

  it.each([
    '{"a":',
    '[1,]',
    '{"a":1,}',
    "{'a':1}",
    '{a:1}',
    'NaN',
    '01',
    '"\u0001"',
    '"\\x"',
    '{} {}',
    '// x\n{}',
    'undefined',
    '"',
    '{"a":1}}',
    'hunter2',
  ])('VAL-13 rejects %j with 400 and does not quote it', async (text) => {
    const response = await send(app, text)
    expect(response.status).toBe(400)
    expect(response.body.code).toBe('malformed_json')
    expect(response.text).not.toContain('hunter2')
  })

  it('VAL-11 rejects nesting deeper than 32 before parsing', async () => {
    const nest = (open: string, close: string, depth: number): string =>
      `${open.repeat(depth)}1${close.repeat(depth)}`
    expect((await send(app, nest('[', ']', 32))).status).toBe(200)
    expect((await send(app, nest('{"a":', '}', 32))).status).toBe(200)
    for (const text of [
      nest('[', ']', 33),
      nest('{"a":', '}', 33),
      '['.repeat(100_000),
      '{"a":'.repeat(20_000),
      `{"x":"\\\\","a":${nest('[', ']', 40)}}`,
    ]) {
      const response = await send(app, text)
      expect(response.body).toMatchObject({ status: 400, code: 'too_deep' })
    }
  })

  it('VAL-11 does not count brackets inside strings', async () => {
    for (const value of ['['.repeat(500), '\\"[['.repeat(50), '{"'.repeat(80)]) {
      const response = await send(app, JSON.stringify({ value, [value]: 1 }))
      expect(response.body.body).toEqual({ value, [value]: 1 })
    }
  })

  it.each([
    [String.raw`{"a":["ok","\ud800"]}`, '#/a/1', 'invalid_format'],
    [String.raw`"\udfff x"`, '#', 'invalid_format'],
    [String.raw`{"\ud800":1}`, '#/%EF%BF%BD', 'unrecognized_key'],
    [String.raw`{"a":{"x\u0000y":1}}`, '#/a/x%00y', 'unrecognized_key'],
    ['{"a":[{"_bsontype":"ObjectId"}]}', '#/a/0/_bsontype', 'unrecognized_key'],
    [String.raw`{"\u005fbsontype":"Long"}`, '#/_bsontype', 'unrecognized_key'],
    ['{"email":{"$gt":""}}', '#/email/%24gt', 'unrecognized_key'],
    ['[{"$where":"1"}]', '#/0/%24where', 'unrecognized_key'],
    [String.raw`{"a":{"b":[{"\u0024ne":1}]}}`, '#/a/b/0/%24ne', 'unrecognized_key'],
    ['{"$ref":"#"}', '#/%24ref', 'unrecognized_key'],
  ])(
    'VAL-03 rejects %s, which a database cannot store or reads as an operator, with 422',
    async (text, pointer, code) => {
      for (const host of [app, createApp({}, express.json({ strict: false }))]) {
        const response = await send(host, text)
        expect(response.body).toMatchObject({
          status: 422,
          errors: [{ in: 'body', pointer, code }],
        })
      }
    },
  )

  it('keeps every other text as it was sent', async () => {
    const body = { a: '\u{1F600} \0 \uFFFD', 'b.c': { x$: '$gt', bsontype: '_bsontype' } }
    const escaped = JSON.stringify(body).replace('\u{1F600}', String.raw`\ud83d\ude00`)
    expect((await send(app, escaped)).body.body).toEqual(body)
  })

  it('accepts names that begin with $ on request', async () => {
    const body = { $schema: 'x', properties: { a: { $ref: '#/$defs/a' } } }
    for (const parsers of [[], [express.json()]]) {
      const host = createApp({ dollarNames: true }, ...parsers)
      expect((await send(host, JSON.stringify(body))).body.body).toEqual(body)
      expect((await send(host, '{"_bsontype":"Long"}')).status).toBe(422)
    }
  })

  it('HTTP-03 rejects a body above the limit by its length and closes the connection', async () => {
    const response = await send(app, JSON.stringify('x'.repeat(150_000)))
    expect(response.status).toBe(413)
    expect(response.body.code).toBe('payload_too_large')
    expect(response.headers['connection']).toBe('close')
    expect((await send(app, JSON.stringify('x'.repeat(102_398)))).status).toBe(200)
  })

  it('HTTP-03 rejects a chunked body above the limit while it is received', async () => {
    const chunk = `ffff\r\n${'x'.repeat(0xffff)}\r\n`
    const head =
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'
    const text = await exchange(app, head + chunk.repeat(20))
    expect(text).toContain('HTTP/1.1 413')
    expect(text).toContain('Connection: close')
  })

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('HTTP-03 inflates %s within the limit', async (encoding, compress) => {
    const headers = { 'Content-Encoding': encoding }
    const good = await send(app, compress('{"a":"ü"}'), headers)
    expect(good.body.body).toEqual({ a: 'ü' })
    const before = process.memoryUsage().rss
    const bomb = await send(app, compress(Buffer.alloc(20_000_000)), headers)
    expect(bomb.status).toBe(413)
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000)
    expect((await send(app, compress('{"a":'), headers)).body.code).toBe('malformed_json')
    expect((await send(app, compress('['.repeat(99)), headers)).body.code).toBe('too_deep')
    expect((await send(app, compress(Buffer.from([0x22, 0xff])), headers)).body.code).toBe(
      'invalid_encoding',
    )
    expect((await send(app, 'not compressed', headers)).status).toBe(400)
  })

  it('HTTP-03 rejects other encodings with 415 and lists the accepted ones', async () => {
    for (const encoding of ['foo', 'gzip, gzip', 'compress']) {
      const response = await send(app, '{}', { 'Content-Encoding': encoding })
      expect(response.status).toBe(415)
      expect(response.headers['accept-encoding']).toBe('gzip, deflate, br')
    }
    expect((await send(app, '{}', { 'Content-Encoding': 'identity' })).status).toBe(200)
  })

  it('HTTP-03 rejects options that would not limit anything', () => {
    for (const options of [
      { limit: '100k' },
      { limit: 0 },
      { limit: Number.NaN },
      { maxDepth: 0 },
    ]) {
      expect(() => bodyParser(options)).toThrow(TypeError)
    }
    expect(() => bodyParser({ limit: '1mb', maxDepth: 64 })).not.toThrow()
  })

  it('keeps what another parser has read, within the depth', async () => {
    const host = createApp({ maxDepth: 3 }, express.json())
    expect((await send(host, '{"a":[1]}')).body.body).toEqual({ a: [1] })
    expect((await send(host, '[[[[1]]]]')).body.code).toBe('too_deep')
    expect((await send(host, '[[[1]]]')).status).toBe(200)
    const form = createApp({}, express.urlencoded({ extended: false }))
    const refused = await send(form, 'a=1', { 'Content-Type': 'application/x-www-form-urlencoded' })
    expect(refused.status).toBe(415)
  })

  it('copes with a stream that somebody has read already', async () => {
    const drained = createApp({}, (req, _res, next) => {
      req.resume().on('end', () => next())
    })
    expect((await send(drained, '{"a":1}')).body).toEqual({ type: 'undefined' })
    const paused = createApp({}, (req, _res, next) => {
      req.pause()
      next()
    })
    expect((await send(paused, '{"a":1}')).body.body).toEqual({ a: 1 })
  })

  it('waits for a body in pieces, and gives up on one that breaks off', async () => {
    const server = app.listen(0)
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const head =
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n'
    const slow = connect(port, '127.0.0.1')
    for (const piece of [head, '{"a"', ':"', 'x"', '}']) {
      slow.write(piece)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    const [response] = await once(slow, 'data')
    expect(String(response)).toContain('{"type":"object","body":{"a":"x"}}')
    slow.destroy()
    const broken = connect(port, '127.0.0.1')
    broken.write(`${head}{"a"`)
    broken.destroySoon()
    await once(broken, 'close')
    const next = await fetch(`http://127.0.0.1:${port}/`)
    expect(next.status).toBe(200)
    server.closeAllConnections()
    server.close()
  })
})
