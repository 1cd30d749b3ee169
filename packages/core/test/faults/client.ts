import http from 'node:http'

/** A whole response. */
export interface Reply {
  readonly status: number
  readonly code: string | undefined
  readonly data: Record<string, unknown> | undefined
  /** Whether the server asked to close the connection. */
  readonly closes: boolean
  readonly retryAfter: string | undefined
  /** Milliseconds. */
  readonly took: number
}

/** A request. */
export interface CallOptions {
  method?: string
  body?: object
  token?: string
  headers?: Record<string, string>
  /** Connections to use; a new one unless given. */
  agent?: http.Agent | undefined
}

/**
 * Sends a request and reads the response to its end.
 * @param url - where to
 * @param options - method, body, connection
 * @returns the response
 * @throws Error when the connection breaks before the response is whole
 */
export function call(url: string, options: CallOptions = {}): Promise<Reply> {
  const { method = 'GET', body, token, agent = false } = options
  const start = performance.now()
  const headers = {
    ...options.headers,
    ...(body ? { 'Content-Type': 'application/json' } : {}),
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
  }
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method, headers, agent }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (text += chunk))
      response.on('error', reject)
      response.on('end', () => {
        const parsed = text === '' ? {} : JSON.parse(text)
        resolve({
          status: response.statusCode ?? 0,
          code: parsed.code,
          data: parsed.data,
          closes: response.headers.connection === 'close',
          retryAfter: response.headers['retry-after'],
          took: performance.now() - start,
        })
      })
    })
    request.on('error', reject)
    request.end(body && JSON.stringify(body))
  })
}

/**
 * Sends one request over a connection that could be kept.
 * @param url - where to
 * @returns the response
 */
export async function callAndKeep(url: string): Promise<Reply> {
  const agent = new http.Agent({ keepAlive: true })
  return call(url, { agent }).finally(() => agent.destroy())
}

/** What a client that keeps its connection has seen. */
export interface Seen {
  readonly responses: Reply[]
  /** Why it lost its connection, if it did. */
  readonly failure: unknown
}

/**
 * Sends requests one after the other over one connection, until the server asks to close it.
 * @param url - where to
 * @param signal - ends it sooner
 * @returns what came back
 */
export async function keepCalling(url: string, signal?: AbortSignal): Promise<Seen> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  const responses: Reply[] = []
  try {
    let response: Reply
    do {
      response = await call(url, { agent })
      responses.push(response)
      if (signal?.aborted) break
    } while (!response.closes)
    return { responses, failure: undefined }
  } catch (failure) {
    return { responses, failure }
  } finally {
    agent.destroy()
  }
}
