import { once } from 'node:events'
import http from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { type RequestHandler, type Response } from 'express'
import session from 'express-session'
// @ts-expect-error -- the package has no types
import onHeaders from 'on-headers'
import { describe, expect, it } from 'vitest'
import { createServer } from '../../src/index.ts'
import {
  createComposed,
  createLines,
  createSingle,
  exchangeMounted,
  exchangeOnRoutes,
  handled,
  requests,
} from './same-bytes.ts'

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
  'express-session': [session({ secret: 's', resave: false, saveUninitialized: true })],
  'an on-headers listener': [listenForHeaders],
  'a patched end': [patchEnd],
  'a patched writeHead': [patchWriteHead],
  'a patched setHeader': [patchSetHeader],
}

// Everything but times and the pattern, which Express' own router knows only in part.
function withoutTimes(lines: readonly string[]): unknown[] {
  return lines.map((line) => ({ ...JSON.parse(line), time: 0, ms: 0, route: '' }))
}

describe.each([
  ['with', true],
  ['without', false],
])('the composed pipeline %s fast paths and its stages one by one', (_way, fast) => {
  for (const [name, before] of Object.entries(middlewares)) {
    it.each(Object.entries(requests))(
      `give the same bytes to %s, with ${name} on the routes`,
      async (_name, message) => {
        const { composed, single } = await exchangeOnRoutes({ message, fast, before })
        expect(composed).toMatch(/^HTTP\/1\.1 \d{3} /)
        expect(composed).toBe(single)
      },
    )

    if (before.length === 0) continue
    it.each(handled)(`give the same bytes to %s, mounted after ${name}`, async (_name, message) => {
      const { composed, single } = await exchangeMounted({ message, fast, before })
      expect(composed).toBe(single)
    })
  }

  it.each([...Object.entries(requests), ['POST of a body that is too large', tooMuch] as const])(
    'log the same line for %s',
    async (_name, message) => {
      const [lines, expected] = [createLines(), createLines()]
      const sent = { message, fast, before: [] }
      const { composed, single } = await exchangeOnRoutes(sent, lines, expected)
      expect(composed).toBe(single)
      await expect.poll(() => lines.lines.length + expected.lines.length).toBe(2)
      expect(withoutTimes(lines.lines)).toEqual(withoutTimes(expected.lines))
    },
  )

  it('log the same line for a client that disconnects during its body', async () => {
    const [lines, expected] = [createLines(), createLines()]
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
    await expect.poll(() => lines.lines.length + expected.lines.length).toBe(2)
    expect(withoutTimes(lines.lines)).toMatchObject([{ requestId: 'fixed', aborted: true }])
    expect(withoutTimes(lines.lines)).toEqual(withoutTimes(expected.lines))
    for (const server of servers) server.close()
  })
})
