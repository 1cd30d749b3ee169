import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import express from 'express'
import { afterAll, describe, expect, it } from 'vitest'
import { ApiError } from '../errors/api-error.ts'
import { createServer } from '../create-server.ts'
import { bodyParser } from './body-parser.ts'
import { errorHandler } from './error-handler.ts'
import { framing } from './framing.ts'

const app = express()
app.use(framing())
app.use((req, _res, next) => {
  next(req.headers.authorization === 'none' ? new ApiError('unauthenticated') : undefined)
})
app.post('/', bodyParser(), (req, res) => {
  res.json(req.body)
})
app.get('/', (_req, res) => {
  res.json({})
})
app.use(errorHandler({ logger: { error: () => {}, warn: () => {} } }))
const server = createServer(app, { requireHostHeader: false }).listen(0)
await once(server, 'listening')
const { port } = server.address() as AddressInfo

afterAll(() => {
  server.closeAllConnections()
  server.close()
})

interface Reply {
  status: number
  text: string
  closed: boolean
}

async function exchange(request: string): Promise<Reply> {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  let closed = false
  socket.on('data', (chunk) => {
    text += String(chunk)
  })
  socket.on('close', () => {
    closed = true
  })
  socket.on('error', () => {})
  socket.write(request)
  await expect.poll(() => closed || /\r\n\r\n(?:\{|0)/.test(text), { interval: 5 }).toBe(true)
  // What closes does so right behind the response.
  if (/^connection: close/im.test(text) && !closed) await once(socket, 'close')
  socket.destroy()
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]), text, closed }
}

const json = 'Content-Type: application/json\r\n'
const chunked = '9\r\n{"a":"b"}\r\n0\r\n\r\n'
const post = `POST / HTTP/1.1\r\nHost: x\r\n${json}`

describe('framing', () => {
  it.each([
    ['two Hosts', 'GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n'],
    ['two different Hosts', 'GET / HTTP/1.1\r\nHost: x\r\nhost: y\r\n\r\n'],
    ['no Host', 'GET / HTTP/1.1\r\nX-Host: x\r\n\r\n'],
    ['a Host that is none', 'GET / HTTP/1.1\r\nHost: a b\r\n\r\n'],
    ['a Host with user', 'GET / HTTP/1.1\r\nHost: a@b\r\n\r\n'],
    ['Transfer-Encoding: xchunked', `${post}Transfer-Encoding: xchunked\r\n\r\n${chunked}`],
    [
      'Transfer-Encoding: gzip, chunked',
      `${post}Transfer-Encoding: gzip, chunked\r\n\r\n${chunked}`,
    ],
    [
      'Transfer-Encoding: chunked, identity',
      `${post}Transfer-Encoding: chunked, identity\r\n\r\n${chunked}`,
    ],
    [
      'Transfer-Encoding twice',
      `${post}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`,
    ],
    [
      'Transfer-Encoding in HTTP/1.0',
      `POST / HTTP/1.0\r\n${json}Transfer-Encoding: chunked\r\n\r\n${chunked}`,
    ],
    [
      'Content-Length and Transfer-Encoding',
      `${post}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`,
    ],
    ['two Content-Lengths', `${post}Content-Length: 9\r\nContent-Length: 5\r\n\r\n{"a":"b"}`],
    ['Content-Length: +9', `${post}Content-Length: +9\r\n\r\n{"a":"b"}`],
    ['Content-Length: -1', `${post}Content-Length: -1\r\n\r\n`],
    ['a folded line', 'GET / HTTP/1.1\r\nHost: x\r\nX-A: b\r\n c\r\n\r\n'],
    ['bare line feeds', 'GET / HTTP/1.1\nHost: x\n\n'],
    ['a space before the colon', 'GET / HTTP/1.1\r\nHost : x\r\n\r\n'],
    ['garbage', '\u0001\u0002\u0003\r\n\r\n'],
  ])('HTTP-06 HTTP-07 rejects %s with 400 and closes the connection', async (_name, request) => {
    const { status, text, closed } = await exchange(request)
    expect(status).toBe(400)
    expect(closed).toBe(true)
    expect(text).toContain('application/problem+json')
    expect(text).toContain('"code":"bad_request"')
  })

  it('HTTP-06 keeps what is clear', async () => {
    const responses = await Promise.all(
      [
        'GET / HTTP/1.1\r\nHost: x\r\n\r\n',
        'GET / HTTP/1.1\r\nhOsT: [::1]:3000\r\n\r\n',
        'GET / HTTP/1.0\r\n\r\n',
        `${post}Transfer-Encoding: Chunked\r\n\r\n${chunked}`,
        `${post}Content-Length: 9\r\n\r\n{"a":"b"}`,
      ].map(exchange),
    )
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  })

  it('rejects an unknown Expect with 417, and supports 100-continue', async () => {
    const refused = await exchange(`${post}Expect: x\r\nContent-Length: 9\r\n\r\n{"a":"b"}`)
    expect(refused.status).toBe(417)
    expect(refused.text).toContain('"code":"expectation_failed"')
    const met = await exchange(`${post}Expect: 100-continue\r\nContent-Length: 9\r\n\r\n{"a":"b"}`)
    expect(met.text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/)
    expect(met.text).toContain('Connection: keep-alive')
  })

  it('HTTP-10 sends 100 only when the body is read', async () => {
    const expecting = 'Expect: 100-continue\r\nContent-Length'
    const large = await exchange(`${post}${expecting}: 1000000000\r\n\r\n`)
    expect(large.text).toMatch(/^HTTP\/1\.1 413 /)
    expect(large.closed).toBe(true)
    const closed = await exchange(`${post}Authorization: none\r\n${expecting}: 9\r\n\r\n`)
    expect(closed.text).toMatch(/^HTTP\/1\.1 401 /)
    expect(closed.closed).toBe(true)
    const ignored = await exchange(`GET / HTTP/1.1\r\nHost: x\r\n${expecting}: 9\r\n\r\n`)
    expect(ignored.text).toMatch(/^HTTP\/1\.1 200 /)
    expect(ignored.closed).toBe(true)
  })
})
