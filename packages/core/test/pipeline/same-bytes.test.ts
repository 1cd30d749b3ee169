import { once } from 'node:events'
import http, { type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import compression from 'compression'
import express, { type Express, type RequestHandler, type Response } from 'express'
import session from 'express-session'
// @ts-expect-error -- the package has no types
import onHeaders from 'on-headers'
import { describe, expect, it } from 'vitest'
import { ApiError, createApi, createRegistry, createServer } from '../../src/index.ts'
import {
  accessLog,
  cors,
  errorHandler,
  health,
  rateLimit,
  requestId,
  securityHeaders,
} from '../../src/pipeline.ts'
import { createItems } from './items.ts'

// Compares createApi, with and without its fast paths, with the same stages one by one in a plain Express
// app on a plain server, where no header is deferred and nothing is composed.

const options = {
  cors: { origins: ['https://app.example.com'], credentials: true },
  rateLimit: { limit: 1000, now: () => 0 },
  securityHeaders: { hsts: 'always', resourcePolicy: 'cross-origin' },
} as const

interface Lines {
  readonly lines: string[]
  write(text: string): void
}

function createLines(): Lines {
  const lines: string[] = []
  return { lines, write: (text) => void lines.push(...text.split('\n').filter(Boolean)) }
}

function createComposed(fast: boolean, before: RequestHandler[], stream: Lines): Express {
  const { app } = createApi({
    routes: createRegistry().use('/items', createItems(before)),
    environment: 'production',
    server: { fast },
    auth: false,
    database: false,
    openapi: false,
    log: { level: 'silent' },
    accessLog: { stream },
    ...options,
  })
  return app
}

function createSingle(before: RequestHandler[], stream: Lines): Express {
  const app = express()
  app.disable('x-powered-by')
  app.set('etag', false)
  app.set('query parser', 'simple')
  app.use(requestId(), accessLog({ stream }), securityHeaders(options.securityHeaders))
  app.use(cors(options.cors), health(), rateLimit(options.rateLimit))
  app.use('/items', createItems(before))
  app.use((_req, _res, next) => next(new ApiError('not_found')))
  app.use(errorHandler({ logger: { error() {}, warn() {} } }))
  return app
}

const requests: Record<string, string> = {
  'GET a record': 'GET /items/1',
  'GET with a matching If-None-Match': 'GET /items/1|If-None-Match: "7"',
  'HEAD a record': 'HEAD /items/1',
  'HEAD of an unknown path': 'HEAD /nope',
  POST: 'POST /items|Content-Type: application/json|Content-Length: 12||{"text":"x"}',
  'POST in chunks':
    'POST /items|Content-Type: application/json|Transfer-Encoding: chunked||c\r\n{"text":"x"}\r\n0\r\n\r\n',
  'POST of an invalid body':
    'POST /items|Content-Type: application/json|Content-Length: 11||{"text":""}',
  'POST of a body that is not JSON':
    'POST /items|Content-Type: application/json|Content-Length: 3||{"t',
  'POST of another type': 'POST /items|Content-Type: text/plain|Content-Length: 3||abc',
  'an unknown path': 'GET /nope',
  'another method': 'DELETE /items/1',
  OPTIONS: 'OPTIONS /items/1',
  'a preflight':
    'OPTIONS /items/1|Origin: https://app.example.com|Access-Control-Request-Method: PUT',
  'an allowed origin': 'GET /items/1|Origin: https://app.example.com',
  'a foreign origin': 'GET /items/1|Origin: https://evil.example.com',
  'a path that is not UTF-8': 'GET /items/%ff',
  'an unknown parameter': 'GET /items/1?a=1',
  'an unacceptable type': 'GET /items/1|Accept: text/html',
  'an accepted encoding': 'GET /items/1|Accept-Encoding: gzip',
  'a handler that fails': 'GET /items/fail/now',
  'a handler that ends the response itself': 'GET /items/own/response',
  health: 'GET /',
}

// Unknown paths are passed on to the parent, see test/express/mounting.test.ts.
const handled = Object.entries(requests).filter(([, message]) => !message.includes(' /nope'))

const tooMuch = 'POST /items|Content-Type: application/json|Content-Length: 999999||'

const patchEnd: RequestHandler = (_req, res, next) => {
  const end = res.end.bind(res)
  res.end = ((...args: Parameters<Response['end']>) => {
    if (!res.headersSent) res.setHeader('X-Patched', `end ${String(res.getHeader('x-request-id'))}`)
    return end(...args)
  }) as Response['end']
  next()
}

const patchWriteHead: RequestHandler = (_req, res, next) => {
  const writeHead = res.writeHead.bind(res)
  res.writeHead = ((...args: Parameters<Response['writeHead']>) => {
    res.setHeader('X-Patched', res.getHeaderNames().join(' '))
    return writeHead(...args)
  }) as Response['writeHead']
  next()
}

const patchSetHeader: RequestHandler = (_req, res, next) => {
  const setHeader = res.setHeader.bind(res)
  const seen: string[] = []
  res.setHeader = (name, value) => {
    seen.push(name)
    if (name !== 'X-Seen') setHeader('X-Seen', seen.join(' '))
    return setHeader(name, value)
  }
  next()
}

const listenForHeaders: RequestHandler = (_req, res, next) => {
  onHeaders(res, () => {
    res.setHeader('X-Heard', String(res.getHeader('x-request-id')))
    res.removeHeader('X-Content-Type-Options')
  })
  next()
}

const middlewares: Record<string, RequestHandler[]> = {
  nothing: [],
  compression: [compression({ threshold: 0 })],
  'express-session': [session({ secret: 's', resave: false, saveUninitialized: true })],
  'an on-headers listener': [listenForHeaders],
  'a patched end': [patchEnd],
  'a patched writeHead': [patchWriteHead],
  'a patched setHeader': [patchSetHeader],
}

async function exchange(server: Server, message: string): Promise<string> {
  server.listen(0)
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [head = '', body = ''] = message.split('||')
  const [first = '', ...headers] = head.split('|')
  const fixed = ['Host: localhost', 'Connection: close', 'X-Request-Id: fixed']
  socket.write([`${first} HTTP/1.1`, ...fixed, ...headers, '', body].join('\r\n'))
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk)
  server.close()
  return Buffer.concat(chunks)
    .toString('latin1')
    .replace(/\r\nDate: .*/, '\r\nDate: now')
    .replace(/connect\.sid=[^;]+/, 'connect.sid=id')
    .replace(/Expires=[^;\r]+/, 'Expires=then')
}

// Everything but times and the pattern, which Express' own router knows only in part.
function withoutTimes(lines: readonly string[]): unknown[] {
  return lines.map((line) => ({ ...JSON.parse(line), time: 0, ms: 0, route: '' }))
}

function mount(app: Express, before: RequestHandler[]): Express {
  const parent = express()
  parent.disable('x-powered-by')
  parent.use(...before, app)
  return parent
}

describe.each([
  ['with', true],
  ['without', false],
])('the composed pipeline %s fast paths and its stages one by one', (_way, fast) => {
  for (const [name, before] of Object.entries(middlewares)) {
    it.each(Object.entries(requests))(
      `give the same bytes to %s, with ${name} on the routes`,
      async (_name, message) => {
        const [lines, expected] = [createLines(), createLines()]
        const composed = await exchange(
          createServer(createComposed(fast, before, lines), { fast }),
          message,
        )
        const single = await exchange(http.createServer(createSingle(before, expected)), message)
        expect(composed).toMatch(/^HTTP\/1\.1 \d{3} /)
        expect(composed).toBe(single)
      },
    )

    if (before.length === 0) continue
    it.each(handled)(`give the same bytes to %s, mounted after ${name}`, async (_name, message) => {
      const stream = createLines()
      const composed = mount(createComposed(fast, [], stream), before)
      const single = mount(createSingle([], stream), before)
      const actual = await exchange(createServer(composed, { fast }), message)
      expect(actual).toBe(await exchange(http.createServer(single), message))
    })
  }

  it.each([...Object.entries(requests), ['POST of a body that is too large', tooMuch] as const])(
    'log the same line for %s',
    async (_name, message) => {
      const [lines, expected] = [createLines(), createLines()]
      const composed = await exchange(
        createServer(createComposed(fast, [], lines), { fast }),
        message,
      )
      expect(composed).toBe(await exchange(http.createServer(createSingle([], expected)), message))
      await expect.poll(() => lines.lines.length + expected.lines.length, { timeout: 3000 }).toBe(2)
      expect(withoutTimes(lines.lines)).toEqual(withoutTimes(expected.lines))
    },
  )

  it('log the same line for a client that disconnects during its body', async () => {
    const streams = [createLines(), createLines()]
    const [lines, expected] = streams as [Lines, Lines]
    const servers = [
      createServer(createComposed(fast, [], lines), { fast }),
      http.createServer(createSingle([], expected)),
    ]
    for (const server of servers) {
      server.listen(0)
      await once(server, 'listening')
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
      const head = 'POST /items HTTP/1.1\r\nHost: x\r\nX-Request-Id: fixed\r\n'
      socket.write(`${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"te`)
      await once(server, 'request')
      socket.destroy()
    }
    await expect.poll(() => lines.lines.length + expected.lines.length, { timeout: 3000 }).toBe(2)
    expect(withoutTimes(lines.lines)).toMatchObject([{ requestId: 'fixed', aborted: true }])
    expect(withoutTimes(lines.lines)).toEqual(withoutTimes(expected.lines))
    for (const server of servers) server.close()
  })
})
