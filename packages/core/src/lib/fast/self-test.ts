import http from 'node:http'
import { Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import express, { type Request, type Response } from 'express'
import { deferHeaders, setDefaultCaching, setKnownHeader } from './deferred-headers.ts'
import {
  type Constructors,
  createConstructors,
  installFastPaths,
  type Prototypes,
} from './prototypes.ts'

// The parts of Node and Express that the fast paths build on.
export type Platform = Constructors & Prototypes

interface Exchange {
  readonly req: Request
  readonly res: Response
}

let warning: string | false | undefined

// A warning if this release of Node or Express is not what the fast paths were written for: they must
// then stay off, so that responses are slower rather than wrong.
export function findChange(): string | undefined {
  const { IncomingMessage, ServerResponse } = http
  const { request, response } = express
  warning ??= toWarning(comparePaths({ IncomingMessage, ServerResponse, request, response }))
  return warning === false ? undefined : warning
}

function toWarning(difference: string | undefined): string | false {
  if (difference === undefined) return false
  return `The fast paths are off, so that requests take longer: Node ${process.version} or Express has changed (${difference}).`
}

// Runs each check with and without the fast paths. Returns the first difference.
export function comparePaths(platform: Platform): string | undefined {
  const method = findUnknownMethod(platform.ServerResponse.prototype)
  if (method !== undefined) return `unknown method ServerResponse.${method}`
  try {
    const create = prepare(platform)
    const [field] = findMissingFields(create(), createPlain(platform))
    if (field !== undefined) return `missing field ${field}`
    for (const [name, run] of Object.entries(checks)) {
      if (run(create()) !== run(createPlain(platform))) return name
    }
  } catch (error) {
    return String(error)
  }
  return undefined
}

// Each header method must know of deferred headers, or call one that does.
const headerMethods =
  /^(?:(?:append|flush|get|has|remove|set)Headers?|get(?:Raw)?HeaderNames|headersSent|writeHeader)$/

function findUnknownMethod(prototype: object | null): string | undefined {
  if (prototype === null) return undefined
  const names = Object.getOwnPropertyNames(prototype)
  const unknown = names.find((name) => /^[a-z]*header/i.test(name) && !headerMethods.test(name))
  return unknown ?? findUnknownMethod(Object.getPrototypeOf(prototype))
}

// Called as functions, Node's constructors must still set every field.
function findMissingFields(actual: Exchange, expected: Exchange): string[] {
  return [
    ...Object.keys(expected.req).filter((name) => !Object.hasOwn(actual.req, name)),
    ...Object.keys(expected.res).filter((name) => !Object.hasOwn(actual.res, name)),
  ]
}

const checks: Readonly<Record<string, (exchange: Exchange) => string>> = {
  // Bun passes the URL to the constructor, Node sets it later.
  'a request has its URL': ({ req }) => req.url,
  'deferred headers are sent'({ res }) {
    deferHeaders(res, ['X-First', 'one', 'X-Second', 'two'])
    setKnownHeader(res, 'Content-Type', 'text/plain')
    return send(res)
  },
  'deferred headers can be read and changed'({ res }) {
    deferHeaders(res, ['X-First', 'one', 'X-Second', 'two'])
    res.removeHeader('x-first')
    res.setHeader('X-Second', '2')
    const before = [res.getHeaderNames(), { ...res.getHeaders() }]
    const sent = send(res)
    return JSON.stringify([before, sent, res.getHeader('X-Second'), res.hasHeader('X-First')])
  },
  'deferred headers stay in order with others'({ res }) {
    deferHeaders(res, ['X-First', 'one'])
    res.appendHeader('X-First', 'two').setHeader('Set-Cookie', ['a=1', 'b=2'])
    return send(res)
  },
  'deferred headers are sent with those of writeHead'({ res }) {
    deferHeaders(res, ['X-First', 'one'])
    res.writeHead(201, 'Made', { 'X-Second': 'two' })
    return send(res)
  },
  'a default is sent where nothing else is set'({ res }) {
    setDefaultCaching(res, 'no-store')
    deferHeaders(res, ['X-First', 'one'])
    const before = String(res.getHeader('Cache-Control'))
    return before + send(res)
  },
  'a default gives way'({ res }) {
    setDefaultCaching(res, 'no-store')
    deferHeaders(res, ['X-First', 'one'])
    res.writeHead(200, { 'cache-control': 'max-age=1' })
    return send(res)
  },
  'a text is sent with its head'({ res }) {
    deferHeaders(res, ['X-First', 'one', 'Content-Length', '4'])
    Object.assign(res, { _keepAliveTimeout: 5000 })
    const sent = send(res.status(404), { sendDate: true }).replace(/Date: .{29}\r\n/, 'Date\r\n')
    return `${sent}${res.headersSent} ${res.statusMessage} ${res.writableEnded}`
  },
  'a head that closes the connection is sent'({ res }) {
    deferHeaders(res, ['X-First', 'one', 'Content-Length', '4'])
    res.shouldKeepAlive = false
    return send(res)
  },
  'a request with a body is resumed'({ req, res }) {
    req.headers['content-length'] = '1'
    send(res)
    return `${req.resume().readableFlowing} ${req.readableEnded}`
  },
}

// Sends to a stream in memory and returns what would go over the wire.
function send(res: Response, { sendDate = false } = {}): string {
  const stream = new PassThrough()
  res.sendDate = sendDate
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only written to
  res.assignSocket(stream as unknown as Socket)
  res.end('text', 'latin1')
  return String(stream.read())
}

function prepare(platform: Platform): () => Exchange {
  const app = {
    request: Object.create(platform.request),
    response: Object.create(platform.response),
  }
  installFastPaths(app)
  const constructors = createConstructors(app, platform)
  return () => createExchange(constructors)
}

function createPlain(platform: Platform): Exchange {
  const exchange = createExchange(platform)
  Object.setPrototypeOf(exchange.req, platform.request)
  Object.setPrototypeOf(exchange.res, platform.response)
  return exchange
}

function createExchange({ IncomingMessage, ServerResponse }: Constructors): Exchange {
  const req = Object.assign(Reflect.construct(IncomingMessage, [new Socket(), '/self-test']), {
    method: 'GET',
    httpVersionMajor: 1,
    httpVersionMinor: 1,
  })
  const res = new ServerResponse(req)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- their prototypes are those of Express
  return { req, res: Object.assign(res, { req }) } as unknown as Exchange
}
