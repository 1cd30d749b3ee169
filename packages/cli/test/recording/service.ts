import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { onTestFinished } from 'vitest'

interface Note {
  id: string
  orderId: number
  title: unknown
  createdAt: string
}

/** What a version of the service does differently. */
export interface Change {
  /** Applied to each note that is sent. */
  readonly note?: (note: Note) => object
  readonly status?: number
}

/** A service with generated ids, numbers, dates, tokens and cookies; returns its URL and what it has received. */
export async function startService(
  change: Change = {},
): Promise<{ readonly url: string; readonly received: readonly string[] }> {
  const notes = new Map<string, Note>()
  const tokens = new Set<string>()
  const received: string[] = []
  let number = Math.floor(Math.random() * 1e6)
  const show = (note: Note): object => change.note?.(note) ?? note
  const json = (response: ServerResponse, status: number, value: unknown, more = {}): void => {
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...more })
    response.end(JSON.stringify(value))
  }
  const routes: Record<string, (exchange: ServedExchange) => void> = {
    'POST /login': ({ body, response }) => {
      if (JSON.parse(body.toString()).password !== 'correct horse') return json(response, 401, {})
      const token = randomBytes(24).toString('base64url')
      tokens.add(token)
      const cookie = `sid=${encodeURIComponent(`s:${token}`)}; Path=/; HttpOnly`
      json(response, 200, { token, tokenType: 'Bearer' }, { 'set-cookie': cookie })
    },
    'GET /me': ({ request, response }) => {
      const token = request.headers.authorization?.replace('Bearer ', '') ?? ''
      const cookie = decodeURIComponent(request.headers.cookie ?? '').replace('sid=s:', '')
      json(response, tokens.has(token) || tokens.has(cookie) ? 200 : 401, { at: Date.now() })
    },
    'POST /notes': ({ body, response }) => {
      const note: Note = {
        id: randomBytes(12).toString('hex'),
        orderId: (number += 1),
        title: JSON.parse(body.toString()).title,
        createdAt: new Date().toISOString(),
      }
      notes.set(note.id, note)
      json(response, change.status ?? 201, show(note), { location: `/notes/${note.id}` })
    },
    'GET /notes': ({ response }) => {
      const bytes = gzipSync(JSON.stringify({ data: [...notes.values()].map(show) }))
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
      response.end(bytes)
    },
    'GET /redirect': ({ response }) =>
      json(response, 302, {}, { location: 'http://127.0.0.1:9/elsewhere' }),
    'GET /events': ({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: 1\n\n')
    },
    'GET /abort': ({ response }) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-length': 100 })
      response.write('half')
      setTimeout(() => response.destroy(), 20)
    },
    'GET /page': ({ response }) => {
      response.writeHead(200, { 'content-type': 'text/html' })
      response.end(`<p>at ${new Date().toISOString()}</p>\n<p>${notes.size} notes</p>`)
    },
  }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '' } = request
      const body = Buffer.concat(chunks)
      received.push(`${method} ${url}`)
      const route = routes[`${method} ${url.split('?')[0]}`]
      if (route) return route({ request, response, body })
      const id = /^\/notes\/([^/?]+)/.exec(url)?.[1] ?? ''
      const order = Number(/^\/orders\/(\d+)/.exec(url)?.[1])
      const note = notes.get(id) ?? [...notes.values()].find(({ orderId }) => orderId === order)
      if (note && method === 'DELETE') notes.delete(id)
      if (note && method === 'PATCH') Object.assign(note, JSON.parse(body.toString()))
      if (note) return json(response, 200, show(note), { etag: `"${note.orderId}"` })
      if (url.startsWith('/echo')) {
        response.setHeader(
          'content-type',
          request.headers['content-type'] ?? 'application/octet-stream',
        )
        response.setHeader('set-cookie', ['a=1', 'b=2'])
        return void response.end(body)
      }
      return json(response, 404, { error: 'not found', url })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => stop(server))
  const { port } = server.address() as AddressInfo
  return { url: `http://localhost:${port}`, received }
}

interface ServedExchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly body: Buffer
}

function stop(server: Server): void {
  server.close()
  server.closeAllConnections()
}
