import { once } from 'node:events'
import http, { type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import express, { type Express, type RequestHandler } from 'express'
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

/** What a log has written. */
export interface Lines {
  readonly lines: string[]
  write(text: string): void
}

/** Collects the lines of a log. */
export function createLines(): Lines {
  const lines: string[] = []
  return { lines, write: (text) => void lines.push(...text.split('\n').filter(Boolean)) }
}

/**
 * Creates the app of `createApi`.
 * @param fast - whether with its fast paths
 * @param before - runs before each handler
 * @param stream - log of the requests
 * @returns the app
 */
export function createComposed(fast: boolean, before: RequestHandler[], stream: Lines): Express {
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

/**
 * Creates a plain app with the same stages one by one.
 * @param before - runs before each handler
 * @param stream - log of the requests
 * @returns the app
 */
export function createSingle(before: RequestHandler[], stream: Lines): Express {
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

/** Messages to send, in short: parts separated by `|`, the body after `||`. */
export const requests: Record<string, string> = {
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

/** All but unknown paths, which are passed on to the parent, see test/express/mounting.test.ts. */
export const handled = Object.entries(requests).filter(([, message]) => !message.includes(' /nope'))

/** The bytes of a response of `createApi`, and of its stages one by one. */
export interface Responses {
  readonly composed: string
  readonly single: string
}

/** What is sent, and to whom. */
export interface Exchange {
  /** One of `requests`. */
  readonly message: string
  /** Whether `createApi` has its fast paths. */
  readonly fast: boolean
  /** Middleware of others. */
  readonly before: RequestHandler[]
}

/**
 * Sends a message to apps with the middleware on their routes.
 * @param exchange - what is sent
 * @param lines - log of `createApi`
 * @param expected - log of the single stages
 * @returns the responses
 */
export async function exchangeOnRoutes(
  { message, fast, before }: Exchange,
  lines: Lines = createLines(),
  expected: Lines = createLines(),
): Promise<Responses> {
  const composed = createServer(createComposed(fast, before, lines), { fast })
  const single = http.createServer(createSingle(before, expected))
  return { composed: await send(composed, message), single: await send(single, message) }
}

/**
 * Sends a message to apps that are mounted after the middleware.
 * @param exchange - what is sent
 * @returns the responses
 */
export async function exchangeMounted({ message, fast, before }: Exchange): Promise<Responses> {
  const lines = createLines()
  const composed = createServer(mount(createComposed(fast, [], lines), before), { fast })
  const single = http.createServer(mount(createSingle([], lines), before))
  return { composed: await send(composed, message), single: await send(single, message) }
}

function mount(app: Express, before: RequestHandler[]): Express {
  const parent = express()
  parent.disable('x-powered-by')
  parent.use(...before, app)
  return parent
}

// The response without what differs each time.
async function send(server: Server, message: string): Promise<string> {
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
