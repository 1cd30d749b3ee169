import { type Request, type Response } from 'express'
import { type ApiError } from '../errors/api-error.ts'
import { problemMediaType, toProblem } from '../errors/problem.ts'
import { toApiError } from '../errors/to-api-error.ts'
import { createLogger } from '../logging/create-logger.ts'
import { type Logger } from '../logging/logger.ts'
import { redactUrl } from '../logging/redact.ts'
import { setKnownHeader } from './deferred-headers.ts'
import { ensureRequestId } from './request-id.ts'
import { sendText } from './send-text.ts'

/** A foreign error body: what {@link ErrorHandlerOptions.format} returns. */
export interface FormattedError {
  /** Media type of the body. */
  contentType: string
  /** A string is sent as it is, anything else as JSON. */
  body: unknown
}

/** Options for {@link errorHandler}. */
export interface ErrorHandlerOptions {
  /**
   * Prefix of the `type` of a problem: an absolute URI without the last slash.
   * @default 'urn:problem-type:create-api'
   */
  problemBase?: string | undefined
  /**
   * The `realm` of `WWW-Authenticate` on a 401 (RFC 6750 section 3).
   * @default 'api'
   */
  realm?: string | undefined
  /**
   * Replaces body and media type of every error answer. Status and headers stay.
   * @default problem+json (RFC 9457)
   */
  format?: ((error: ApiError, req: Request) => FormattedError) | undefined
  /**
   * Where 5xx are logged, each once, with their cause.
   * @default createLogger()
   */
  logger?: Pick<Logger, 'error' | 'warn'> | undefined
}

/** Answers a request with whatever was thrown. */
export interface SendError {
  (thrown: unknown, req: Request, res: Response): void
}

// Written by a handler for a success that did not come about.
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
const lingerMs = 1000

/**
 * Makes the one function that turns anything thrown into an answer; the error handler and the
 * dispatcher of routes share it.
 * @param options - format, realm, logger
 * @returns the function; it never throws
 */
export function createErrorSender(options: ErrorHandlerOptions = {}): SendError {
  const { realm = 'api', logger = createLogger(), format, problemBase } = options

  function render(error: ApiError, req: Request): FormattedError {
    if (format !== undefined) {
      try {
        return format(error, req)
      } catch (cause) {
        logger.error({ requestId: req.id, err: cause }, 'errors.format failed')
      }
    }
    const body = toProblem(error, { requestId: req.id, problemBase })
    return { contentType: problemMediaType, body }
  }

  return (thrown, req, res) => {
    const error = toApiError(thrown)
    ensureRequestId(req, res)
    if (error.status >= 500) logFailure(logger, error, res)
    if (res.headersSent || res.destroyed) {
      // Half an answer must not look like a whole one.
      if (!res.writableEnded) res.destroy()
      return
    }
    const { contentType, body } = render(error, req)
    for (const name of bodyHeaders) if (res.hasHeader(name)) res.removeHeader(name)
    res.statusCode = error.status
    setHeaders(res, error, realm)
    sendBody(req, res, {
      contentType,
      text: typeof body === 'string' ? body : JSON.stringify(body),
    })
  }
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
  // Shedding load is no fault, and a stack for each refusal would add to the load.
  if (error.code === 'overloaded') logger.warn(fields, 'request refused')
  // A handler that went on after its time was up fails when it answers at last.
  else {
    const message = res.writableEnded ? 'request failed after its answer' : 'request failed'
    logger.error({ ...fields, err: error.cause ?? error }, message)
  }
}

function setHeaders(res: Response, error: ApiError, realm: string): void {
  setKnownHeader(res, 'Cache-Control', 'no-store')
  if (error.status === 401) {
    res.setHeader('WWW-Authenticate', challenge(error, realm, res.req.authenticator?.scheme))
  }
  if (error.status === 413 || error.status === 408 || error.status === 431) {
    res.setHeader('Connection', 'close')
  }
  if (error.code === 'refresh_conflict') res.setHeader('Retry-After', '1')
  if (error.status >= 503 && !res.hasHeader('Retry-After')) res.setHeader('Retry-After', '5')
  for (const [name, value] of Object.entries(error.headers)) res.setHeader(name, value)
}

// RFC 6750 section 3.1: no error code when no token was presented.
function challenge(error: ApiError, realm: string, word = 'Bearer'): string {
  const scheme = `${word} realm="${realm}"`
  // The other parameters are those of Bearer.
  if (word !== 'Bearer' || withoutBearerError.has(error.code)) return scheme
  const description =
    error.code === 'token_expired' ? ', error_description="The access token expired"' : ''
  return `${scheme}, error="invalid_token"${description}`
}

function sendBody(
  req: Request,
  res: Response,
  { contentType, text }: { contentType: string; text: string },
): void {
  if (contentType === problemMediaType) setKnownHeader(res, 'Content-Type', contentType)
  else res.setHeader('Content-Type', contentType)
  if (req.complete || res.getHeader('Connection') !== 'close') {
    sendText(res, text)
    return
  }
  // Closing while the client still sends would reset the connection and lose the answer in it:
  // the answer goes out, what arrives is thrown away for a moment, then the connection ends.
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
