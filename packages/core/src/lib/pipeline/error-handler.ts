import { type ErrorRequestHandler } from 'express'
import { createErrorSender, type ErrorHandlerOptions } from './send-error.ts'

/**
 * The last middleware of an app: answers with a problem, whatever was thrown.
 * @param options - format, realm, logger
 * @returns the Express error handler
 */
export function errorHandler(options: ErrorHandlerOptions = {}): ErrorRequestHandler {
  const sendError = createErrorSender(options)
  // oxlint-disable-next-line max-params -- Express knows an error handler by its four parameters
  return (error, req, res, _next) => sendError(error, req, res)
}
