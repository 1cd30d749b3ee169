import { type IncomingHttpHeaders, type OutgoingHttpHeader, ServerResponse } from 'node:http'
import { type Request, type Response } from 'express'
import { setLongNumbers } from '../http/long-numbers.ts'
import { type Endpoint } from '../route/route.ts'
import { type Step } from '../stage/stage.ts'

// The request of an item.
export interface ItemInput {
  readonly endpoint: Endpoint & { readonly run: Step }
  /** Path below that of the whole request. */
  readonly path: string
  readonly params: Readonly<Record<string, string>>
  readonly ifMatch: string | undefined
  readonly body: unknown
  /** The body with the numbers that a double does not hold as text. */
  readonly longNumbers: unknown
}

// The response to an item.
export interface Reply {
  readonly status: number
  readonly type: string
  readonly etag: string | undefined
  readonly location: string | undefined
  readonly text: string
}

// Creates the requests of the items of one request. Each has that request as prototype, so that it has its address, id and
// credentials, and everything that the application has set on it.
export function createItemRequests(whole: Request): (input: ItemInput) => Request {
  const shared = toSharedHeaders(whole.headers)
  const base = whole.originalUrl.replace(/\/[^/]*\/?(\?.*)?$/, '')
  return ({ endpoint, path, params, ifMatch, body, longNumbers }) => {
    const { consumes } = endpoint.route
    const url = base + path
    const own = {
      method: endpoint.method,
      url,
      originalUrl: url,
      complete: true,
      headers: {
        ...shared,
        ...(ifMatch !== undefined && { 'if-match': ifMatch }),
        ...(body !== undefined && {
          'content-type': consumes?.[0] ?? 'application/json',
          'transfer-encoding': 'chunked',
        }),
      },
      params: Object.assign(Object.create(null), whole.params, params),
      body,
      valid: {},
      scope: undefined,
      references: undefined,
      document: undefined,
      user: undefined,
      apiKey: undefined,
      tenant: undefined,
      format: undefined,
      endpoint,
      route: endpoint,
    }
    const req: Request = Object.create(whole, toDescriptors(own))
    setLongNumbers(req, longNumbers)
    return req
  }
}

function toDescriptors(own: object): PropertyDescriptorMap {
  const descriptors: PropertyDescriptorMap = {}
  for (const [name, value] of Object.entries(own)) {
    descriptors[name] = { value, writable: true, configurable: true, enumerable: true }
  }
  return descriptors
}

// About the body, the version or the retry of the whole request.
const ownHeaders = new Set([
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'idempotency-key',
  'transfer-encoding',
])

function toSharedHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !ownHeaders.has(name) && !name.startsWith('if-')),
  )
}

// Creates a response that is not sent: `onEnd` receives what would be.
export function createItemResponse(
  req: Request,
  whole: Response,
  onEnd: (reply: Reply) => void,
): Response {
  const res: Response = Reflect.construct(ServerResponse, [req], toConstructor(whole))
  const chunks: Buffer[] = []
  const keep = ([chunk, encoding]: unknown[]): void => {
    if (typeof chunk === 'string') {
      chunks.push(Buffer.from(chunk, encoding === 'latin1' ? 'latin1' : 'utf8'))
    } else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk))
  }
  const own = {
    req,
    locals: whole.locals,
    write(...args: unknown[]): boolean {
      keep(args)
      return true
    },
    end(...args: unknown[]): Response {
      if (res.writableEnded) return res
      keep(args)
      Object.assign(res, { finished: true })
      onEnd({
        status: res.statusCode,
        type: String(res.getHeader('Content-Type') ?? ''),
        etag: toText(res.getHeader('ETag')),
        location: toText(res.getHeader('Location')),
        text: Buffer.concat(chunks).toString(),
      })
      res.emit('finish')
      res.emit('close')
      return res
    },
  }
  Object.assign(req, { res })
  return Object.assign(res, own)
}

const constructors = new WeakMap<object, Function>()

// Its instances have the prototype of the response of the app from the start.
function toConstructor(whole: Response): Function {
  const prototype: object = Object.getPrototypeOf(whole)
  const known = constructors.get(prototype)
  if (known) return known
  // oxlint-disable-next-line unicorn/consistent-function-scoping -- one for each app
  function ItemResponse(): void {}
  ItemResponse.prototype = prototype
  constructors.set(prototype, ItemResponse)
  return ItemResponse
}

function toText(value: OutgoingHttpHeader | undefined): string | undefined {
  return value === undefined ? undefined : value.toString()
}
