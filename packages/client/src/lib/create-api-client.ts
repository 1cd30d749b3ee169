import createFetchClient, { type Middleware } from 'openapi-fetch'
import { toCall } from './calls.ts'
import { createVersions } from './etags.ts'
import { Failure, toFailure } from './failure.ts'
import { type Arguments, type Operation, type Operations, readArguments } from './operations.ts'
import { readItems, readPages } from './pages.ts'
import { createRetryFetch, type RetryOptions } from './retries.ts'
import { createSession, type Session, type SessionOptions } from './session.ts'
import { toBase, toUrl } from './urls.ts'

/** Options of a client. */
export interface ClientOptions extends SessionOptions, RetryOptions {
  /** Header fields of every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** Functions that see each call: to add header fields, to trace, to log (those of openapi-fetch). */
  readonly middleware?: readonly Middleware[]
}

/** The members that every client has besides its resources. */
export interface ApiClient {
  /** The session of the client. */
  readonly session: Session
}

type Send = (operation: Operation, values: readonly unknown[]) => Promise<unknown>
type Method = (...values: readonly unknown[]) => unknown

/**
 * Creates a client from a table of operations. Generated code calls it.
 * @param operations - the operations by resource
 * @param options - URL, session, retries and hooks
 * @returns an object for each resource, and the session
 */
export function createApiClient<Client extends ApiClient>(
  operations: Operations,
  options: ClientOptions,
): Client {
  const session = createSession(options)
  const request = createRequest(session, options)
  const send = createSend(request)
  const client: Record<string, unknown> = { session }
  for (const [name, resource] of Object.entries(operations))
    client[name] = createResource(resource, { request, send })
  return client as unknown as Client
}

interface Reply {
  readonly data: unknown
  readonly response: Response
}

type SendRequest = (
  operation: Operation,
  values: Arguments,
  headers?: Readonly<Record<string, string>>,
) => Promise<Reply>

interface Senders {
  readonly request: SendRequest
  readonly send: Send
}

function createRequest(session: Session, options: ClientOptions): SendRequest {
  const { headers = {}, middleware = [], url } = options
  const base = toBase(url)
  const fetcher = createFetchClient<Record<string, never>>({
    baseUrl: url,
    headers,
    fetch: createRetryFetch((input, init) => session.fetch(input, init), options),
  })
  fetcher.use(...middleware)
  const request = fetcher.request as unknown as (
    method: string,
    path: string,
    init: object,
  ) => Promise<{ data?: unknown; error?: unknown; response: Response }>
  return async (operation, { body, contentType, options: call, parameters, path, query }, own) => {
    const { data, error, response } = await request(operation.method, operation.path, {
      params: { path: parameters, query },
      pathSerializer: () => toUrl(base, path),
      body,
      headers: {
        ...(contentType && { 'content-type': contentType }),
        ...own,
        ...call.headers,
      },
      signal: call.signal ?? null,
      parseAs: operation.events ? 'stream' : (operation.raw ?? 'json'),
    })
    if (!response.ok) throw toFailure(response, error)
    return { data, response }
  }
}

function createSend(request: SendRequest): Send {
  const versions = createVersions()
  return async (operation, values) => {
    const input = readArguments(operation, values)
    const version = versions.find(input.path, input.document)
    const headers = {
      // The same for all attempts of this call.
      ...(operation.idempotent && { 'idempotency-key': createKey() }),
      ...(version && { 'if-match': version }),
    }
    const read = async (way: Operation, from: Arguments, own = {}): Promise<unknown> => {
      const { data, response } = await request(way, from, own)
      const result = operation.data ? Object(data)[operation.data] : data
      const location = response.headers.get('location') ?? input.path
      versions.remember(location, result, response.headers.get('etag'))
      return result
    }
    try {
      return await read(operation, input, headers)
    } catch (error) {
      if (!(error instanceof Failure) || error.status !== 412) throw error
      const get = { ...input, body: undefined, contentType: undefined }
      const current = await read({ ...operation, method: 'GET' }, get).catch(() => undefined)
      throw Object.assign(error, { current })
    }
  }
}

// Not crypto.randomUUID, which React Native and pages without https do not have: the key is not a secret.
function createKey(): string {
  return `"${toRandom()}${toRandom()}"`
}

function toRandom(): string {
  return Math.random().toString(36).slice(2)
}

function createResource(
  operations: Readonly<Record<string, Operation>>,
  { request, send }: Senders,
): Record<string, Method> {
  const methods: Record<string, Method> = {}
  for (const [name, operation] of Object.entries(operations)) {
    const { cursor, events } = operation
    methods[name] = events
      ? (...values) => {
          const input = readArguments(operation, values)
          return events((headers) => request(operation, input, headers), input.options.signal)
        }
      : (...values) => toCall(send(operation, values))
    if (!cursor) continue
    const pages: ReadPages = (...values) => {
      const input = readArguments(operation, values)
      return readPages((query) => request(operation, { ...input, query }), input)
    }
    methods['pages'] = pages
    methods['each'] = (...values) => readItems(pages(...values))
  }
  return methods
}

type ReadPages = (...values: readonly unknown[]) => ReturnType<typeof readPages>
