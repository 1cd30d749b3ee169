import { validateHeaderValue } from 'node:http'
import { type ErrorRequestHandler, type Request, type Response } from 'express'
import { catalogue } from '../errors/catalogue.ts'
import { ReauthenticationError } from '../errors/reauthentication-error.ts'
import { type ApiError } from '../errors/api-error.ts'
import { type ErrorStatuses, requireStatuses, withStatus } from '../errors/error-statuses.ts'
import { problemMediaType, toProblem } from '../errors/problem.ts'
import { toApiError } from '../errors/to-api-error.ts'
import { fromUncheckedInput } from './unchecked-input.ts'
import { createLogger } from '../logging/create-logger.ts'
import { type Logger } from '../logging/logger.ts'
import { redactUrl } from '../logging/redact.ts'
import { setKnownHeader } from '../fast/deferred-headers.ts'
import { ensureRequestId } from './request-id.ts'
import { sendText } from '../response/send-text.ts'

/** A custom error body, returned by {@link ErrorHandlerOptions.format}. */
export interface FormattedError {
  /** Media type of the body. */
  contentType: string
  /** A string is sent unchanged, anything else as JSON. */
  body: unknown
}

/** Options for {@link errorHandler}. */
export interface ErrorHandlerOptions {
  /**
   * Prefix of the `type` of a problem: an absolute URI without a trailing slash.
   * @default 'urn:problem-type:create-api'
   */
  problemBase?: string | undefined
  /**
   * Replaces body and media type of every error response. Status and headers stay. When it throws, or
   * its result cannot be sent, the error is logged and the response is a problem.
   * @default problem+json (RFC 9457)
   */
  format?: ((error: ApiError, req: Request) => FormattedError) | undefined
  /**
   * Statuses for codes whose own status does not fit the design of the API: `{ email_taken: 422,
   * duplicate: 422 }`. The OpenAPI document follows. Server errors keep their status.
   * @default {}
   */
  statuses?: ErrorStatuses | undefined
  /**
   * Logs each 5xx once, with its cause.
   * @default createLogger()
   */
  logger?: Pick<Logger, 'error' | 'warn'> | undefined
}

/** Sends the error response for anything that was thrown. */
export interface SendError {
  (thrown: unknown, req: Request, res: Response): void
}

/**
 * Creates the error handler of an app, which is its last middleware. It sends a problem (RFC 9457)
 * for anything that was thrown.
 * @param options - format, statuses, logger
 * @returns the Express error handler
 * @throws TypeError for a status outside 400 to 499
 * @example
 * ```ts
 * app.use(errorHandler()) // after all routes
 * ```
 */
export function errorHandler(options: ErrorHandlerOptions = {}): ErrorRequestHandler {
  const sendError = createErrorSender(options)
  // Express recognizes an error handler by its four parameters.
  return (error, req, res, _next) => sendError(error, req, res)
}

// A handler may have set these for the success response.
const bodyHeaders = [
  'Content-Encoding',
  'Content-Language',
  'Content-Length',
  'Content-Range',
  'ETag',
  'Last-Modified',
  'Location',
]

const withoutBearerError = new Set<string>(['unauthenticated', 'invalid_credentials'])
const bearerOnly = ['Bearer']
const lingerMs = 1000

// The rest of such a request is not read.
const unreadStatuses = new Set([408, 413, 431])

// Shared by the error handler and the dispatcher of routes. It never throws.
export function createErrorSender(options: ErrorHandlerOptions = {}): SendError {
  const { logger = createLogger(), format, problemBase, statuses = {} } = options
  requireStatuses(statuses)

  function render(error: ApiError, req: Request): RenderedError {
    if (format !== undefined) {
      try {
        return renderFormatted(format(error, req))
      } catch (cause) {
        logger.error({ requestId: req.id, err: cause }, 'errors.format failed')
      }
    }
    const body = toProblem(error, { requestId: req.id, problemBase })
    return { contentType: problemMediaType, text: JSON.stringify(body) }
  }

  return (thrown, req, res) => {
    const known = fromUncheckedInput(thrown, req) ?? toApiError(thrown, req.body)
    const error = withStatus(known, statuses)
    ensureRequestId(req, res)
    if (error.status >= 500) logFailure(logger, error, res)
    if (res.headersSent || res.destroyed) {
      // A partial response must not look complete.
      if (!res.writableEnded) res.destroy()
      return
    }
    const { contentType, text } = render(error, req)
    for (const name of bodyHeaders) if (res.hasHeader(name)) res.removeHeader(name)
    res.statusCode = error.status
    setHeaders(res, error)
    sendBody(req, res, contentType, text)
  }
}

interface RenderedError {
  readonly contentType: string
  readonly text: string
}

// Throws for what cannot be sent: the result comes from code of the application.
function renderFormatted(formatted: FormattedError): RenderedError {
  const { contentType, body } = formatted
  validateHeaderValue('Content-Type', contentType)
  const text: unknown = typeof body === 'string' ? body : JSON.stringify(body)
  if (typeof text === 'string') return { contentType, text }
  throw new TypeError('The result of errors.format has no body: { contentType, body }.')
}

function logFailure(logger: Pick<Logger, 'error' | 'warn'>, error: ApiError, res: Response): void {
  const { req } = res
  const fields = {
    requestId: req.id,
    method: req.method,
    path: redactUrl(req.originalUrl ?? req.url ?? ''),
    status: error.status,
    code: error.code,
  }
  // Load shedding is not a failure, and a stack for each rejection would add to the load.
  if (error.code === 'overloaded') logger.warn(fields, 'request rejected')
  // A handler that goes on after its timeout can fail when it finally responds.
  else {
    const message = res.writableEnded ? 'request failed after its response' : 'request failed'
    logger.error({ ...fields, err: error.cause ?? error }, message)
  }
}

function setHeaders(res: Response, error: ApiError): void {
  setKnownHeader(res, 'Cache-Control', 'no-store')
  if (error.status === 401) {
    const words = res.req.authenticator?.schemes ?? bearerOnly
    // One field for each challenge: many clients cannot split a list of them.
    const challenges = words.map((word) => challenge(error, word))
    res.setHeader('WWW-Authenticate', challenges.length === 1 ? String(challenges[0]) : challenges)
  }
  if (unreadStatuses.has(error.status) || isUploading(res.req)) {
    res.setHeader('Connection', 'close')
  }
  if (error.code === 'refresh_conflict') res.setHeader('Retry-After', '1')
  const isTemporary = error.status === 503 || error.status === 504
  if (isTemporary && !res.hasHeader('Retry-After')) {
    res.setHeader('Retry-After', '5')
  }
  for (const [name, value] of Object.entries(error.headers)) res.setHeader(name, value)
}

// A client that still sends a file would send all of it if the connection stayed open.
function isUploading(req: Request): boolean {
  return !req.complete && req.headers['content-type']?.startsWith('multipart/') === true
}

function isAboutToken(code: string): boolean {
  return Object.hasOwn(catalogue, code) && !withoutBearerError.has(code)
}

// RFC 6750 section 3.1: no error code when no token was presented. Codes of an application are not about the token.
function challenge(error: ApiError, word: string): string {
  const scheme = `${word} realm="api"`
  // The other parameters belong to Bearer.
  if (word !== 'Bearer' || !isAboutToken(error.code)) return scheme
  if (error instanceof ReauthenticationError) {
    // RFC 9470 section 3.
    const needs =
      error.maxAge === Infinity
        ? 'error_description="A second factor is required", acr_values="mfa"'
        : `error_description="A more recent authentication is required", max_age="${error.maxAge}"`
    return `${scheme}, error="insufficient_user_authentication", ${needs}`
  }
  const description =
    error.code === 'token_expired' ? ', error_description="The access token expired"' : ''
  return `${scheme}, error="invalid_token"${description}`
}

function sendBody(req: Request, res: Response, contentType: string, text: string): void {
  if (contentType === problemMediaType) setKnownHeader(res, 'Content-Type', contentType)
  else res.setHeader('Content-Type', contentType)
  if (req.complete || res.getHeader('Connection') !== 'close') {
    sendText(res, text)
    return
  }
  // Closing while the client still sends would reset the connection and lose the response. So the
  // response is sent, incoming data is discarded for up to a second, then the connection is closed.
  setKnownHeader(res, 'Content-Length', String(Buffer.byteLength(text)))
  res.write(text)
  const timer = setTimeout(finish, lingerMs)
  req.once('end', finish)
  req.once('close', finish)
  req.resume()

  function finish(): void {
    clearTimeout(timer)
    res.end()
  }
}
