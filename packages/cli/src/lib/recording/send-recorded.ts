import { once } from 'node:events'
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { decodeBody, toBody, toBytes } from './bodies.ts'
import { toTargetPath } from './proxy.ts'
import { type RecordedRequest, type RecordedResponse, toHeaders } from './recording.ts'

// Set for this connection and this body.
const replaced = new Set(['content-length', 'host', 'transfer-encoding'])
const maxResponse = 64 * 1024 * 1024

/** Sends requests to one service only; redirects are not followed. */
export interface Sender {
  send(request: RecordedRequest): Promise<RecordedResponse>
  close(): void
}

// `timeout` is in milliseconds, for a whole response.
export function createSender(target: URL, timeout: number): Sender {
  const isTls = target.protocol === 'https:'
  const agent = isTls ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true })
  return {
    close: () => agent.destroy(),
    async send({ body, headers, method, path }) {
      const bytes = body && toBytes(body)
      const length = bytes ? [['Content-Length', String(bytes.length)] as const] : []
      const own = headers.filter(([name]) => !replaced.has(name.toLowerCase()))
      const outgoing = (isTls ? requestHttps : requestHttp)({
        agent,
        hostname: target.hostname.replace(/^\[|\]$/g, ''),
        port: target.port,
        method,
        path: toTargetPath(target, path),
        headers: [['Host', target.host] as const, ...own, ...length].flat(),
        signal: AbortSignal.timeout(timeout),
      })
      outgoing.end(bytes)
      const [response]: IncomingMessage[] = await once(outgoing, 'response')
      if (!response) throw new Error('there was no response')
      return await read(response)
    },
  }
}

async function read(response: IncomingMessage): Promise<RecordedResponse> {
  const chunks: Buffer[] = []
  let size = 0
  const stream: AsyncIterable<Buffer> = response
  for await (const chunk of stream) {
    size += chunk.length
    if (size > maxResponse) throw new Error(`the response has more than ${maxResponse} bytes`)
    chunks.push(chunk)
  }
  const decoded = decodeBody(Buffer.concat(chunks), toHeaders(response.rawHeaders))
  return {
    status: response.statusCode ?? 0,
    headers: decoded.headers,
    body: toBody(decoded.bytes, decoded.headers),
  }
}
