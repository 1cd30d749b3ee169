import { once } from 'node:events'
import http from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import express, { type Express, type RequestHandler, type Response } from 'express'
import { describe, expect, it } from 'vitest'
import { createServer } from '../create-server.ts'
import { deferHeaders, installDeferredHeaders, setDefaultCaching } from './deferred-headers.ts'

const get = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'
const last = 'GET /last HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'

const text = (res: Response, body = 'text'): void => {
  res.setHeader('Content-Length', Buffer.byteLength(body)).end(body, 'latin1')
}

// What Node decides by the response.
const handlers: Record<string, RequestHandler> = {
  'an ordinary response': (_req, res) => text(res),
  'a long response': (_req, res) => text(res, 'x'.repeat(200_000)),
  'an empty response': (_req, res) => text(res, ''),
  'a response with a default': (_req, res) => {
    setDefaultCaching(res, 'no-store')
    text(res)
  },
  'a response without a length': (_req, res) => void res.end('text', 'latin1'),
  'a length in other letters': (_req, res) =>
    void res.setHeader('content-length', 4).end('text', 'latin1'),
  'an error': (_req, res) => text(res.status(422)),
  'an unknown status': (_req, res) => text(res.status(299)),
  'a status without a body': (_req, res) => text(res.status(204)),
  'a status that was not modified': (_req, res) => text(res.status(304)),
  'another reason': (_req, res) => {
    res.statusMessage = 'Fine'
    text(res)
  },
  'another date': (_req, res) => text(res.set('Date', 'Sat, 01 Jan 2000 00:00:00 GMT')),
  'no date': (_req, res) => {
    res.removeHeader('Date')
    text(res)
  },
  'no Connection': (_req, res) => {
    res.removeHeader('Connection')
    text(res)
  },
  'a connection that closes': (_req, res) => text(res.set('Connection', 'close')),
  'a writeHead before': (_req, res) => void res.writeHead(201).end('text', 'latin1'),
  'a write before': (_req, res) => {
    res.write('a')
    res.end('b', 'latin1')
  },
}

// What Node decides by the request.
const requests: Record<string, string> = {
  'one request': last,
  'two requests of a connection': get + last,
  'pipelined requests': get.repeat(5) + last,
  'HEAD requests': 'HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n' + last,
  'HTTP/1.0': 'GET / HTTP/1.0\r\n\r\n',
  'HTTP/1.0 with keep-alive': `GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n${last}`,
  'an expectation': `GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n${last}`,
  'a body': `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab${last}`,
}

const settings: Record<string, Partial<http.Server>> = {
  'a timeout': { keepAliveTimeout: 65_000 },
  'no timeout': { keepAliveTimeout: 0 },
  'a limit of requests': { maxRequestsPerSocket: 2 },
}

function createApp(handler: RequestHandler, isFast: boolean): Express {
  const app = express()
  app.disable('x-powered-by')
  if (isFast) installDeferredHeaders(app.response)
  app.use((_req, res, next) => {
    deferHeaders(res, ['X-First', 'one', 'Vary', 'Origin'])
    next()
  }, handler)
  return app
}

async function exchange(server: http.Server, sent: string): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.setEncoding('latin1').write(sent)
  const received: string[] = []
  for await (const chunk of socket) received.push(String(chunk))
  server.close()
  return received.join('').replaceAll(/Date: \w{3}, \d\d \w{3} 20[2-9].*/g, 'Date: now')
}

describe('the text of a head', () => {
  for (const [setting, values] of Object.entries(settings)) {
    for (const [name, sent] of Object.entries(requests)) {
      it.each(Object.entries(handlers))(
        `is what Node writes, in %s to ${name} with ${setting}`,
        async (_name, handler) => {
          const responses = [true, false].map((isFast) => {
            const app = createApp(handler, isFast)
            const server = createServer(app, { fast: isFast })
            return exchange(Object.assign(server, values), sent)
          })
          const [fast = '', plain] = await Promise.all(responses)
          expect(fast).toContain('HTTP/1.1')
          expect(fast).toBe(plain)
        },
      )
    }
  }

  it('leaves in one write with the body', async () => {
    const writes: string[] = []
    const app = createApp((req, res) => {
      const write = req.socket.write.bind(req.socket)
      req.socket.write = (chunk: string, ...rest: []) => {
        writes.push(chunk)
        return write(chunk, ...rest)
      }
      text(res)
    }, true)
    await exchange(createServer(app), `${get}GET / HTTP/1.0\r\n\r\n`)
    expect(writes[0]).toMatch(/^HTTP.1.1 200 OK\r\nX-First: one\r\n[^]*\r\n\r\ntext$/)
    expect(writes[1]).toMatch(/^HTTP/)
  })

  it('has the length that the handler has set, once', async () => {
    const app = createApp((_req, res) => text(res), true)
    const response = await exchange(createServer(app), last)
    expect(response.match(/content-length/gi)).toHaveLength(1)
  })

  it('is readable after it was sent', async () => {
    const facts: unknown[] = []
    const app = createApp((_req, res) => {
      text(res)
      facts.push(res.headersSent, res.statusMessage, res.getHeader('X-First'), res.writableEnded)
      expect(() => res.setHeader('X-Late', '1')).toThrow('ERR_HTTP_HEADERS_SENT')
    }, true)
    await exchange(createServer(app), get + last)
    expect(facts.slice(0, 4)).toEqual([true, 'OK', 'one', true])
  })

  it('is left to Node where writeHead was replaced for all responses', async () => {
    const { prototype } = http.ServerResponse
    const writeHead: unknown = Reflect.get(prototype, 'writeHead')
    const seen: number[] = []
    Reflect.set(prototype, 'writeHead', function replaced(this: unknown, ...args: unknown[]) {
      seen.push(Number(args[0]))
      return Reflect.apply(Object(writeHead), this, args)
    })
    try {
      await exchange(createServer(createApp((_req, res) => text(res), true)), last)
    } finally {
      Reflect.set(prototype, 'writeHead', writeHead)
    }
    expect(seen).toEqual([200])
  })
})
