import http from 'node:http'
import { type Express } from 'express'
import { answerClientErrors } from './answer-client-errors.ts'
import { arrivedField } from './pipeline/arrival.ts'
import { deferredField } from './pipeline/deferred-headers.ts'

/** Options for {@link createServer}: all times in milliseconds. */
export interface ServerOptions {
  /**
   * Time for the header fields to arrive.
   * @default 10_000
   */
  headersTimeout?: number | undefined
  /**
   * Time for the whole request to arrive.
   * @default 30_000
   */
  requestTimeout?: number | undefined
  /**
   * Time an idle connection stays open; longer than the idle time of a balancer in front.
   * @default 65_000
   */
  keepAliveTimeout?: number | undefined
  /**
   * Size of all header fields together, in bytes.
   * @default 16_384
   */
  maxHeaderSize?: number | undefined
  /**
   * Whether Node itself refuses HTTP/1.1 without `Host`, with an empty body. The `framing` stage
   * does the same with a problem.
   * @default true
   */
  requireHostHeader?: boolean | undefined
  /**
   * Prefix of the `type` of the problems that the server answers by itself.
   * @default that of the error handler
   */
  problemBase?: string | undefined
}

/**
 * Makes the HTTP server of an Express app, any Express app: its requests and responses are born
 * with Express' prototypes, so that the swap on each request, which is most of what Express costs
 * on Node 20 and 22, has nothing left to do. Timeouts are bounded and looked at every second.
 * @param app - the Express app
 * @param options - timeouts and header size
 * @returns the server, not listening yet
 */
export function createServer(app: Express, options: ServerOptions = {}): http.Server {
  const {
    headersTimeout = 10_000,
    requestTimeout = 30_000,
    keepAliveTimeout = 65_000,
    maxHeaderSize = 16_384,
    requireHostHeader = true,
  } = options
  const limits = { headersTimeout, requestTimeout, keepAliveTimeout, maxHeaderSize }
  const server = http.createServer(
    {
      ...limits,
      requireHostHeader,
      connectionsCheckingInterval: 1000,
      ...expressConstructors(app),
    },
    app,
  )
  // Node would answer with an empty 417; the app may know better.
  server.on('checkExpectation', app)
  answerClientErrors(server, options.problemBase)
  return server
}

type Constructors = Required<Pick<http.ServerOptions, 'IncomingMessage' | 'ServerResponse'>>

/**
 * Makes constructors whose instances have the prototypes of an Express app.
 * @param app - the Express app
 * @returns options for `http.createServer`, or none where Node does not allow it
 */
function expressConstructors(app: Express): Partial<Constructors> {
  // Functions, not classes: their prototype has to be the app's own object.
  // oxlint-disable-next-line unicorn/consistent-function-scoping -- one pair of constructors for each app
  function ExpressRequest(this: Record<PropertyKey, unknown>, socket: unknown): void {
    Reflect.apply(http.IncomingMessage, this, [socket])
    // Every field that Express and the framework set: one hidden class for all requests.
    this.id = ''
    this.baseUrl = ''
    this.originalUrl = ''
    this.params = undefined
    this.route = undefined
    this.res = undefined
    this.next = undefined
    this.body = undefined
    this.valid = undefined
    this.user = undefined
    this.sessionId = undefined
    this.authenticator = undefined
    this.endpoint = undefined
    this['_parsedUrl'] = undefined
    this[arrivedField] = performance.now()
  }
  // oxlint-disable-next-line unicorn/consistent-function-scoping -- as above
  function ExpressResponse(
    this: Record<PropertyKey, unknown>,
    req: unknown,
    options: unknown,
  ): void {
    Reflect.apply(http.ServerResponse, this, [req, options])
    // Otherwise whoever sets a status gets another hidden class.
    this.statusCode = 200
    this.statusMessage = undefined
    this.locals = undefined
    this[deferredField] = undefined
  }
  // V8 sizes an instance by the chain of its constructor: without it the fields land outside.
  Object.setPrototypeOf(ExpressRequest, http.IncomingMessage)
  Object.setPrototypeOf(ExpressResponse, http.ServerResponse)
  ExpressRequest.prototype = app.request
  ExpressResponse.prototype = app.response
  const constructors = { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse }
  return isConstructible(constructors) ? constructors : {}
}

// Should a release of Node make these two classes, they can no longer be called as functions.
function isConstructible(value: {
  IncomingMessage: unknown
  ServerResponse: unknown
}): value is Constructors {
  const { IncomingMessage, ServerResponse } = value
  if (typeof IncomingMessage !== 'function' || typeof ServerResponse !== 'function') return false
  try {
    Reflect.construct(ServerResponse, [Reflect.construct(IncomingMessage, [undefined])])
    return true
  } catch {
    return false
  }
}
