import http from 'node:http'
import { type Express } from 'express'
import { handleClientErrors } from './http/client-errors.ts'
import { continueWhenRead } from './http/expect-continue.ts'
import { serverDefaults } from './http/server-defaults.ts'
import { parseDuration } from './options/parse-duration.ts'
import { createConstructors } from './fast/prototypes.ts'
import { findChange } from './fast/self-test.ts'

/** Options for {@link createServer}. All times are in milliseconds, all sizes in bytes. */
export interface ServerOptions {
  /**
   * Whether requests and responses are created with the prototypes of the app. A self-test switches
   * this off, with a warning, under a release of Node or Express that works differently.
   * @default true
   */
  fast?: boolean | undefined
  /**
   * Maximum time for the header fields to arrive.
   * @default 10_000
   */
  headersTimeout?: number | undefined
  /**
   * Maximum time for the whole request to arrive.
   * @default 30_000
   */
  requestTimeout?: number | undefined
  /**
   * Time an idle connection stays open. It should exceed the idle timeout of a load balancer.
   * @default 65_000
   */
  keepAliveTimeout?: number | undefined
  /**
   * Whether Node rejects HTTP/1.1 requests without `Host`, with a 400 and an empty body. The `framing`
   * stage rejects them with a problem.
   * @default true
   */
  requireHostHeader?: boolean | undefined
  /**
   * Prefix of the `type` of the problems (RFC 9457) that the server itself returns.
   * @default that of the error handler
   */
  problemBase?: string | undefined
}

/**
 * Creates the HTTP server of any Express app. Requests and responses have Express' prototypes from
 * the start; on Node 20 and 22, changing them on each request is most of what Express costs.
 * Timeouts are enforced within a second.
 * @param app - the Express app
 * @param options - timeouts
 * @returns the server, not listening yet
 * @example
 * ```ts
 * createServer(app, { keepAliveTimeout: 75_000 }).listen(3000)
 * ```
 */
export function createServer(app: Express, options: ServerOptions = {}): http.Server {
  const {
    headersTimeout = parseDuration(serverDefaults.headersTimeout),
    requestTimeout = parseDuration(serverDefaults.requestTimeout),
    keepAliveTimeout = parseDuration(serverDefaults.keepAliveTimeout),
    requireHostHeader = true,
  } = options
  const limits = { headersTimeout, requestTimeout, keepAliveTimeout }
  const server = http.createServer(
    {
      ...limits,
      requireHostHeader,
      connectionsCheckingInterval: 1000,
      ...(shouldBeFast(options) ? createConstructors(app) : {}),
    },
    app,
  )
  // Node would return an empty 417; the app can respond to the expectation itself.
  server.on('checkExpectation', app)
  server.on('checkContinue', (req, res) => {
    continueWhenRead(req, res)
    server.emit('request', req, res)
  })
  handleClientErrors(server, options.problemBase)
  return server
}

function shouldBeFast({ fast = true }: ServerOptions): boolean {
  const change = fast ? findChange() : undefined
  if (change !== undefined) process.emitWarning(change)
  return fast && change === undefined
}
