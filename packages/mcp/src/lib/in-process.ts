import {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
} from 'node:http'
import { type Duplex, duplexPair } from 'node:stream'
import { createServer, type Api } from '@create-api/core'
import { countWithOther } from '@create-api/core/internal/counted-connections'
import { type ToolRequest } from './to-request.ts'

/** The connection and the header fields of the request that a call belongs to. */
export interface Origin {
  readonly headers: IncomingHttpHeaders
  readonly connection: Connection
  readonly signal: AbortSignal
  /** Whether the global rate limit has counted a request that this one belongs to. */
  readonly isCounted: boolean
}

/** What the service knows of the client from its connection. */
export interface Connection {
  readonly remoteAddress: string | undefined
  readonly encrypted: boolean
}

export interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Undefined if it is larger than allowed. */
  readonly text: string | undefined
}

/** Sends a request through the whole pipeline of an API. */
export type Send = (request: ToolRequest, origin: Origin, maxBytes: number) => Promise<Reply>

// Node's own client and server at the ends of a connection in memory: no port, and nothing imitates a request.
export function createSender({ app, config }: Pick<Api, 'app' | 'config'>): Send {
  const server = createServer(app, { fast: config.server.fast, requireHostHeader: false })
  return async ({ method, path, headers, body }, origin, maxBytes) => {
    const [near, far] = duplexPair()
    identify(far, origin.connection)
    if (origin.isCounted) countWithOther(far)
    // As a network does: otherwise a response that the client no longer reads would stay open.
    near.once('close', () => far.destroy())
    server.emit('connection', far)
    const outgoing = request({
      createConnection: () => near,
      method,
      path,
      headers: {
        ...toForwarded(origin.headers),
        Accept: 'application/json, application/*;q=0.9',
        ...headers,
        ...(body !== undefined && { 'Content-Length': Buffer.byteLength(body) }),
      },
      signal: origin.signal,
    })
    outgoing.end(body)
    const incoming = await toResponse(outgoing)
    const text = await readText(incoming, maxBytes)
    return { status: incoming.statusCode ?? 0, headers: incoming.headers, text }
  }
}

function toResponse(outgoing: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.once('response', resolve).once('error', reject)
  })
}

// Rate limits, logs and `req.ip` take the client of the MCP request.
function identify(socket: Duplex, { encrypted, remoteAddress }: Connection): void {
  Object.assign(socket, { remoteAddress, encrypted })
}

// About the body, the connection or the MCP message, not about the caller. Cookies identify a browser, which would send
// them for any page.
const own = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'cookie',
  'expect',
  'idempotency-key',
  'keep-alive',
  'last-event-id',
  'origin',
  'range',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

function toForwarded(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => !own.has(name) && !/^(?:accept|if|mcp|sec)-/.test(name) && name !== 'accept',
    ),
  )
}

async function readText(incoming: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming) {
    if (!Buffer.isBuffer(chunk)) continue
    size += chunk.length
    if (size > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
