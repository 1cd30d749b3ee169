import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  request as requestHttp,
  type ServerResponse,
} from 'node:http'
import { request as requestHttps } from 'node:https'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { decodeBody, toBody } from './bodies.ts'
import { type Body, type Exchange, type Headers, headerOf, toHeaders } from './recording.ts'
import { type Masker } from './secrets.ts'

export interface ProxyOptions {
  readonly target: URL
  readonly port: number
  readonly masker: Masker
  /** Bytes of a body that are recorded at most. */
  readonly maxBody: number
  readonly onExchange: (exchange: Exchange) => void
}

export interface Proxy {
  readonly port: number
  /** Ends the requests in flight. */
  close(): Promise<void>
}

// Connections of both sides are separate, so their headers are not passed on.
const hopByHop = new Set(
  'connection keep-alive proxy-connection proxy-authenticate te trailer upgrade expect'.split(' '),
)

// Passes requests on to the target, and reports them with their responses.
export async function startProxy(options: ProxyOptions): Promise<Proxy> {
  const server = createServer((request, response) => pass(request, response, options))
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) =>
    tunnel({ request, socket, head }, options.target),
  )
  server.listen(options.port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : options.port,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

function endToEnd(headers: Headers, more: readonly string[]): Headers {
  return headers.filter(([name]) => {
    const lower = name.toLowerCase()
    return !hopByHop.has(lower) && !more.includes(lower)
  })
}

// A request may name a whole URL; its host is not contacted.
export function toTargetPath({ pathname }: URL, url: string): string {
  const path = url.replace(/^https?:\/\/[^/?#]*/i, '')
  return `${pathname.replace(/\/$/, '')}${path.startsWith('?') || path === '' ? `/${path}` : path}`
}

function collect(message: IncomingMessage, maxBody: number): { chunks: Buffer[]; size: number } {
  const collected: { chunks: Buffer[]; size: number } = { chunks: [], size: 0 }
  message.on('data', (chunk: Buffer) => {
    collected.size += chunk.length
    if (collected.size <= maxBody) collected.chunks.push(chunk)
    else collected.chunks.length = 0
  })
  return collected
}

function pass(request: IncomingMessage, response: ServerResponse, options: ProxyOptions): void {
  const { maxBody, target } = options
  const started = Date.now()
  const { method = 'GET', url = '/' } = request
  const incoming = toHeaders(request.rawHeaders)
  const sent = collect(request, maxBody)
  const outgoing = (target.protocol === 'https:' ? requestHttps : requestHttp)({
    hostname: target.hostname.replace(/^\[|\]$/g, ''),
    port: target.port,
    method,
    path: toTargetPath(target, url),
    headers: [['Host', target.host] as const, ...endToEnd(incoming, ['host'])].flat(),
  })
  const report = (received: IncomingMessage | undefined, body: Part, failure?: string): void => {
    const head = { at: new Date(started).toISOString(), duration: Date.now() - started }
    const part = received && toPart({ headers: toHeaders(received.rawHeaders), ...body }, options)
    options.onExchange({
      ...head,
      request: {
        method,
        path: options.masker.url(url.replace(/^https?:\/\/[^/?#]*/i, '')),
        ...toPart({ headers: endToEnd(incoming, ['host']), ...sent }, options),
      },
      response: part && { status: received.statusCode ?? 0, ...part },
      failure,
    })
  }
  let hasResponse = false
  outgoing.on('response', (received) => {
    hasResponse = true
    relay(received, response, { options, report })
  })
  outgoing.on('error', (error) => {
    if (response.headersSent || response.destroyed) {
      response.destroy()
      return
    }
    response.writeHead(502, { 'content-type': 'text/plain' })
    response.end(`${target.origin} does not respond: ${error.message}\n`)
  })
  response.on('close', () => {
    if (response.writableFinished) return
    if (!hasResponse) report(undefined, empty, 'the client has closed the connection')
    outgoing.destroy()
  })
  request.pipe(outgoing)
}

type Part = { readonly chunks: readonly Buffer[]; readonly size: number }
const empty: Part = { chunks: [], size: 0 }

interface Relay {
  readonly options: ProxyOptions
  readonly report: (received: IncomingMessage, body: Part, failure?: string) => void
}

function relay(
  received: IncomingMessage,
  response: ServerResponse,
  { options, report }: Relay,
): void {
  const body = collect(received, options.maxBody)
  const own = `http://localhost:${options.port}`
  const headers = endToEnd(toHeaders(received.rawHeaders), ['transfer-encoding']).map(
    ([name, value]): readonly [string, string] =>
      name.toLowerCase() === 'location' && value.startsWith(`${options.target.origin}/`)
        ? [name, own + value.slice(options.target.origin.length)]
        : [name, value],
  )
  response.sendDate = false
  response.writeHead(received.statusCode ?? 502, received.statusMessage, headers.flat())
  received.pipe(response)
  let isReported = false
  const reportOnce = (failure?: string): void => {
    if (!isReported) report(received, body, failure)
    isReported = true
  }
  received.on('end', () => reportOnce())
  received.on('close', () => {
    if (received.complete) return
    const isStream = /^text\/event-stream\b/i.test(received.headers['content-type'] ?? '')
    reportOnce(isStream ? undefined : 'the response is incomplete')
    response.destroy()
  })
}

function toPart(
  { chunks, headers, size }: Part & { readonly headers: Headers },
  { masker, maxBody }: ProxyOptions,
): { readonly headers: Headers; readonly body?: Body | undefined } {
  if (/^text\/event-stream\b/i.test(headerOf(headers, 'content-type') ?? '')) {
    return { headers: masker.headers(headers), body: { omitted: 'event stream', bytes: size } }
  }
  if (size > maxBody) {
    return { headers: masker.headers(headers), body: { omitted: 'too large', bytes: size } }
  }
  const decoded = decodeBody(Buffer.concat(chunks), headers)
  const coding = headerOf(decoded.headers, 'content-encoding')
  return {
    // Secrets in it could not be masked.
    body:
      coding !== undefined && size > 0
        ? { omitted: 'unknown content encoding', bytes: size }
        : toBody(decoded.bytes, headers, masker),
    headers: masker.headers(decoded.headers),
  }
}

// WebSockets work through the proxy, and are not recorded.
function tunnel(
  upgrade: { readonly request: IncomingMessage; readonly socket: Socket; readonly head: Buffer },
  target: URL,
): void {
  const { head, request, socket } = upgrade
  const host = target.hostname.replace(/^\[|\]$/g, '')
  const isTls = target.protocol === 'https:'
  const port = Number(target.port || (isTls ? 443 : 80))
  const other = isTls ? connectTls({ host, port, servername: host }) : connectTcp({ host, port })
  const fields = toHeaders(request.rawHeaders).filter(([name]) => name.toLowerCase() !== 'host')
  const lines = [['Host', target.host] as const, ...fields].map((field) => field.join(': '))
  const path = toTargetPath(target, request.url ?? '/')
  other.write(`${request.method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  other.write(head)
  const end = (): void => {
    other.destroy()
    socket.destroy()
  }
  other.pipe(socket).pipe(other)
  for (const one of [other, socket]) one.on('error', end).on('close', end)
}
