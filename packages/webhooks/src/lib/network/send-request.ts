import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { resolveTarget, type Target, type TargetRules } from './target.ts'

export interface OutgoingRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface SendOptions {
  readonly rules: TargetRules
  /** For the whole request, from the resolution of the name to the head of the response. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export interface ResponseHead {
  readonly status: number
  /** The field `Retry-After`. */
  readonly retryAfter: string | undefined
}

// A response of this size is read, so that its server sees no error. Of a longer one, the rest is not.
const readBytes = 16_384
const readMs = 1000

// Sends a POST request to one of the addresses that were checked. Redirects are not followed, and no proxy is used. Throws
// RefusedTarget, an error of the network, and the reason of `signal`.
export async function sendRequest(
  { body, headers, url }: OutgoingRequest,
  { rules, signal, timeoutMs }: SendOptions,
): Promise<ResponseHead> {
  const timeout = new AbortController()
  const timer = setTimeout(
    () => timeout.abort(new Error(`There was no response within ${timeoutMs / 1000} s.`)),
    timeoutMs,
  )
  const over = AbortSignal.any([signal, timeout.signal])
  try {
    // A name cannot be resolved with a signal.
    const target = await Promise.race([resolveTarget(url, rules), rejectAt(over)])
    const response = await receiveHead(open(target, { body, headers }, over), body)
    await drain(response)
    return {
      status: response.statusCode ?? 0,
      retryAfter: response.headers['retry-after'],
    }
  } catch (error) {
    throw over.aborted ? over.reason : error
  } finally {
    clearTimeout(timer)
  }
}

function open(
  { addresses, url }: Target,
  { body, headers }: Pick<OutgoingRequest, 'body' | 'headers'>,
  signal: AbortSignal,
): ClientRequest {
  const request = url.protocol === 'https:' ? requestHttps : requestHttp
  return request(url, {
    method: 'POST',
    headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
    // A new connection: an agent could have one to an address that was never checked.
    agent: false,
    lookup: createLookup(addresses),
    signal,
  })
}

// The name is not resolved again: the result could be another address.
function createLookup(addresses: readonly string[]): LookupFunction {
  const known = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_host, { all }, done) => {
    const [first] = known
    if (all) done(null, known)
    else done(null, first?.address ?? '', first?.family)
  }
}

function receiveHead(request: ClientRequest, body: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.on('error', reject).on('response', resolve)
    request.end(body)
  })
}

// The body is not kept: it could be the response of a server that its owner cannot reach.
function drain(response: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let size = 0
    const timer = setTimeout(() => response.destroy(), readMs)
    response.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > readBytes) response.destroy()
    })
    response.on('error', () => {})
    response.on('close', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

function rejectAt(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
