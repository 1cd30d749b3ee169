import { once } from 'node:events'
import http from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, it } from 'vitest'
import { handleClientErrors } from './client-errors.ts'

const server = http.createServer(
  { headersTimeout: 200, requestTimeout: 200, connectionsCheckingInterval: 50 },
  (_req, res) => res.end('ok'),
)
handleClientErrors(server, 'https://example.org/problems')
server.listen(0)
await once(server, 'listening')
const address = server.address()
const port = typeof address === 'object' ? (address?.port ?? 0) : 0

afterAll(() => server.close())

async function send(bytes: string): Promise<{ head: string; body: Record<string, unknown> }> {
  const socket = connect(port)
  socket.write(bytes)
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n')
  return { head, body: JSON.parse(body) }
}

describe('handleClientErrors', () => {
  it.each([
    ['garbage', 'garbage\r\n\r\n', 400, 'bad_request'],
    [
      'a header of 20 kB',
      `GET / HTTP/1.1\r\nA: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx',
      400,
      'bad_request',
    ],
    ['headers that never end', 'GET / HTTP/1.1\r\nHost: a\r\n', 408, 'request_timeout'],
  ])('HTTP-07 returns a problem for %s', async (_name, bytes, status, code) => {
    const { head, body } = await send(bytes)
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(head).toContain('Connection: close')
    expect(head).toContain('Content-Type: application/problem+json')
    expect(head).toContain(`X-Request-Id: ${String(body.requestId)}`)
    expect(body).toMatchObject({ status, code, type: `https://example.org/problems/${code}` })
  })

  it('closes the connection when a response has already been sent', async () => {
    const socket = connect(port)
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    await once(socket, 'data')
    socket.write('garbage\r\n\r\n')
    expect(await text(socket)).toBe('')
  })
})
